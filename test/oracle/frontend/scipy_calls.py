#===- scipy_calls.py - jax.scipy, jax.image, jax.ops and more -------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Random calls of the functions of scipy_ops.cc."""

import jax
import jax.image
import jax.numpy as jnp
import jax.scipy.linalg as sl
import jax.scipy.special as sp
from jax import lax, random
from jax.nn import initializers

from frontend.arrange_calls import keys, numbers
from frontend.elementwise_calls import axes
from frontend.typed_calls import (ALL, FLOATS, INTEGERS, REAL, Array, Call, an_axis, binary, shape_of, some_axes, unary)

NORMS = ["backward", "forward", "ortho"]
METHODS = ["nearest", "linear", "lanczos3", "lanczos5", "cubic", "cubic-pytorch", "area"]
INITIALIZERS = [initializers.uniform(), initializers.normal(), initializers.truncated_normal(), initializers.glorot_uniform(),
                initializers.glorot_normal(), initializers.lecun_uniform(), initializers.lecun_normal(),
                initializers.he_uniform(), initializers.he_normal(), initializers.constant(2.5), initializers.ones]
GATHER = [None, "clip", "fill", "promise_in_bounds"]


def regular(x):
    return x * 0.2 + 2.0 * jnp.eye(x.shape[-1])


def definite(x):
    f = x * 0.3
    return f @ jnp.swapaxes(f, -1, -2) + jnp.eye(x.shape[-1])


def system(rng, types=("f32", "i32")):
    n = rng.choice([1, 2, 4])
    batch = rng.choice([(), (), (2,)])
    columns = rng.choice([(), (3,)]) if not batch else (3,)
    return [Array(rng, list(types), batch + (n, n)), Array(rng, list(types), batch + (n,) + columns)], {}


def vectors(rng):
    first = Array(rng, ALL, (rng.choice([1, 3, 4]),))
    return [first] + ([Array(rng, ALL, (rng.choice([1, 2, 5]),))] if rng.random() < 0.6 else []), {}


def blocks(rng):
    return [Array(rng, REAL, shape_of(rng, most=2, empty=0)) for _ in range(rng.choice([1, 2, 3]))], {}


def transformed(kinds, half):
    def make(rng):
        shape = shape_of(rng, least=1, most=4, empty=0)
        if half:
            shape = tuple(n + 1 for n in shape)
        found = {"norm": rng.randrange(3)}
        count = rng.randint(1, len(shape))
        if rng.random() < 0.7:
            found["axes"] = tuple(rng.sample(range(-len(shape), 0), count))
        if rng.random() < 0.4:
            found["s"] = tuple(rng.randint(1, 6) for _ in range(len(found.get("axes", range(count)))))
        return [Array(rng, kinds, shape)], found
    return make


def plane(kinds):
    def make(rng):
        shape = tuple(rng.choice([2, 3, 4]) for _ in range(rng.choice([2, 3])))
        found = {"norm": rng.randrange(3), "axes": tuple(rng.sample(range(-len(shape), 0), 2))}
        return [Array(rng, kinds, shape)], found | ({"s": (rng.randint(1, 5), rng.randint(2, 5))} if rng.random() < 0.4 else {})
    return make


def line(kinds):
    def make(rng):
        shape = tuple(rng.choice([2, 3, 5]) for _ in range(rng.choice([1, 2])))
        found = {"norm": rng.randrange(3), "axis": an_axis(rng, len(shape))}
        return [Array(rng, kinds, shape)], found | ({"n": rng.randint(1, 7)} if rng.random() < 0.4 else {})
    return make


def fourier(name):
    function = getattr(jnp.fft, name)

    def call(a, k):
        named = {"norm": NORMS[k["norm"][0]]}
        if "axis" in k:
            named |= {"axis": k["axis"][0], "n": k["n"][0] if "n" in k else None}
        else:
            named |= {"s": tuple(k["s"]) if "s" in k else None, "axes": axes(k)}
        return function(a[0], **named)
    return call


def resized(rng):
    shape = shape_of(rng, least=1, most=3, empty=0)
    return [Array(rng, REAL, shape)], {"shape": tuple(rng.choice([n, 1, 3, 7]) for n in shape), "method": rng.randrange(7),
                                       "antialias": rng.choice([0, 1])}


def scaled(rng):
    shape = shape_of(rng, least=2, most=3, empty=0)
    dims = rng.sample(range(len(shape)), rng.randint(1, 2))
    sizes = tuple(rng.choice([2, 5]) if d in dims else n for d, n in enumerate(shape))
    return [Array(rng, FLOATS, shape), Array(rng, "f32", (len(dims),), 0.4, 2), Array(rng, "f32", (len(dims),), -1, 1)], {
        "shape": sizes, "dims": tuple(dims), "method": rng.randrange(7), "antialias": rng.choice([0, 1])}


def segmented(types):
    def make(rng):
        shape = shape_of(rng, least=1, most=2, empty=0.1)
        return [Array(rng, types, shape), Array(rng, INTEGERS, shape[:1], -2, 6)], {
            "count": rng.choice([0, 1, 4]), "bucket": rng.choice([0, 0, 2]), "mode": rng.choice([0, 0, 2])}
    return make


def segments(name):
    function = getattr(jax.ops, f"segment_{name}")
    return lambda a, k: function(a[0], a[1], k["count"][0], bucket_size=k["bucket"][0] or None, mode=GATHER[k["mode"][0]])


def drawn(rng):
    return [], {"seed": rng.randrange(100), "shape": rng.choice([(3,), (2, 4)])}


def draw(function):
    return lambda a, k: function(random.key(k["seed"][0]), tuple(k["shape"]))


def normal_vectors(rng):
    return [Array(rng, "f32", (3,)), Array(rng, "f32", (3, 3))], {"seed": rng.randrange(100), "shape": rng.choice([(2,), (4, 2)])}


def unary_special(names, lo, hi, types=REAL, tolerance=None):
    return [Call(f"special_{n}", (lambda f: lambda a, k: f(a[0]))(getattr(sp, n)), unary(types, lo, hi), tolerance=tolerance)
            for n in names.split()]


def binary_special(names, lo, hi, tolerance=2e-3):
    return [Call(f"special_{n}", (lambda f: lambda a, k: f(*a))(getattr(sp, n)), binary(REAL, lo, hi), tolerance=tolerance)
            for n in names.split()]


def convolved(transposed):
    def make(rng):
        spatial = rng.choice([1, 2])
        sizes, kernel = [rng.choice([3, 4, 6]) for _ in range(spatial)], [rng.choice([1, 2, 3]) for _ in range(spatial)]
        found = {"strides": tuple(rng.choice([1, 2, 3]) for _ in range(spatial)), "padding": rng.choice([0, 1, 2])}
        if rng.random() < 0.4:
            found["rhs"] = tuple(rng.choice([1, 2]) for _ in range(spatial))
        if transposed:
            turn = rng.choice([0, 1])
            return [Array(rng, "f32", (2, *sizes, 3)), Array(rng, "f32", (*kernel, *((2, 3) if turn else (3, 2))))], found | {"turn": turn}
        if rng.random() < 0.3:
            found["lhs"] = tuple(rng.choice([1, 2]) for _ in range(spatial))
        return [Array(rng, "f32", (2, 3, *sizes)), Array(rng, "f32", (2, 3, *kernel))], found
    return make


def padding(k):
    return ["SAME", "VALID", [(1, 2)] * len(k["strides"])][k["padding"][0]]


CALLS = [
    Call("lax_conv_with_general_padding", lambda a, k: lax.conv_with_general_padding(
        a[0], a[1], k["strides"], padding(k), k.get("lhs"), k.get("rhs")), convolved(False), tolerance=2e-3),
    Call("lax_conv", lambda a, k: lax.conv(a[0], a[1], k["strides"], padding(k)), convolved(False), tolerance=2e-3),
    Call("lax_conv_transpose", lambda a, k: lax.conv_transpose(
        a[0], a[1], k["strides"], padding(k), k.get("rhs"), transpose_kernel=bool(k["turn"][0])), convolved(True), tolerance=2e-3),
    Call("lax_broadcast", lambda a, k: lax.broadcast(a[0], k["sizes"]), keys(unary(), sizes=((2,), (3, 1), (0,)))),
    Call("lax_collapse", lambda a, k: lax.collapse(a[0], k["start"][0], k["stop"][0]),
         keys(unary(least=2), start=(0, 1, -2), stop=(1, 2, -1))),
    Call("lax_broadcast_to_rank", lambda a, k: lax.broadcast_to_rank(a[0], k["rank"][0]), keys(unary(), rank=(2, 3, 4))),
    Call("lax_batch_matmul", lambda a, k: lax.batch_matmul(*a), lambda rng: (
        [Array(rng, "f32", (2, 3, 4)), Array(rng, "f32", rng.choice([(2, 4, 5), (2, 4, 1)]))], {})),
    Call("lax_sort_key_val", lambda a, k: lax.sort_key_val(a[0], a[1], k["axis"][0]), lambda rng: (
        lambda s: ([Array(rng, REAL[2:], s), Array(rng, REAL, s)], {"axis": an_axis(rng, len(s))}))(shape_of(rng, least=1)),
        grad=False),
    *unary_special("erf erfc expit i0 i0e i1 i1e entr", -4, 4, tolerance=1e-3), *unary_special("ndtr log_ndtr", -4, 4, ["f32"], 1e-3),
    *unary_special("erfinv logit", 0.05, 0.95, FLOATS), *unary_special("ndtri", 0.05, 0.95, ["f32"]), *unary_special("gammaln digamma", 0.2, 6, tolerance=1e-3),
    *unary_special("gamma factorial", 0.2, 5, tolerance=3e-3), *unary_special("gammasgn", -4, 4),
    *binary_special("betaln beta poch", 0.3, 4, 5e-3), *binary_special("xlogy xlog1py rel_entr kl_div boxcox boxcox1p", 0.0, 3),
    Call("special_zeta", lambda a, k: sp.zeta(*a), binary(FLOATS, 1.5, 4), grad=False, tolerance=2e-3),
    Call("special_polygamma", lambda a, k: sp.polygamma(k["n"][0], a[0]), keys(unary(FLOATS, 0.5, 4), n=(0, 1, 2)), tolerance=5e-3),
    Call("special_multigammaln", lambda a, k: sp.multigammaln(a[0], k["d"][0]), keys(unary(FLOATS, 3, 6), d=(0, 1, 3)), tolerance=2e-3),
    Call("special_logsumexp", lambda a, k: sp.logsumexp(a[0], axes(k), keepdims=bool(k["keep"][0])), keys(
        lambda rng: (lambda s: ([Array(rng, REAL, s)], some_axes(rng, len(s))))(shape_of(rng)), keep=(0, 1))),
    Call("scipy_cholesky", lambda a, k: sl.cholesky(definite(a[0]), bool(k["lower"][0])),
         keys(lambda rng: (system(rng)[0][:1], {}), lower=(0, 1)), tolerance=2e-3),
    Call("scipy_cho_solve", lambda a, k: sl.cho_solve(sl.cho_factor(definite(a[0]), bool(k["lower"][0])), a[1]),
         keys(system, lower=(0, 1)), tolerance=3e-3),
    Call("scipy_lu_solve", lambda a, k: sl.lu_solve(sl.lu_factor(regular(a[0])), a[1], k["trans"][0]),
         keys(system, trans=(0, 1, 2)), tolerance=3e-3),
    Call("scipy_lu", lambda a, k: sl.lu(a[0]), lambda rng: ([Array(rng, ["f32", "c64"], rng.choice([(3, 3), (2, 4), (4, 2)]))], {}),
         tolerance=2e-3),
    Call("scipy_solve_triangular", lambda a, k: sl.solve_triangular(regular(a[0]), a[1], k["trans"][0], bool(k["lower"][0]),
                                                                    bool(k["unit"][0])),
         keys(system, trans=(0, 1, 2), lower=(0, 1), unit=(0, 1)), tolerance=3e-3),
    Call("scipy_solve", lambda a, k: sl.solve(definite(a[0]), a[1], assume_a="pos" if k["positive"][0] else "gen"),
         keys(system, positive=(0, 1)), tolerance=5e-3),
    Call("scipy_expm", lambda a, k: sl.expm(a[0] * float(k["scale"][0])),
         keys(lambda rng: ([Array(rng, ["f32", "c64", "i32"], rng.choice([(2, 2), (3, 3), (2, 2, 2), (2, 3)]), -1, 1)], {}),
              scale=(0, 1, 4)), tolerance=3e-3),
    Call("scipy_block_diag", lambda a, k: sl.block_diag(*a), blocks), Call("scipy_toeplitz", lambda a, k: sl.toeplitz(*a), vectors),
    Call("scipy_hankel", lambda a, k: sl.hankel(*a), vectors),
    Call("scipy_circulant", lambda a, k: sl.circulant(a[0]), lambda rng: (vectors(rng)[0][:1], {})),
    Call("scipy_hilbert", lambda a, k: sl.hilbert(k["n"][0]), numbers(n=(1, 3, 5))),
    Call("scipy_hadamard", lambda a, k: sl.hadamard(k["n"][0], dtype=jnp.int32), numbers(n=(1, 2, 8, 3))),
    *(Call(f"fft_{n}", fourier(n), transformed(ALL, False), tolerance=2e-3) for n in ("fftn", "ifftn")),
    Call("fft_rfftn", fourier("rfftn"), transformed(REAL, False), tolerance=2e-3),
    Call("fft_irfftn", fourier("irfftn"), transformed(ALL, True), tolerance=2e-3),
    *(Call(f"fft_{n}", fourier(n), plane(ALL), tolerance=2e-3) for n in ("fft2", "ifft2", "irfft2")),
    Call("fft_rfft2", fourier("rfft2"), plane(REAL), tolerance=2e-3),
    *(Call(f"fft_{n}", fourier(n), line(ALL), tolerance=2e-3) for n in ("fft", "ifft", "irfft", "hfft")),
    *(Call(f"fft_{n}", fourier(n), line(REAL), tolerance=2e-3) for n in ("rfft", "ihfft")),
    Call("image_resize", lambda a, k: jax.image.resize(a[0], tuple(k["shape"]), METHODS[k["method"][0]], bool(k["antialias"][0])),
         resized, tolerance=2e-3),
    Call("image_scale", lambda a, k: jax.image.scale_and_translate(
        a[0], tuple(k["shape"]), tuple(k["dims"]), a[1], a[2], METHODS[k["method"][0]], bool(k["antialias"][0])), scaled,
        grad=False, tolerance=5e-3),
    Call("segment_sum", segments("sum"), segmented(ALL)), Call("segment_prod", segments("prod"), segmented(ALL), grad=False),
    Call("segment_max", segments("max"), segmented(REAL)), Call("segment_min", segments("min"), segmented(REAL)),
    Call("init_scaled", lambda a, k: INITIALIZERS[k["which"][0]](random.key(k["seed"][0]), tuple(k["shape"])),
         numbers(which=range(len(INITIALIZERS)), seed=range(50), shape=((3, 4), (2, 3, 4), (3, 3, 2, 4), (5,)))),
    Call("init_orthogonal", lambda a, k: jnp.abs(initializers.orthogonal(2.0, k["axis"][0])(
        random.key(k["seed"][0]), tuple(k["shape"]))), numbers(seed=range(9), shape=((3, 4), (4, 3), (2, 2, 3)), axis=(-1, 0)), tolerance=2e-3),
    Call("init_delta", lambda a, k: jnp.abs(initializers.delta_orthogonal()(random.key(k["seed"][0]), tuple(k["shape"]))),
         numbers(seed=range(9), shape=((3, 2, 3), (3, 3, 2, 2), (3, 3))), tolerance=2e-3),
    Call("draw_lognormal", draw(lambda key, s: random.lognormal(key, 0.5, s)), drawn),
    Call("draw_pareto", draw(lambda key, s: random.pareto(key, 2.5, s)), drawn),
    Call("draw_rayleigh", draw(lambda key, s: random.rayleigh(key, 1.5, s)), drawn),
    Call("draw_weibull_min", draw(lambda key, s: random.weibull_min(key, 1.5, 2.5, s)), drawn),
    Call("draw_triangular", draw(lambda key, s: random.triangular(key, -1, 0.5, 2, s)), drawn),
    Call("draw_maxwell", draw(random.maxwell), drawn),
    Call("draw_double_sided_maxwell", draw(lambda key, s: random.double_sided_maxwell(key, 0.5, 2, s)), drawn),
    Call("draw_wald", draw(lambda key, s: random.wald(key, 1.5, s)), drawn),
    Call("draw_geometric", draw(lambda key, s: random.geometric(key, 0.3, s)), drawn),
    Call("draw_multivariate_normal", lambda a, k: random.multivariate_normal(
        random.key(k["seed"][0]), a[0], definite(a[1]), tuple(k["shape"])), normal_vectors, tolerance=2e-3),
    Call("draw_PRNGKey", lambda a, k: random.PRNGKey(k["seed"][0]), drawn),
]
