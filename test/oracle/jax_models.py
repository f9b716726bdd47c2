#===- jax_models.py - models and algorithms in typical JAX style ----------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""`programs()` returns (name, exported text) of sharded programs, one for each class of programs.
Their structure matters, not their results."""

import functools

import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

AUTO = (AxisType.Auto,)
MODELS = []


@functools.cache
def meshes():
    return (jax.make_mesh((4, 2), ("x", "y"), axis_types=AUTO * 2),
            jax.make_mesh((2, 2, 2), ("data", "fsdp", "tensor"), axis_types=AUTO * 3))


def arg(shape, *spec, dtype=jnp.float32, mesh=0):
    """Returns an argument on one of the meshes. Without a spec, propagation determines its sharding."""
    sharding = NamedSharding(meshes()[mesh], P(*spec)) if spec else None
    return jax.ShapeDtypeStruct(shape, dtype, sharding=sharding)


def cube(shape, *spec, dtype=jnp.float32):
    return arg(shape, *spec, dtype=dtype, mesh=1)


def constrain(x, *spec, mesh=0):
    return lax.with_sharding_constraint(x, NamedSharding(meshes()[mesh], P(*spec)))


def model(*arguments, grad=False):
    """Registers a function. `arguments` is called when the meshes may be made. grad: also register its
    gradient."""

    def register(function):
        MODELS.append((function.__name__.strip("_"), function, arguments[0]))
        if grad:
            total = lambda *a: sum(jnp.sum(jnp.abs(r) ** 2) for r in jax.tree.leaves(function(*a)))
            MODELS.append((function.__name__.strip("_") + "_grad", jax.grad(total), arguments[0]))
        return function

    return register


def programs():
    for name, function, arguments in MODELS:
        yield name, jax.jit(function).lower(*arguments()).as_text()
    yield from explicit_programs()


def norm(x, g):
    x = x - x.mean(-1, keepdims=True)
    return g * x * lax.rsqrt((x * x).mean(-1, keepdims=True) + 1e-6)


# --- transformers -----------------------------------------------------------------------------


@model(lambda: (cube((4, 16, 32), "data"), cube((32, 8), None, None), cube((8, 32, 64), ("data", "fsdp"), None, "tensor"),
                cube((8, 64, 32), ("data", "fsdp"), "tensor")), grad=True)
def mixture_of_experts(x, router, up, down):
    gates, chosen = lax.top_k(jax.nn.softmax(x @ router), 2)
    mask = jax.nn.one_hot(chosen, 8)
    place = jnp.cumsum(mask.reshape(4, -1, 8), axis=1).reshape(mask.shape)
    slots = jax.nn.one_hot(jnp.where(place <= 8, place - 1, -1), 8)
    dispatch = (mask[..., None] * slots).sum(2)
    combine = (gates[..., None, None] * mask[..., None] * slots).sum(2)
    inside = constrain(jnp.einsum("bsec,bsd->ebcd", dispatch, x), ("data", "fsdp"), mesh=1)
    inside = jax.nn.silu(jnp.einsum("ebcd,edf->ebcf", inside, up))
    return jnp.einsum("bsec,ebcd->bsd", combine, jnp.einsum("ebcf,efd->ebcd", inside, down))


def rotate(x, at):
    half = x.shape[-1] // 2
    angle = at[:, None] / 100.0 ** (jnp.arange(half) / half)
    a, b = x[..., :half], x[..., half:]
    return jnp.concatenate([a * jnp.cos(angle) - b * jnp.sin(angle), b * jnp.cos(angle) + a * jnp.sin(angle)], -1)


@model(lambda: (cube((4, 16, 32), "data"), cube((32, 8, 8), "fsdp", "tensor"), cube((32, 2, 2, 8), "fsdp", None, "tensor"),
                cube((8, 8, 32), "tensor", None, "fsdp")), grad=True)
def grouped_query_attention(x, q, kv, o):
    at = jnp.arange(16.0)
    q = rotate(jnp.einsum("bsd,dhe->bhse", x, q), at).reshape(4, 2, 4, 16, 8)
    k, v = jnp.moveaxis(jnp.einsum("bsd,dnhe->nbhse", x, kv), 0, 0)
    s = jnp.einsum("bghse,bgte->bghst", q, rotate(k, at)) / 3
    s = jnp.where(jnp.tril(jnp.ones((16, 16), bool)), s, -1e30)
    y = jnp.einsum("bghst,bgte->bghse", jax.nn.softmax(s), v).reshape(4, 8, 16, 8)
    return jnp.einsum("bhse,hed->bsd", y, o)


@model(lambda: (cube((4, 32), "data", dtype=jnp.int32), cube((64, 32), "tensor", "fsdp"), cube((4, 32), "data", dtype=jnp.int32)),
       grad=False)
def vocabulary_parallel_loss(tokens, table, labels):
    def loss(table):
        logits = constrain(table[tokens] @ table.T, "data", None, "tensor", mesh=1)
        picked = jnp.take_along_axis(logits, labels[..., None], -1)[..., 0]
        return (jax.nn.logsumexp(logits, -1) - picked).mean()

    return jax.value_and_grad(loss)(table)


@model(lambda: (cube((4, 32), "data"), cube((4, 2, 64, 8), "data", "tensor"), cube((4, 2, 64, 8), "data", "tensor"),
                cube((32, 3, 2, 8), "fsdp", None, "tensor"), cube((16, 100), "tensor"), cube((), dtype=jnp.int32), cube((2,), dtype=jnp.uint32)))
def decode(x, ks, vs, w, out, at, key):
    q, k, v = jnp.moveaxis(jnp.einsum("bd,dnhe->bnhe", x, w), 1, 0)
    ks = lax.dynamic_update_slice(ks, k[:, :, None], (0, 0, at, 0))
    vs = lax.dynamic_update_slice(vs, v[:, :, None], (0, 0, at, 0))
    s = jnp.where(jnp.arange(64) <= at, jnp.einsum("bhe,bhte->bht", q, ks), -1e30)
    y = jnp.einsum("bht,bhte->bhe", jax.nn.softmax(s), vs).reshape(4, -1) @ out
    best, chosen = lax.top_k(y, 5)
    return ks, vs, jnp.take_along_axis(chosen, jax.random.categorical(key, best)[:, None], 1), jnp.argmax(y, -1)


@model(lambda: (cube((4, 3, 100), "data"), cube((4, 3), "data"), cube((4, 3, 16), "data", dtype=jnp.int32)))
def beam_search(logits, scores, sequences):
    total = (scores[..., None] + jax.nn.log_softmax(logits)).reshape(4, -1)
    scores, at = lax.top_k(total, 3)
    beams, tokens = at // 100, at % 100
    kept = jnp.take_along_axis(sequences, beams[..., None], 1)
    return scores, jnp.concatenate([kept[..., 1:], tokens[..., None]], -1)


@model(lambda: (cube((8, 16, 32), ("data", "fsdp")), cube((32, 64), "fsdp", "tensor"), cube((64, 32), "tensor", "fsdp"), cube((32,))), grad=True)
def sequence_parallel(x, up, down, g):
    x = constrain(x, "data", "tensor", mesh=1)
    h = constrain(jax.nn.gelu(norm(x, g) @ up, approximate=False), "data", None, "tensor", mesh=1)
    return x + constrain(h @ down, "data", "tensor", mesh=1)


@model(lambda: (cube((8, 32), "data"), cube((32, 64), "fsdp", "tensor"), cube((32, 4), "fsdp"), cube((4, 64), None, "tensor")), grad=True)
def low_rank_adaptation(x, w, a, b):
    return x @ lax.stop_gradient(w) + (x @ a) @ b


@model(lambda: (cube((6, 32, 32), None, "fsdp", "tensor"), cube((8, 32), ("data", "fsdp"))))
def fully_sharded_step(ws, x):
    def loss(ws):
        def layer(h, w):
            # Weights are gathered where they are used.
            return jnp.tanh(h @ constrain(w, None, "tensor", mesh=1)), None

        return lax.scan(jax.checkpoint(layer, policy=jax.checkpoint_policies.nothing_saveable), x, ws)[0].sum()

    g = constrain(jax.grad(loss)(ws), None, "fsdp", "tensor", mesh=1)
    return ws - 0.1 * g


@model(lambda: (arg((8, 16), "x"), arg((16, 16), None, "y")), grad=True)
def rematerialized_by_name(x, w):
    from jax.ad_checkpoint import checkpoint_name

    f = jax.checkpoint(lambda x: jnp.sin(checkpoint_name(jnp.tanh(x @ w), "kept")) @ w,
                       policy=jax.checkpoint_policies.save_only_these_names("kept"))
    return f(f(x))


# --- other networks ---------------------------------------------------------------------------


@model(lambda: (arg((8, 16, 16, 8), "x"), arg((3, 3, 8, 8), None, None, None, "y"), arg((3, 3, 8, 8)), arg((8,)), arg((8,))), grad=True)
def residual_block(x, a, b, scale, shift):
    conv = lambda x, k: lax.conv_general_dilated(x, k, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
    h = conv(x, a)
    mean, var = h.mean((0, 1, 2)), h.var((0, 1, 2))
    h = jax.nn.relu((h - mean) * lax.rsqrt(var + 1e-5) * scale + shift)
    return jax.nn.relu(x + conv(h, b))


@model(lambda: (arg((8, 12, 12, 8), "x"), arg((3, 3, 1, 8)), arg((3, 3, 4, 16), None, None, None, "y"), arg((2, 2, 16, 8))), grad=True)
def convolutions(x, depthwise, grouped, transposed):
    dims = ("NHWC", "HWIO", "NHWC")
    x = lax.conv_general_dilated(x, depthwise, (1, 1), "SAME", dimension_numbers=dims, feature_group_count=8)
    x = lax.conv_general_dilated(x, grouped, (2, 2), "SAME", rhs_dilation=(2, 2), dimension_numbers=dims, feature_group_count=2)
    return lax.conv_transpose(x, transposed, (2, 2), "SAME", dimension_numbers=dims)


@model(lambda: (arg((8, 12, 12, 8), "x", None, None, "y"),), grad=True)
def pooling(x):
    window = lambda init, f, size: lax.reduce_window(x, init, f, (1, size, size, 1), (1, 2, 2, 1), "SAME")
    return window(-jnp.inf, lax.max, 3), window(0.0, lax.add, 2) / 4, jax.image.resize(x, (8, 24, 24, 8), "bilinear")


@model(lambda: (arg((12, 8, 16), None, "x"), arg((16, 4, 16), None, None, "y"), arg((16, 4, 16)), arg((4, 16))), grad=True)
def long_short_term_memory(xs, wx, wh, b):
    def step(carry, x):
        h, c = carry
        i, f, g, o = jnp.moveaxis(jnp.einsum("bd,dgh->bgh", x, wx) + jnp.einsum("bd,dgh->bgh", h, wh) + b, 1, 0)
        c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
        h = jax.nn.sigmoid(o) * jnp.tanh(c)
        return (h, c), h

    return lax.scan(step, (jnp.zeros((8, 16)), jnp.zeros((8, 16))), xs)[1]


@model(lambda: (arg((8, 32, 16), "x", None, "y"), arg((8, 32, 16), "x")), grad=True)
def state_space_model(a, b):
    return lax.associative_scan(lambda p, q: (p[0] * q[0], q[0] * p[1] + q[1]), (jax.nn.sigmoid(a), b), axis=1)[1]


@model(lambda: (arg((16, 8), "x"), arg((40,), dtype=jnp.int32), arg((40,), dtype=jnp.int32), arg((8, 8), None, "y")), grad=True)
def graph_network(nodes, senders, receivers, w):
    messages = jax.nn.relu(nodes[senders] @ w)
    total = jax.ops.segment_sum(messages, receivers, 16)
    return nodes + total / (1 + jax.ops.segment_sum(jnp.ones(40), receivers, 16))[:, None]


@model(lambda: (arg((8, 32), "x"), arg((32, 16), None, "y"), arg((8, 32), "y"), arg((2,), dtype=jnp.uint32)), grad=True)
def variational_autoencoder(x, enc, dec, key):
    mean, log = jnp.split(x @ enc, 2, -1)
    z = mean + jnp.exp(log) * jax.random.normal(jax.random.wrap_key_data(key), mean.shape)
    return jax.nn.sigmoid(z @ dec), 0.5 * (mean**2 + jnp.exp(log) - log)


@model(lambda: (arg((8, 32), "x"), arg((32, 32), None, "y"), arg((2,), dtype=jnp.uint32)), grad=True)
def dropout(x, w, key):
    kept = jax.random.bernoulli(jax.random.wrap_key_data(key), 0.9, x.shape)
    return jnp.where(kept, x / 0.9, 0) @ w


@model(lambda: (arg((64, 16), "x", "y"), arg((8, 12), "x", dtype=jnp.int32), arg((16,))), grad=True)
def embedding(table, tokens, g):
    return norm(jnp.take(table, tokens, axis=0) * 4.0, g)


@model(lambda: (arg((8, 4, 16), "x"), arg((16,), "y")), grad=True)
def group_norm(x, g):
    y = x.reshape(8, 4, 4, 4)
    y = (y - y.mean((1, 3), keepdims=True)) / jnp.sqrt(y.var((1, 3), keepdims=True) + 1e-5)
    return y.reshape(x.shape) * g


@model(lambda: (arg((32, 16), "x"), arg((16, 8), None, "y"), arg((16,), "x"), arg((8,), "y"), arg((8, 32), None, "x")))
def factored_optimizer(w, _, rows, cols, x):
    g = jax.grad(lambda w: jnp.tanh(x @ w).sum())(w)
    rows, cols = 0.9 * rows[:, None].sum() + (g**2).mean(1), (g**2).mean(0)
    update = g / jnp.sqrt(rows[:, None] * cols / rows.mean() + 1e-8)
    clip = jnp.minimum(1.0, 1.0 / jnp.linalg.norm(update))
    return w - 0.01 * clip * update, rows, cols, jnp.sign(g)


@model(lambda: (arg((32, 64), "x", dtype=jnp.int8), arg((64, 16), None, "y", dtype=jnp.int8), arg((16,)), arg((32, 64), "x", dtype=jnp.bfloat16)))
def mixed_precision(x, w, scale, y):
    whole = lax.dot_general(x, w, (((1,), (0,)), ((), ())), preferred_element_type=jnp.int32)
    return whole * scale, (y @ w.astype(jnp.bfloat16)).astype(jnp.float32)


# --- control flow and functions ---------------------------------------------------------------


@model(lambda: (arg((16, 16), "x", "y"), arg((), dtype=jnp.int32)))
def loops(x, n):
    x = lax.fori_loop(0, 5, lambda i, c: jnp.sin(c) @ c, x)
    inner = lambda i, c: lax.while_loop(lambda d: d.sum() < 9, lambda d: d + c.T, c) * i
    return lax.fori_loop(0, n, inner, x), lax.map(lambda r: r / r.sum(), x)


@model(lambda: (arg((16, 16), "x"), arg((16, 16), None, "y"), arg((), dtype=jnp.int32)), grad=True)
def branches(x, y, n):
    x = lax.cond(n > 3, lambda a, b: (a @ b, b), lambda a, b: (a + b, jnp.tanh(a)), x, y)
    return lax.switch(n, [lambda p: p[0], lambda p: p[1].T, lambda p: p[0] * 2], x)


@model(lambda: (arg((16, 32), "x"), arg((32, 16), None, "y")), grad=True)
def custom_gradient(x, w):
    @jax.custom_vjp
    def f(x, w):
        return jnp.maximum(x @ w, 0)

    f.defvjp(lambda x, w: (f(x, w), (x, w)), lambda r, g: (jnp.clip(g @ r[1].T, -1, 1), r[0].T @ g))

    @jax.custom_jvp
    def h(x):
        return jnp.log1p(jnp.exp(x))

    h.defjvp(lambda p, t: (h(p[0]), t[0] * jax.nn.sigmoid(p[0])))
    return h(f(x, w))


@model(lambda: (arg((16, 16), "x"), arg((16, 16), None, "y")), grad=True)
def nested_functions(x, w):
    inner = jax.jit(lambda a: jnp.tanh(a @ w))
    middle = jax.jit(lambda a, n: inner(inner(a)) * n)
    outer = jax.jit(lambda a: middle(a, 2.0) + middle(a.T, 3.0).T)
    return outer(outer(x)) + inner(w)


@model(lambda: (arg((8, 16), "x"), arg((16, 4), None, "y")))
def derivatives(x, w):
    f = lambda w: jnp.tanh(x @ w).sum()
    y, push = jax.linearize(f, w)
    return jax.hessian(f)(w), jax.jacfwd(lambda v: jnp.sin(v) @ w)(x[0]), push(w), jax.jvp(f, (w,), (w,))


@model(lambda: (arg((8, 16, 4), "x"), arg((8,), "x", dtype=jnp.int32), arg((8, 3, 4), "x", None, "y")))
def vectorized(x, at, u):
    write = jax.vmap(lambda a, i, v: lax.dynamic_update_slice(a, v, (i, 0)))
    read = jax.vmap(lambda a, i: lax.dynamic_slice(a, (i, 0), (3, 4)))
    total = jax.vmap(lambda a: lax.scan(lambda c, r: (c + r, c), jnp.zeros(4), a))
    return write(x, at, u), read(x, at), total(x)


@model(lambda: (arg((64, 8), "x"), arg((5, 8), None, "y")))
def k_means(points, centers):
    def step(state):
        i, c = state
        near = jnp.argmin(((points[:, None] - c) ** 2).sum(-1), 1)
        mask = jax.nn.one_hot(near, 5)
        return i + 1, mask.T @ points / (mask.sum(0)[:, None] + 1e-6)

    return lax.while_loop(lambda s: s[0] < 10, step, (0, centers))


# --- operations -------------------------------------------------------------------------------


@model(lambda: (arg((8, 6, 6), "x"), arg((8, 6, 2), "x", None, "y")))
def linear_algebra(a, b):
    s = a @ a.mT + 6 * jnp.eye(6)
    return (jnp.linalg.cholesky(s), jnp.linalg.solve(a, b), jnp.linalg.eigh(s), jnp.linalg.svd(a), jnp.linalg.qr(a),
            jnp.linalg.det(a), jnp.linalg.inv(a), jax.scipy.linalg.solve_triangular(s, b, lower=True), jnp.linalg.eigvals(a))  # fmt: skip


@model(lambda: (arg((8, 6, 6), "x"), arg((8, 6, 2), "x", None, "y")))
def linear_algebra_grad(a, b):
    def loss(a):
        s = a @ a.mT + 6 * jnp.eye(6)
        return sum(jnp.sum(r) for r in (jnp.linalg.cholesky(s), jnp.linalg.solve(s, b), jnp.linalg.eigh(s)[0], jnp.linalg.slogdet(s)[1]))

    return jax.grad(loss)(a)


@model(lambda: (arg((8, 16, 16), "x", "y"),), grad=False)
def fourier(x):
    f = jnp.fft.rfft2(x)
    return jnp.fft.irfft2(f * jnp.conj(f)), jnp.fft.fft(x, axis=1), jnp.fft.fftshift(jnp.fft.ifft(x))


@model(lambda: (arg((16, 32), "x", "y"), arg((16, 32), "x")))
def sorting(x, y):
    k, v = lax.sort((x, y), dimension=1, num_keys=1)
    return (k, v, jnp.argsort(x, axis=0), jnp.median(x, axis=1), lax.top_k(x, 4), jnp.searchsorted(k[0], y[0]),
            lax.approx_max_k(x, 4), jnp.unique(x[0].astype(int), size=8), jnp.quantile(x, 0.3, axis=0))  # fmt: skip


@model(lambda: (arg((16, 32), "x", "y"),), grad=True)
def cumulative(x):
    return jnp.cumsum(x, 0), jnp.cumprod(x, 1), lax.cummax(x, 0), lax.cumlogsumexp(x, 1, reverse=True), jnp.diff(x, axis=0)


@model(lambda: (arg((16, 32), "x", "y"), arg((6,), dtype=jnp.int32), arg((6, 32), None, "y")))
def indexed_updates(x, at, v):
    return (x.at[at].set(v), x.at[at].add(v), x.at[at].min(v), x.at[at].max(v), x.at[at].multiply(v), x.at[:, at].get(mode="clip"),
            x.at[2:5, ::2].set(0), jnp.bincount(at, length=16), x[at][:, at], jnp.where(x > 0, size=5))  # fmt: skip


@model(lambda: (arg((8, 12), "x", "y"),), grad=True)
def movements(x):
    return (jnp.roll(x, 3, 1), x[::-1, ::2], jnp.tile(x, (2, 3)), jnp.repeat(x, 2, axis=0), jnp.pad(x, 2, mode="reflect"),
            jnp.pad(x, 1, mode="wrap"), jnp.stack([x, x + 1], 1).reshape(-1, 3, 4), jnp.concatenate([x[:, 5:], x[:, :5]], 1),
            x.reshape(2, 4, 3, 4).transpose(2, 0, 3, 1).reshape(12, 8), jnp.kron(x[:2], x[:, :3]))  # fmt: skip


@model(lambda: (arg((2,), dtype=jnp.uint32), arg((8, 16), "x", "y")))
def random_numbers(key, x):
    a, b, c, d = jax.random.split(jax.random.wrap_key_data(key), 4)
    return (x * jax.random.normal(a, x.shape), jax.random.permutation(b, x), jax.random.gumbel(c, (8,)) + x[:, 0],
            jax.random.truncated_normal(d, -1, 1, x.shape) + x, jax.random.randint(a, (8, 4), 0, 9))  # fmt: skip


@model(lambda: (arg((4,), dtype=jnp.uint32), arg((8, 16), "x", "y")))
def hardware_random_numbers(key, x):
    return x * jax.random.uniform(jax.random.wrap_key_data(key, impl="rbg"), x.shape)


@model(lambda: (arg((8, 16), "x", dtype=jnp.complex64), arg((16, 4), None, "y", dtype=jnp.complex64)))
def complex_numbers(x, w):
    y = x @ w
    return jnp.abs(y), jnp.angle(y), y.conj().T, jnp.exp(1j * y.real), lax.complex(y.imag, y.real) ** 2


@model(lambda: (arg((16, 16), "x", "y"),), grad=False)
def special_functions(x):
    s = jax.scipy.special
    return s.erf(x), s.gammaln(x), s.digamma(x), s.betainc(1.5, 2.0, jnp.abs(x)), s.i0(x), s.logsumexp(x, 1), jnp.sinc(x), s.erfinv(x)


@model(lambda: (arg((16, 16), "x"), arg((16,), "y")))
def iterative_solver(a, b):
    s = a @ a.T + 16 * jnp.eye(16)
    x, _ = jax.scipy.sparse.linalg.cg(lambda v: s @ v, b, maxiter=5)
    y = lax.custom_linear_solve(lambda v: s @ v, b, lambda f, r: jnp.linalg.solve(s, r), symmetric=True)
    return x + y, lax.fori_loop(0, 8, lambda i, v: (s @ v) / jnp.linalg.norm(s @ v), b)


@model(lambda: (arg((8,), "x"), arg((16,), "y")))
def interpolation(x, y):
    return jnp.interp(x, jnp.linspace(0, 1, 16), y), jnp.polyval(y[:4], x), jnp.convolve(x, y), jnp.outer(x, y), jnp.histogram(x, 4)


# --- manual parts -----------------------------------------------------------------------------


@model(lambda: (arg((4, 16, 16), "x", None, "y"), arg((8, 16), None, "y")))
def pipeline(ws, x):
    """Stages along x, written by hand; y is left to propagation."""
    def stages(w, x):
        me, n = lax.axis_index("x"), 4

        def tick(t, state):
            h, done = state
            h = jnp.where(me == 0, x, h)
            h = jnp.tanh(h @ w[0])
            done = jnp.where((me == n - 1) & (t >= n - 1), h, done)
            return lax.ppermute(h, "x", [(i, (i + 1) % n) for i in range(n)]), done

        zero = lax.pcast(jnp.zeros_like(x), ("x",), to="varying") if hasattr(lax, "pcast") else jnp.zeros_like(x)
        return lax.psum(lax.fori_loop(0, 7, tick, (zero, zero))[1], "x")

    return jax.shard_map(stages, mesh=meshes()[0], in_specs=(P("x"), P()), out_specs=P(), axis_names={"x"}, check_vma=False)(ws, x * 2)


@model(lambda: (arg((4, 16, 8), None, "x"), arg((4, 16, 8), None, "x"), arg((4, 16, 8), None, "x")), grad=True)
def ring_attention(q, k, v):
    def local(q, k, v):
        def step(i, state):
            k, v, top, low = state
            s = jnp.exp(jnp.einsum("bse,bte->bst", q, k))
            turn = lambda a: lax.ppermute(a, "x", [(j, (j + 1) % 4) for j in range(4)])
            return turn(k), turn(v), top + jnp.einsum("bst,bte->bse", s, v), low + s.sum(-1, keepdims=True)

        state = k, v, jnp.zeros_like(q), jnp.zeros_like(q[..., :1])
        for i in range(4):
            state = step(i, state)
        return state[2] / state[3]

    return jax.shard_map(local, mesh=meshes()[0], in_specs=P(None, "x"), out_specs=P(None, "x"), check_vma=False)(q, k, v)


@model(lambda: (cube((8, 16), "data"), cube((4, 16, 16), "data", None, "tensor")), grad=True)
def expert_exchange(x, ws):
    def local(x, w):
        x = x.reshape(2, 2, 16)
        x = lax.all_to_all(x, "data", 0, 0)
        y = jnp.einsum("egd,edf->egf", x, w)
        return lax.all_to_all(y, "data", 0, 0).reshape(4, 16)

    f = jax.shard_map(local, mesh=meshes()[1], in_specs=(P("data"), P("data")), out_specs=P("data"), axis_names={"data"}, check_vma=False)
    return f(jnp.sin(x), ws) @ ws[0]


@model(lambda: (arg((16, 8), "x"), arg((8, 16), "y")), grad=True)
def collectives_by_hand(x, w):
    def local(x, w):
        whole = lax.all_gather(w, "y", axis=0, tiled=True)
        part = lax.psum_scatter(x.T @ x, "x", scatter_dimension=0, tiled=True)
        return lax.psum(x @ whole, "x") + lax.psum(jnp.max(part, axis=0).sum(), "x") + lax.axis_index("y")

    return jax.shard_map(local, mesh=meshes()[0], in_specs=(P("x"), P("y")), out_specs=P(), check_vma=False)(x, w)


@model(lambda: (cube((8, 16), "data", "tensor"), cube((16, 16), "fsdp")))
def nested_manual(x, w):
    def inner(a, b):
        return lax.psum(a @ b, "tensor")

    def outer(a, b):
        f = jax.shard_map(inner, in_specs=(P(None, "tensor"), P("tensor")), out_specs=P(), axis_names={"tensor"}, check_vma=False)
        return f(jnp.tanh(a), b) + 1

    return jax.shard_map(outer, mesh=meshes()[1], in_specs=(P("data"), P()), out_specs=P("data"), axis_names={"data"}, check_vma=False)(x, w)


def explicit(function, *arguments):
    """Returns a program in JAX's explicit sharding, where types have shardings."""
    mesh = jax.make_mesh((4, 2), ("x", "y"), axis_types=(AxisType.Explicit,) * 2)
    with jax.set_mesh(mesh):
        structs = [jax.ShapeDtypeStruct(s, jnp.float32, sharding=NamedSharding(mesh, p)) for s, p in arguments]
        return jax.jit(function).lower(*structs).as_text()


def explicit_programs():
    yield "explicit_layers", explicit(
        lambda x, w, v: jax.sharding.reshard(jnp.tanh(jax.sharding.reshard(x, P("x", None)) @ w), P("x", None)) @ v,
        ((8, 16), P("x", "y")), ((16, 32), P(None, "y")), ((32, 16), P(None, "y")))  # fmt: skip
    yield "explicit_reduced", explicit(
        lambda x, w: jnp.einsum("ij,jk->ik", x, w, out_sharding=P("x", None)), ((8, 16), P("x", "y")), ((16, 32), P("y", None)))  # fmt: skip
    yield "explicit_unreduced", explicit(
        lambda x, w: jax.sharding.reshard(jnp.einsum("ij,jk->ik", x, w, out_sharding=P("x", None, unreduced={"y"})), P("x", None)),
        ((8, 16), P("x", "y")), ((16, 32), P("y", None)))  # fmt: skip
