#===- jax_programs.py - small JAX programs of every kind ------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Programs that JAX exports with sharded arguments on a 4 x 2 mesh (sorting, scans and their
gradients, loops and branches, indexing, embedding gradients, shard_map, bf16, ...), run by
`shardwright run` on 8 devices: the results are those of unsharded JAX."""

import os
import sys
import tempfile

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ["XLA_FLAGS"] = os.environ.get("XLA_FLAGS", "") + " --xla_force_host_platform_device_count=8"
sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "oracle"))
import oracle

oracle.require()

import jax
import jax.numpy as jnp
import jax.scipy.sparse.linalg
import numpy as np
from jax import shard_map
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((4, 2), ("x", "y"), axis_types=(AxisType.Auto,) * 2)
random = np.random.RandomState(0)
programs = {}


def A(*shape):
    return random.randn(*shape).astype(np.float32)


def I(high, *shape):
    return random.randint(0, high, shape).astype(np.int32)


def add(name, f, args, specs, reference=None):
    """Adds a program. specs None: on one device. reference: computes the results if XLA on CPU cannot
    run `f`."""
    programs[name] = (f, args, specs, jax.jit(f) if reference is None else reference)


def in_double(f):
    """Returns the float64 version of `f`, for sums that cancel so much that float32 results depend on
    the order."""

    def reference(*args):
        with jax.enable_x64(True):
            wide = jax.tree.map(lambda a: np.asarray(a, np.float64), args)
            return jax.tree.map(lambda a: np.asarray(a, np.float32), jax.jit(f)(*wide))

    return reference


add("argmax",lambda x:(jnp.argmax(x,1),jnp.max(x,0)),[A(8,16)],[("x","y")])
add("sort",lambda x:jnp.sort(x,axis=1),[A(8,16)],[("x","y")])
add("cumsum",lambda x:jnp.cumsum(x,axis=0),[A(8,16)],[("x","y")])
add("take",lambda x,i:jnp.take_along_axis(x,i,axis=1),[A(8,16),I(16,8,4)],[("x",None),("x",None)])
add("embed_grad",jax.grad(lambda w,i:jnp.sum(jnp.sin(w[i]))),[A(32,8),I(32,16)],[("y",None),("x",)])
def rnn(w,x):
    def st(h,xt): h=jnp.tanh(h@w+xt); return h,h
    return jax.lax.scan(st,jnp.zeros(x.shape[1:]),x)
add("rnn",rnn,[A(8,8),A(5,4,8)],[(None,"y"),(None,"x",None)])
add("rnn_grad",jax.grad(lambda w,x: jnp.sum(rnn(w,x)[1]**2)),[A(8,8),A(5,4,8)],[(None,"y"),(None,"x",None)])
add("while",lambda x: jax.lax.while_loop(lambda c:jnp.sum(c[0])<100.,lambda c:(c[0]*1.5,c[1]+1),(jnp.abs(x),0)),[A(8,8)],[("x","y")])
add("cond",lambda x: jax.lax.cond(jnp.sum(x)>0,lambda x:x@x,lambda x:x.T,x),[A(8,8)],[("x","y")])
add("dus",lambda c,u,i: jax.lax.dynamic_update_slice(c,u,(0,i,0)),[A(8,16,4),A(8,1,4),np.int32(3)],[("x",None,"y"),("x",None,"y"),()])
add("bf16_mlp",lambda x,w: jax.nn.gelu(x@w),[A(8,16).astype(jnp.bfloat16),A(16,32).astype(jnp.bfloat16)],[("x",None),(None,"y")])
add("softmax_xent",lambda x,y: -jnp.mean(jnp.sum(jax.nn.log_softmax(x)*jax.nn.one_hot(y,16),-1)),[A(8,16),I(16,8)],[("x","y"),("x",)])
add("concat_pad",lambda x,y: jnp.pad(jnp.concatenate([x,y],0),((1,1),(0,2))),[A(8,16),A(8,16)],[("x","y"),("x","y")])
add("roll_flip",lambda x: (jnp.roll(x,3,0),x[::-1],x[:,::2]),[A(8,16)],[("x","y")])
add("topk",lambda x: jax.lax.top_k(x,3),[A(8,16)],[("x","y")])
add("random",lambda k: jax.random.normal(jax.random.wrap_key_data(k),(8,16)),[np.array([0,7],np.uint32)],[(None,)])
add("einsum",lambda a,b,c: jnp.einsum("bij,bjk,kl->bil",a,b,c),[A(8,4,6),A(8,6,4),A(4,8)],[("x",None,None),("x",None,None),(None,"y")])
add("maxpool",lambda x: jax.lax.reduce_window(x,-jnp.inf,jax.lax.max,(1,2,2,1),(1,2,2,1),"VALID"),[A(8,8,8,4)],[("x",None,None,"y")])
add("int",lambda a,b: (a//b, a%b, a<<2, a^b, jnp.clip(a,1,5)),[I(100,8,8),I(9,8,8)+1],[("x","y"),("x","y")])
add("var_std",lambda x:(jnp.var(x,0),jnp.std(x),jnp.linalg.norm(x)),[A(8,16)],[("x","y")])
add("where_tri",lambda x: jnp.where(jnp.tril(jnp.ones((8,8),bool)),x,-1e9),[A(8,8)],[("x","y")])
add("segsum",lambda x,i: jax.ops.segment_sum(x,i,num_segments=8),[A(16,4),I(8,16)],[("x","y"),("x",)])
add("trig",lambda x:(jnp.sin(x),jnp.cos(x),jnp.arctan2(x,1+x*x),jnp.exp2(x),jnp.log1p(jnp.abs(x)),jnp.expm1(x),jnp.cbrt(x),jax.nn.sigmoid(x),jax.scipy.special.erf(x),jnp.tan(x),jnp.sinh(x),jnp.arcsinh(x)),[A(8,8)],[("x","y")])
add("f16",lambda x: jnp.mean(x*x),[A(8,8).astype(np.float16)],[("x","y")])
add("shard_map",lambda x: shard_map(lambda a: jax.lax.psum(a*2,"x"),mesh=mesh,in_specs=P("x","y"),out_specs=P(None,"y"))(x),[A(8,16)],[("x","y")])
add("shard_map2",lambda x: shard_map(lambda a: jax.lax.all_gather(a,"x",tiled=True)+jax.lax.axis_index("y"),mesh=mesh,in_specs=P("x","y"),out_specs=P(None,"y"),check_vma=False)(x),[A(8,16)],[("x","y")])
add("shard_map3",lambda x: shard_map(lambda a: jax.lax.ppermute(jax.lax.all_to_all(a,"x",1,0,tiled=True),"y",[(0,1),(1,0)]),mesh=mesh,in_specs=P("x","y"),out_specs=P("x","y"))(x),[A(8,16)],[("x","y")])
add("uneven",lambda x,w: jnp.tanh(x@w).sum(0),[A(6,10),A(10,7)],[("y",None),(None,None)])
add("gather2d",lambda x,i,j: x[i,j],[A(8,16),I(8,5),I(16,5)],[("x","y"),(None,),(None,)])
add("scatter_set",lambda x,i,v: x.at[i].set(v),[A(16,4),I(16,3),A(3,4)],[("x","y"),(None,),(None,None)])
add("attn_vmap",jax.vmap(lambda q,k,v: jax.nn.softmax(q@k.T)@v),[A(8,4,8),A(8,4,8),A(8,4,8)],[("x",None,None)]*3)


# --- one device: the library ops ----------------------------------------------------------

linalg, jsl = jnp.linalg, jax.scipy.linalg
lax = jax.lax


def C(*shape):
    return (A(*shape) + 1j * A(*shape)).astype(np.complex64)


def spd(*shape):
    x = A(*shape)
    return x @ np.swapaxes(x, -1, -2) + shape[-1] * np.eye(shape[-1], dtype=np.float32)


def one(name, f, *args, reference=None):
    """A program without shardings, on one device."""
    add(name, f, list(args), None, reference)


def conv(x, w, strides=(1, 1), padding="SAME", dims=("NHWC", "HWIO", "NHWC"), **more):
    return lax.conv_general_dilated(x, w, strides, padding, dimension_numbers=dims, **more)


def pool(x):
    return lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")


def cnn(params, x):
    w1, w2, w3 = params
    x = pool(jax.nn.relu(conv(x, w1)))
    x = pool(jax.nn.relu(conv(x, w2)))
    return x.reshape(x.shape[0], -1) @ w3


def norm(x):
    return (x - x.mean((0, 1, 2))) * lax.rsqrt(x.var((0, 1, 2)) + 1e-5)


def residual(x, w1, w2):
    return jax.nn.relu(x + norm(conv(jax.nn.relu(norm(conv(x, w1))), w2)))


net = [A(3, 3, 3, 8) / 5, A(3, 3, 8, 16) / 8, A(4 * 4 * 16, 10) / 16]
one("cnn", cnn, net, A(4, 16, 16, 3))
one("cnn_grad", jax.grad(lambda p, x: jnp.sum(jax.nn.log_softmax(cnn(p, x))[:, 3])), net, A(4, 16, 16, 3))
one("residual", residual, A(2, 12, 12, 8), A(3, 3, 8, 8) / 8, A(3, 3, 8, 8) / 8)
residual_grad = jax.grad(lambda w, x: jnp.sum(residual(x, *w) ** 2))
one("residual_grad", residual_grad, [A(3, 3, 8, 8) / 8, A(3, 3, 8, 8) / 8], A(2, 12, 12, 8), reference=in_double(residual_grad))
one("conv_nchw", lambda x, w: conv(x, w, (2, 2), dims=("NCHW", "OIHW", "NCHW")), A(2, 4, 15, 13), A(6, 4, 5, 3))
one("conv_1d_dilated", lambda x, w: conv(x, w, (1,), [(4, 0)], ("NWC", "WIO", "NWC"), rhs_dilation=(2,)), A(2, 30, 5), A(3, 5, 7))
one("conv_3d", lambda x, w: conv(x, w, (1, 2, 1), "VALID", ("NDHWC", "DHWIO", "NDHWC")), A(1, 6, 8, 7, 3), A(2, 3, 3, 3, 4))
one("conv_depthwise", lambda x, w: conv(x, w, feature_group_count=8), A(2, 10, 10, 8), A(3, 3, 1, 16))
one("conv_groups", lambda x, w: conv(x, w, feature_group_count=2), A(2, 10, 10, 8), A(3, 3, 4, 6))
one("conv_depthwise_grad", jax.grad(lambda w, x: jnp.sum(jnp.sin(conv(x, w, feature_group_count=8)))), A(3, 3, 1, 8), A(2, 10, 10, 8))
one("conv_transpose", lambda x, w: lax.conv_transpose(x, w, (2, 2), "SAME"), A(2, 7, 7, 4), A(3, 3, 4, 6))
one("conv_bf16", conv, A(2, 8, 8, 16).astype(jnp.bfloat16), A(3, 3, 16, 16).astype(jnp.bfloat16))
one("conv_crop", lambda x, w: conv(x, w, (1, 1), [(-1, 2), (0, -2)]), A(2, 9, 9, 3), A(3, 3, 3, 4))
one("conv_int", lambda x, w: lax.conv_general_dilated(x, w, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")), I(9, 2, 8, 8, 3), I(9, 3, 3, 3, 4))
one("avg_pool_grad", jax.grad(lambda x: jnp.sum(lax.reduce_window(x, 0., lax.add, (1, 3, 3, 1), (1, 2, 2, 1), "SAME") ** 2)), A(2, 9, 9, 3))
one("max_pool_grad", jax.grad(lambda x: jnp.sum(lax.reduce_window(x, -jnp.inf, lax.max, (1, 3, 3, 1), (1, 2, 2, 1), "SAME") ** 2)), A(2, 9, 9, 3))

one("cholesky", lambda a, b: (linalg.cholesky(a), jsl.cho_solve((linalg.cholesky(a), True), b)), spd(3, 6, 6), A(3, 6, 2))
one("cholesky_grad", jax.grad(lambda a: jnp.sum(jnp.log(jnp.diagonal(linalg.cholesky(a))))), spd(6, 6))
one("solve", lambda a, b: (linalg.solve(a, b), linalg.inv(a), linalg.det(a)), spd(2, 5, 5), A(2, 5, 3))
one("solve_grad", jax.grad(lambda a, b: jnp.sum(linalg.solve(a, b) ** 2)), spd(5, 5), A(5, 3))
one("slogdet", lambda a: linalg.slogdet(a), A(4, 6, 6))
one("lu", lambda a: jsl.lu(a), A(6, 4))
one("qr", lambda a: [abs(x) for x in linalg.qr(a)], A(2, 7, 4))
one("qr_full", lambda a: (lambda q, r: (q @ r, q.T @ q))(*linalg.qr(a, mode="complete")), A(7, 4))
one("svd", lambda a: (lambda u, s, v: (s, (u * s[..., None, :]) @ v))(*linalg.svd(a, full_matrices=False)), A(2, 6, 4))
one("svd_values", lambda a: linalg.svd(a, compute_uv=False), A(4, 6))
one("eigh", lambda a: (lambda w, v: (w, (v * w[..., None, :]) @ jnp.swapaxes(v, -1, -2)))(*linalg.eigh(a)), spd(2, 6, 6))
one("eigh_grad", jax.grad(lambda a: jnp.sum(linalg.eigvalsh(a) ** 3)), spd(5, 5))
one("eig", lambda a: (lambda w, v: jnp.abs(a @ v - v * w))(*linalg.eig(a)) + 1.0, A(5, 5))
one("eigh_complex", lambda a: linalg.eigvalsh(a + jnp.conj(a.T)), C(5, 5))
one("lstsq", lambda a, b: linalg.lstsq(a, b)[0], A(8, 3), A(8, 2))
one("pinv", linalg.pinv, A(6, 4))
one("expm", jsl.expm, A(4, 4) / 3)
one("matrix_power", lambda a: linalg.matrix_power(a, 5), A(4, 4) / 2)
one("schur", lambda a: (lambda t, z: z @ t @ z.T)(*jsl.schur(a)), A(5, 5))
one("hessenberg", lambda a: jnp.abs(jsl.hessenberg(a)), A(5, 5))
one("tridiagonal", lambda dl, d, du, b: lax.linalg.tridiagonal_solve(dl, d, du, b), A(6), A(6) + 5, A(6), A(6, 2))
one("triangular", lambda a, b: (jsl.solve_triangular(a, b), jsl.solve_triangular(a, b, lower=True, trans=1), lax.linalg.triangular_solve(a, b.T, unit_diagonal=True, transpose_a=True)), A(5, 5) + 4 * np.eye(5, dtype=np.float32), A(5, 3))

key = np.array([3, 11], np.uint32)


def rand(name, f):
    one("random_" + name, lambda k: f(jax.random.wrap_key_data(k)), key)


rand("bits", lambda k: (jax.random.bits(k, (7, 3)), jax.random.bits(k, (5,), np.uint8)))
rand("uniform", lambda k: jax.random.uniform(k, (33,), minval=-2, maxval=5))
rand("randint", lambda k: jax.random.randint(k, (33,), -7, 1000))
rand("permutation", lambda k: (jax.random.permutation(k, 20), jax.random.split(k, 3).shape[0]))
rand("categorical", lambda k: jax.random.categorical(k, jnp.arange(5.0), shape=(40,)))
rand("gamma", lambda k: jax.random.gamma(k, 2.5, (9,)))
rand("truncated", lambda k: jax.random.truncated_normal(k, -1, 2, (9, 9)))
rand("dropout", lambda k: jnp.where(jax.random.bernoulli(k, 0.7, (9, 9)), 1.0, 0.0))
rand("fold_in", lambda k: jax.lax.map(lambda i: jax.random.normal(jax.random.fold_in(k, i), (3,)), jnp.arange(4)))
for algorithm in ("RNG_THREE_FRY", "RNG_PHILOX", "RNG_DEFAULT"):
    kind = getattr(lax.RandomAlgorithm, algorithm)
    one("bits_" + algorithm.lower(), lambda s, kind=kind: [lax.rng_bit_generator(s, shape, dtype, kind) for shape, dtype in [((3, 5), np.uint32), ((4, 3), np.uint8), ((7,), np.uint16), ((), np.uint32)]], np.array([1, 2, 3, 4] if "FRY" not in algorithm else [9, 8, 7, 6], np.uint32))

one("fft", lambda x: (jnp.fft.fft(x), jnp.fft.ifft(x, axis=0)), C(6, 15))
one("rfft", lambda x: (jnp.fft.rfft(x), jnp.fft.irfft(jnp.fft.rfft(x), 15)), A(4, 15))
one("fft_2d", lambda x: (jnp.fft.fft2(x), jnp.fft.rfftn(x), jnp.fft.irfftn(jnp.fft.rfftn(x))), A(3, 8, 6))
one("fft_prime", lambda x: jnp.abs(jnp.fft.fft(x)), A(2, 101))
one("fft_convolve", lambda x, w: jax.scipy.signal.fftconvolve(x, w), A(40), A(9))
one("fft_grad", jax.grad(lambda x: jnp.sum(jnp.abs(jnp.fft.rfft(x)) ** 2)), A(12))

one("argsort", lambda x: (jnp.argsort(x, 0), jnp.lexsort((x[0], x[1]))), A(5, 17))
one("sort_pairs", lambda k, v: lax.sort((k, v), num_keys=1), I(5, 30), A(30))
one("median", lambda x: (jnp.median(x, 0), jnp.percentile(x, 30)), A(9, 5))
one("searchsorted", lambda x, y: jnp.searchsorted(jnp.sort(x), y), A(20), A(7))
one("unique", lambda x: jnp.unique(x, size=8), I(9, 30))
one("approx_max_k", lambda x: (lax.approx_max_k(x, 3), lax.approx_min_k(x, 2)), A(4, 20))
one("histogram", lambda x: jnp.histogram(x, 5, (-2, 2))[0], A(50))

one("associative_scan", lambda x: (lax.associative_scan(jnp.add, x), jnp.cumprod(x, 1), lax.cummax(x)), A(6, 9))
one("switch", lambda i, x: lax.switch(i, [jnp.sin, jnp.cos, lambda x: x * 2], x), np.int32(1), A(5))
one("nested_loops", lambda x: lax.fori_loop(0, 3, lambda i, x: lax.while_loop(lambda y: jnp.sum(y) < 10.0 + i, lambda y: y * 1.3, x) * 0.5, x), np.abs(A(4)) + 0.1)
one("scan_of_scan", lambda x: lax.scan(lambda c, r: lax.scan(lambda c, v: (c * 0.9 + v, c), c, r), 0.0, x), A(3, 4))
one("cond_grad", jax.grad(lambda x: lax.cond(x.sum() > 0, lambda x: jnp.sum(x**3), lambda x: jnp.sum(jnp.exp(x)), x)), A(5))
one("hessian", jax.hessian(lambda x: jnp.sum(jnp.sin(x) * x**2) ** 2), A(4))
one("jacobian", jax.jacfwd(lambda x: jnp.tanh(x[:, None] * x).sum(0)), A(4))
one("checkpoint", jax.grad(jax.checkpoint(lambda x: jnp.sum(jnp.sin(jnp.sin(jnp.sin(x)))))), A(5))
one("special", lambda x: (jax.scipy.special.gammaln(x), jax.scipy.special.digamma(x), jax.scipy.special.erfinv(x / 9), jax.scipy.special.betainc(x, 2.0, 0.3), jax.scipy.special.i0e(x)), np.abs(A(7)) + 0.5)
one("logsumexp", lambda x: jax.scipy.special.logsumexp(x, axis=1), A(4, 30) * 30)


# --- one device: models, training and numerical methods -----------------------------------


def lstm(p, xs):
    def step(carry, x):
        h, c = carry
        i, f, g, o = jnp.split(x @ p[0] + h @ p[1] + p[2], 4, -1)
        c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
        h = jax.nn.sigmoid(o) * jnp.tanh(c)
        return (h, c), h

    return lax.scan(step, (jnp.zeros((xs.shape[1], 6)), jnp.zeros((xs.shape[1], 6))), xs)[1]


cells = [A(4, 24) / 3, A(6, 24) / 3, A(24) / 3]
one("lstm", lstm, cells, A(7, 3, 4))
one("lstm_grad", jax.grad(lambda p, x: jnp.sum(lstm(p, x) ** 2)), cells, A(7, 3, 4))


def attention(x, w, mask):
    q, k, v = jnp.split((x @ w[0]).reshape(*x.shape[:2], 2, 12), 3, -1)
    scores = jnp.where(mask, jnp.einsum("bqhd,bkhd->bhqk", q, k) / 2, -1e9)
    return x + jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(scores), v).reshape(x.shape) @ w[1]


def transformer(x, w):
    mask = jnp.tril(jnp.ones((x.shape[1],) * 2, bool))
    layer = lambda h: (h - h.mean(-1, keepdims=True)) * lax.rsqrt(h.var(-1, keepdims=True) + 1e-5)
    h = attention(layer(x), w, mask)
    return h + jax.nn.gelu(layer(h) @ w[2]) @ w[3]


blocks = [A(8, 24) / 3, A(8, 8) / 3, A(8, 16) / 3, A(16, 8) / 4]
one("transformer", transformer, A(2, 5, 8), blocks)
one("transformer_grad", jax.grad(lambda w, x: jnp.mean(transformer(x, w) ** 2)), blocks, A(2, 5, 8))
one("transformer_stack_grad", jax.grad(lambda w, x: jnp.mean(lax.scan(lambda h, l: (jax.checkpoint(transformer)(h, l), None), x, w)[0] ** 2)), [A(3, *b.shape) / 3 for b in blocks], A(2, 5, 8))


def decode(w, first):
    """Greedy decoding with a cache of keys and values."""

    def step(carry, t):
        token, keys, values = carry
        h = w[0][token]
        keys, values = (lax.dynamic_update_slice(c, (h @ m)[:, None], (0, t, 0)) for c, m in ((keys, w[1]), (values, w[2])))
        scores = jnp.where(jnp.arange(6) <= t, jnp.einsum("bd,btd->bt", h, keys), -jnp.inf)
        token = jnp.argmax((h + jnp.einsum("bt,btd->bd", jax.nn.softmax(scores), values)) @ w[0].T, -1)
        return (token, keys, values), token

    return lax.scan(step, (first, jnp.zeros((3, 6, 8)), jnp.zeros((3, 6, 8))), jnp.arange(6))[1]


one("decode", decode, [A(11, 8), A(8, 8), A(8, 8)], I(11, 3))


def adam(w, x, y):
    loss = lambda w: jnp.mean((jnp.tanh(x @ w[0]) @ w[1] - y) ** 2)

    def step(carry, t):
        w, m, v = carry
        value, g = jax.value_and_grad(loss)(w)
        m = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, m, g)
        v = jax.tree.map(lambda v, g: 0.99 * v + 0.01 * g * g, v, g)
        w = jax.tree.map(lambda w, m, v: w - 0.01 * (m / (1 - 0.9 ** (t + 1.0))) / (jnp.sqrt(v / (1 - 0.99 ** (t + 1.0))) + 1e-6), w, m, v)
        return (w, m, v), value

    zeros = jax.tree.map(jnp.zeros_like, w)
    return lax.scan(step, (w, zeros, zeros), jnp.arange(20))[1]


one("adam", adam, [A(5, 8), A(8, 2)], A(16, 5), A(16, 2))
one("autoencoder_grad", jax.grad(lambda w, x, k: jnp.mean((jax.nn.sigmoid((x @ w[0] + jnp.exp(0.1 * (x @ w[1])) * jax.random.normal(jax.random.wrap_key_data(k), (6, 3))) @ w[2]) - x) ** 2)), [A(8, 3), A(8, 3), A(3, 8)], A(6, 8), key)
one("graph_network", lambda x, s, r, w: jax.nn.relu(jax.ops.segment_sum(jnp.tanh(x[s] @ w), r, 7) / jnp.maximum(jax.ops.segment_sum(jnp.ones(20), r, 7), 1)[:, None]), A(7, 4), I(7, 20), I(7, 20), A(4, 4))
one("k_means", lambda x, c: lax.fori_loop(0, 5, lambda i, c: (lambda a: jax.ops.segment_sum(x, a, 3) / jnp.maximum(jax.ops.segment_sum(jnp.ones(30), a, 3), 1)[:, None])(jnp.argmin(jnp.sum((x[:, None] - c) ** 2, -1), 1)), c), A(30, 2), A(3, 2))
one("gaussian_process", lambda x, y, z: (lambda k: k(z, x) @ jsl.cho_solve(jsl.cho_factor(k(x, x) + 0.1 * jnp.eye(9)), y))(lambda a, b: jnp.exp(-0.5 * (a[:, None] - b) ** 2)), A(9), A(9), A(5))
one("kalman", lambda zs: lax.scan(lambda c, z: (lambda p, k: ((c[0] + k * (z - c[0]), (1 - k) * p), c[0] + k * (z - c[0])))(c[1] + 0.1, (c[1] + 0.1) / (c[1] + 0.6)), (0.0, 1.0), zs)[1], A(25))
one("runge_kutta", lambda y: lax.fori_loop(0, 50, lambda i, y: (lambda f, h: (lambda a: (lambda b: (lambda c: (lambda d: y + h / 6 * (a + 2 * b + 2 * c + d))(f(y + h * c)))(f(y + h / 2 * b)))(f(y + h / 2 * a)))(f(y)))(lambda y: jnp.stack([y[1], (1 - y[0] ** 2) * y[1] - y[0]]), 0.05), y), np.array([1.0, 0.5], np.float32))
one("newton", lambda x: lax.while_loop(lambda c: jnp.abs(c * c * c - 2 * c - x) > 1e-5, lambda c: c - (c * c * c - 2 * c - x) / (3 * c * c - 2), 2 + jnp.abs(x)), np.float32(5))
one("conjugate_gradient", lambda a, b: jax.scipy.sparse.linalg.cg(lambda v: a @ v, b, maxiter=8)[0], spd(6, 6), A(6))
one("sinkhorn", lambda c: lax.fori_loop(0, 20, lambda i, p: (lambda q: q / q.sum(0))(p / p.sum(1, keepdims=True)), jnp.exp(-c)), np.abs(A(5, 5)))
one("viterbi", lambda t, e: lax.scan(lambda c, x: (lambda s: (s.max(0) + x, s.argmax(0)))(c[:, None] + t), e[0], e[1:]), A(4, 4), A(9, 4))
one("game_of_life", lambda b: lax.fori_loop(0, 6, lambda i, b: (lambda n: ((n == 3) | ((b == 1) & (n == 2))).astype(jnp.int8))(sum(jnp.roll(b, (i, j), (0, 1)) for i in (-1, 0, 1) for j in (-1, 0, 1) if (i, j) != (0, 0))), b), I(2, 12, 12).astype(np.int8))
one("power_iteration", lambda a, v: lax.fori_loop(0, 30, lambda i, v: (lambda w: w / jnp.linalg.norm(w))(a @ v), v), spd(6, 6), A(6))
one("layer_norm_jvp", lambda x, t: jax.jvp(lambda x: (x - x.mean(-1, keepdims=True)) * lax.rsqrt(x.var(-1, keepdims=True) + 1e-5), (x,), (t,)), A(4, 9), A(4, 9))
one("metropolis", lambda k: lax.scan(lambda c, k: (lambda a, n: (jnp.where(jnp.log(jax.random.uniform(a)) < (c * c - n * n) / 2, n, c),) * 2)(jax.random.split(k)[0], c + 0.7 * jax.random.normal(jax.random.split(k)[1])), jnp.float32(0), jax.random.split(jax.random.wrap_key_data(k), 40))[1], key)


# --- shard_map: collectives of every kind -------------------------------------------------


def smap(name, f, args, ins, outs, check=True, reference=None):
    wrapped = shard_map(f, mesh=mesh, in_specs=ins, out_specs=outs, check_vma=check)
    specs = [tuple(s) for s in (ins if isinstance(ins, tuple) and not isinstance(ins, P) else (ins,))]
    add(name, lambda *a: wrapped(*a), args, specs, reference)


XY = P("x", "y")
smap("sm_psum_both", lambda a: lax.psum(a, ("y", "x")), [A(8, 16)], XY, P(None, None))
smap("sm_pmax_pmin", lambda a: (lax.pmax(a, "x"), lax.pmin(a, "y")), [A(8, 16)], XY, (P(None, "y"), P("x", None)))
smap("sm_pmean_int", lambda a: lax.psum(a, "x"), [I(99, 8, 16)], XY, P(None, "y"))
smap("sm_psum_bf16", lambda a: lax.psum(a, "x"), [A(8, 16).astype(jnp.bfloat16)], XY, P(None, "y"))
smap("sm_gather_stack", lambda a: lax.all_gather(a, "x", axis=1), [A(8, 16)], XY, P(None, None, "y"), False)
smap("sm_scatter", lambda a: lax.psum_scatter(a, "x", scatter_dimension=1, tiled=True), [A(8, 16)], XY, XY, False)
smap("sm_scatter_stack", lambda a: lax.psum_scatter(a, "x"), [A(16, 16)], XY, P("y"), False)
smap("sm_all_to_all", lambda a: lax.all_to_all(a, "y", 0, 1, tiled=True), [A(8, 16)], XY, P(("x", "y"), None), False)
smap("sm_ring", lambda a: lax.fori_loop(0, 3, lambda i, v: lax.ppermute(v, "x", [(k, (k + 1) % 4) for k in range(4)]) + a, a), [A(8, 16)], XY, XY, False)
smap("sm_shift", lambda a: lax.ppermute(a, "x", [(0, 1), (1, 2)]), [A(8, 16)], XY, XY, False)
smap("sm_pshuffle", lambda a: lax.pshuffle(a, "x", [2, 0, 3, 1]), [A(8, 16)], XY, XY, False)
smap("sm_index", lambda a: a * lax.axis_index(("x", "y")) + lax.axis_index("y"), [A(8, 16)], XY, XY, False)
smap("sm_scan", lambda a: lax.scan(lambda c, _: (jnp.tanh(lax.psum(c, "x")) + c, lax.pmax(c, "y")), a, None, length=4), [A(8, 16)], XY, (XY, P(None, "x", None)), False)
smap("sm_while", lambda a: lax.while_loop(lambda c: lax.psum(jnp.sum(jnp.abs(c)), ("x", "y")) < 500.0, lambda c: c * 1.5, a), [A(8, 16)], XY, XY, False)
smap("sm_cond_same", lambda a: lax.cond(lax.psum(jnp.sum(a), ("x", "y")) > 0, lambda v: lax.psum(v, "x"), lambda v: lax.pmax(v, "x"), a), [A(8, 16)], XY, XY, False)
smap("sm_cond_apart", lambda a: lax.cond(lax.axis_index("y") == 0, lambda v: lax.psum(v * 2, "x"), lambda v: lax.pmax(v, "x") + 1, a), [A(8, 16)], XY, XY, False)
smap("sm_switch_apart", lambda a: lax.switch(lax.axis_index("x"), [lambda v: lax.psum(v, "y"), lambda v: lax.pmin(v, "y"), lambda v: lax.pmax(v, "y") + 1, lambda v: v * 2], a), [A(8, 16)], XY, XY, False)
smap("sm_trips_apart", lambda a: lax.fori_loop(0, lax.axis_index("x") + 1, lambda i, v: lax.psum(v, "y") * 0.5 + 1, a), [A(8, 16)], XY, XY, False)
smap("sm_grad", lambda a, w: jax.grad(lambda w: lax.psum(jnp.sum(jnp.sin(a @ w)), "x"))(w), [A(8, 16), A(16, 4)], (P("x", None), P(None, "y")), P(None, "y"), False)
smap("sm_cond_in_scan", lambda a: lax.scan(lambda c, i: (lax.cond(i % 2 == 0, lambda v: lax.psum(v, "x") / 4, lambda v: lax.ppermute(v, "x", [(k, 3 - k) for k in range(4)]), c), ()), a, jnp.arange(5))[0], [A(8, 16)], XY, XY, False)


def pair(k=1):
    return [(i, (i + k) % 2) for i in range(2)]


def ring(k=1):
    return [(i, (i + k) % 4) for i in range(4)]


# Collectives of every kind, in the bodies of loops and in branches.
smap("sm_gather_untiled", lambda a: lax.all_gather(a, ("x", "y")), [A(8, 16)], XY, P(), False)
smap("sm_gather_in_while", lambda a: lax.while_loop(lambda c: c[0] < 3, lambda c: (c[0] + 1, jnp.mean(lax.all_gather(c[1], "x"), 0) + c[1]), (0, a))[1], [A(8, 16)], XY, XY, False)
smap("sm_gather_in_scan", lambda a: lax.scan(lambda c, i: (c * 0.5 + lax.all_gather(c, "y", axis=1, tiled=True)[:, :8], lax.all_gather(c, "y", axis=0)), a, jnp.arange(3)), [A(8, 16)], XY, (XY, P(None, None, "x", "y")), False)
smap("sm_scatter_in_scan", lambda a: lax.scan(lambda c, i: (jnp.tile(lax.psum_scatter(c, "y", scatter_dimension=1, tiled=True), (1, 2)), lax.psum_scatter(c, "x", scatter_dimension=1, tiled=True)), a, jnp.arange(3)), [A(8, 16)], XY, (XY, P(None, "x", "y")), False)
smap("sm_to_all_in_cond", lambda a, k: lax.cond(k[0] > 0, lambda v: lax.all_to_all(v, "y", 1, 0), lambda v: lax.all_to_all(v * 2, "y", 1, 0), a.reshape(2, 2, 4)), [A(8, 16), np.array([1], np.int32)], (XY, P(None)), P("x", "y"), False)
smap("sm_to_all_in_while", lambda a: lax.while_loop(lambda c: c[0] < 3, lambda c: (c[0] + 1, lax.all_to_all(c[1], "x", 1, 1, tiled=True) * 1.1), (0, a))[1], [A(8, 16)], XY, XY, False)
smap("sm_permute_in_while", lambda a: lax.while_loop(lambda c: lax.pmax(jnp.max(c[1]), ("x", "y")) < 50.0, lambda c: (c[0] + 1, lax.ppermute(c[1], "x", ring()) * 1.7 + 1), (0, a))[1], [A(8, 16)], XY, XY, False)
smap("sm_index_in_scan", lambda a: lax.scan(lambda c, i: (c + lax.axis_index("x") * i, lax.psum(c, "y") * lax.axis_index("y")), a, jnp.arange(4))[0], [A(8, 16)], XY, XY, False)
smap("sm_swapaxes", lambda a: lax.pswapaxes(a.reshape(2, 2, 4), "y", 1), [A(8, 16)], XY, P("x", None, "y"), False)
smap("sm_psum_tree", lambda a: jax.tree.map(lambda v: lax.psum(v, ("x", "y")), {"a": a, "b": [a.sum(0), jnp.float32(2), a.astype(jnp.int32)]}), [A(8, 16)], XY, P(), False)
smap("sm_psum_groups", lambda a: lax.psum(a, "x", axis_index_groups=[[0, 3], [1, 2]]), [A(8, 16)], XY, XY, False)
smap("sm_gather_groups", lambda a: lax.all_gather(a, "x", axis_index_groups=[[2, 0], [1, 3]], tiled=True), [A(8, 16)], XY, XY, False)
smap("sm_pmin_bool", lambda a: (lax.pmin((a > 0).astype(jnp.int8), "x"), lax.pmax(a.astype(jnp.bfloat16), "y")), [A(8, 16)], XY, (P(None, "y"), P("x")), False)
smap("sm_complex", lambda a: lax.psum(lax.ppermute(a + 1j, "x", ring(2)), "y"), [A(8, 16)], XY, P("x"), False)
smap("sm_mean_var", lambda a: (lax.pmean(a, ("x", "y")), jnp.sqrt(lax.pmean(jnp.square(a - lax.pmean(a, ("x", "y"))), ("x", "y")))), [A(8, 16)], XY, (P(), P()), False)
smap("sm_logsumexp", lambda a: jnp.log(lax.psum(jnp.sum(jnp.exp(a - lax.pmax(jnp.max(a, 1, keepdims=True), "y")), 1), "y")) + lax.pmax(jnp.max(a, 1), "y"), [A(8, 16) * 9], XY, P("x"), False)

# Diverging devices: different collectives, none, more trips, loops in branches in loops.
smap("sm_cond_one_side", lambda a: lax.cond(lax.axis_index("x") % 2 == 0, lambda v: lax.psum(v, "y"), lambda v: v * 3, a), [A(8, 16)], XY, XY, False)
smap("sm_cond_other_kinds", lambda a: lax.cond(lax.axis_index("y") == 1, lambda v: lax.all_gather(v, "x", tiled=True)[:2], lambda v: jnp.tile(lax.psum_scatter(jnp.tile(v, (2, 1)), "x", tiled=True), (2, 1))[:2], a), [A(8, 16)], XY, XY, False)
smap("sm_cond_permute_apart", lambda a: lax.cond(lax.axis_index("x") < 2, lambda v: lax.ppermute(v, "y", pair()), lambda v: lax.ppermute(v + 1, "y", [(0, 1)]), a), [A(8, 16)], XY, XY, False)
smap("sm_switch_in_scan", lambda a: lax.scan(lambda c, i: (lax.switch((lax.axis_index("x") + i) % 3, [lambda v: lax.psum(v, "y") / 2, lambda v: lax.pmax(v, "y"), lambda v: v - 1], c), c.sum()), a, jnp.arange(5))[0], [A(8, 16)], XY, XY, False)
smap("sm_while_trips_in_cond", lambda a: lax.cond(lax.axis_index("x") > 1, lambda v: lax.fori_loop(0, lax.axis_index("x"), lambda i, w: lax.psum(w, "y") * 0.4, v), lambda v: lax.pmin(v, "y"), a), [A(8, 16)], XY, XY, False)
smap("sm_cond_in_while", lambda a: lax.while_loop(lambda c: c[0] < 4, lambda c: (c[0] + 1, lax.cond((c[0] + lax.axis_index("x")) % 2 == 0, lambda v: lax.psum(v, "y") * 0.5, lambda v: lax.ppermute(v, "y", pair()) + 1, c[1])), (0, a))[1], [A(8, 16)], XY, XY, False)
smap("sm_apart_then_together", lambda a: lax.psum(lax.cond(lax.axis_index("x") == 3, lambda v: lax.fori_loop(0, 4, lambda i, w: jnp.sin(w) + i, v), lambda v: v, a), ("x", "y")), [A(8, 16)], XY, P(), False)
smap("sm_while_until_local", lambda a: lax.while_loop(lambda c: lax.pmax(jnp.max(jnp.abs(c)), "y") < 20.0, lambda c: c * (1.5 + lax.axis_index("x")), a), [A(8, 16)], XY, XY, False)

# Building blocks of models.
smap("sm_megatron", lambda x, w, v: lax.psum(jax.nn.gelu(x @ w) @ v, "y"), [A(8, 16), A(16, 32), A(32, 16)], (P("x", None), P(None, "y"), P("y", None)), P("x", None), False)
smap("sm_matmul_scatter", lambda x, w: lax.psum_scatter(x @ w, "y", scatter_dimension=0, tiled=True), [A(8, 16), A(16, 8)], (P("x", "y"), P("y", None)), P(("x", "y"), None), False)
smap("sm_gathered_matmul", lambda x, w: lax.fori_loop(0, 4, lambda i, c: (c[0] + c[1] @ lax.dynamic_slice(w, (((lax.axis_index("x") - i) % 4) * 4, 0), (4, 8)), lax.ppermute(c[1], "x", ring())), (jnp.zeros((8, 8)), x))[0], [A(8, 16), A(16, 8)], (P(None, "x"), P(None, None)), P("x", None), False)
smap("sm_halo", lambda a: jnp.concatenate([lax.ppermute(a[-1:], "x", [(0, 1), (1, 2), (2, 3)]), a, lax.ppermute(a[:1], "x", [(1, 0), (2, 1), (3, 2)])])[1:-1] * 0.5 + jnp.roll(a, 1, 0), [A(8, 16)], XY, XY, False)


def ring_attention(q, k, v):
    def step(carry, _):
        top, bottom, most, k, v = carry
        scores = q @ k.T
        now = jnp.maximum(most, scores.max(1, keepdims=True))
        weights = jnp.exp(scores - now)
        top = top * jnp.exp(most - now) + weights @ v
        bottom = bottom * jnp.exp(most - now) + weights.sum(1, keepdims=True)
        return (top, bottom, now, lax.ppermute(k, "x", ring()), lax.ppermute(v, "x", ring())), None

    start = (jnp.zeros_like(q), jnp.zeros((q.shape[0], 1)), jnp.full((q.shape[0], 1), -jnp.inf), k, v)
    (top, bottom, *_), _ = lax.scan(step, start, None, length=4)
    return top / bottom


rows = (P("x", None),) * 3
smap("sm_ring_attention", ring_attention, [A(16, 8), A(16, 8), A(16, 8)], rows, P("x", None), False)
ring_gradient = jax.grad(lambda q, k, v: jnp.sum(shard_map(ring_attention, mesh=mesh, in_specs=rows, out_specs=P("x", None), check_vma=False)(q, k, v) ** 2), (0, 1, 2))
add("sm_ring_attention_grad", ring_gradient, [A(16, 8), A(16, 8), A(16, 8)], [("x", None)] * 3)


def pipeline(x, w):
    """Four stages, one per row of the mesh; micro-batches move to the next stage on each step."""

    def step(carry, i):
        held, done = carry
        fed = jnp.where(lax.axis_index("x") == 0, x[i % 4], held)
        out = jnp.tanh(fed @ w[0])
        done = jnp.where(lax.axis_index("x") == 3, done.at[(i - 3) % 4].set(out), done)
        return (lax.ppermute(out, "x", ring()), done), None

    (_, done), _ = lax.scan(step, (jnp.zeros_like(x[0]), jnp.zeros_like(x)), jnp.arange(7))
    return lax.psum(jnp.where(lax.axis_index("x") == 3, done, 0), "x")


smap("sm_pipeline", pipeline, [A(4, 2, 8), A(4, 8, 8)], (P(), P("x", None, None)), P(), False)


def experts(x, gate, w):
    """Tokens are sent to the device of their expert and back, at fixed capacity."""
    choice = jnp.argmax(x @ gate, -1)
    place = jnp.cumsum(jax.nn.one_hot(choice, 4, dtype=jnp.int32), 0)[jnp.arange(x.shape[0]), choice] - 1
    sent = jnp.zeros((4, 3, x.shape[1])).at[choice, place].set(x, mode="drop")
    there = lax.all_to_all(sent, "x", 0, 0)
    back = lax.all_to_all(jax.nn.relu(there @ w[0]), "x", 0, 0)
    return back.at[choice, place].get(mode="fill", fill_value=0)


smap("sm_experts", experts, [A(16, 8), A(8, 4), A(4, 8, 8)], (P("x", None), P(), P("x", None, None)), P("x", None), False)
trained = shard_map(lambda w, x, y: (lambda l, g: (lax.pmean(l, "x"), w - 0.1 * lax.pmean(g, "x")))(*jax.value_and_grad(lambda w: jnp.mean((x @ w - y) ** 2))(w)), mesh=mesh, in_specs=(P(), P("x", None), P("x", None)), out_specs=(P(), P()), check_vma=False)
add("sm_train_steps", lambda w, x, y: lax.fori_loop(0, 5, lambda i, c: trained(c[1], x, y), (jnp.float32(0), w)), [A(8, 4), A(16, 8), A(16, 4)], [(None, None), ("x", None), ("x", None)])
add("sm_two_meshes_of_axes", lambda a: shard_map(lambda v: lax.psum(v, "x"), mesh=mesh, in_specs=P("x", None), out_specs=P(None, None))(a) + shard_map(lambda v: lax.psum(v, "y"), mesh=mesh, in_specs=P(None, "y"), out_specs=P(None, None))(a).sum(), [A(8, 16)], [("x", "y")])
add("sm_partly_manual", lambda a, w: jax.nn.relu(shard_map(lambda v, u: lax.psum(jnp.sin(v) @ u, "x"), mesh=mesh, in_specs=(P(None, "x"), P("x", None)), out_specs=P(None, None), axis_names={"x"})(a, w)), [A(8, 16), A(16, 8)], [("y", "x"), ("x", "y")])


def ragged_lists():
    """The segments that each of 4 devices sends to each: starts, counts, and offsets at the target."""
    counts = random.randint(0, 3, (4, 4)).astype(np.int32)
    starts = (np.cumsum(counts, 1) - counts).astype(np.int32)
    arrives = (np.cumsum(counts, 0) - counts).astype(np.int32)
    return [starts.reshape(-1), counts.reshape(-1), arrives.reshape(-1), counts.T.reshape(-1).copy()]


def ragged_reference(operand, output, starts, counts, arrives, _):
    starts, counts, arrives = (v.reshape(4, 4) for v in (starts, counts, arrives))
    operand, output = operand.reshape(4, 8, -1), output.reshape(4, 8, -1)
    rows = jnp.arange(8)
    for source in range(4):
        for target in range(4):
            k = rows - arrives[source, target]
            taken = operand[source][jnp.clip(k + starts[source, target], 0, 7)]
            sent = (k >= 0) & (k < counts[source, target])
            output = output.at[target].set(jnp.where(sent[:, None], taken, output[target]))
    return output.reshape(32, -1)


def ragged(*lists):
    return lax.ragged_all_to_all(*lists, axis_name="x")


smap("sm_ragged_to_all", ragged, [A(32, 3), A(32, 3), *ragged_lists()], (P("x", None),) * 2 + (P("x"),) * 4, P("x", None), False, ragged_reference)
smap("sm_ragged_in_scan", lambda a, b, *l: lax.scan(lambda c, _: (ragged(a, c * 2, *l), ()), b, None, length=3)[0], [A(32, 3), A(32, 3), *ragged_lists()], (P("x", None),) * 2 + (P("x"),) * 4, P("x", None), False,
     lambda a, b, *l: ragged_reference(a, ragged_reference(a, ragged_reference(a, b * 2, *l) * 2, *l) * 2, *l))  # fmt: skip


def bits(array):
    array = np.asarray(array)
    return array.view(np.uint16) if array.dtype == jnp.bfloat16 else array


def save(path, prefix, arrays):
    np.savez(path, **{f"{prefix}{i}": bits(a) for i, a in enumerate(arrays)})


wanted = sys.argv[1:]
tally = oracle.Tally("jax_programs")
with tempfile.TemporaryDirectory() as folder:
    for name, (f, args, specs, reference) in programs.items():
        if wanted and name not in wanted:
            continue
        sharded = {} if specs is None else {"in_shardings": tuple(NamedSharding(mesh, P(*s)) for s in specs)}
        module = os.path.join(folder, name + ".mlir")
        try:
            text = jax.jit(f, **sharded).lower(*args).as_text(debug_info=True)
        except Exception as error:
            tally.check(name, False, f"JAX cannot export it: {error}")
            continue
        with open(module, "w") as file:
            file.write(text)
        save(os.path.join(folder, "in.npz"), "arg", jax.tree.leaves(args))
        save(os.path.join(folder, "out.npz"), "out", jax.tree.leaves(reference(*jax.tree.map(jnp.asarray, args))))
        narrow = any(np.asarray(a).dtype.itemsize == 2 for a in jax.tree.leaves(args))
        done = oracle.process([
            oracle.TOOL, "run", module, os.path.join(folder, "in.npz"), "--expect", os.path.join(folder, "out.npz"),
            "--rtol", "2e-2" if narrow else "1e-4", "--atol", "1e-5", "--stats=json",
        ])  # fmt: skip
        tally.check(name, done.returncode == 0, done.stderr)
tally.finish()
