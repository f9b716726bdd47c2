#===- jax_ops.py - operations of the front end, in JAX --------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""The operations of frontend_server.cc by name, written with JAX. The C++ twins are primitive_ops.cc
and function_ops.cc in this folder."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from frontend.callback_ops import OPS
from frontend.case_ops import CASES
from frontend.general_ops import GENERAL
from frontend.model_ops import MODEL_OPS
from frontend.index_cases import INDEX
from frontend.user_ops import USER


def sin_mul(x, y):
    return lax.mul(lax.sin(x), y)


def f(x, y):
    return sin_mul(x, y)


own_jvp = jax.custom_jvp(f)
# Wrong on purpose (the tangent of y is ignored), so that the test sees whose rule is applied.
own_jvp.defjvp(lambda p, t: (sin_mul(*p), lax.mul(lax.mul(t[0], p[1]), lax.cos(p[0]))))
own_vjp = jax.custom_vjp(f)
own_vjp.defvjp(lambda x, y: (sin_mul(x, y), (lax.cos(x), y)), lambda r, ct: (lax.mul(ct, r[0]), lax.mul(ct, r[1])))


def total(x):
    return lax.reduce_sum_p.bind(x, axes=tuple(range(x.ndim)), out_sharding=None)


def scaled_by_sum(x):
    return lax.mul(lax.sin(x), total(x))


def scan_rows(a, k):
    first = a[0][0]

    def body(c, x):
        return lax.add(lax.mul(c, lax.sin(x)), first), lax.mul(c, x)

    return list(lax.scan(body, first, a[0], reverse=bool(k["reverse"][0])))


def recurrence(p, q):
    return lax.mul(p[0], q[0]), lax.add(lax.mul(q[0], p[1]), q[1])


def windows(name, start):
    def apply(a, k):
        rank = a[0].ndim
        ones = (1,) * rank
        padding = tuple(zip(*[iter(k["padding"])] * 2))
        return [lax.reduce_window(a[0], start, getattr(lax, name), k["dims"], k["strides"], padding,
                                  k.get("base", ones), k.get("dilation", ones))]
    return apply


def convolve(layout):
    def apply(a, k):
        return [lax.conv_general_dilated(
            lax.reshape(a[0], k["lhs"]), lax.reshape(a[1], k["rhs"]), k["strides"],
            tuple(zip(*[iter(k["padding"])] * 2)), k["base"], k["dilation"], layout, k["features"][0], k["batches"][0])]
    return apply


def real_of(z):
    return lax.add(lax.real(z), lax.mul(lax.imag(z), lax.full_like(lax.real(z), 0.5)))


def transposed(x):
    return jnp.swapaxes(x, -1, -2)


def definite(x):
    square = lax.dot_general(x, transposed(x), (((x.ndim - 1,), (x.ndim - 2,)), (tuple(range(x.ndim - 2)),) * 2))
    return lax.add(square, jnp.broadcast_to(jnp.eye(square.shape[-1]), square.shape))


def solve(a, k):
    left = bool(k["left"][0])
    return [lax.linalg.triangular_solve(
        definite(a[0]), a[1] if left else transposed(a[1]), left_side=left, lower=bool(k["lower"][0]),
        transpose_a=bool(k["transpose"][0]), unit_diagonal=bool(k["unit"][0]))]


def tall(a, k):
    return transposed(a[0]) if k["tall"][0] else a[0]


def svd(a, k):
    u, s, v = lax.linalg.svd(a[0], full_matrices=bool(k["full"][0]))
    return [lax.abs(u), s, lax.abs(v)]


def eigh(a, k):
    v, w = lax.linalg.eigh(definite(a[0]))
    return [lax.abs(v), w]


def scatter_rows(a, k):
    dims = lax.ScatterDimensionNumbers((1,), (0,), (0,))
    kinds = [lax.scatter, lax.scatter_add, lax.scatter_mul, lax.scatter_min, lax.scatter_max, lax.scatter_sub]
    return [kinds[k["kind"][0]](a[0], lax.expand_dims(a[1], (1,)), a[2], dims, mode=lax.GatherScatterMode.FILL_OR_DROP)]


ALGEBRA = {
    "cholesky": lambda a, k: [lax.linalg.cholesky(definite(a[0]))],
    "triangular_solve": solve,
    "qr": lambda a, k: [lax.abs(x) for x in lax.linalg.qr(tall(a, k), full_matrices=bool(k["full"][0]))],
    "lu": lambda a, k: list(lax.linalg.lu(tall(a, k))),
    "eigh": eigh,
    "svd": svd,
    "svd_values": lambda a, k: [lax.linalg.svd(a[0], compute_uv=False)],
    "fft": lambda a, k: [real_of(lax.fft(lax.complex(*a), lax.FftType(k["type"][0]), k["lengths"]))],
    "rfft": lambda a, k: [real_of(lax.fft(a[0], lax.FftType.RFFT, k["lengths"]))],
    "irfft": lambda a, k: [lax.fft(lax.complex(*a), lax.FftType.IRFFT, k["lengths"])],
    "scatter_rows": scatter_rows,
}
FUNCTIONS = ALGEBRA | {
    "top_k": lambda a, k: list(lax.top_k(a[0], k["k"][0], axis=k["axis"][0])),
    "reduce_window_sum": windows("add", 0.0),
    "reduce_window_max": windows("max", -jnp.inf),
    "reduce_window_min": windows("min", jnp.inf),
    "conv1": convolve(("NCW", "OIW", "NCW")),
    "conv2": convolve(("NHWC", "HWIO", "NHWC")),
    "sort_pair": lambda a, k: list(lax.sort(tuple(a), dimension=k["dim"][0], num_keys=k["keys"][0])),
    "custom_jvp": lambda a, k: [own_jvp(*a)],
    "custom_vjp": lambda a, k: [own_vjp(*a)],
    "grad": lambda a, k: [jax.grad(lambda x: total(lax.mul(x, lax.tanh(x))))(a[0])],
    "jacfwd": lambda a, k: [jax.jacfwd(scaled_by_sum)(a[0])],
    "jacrev": lambda a, k: [jax.jacrev(scaled_by_sum)(a[0])],
    "hessian": lambda a, k: [jax.hessian(lambda x: total(scaled_by_sum(x)))(a[0])],
    "vmap_rows": lambda a, k: [jax.vmap(scaled_by_sum)(a[0])],
    "vmap_last": lambda a, k: [jax.vmap(sin_mul, in_axes=(a[0].ndim - 1, None), out_axes=a[0].ndim - 1)(
        a[0], lax.full((), 0.5, jnp.float32))],
    "checkpoint": lambda a, k: [jax.checkpoint(lambda x: lax.sin(lax.sin(x)))(a[0])],
    "scan_rows": scan_rows,
    "while_double": lambda a, k: [lax.while_loop(
        lambda c: lax.lt(jnp.max(lax.abs(c)), 8.0), lambda c: lax.add(lax.mul(c, 2.0), 1.0), lax.abs(a[0]))],
    "fori": lambda a, k: [lax.fori_loop(0, 3, lambda i, x: lax.mul(lax.sin(x), x), a[0])],
    "fori_dynamic": lambda a, k: [lax.fori_loop(
        lax.argmax(lax.reshape(a[0], (a[0].size,)), 0, jnp.int32), jnp.int32(4), lambda i, x: lax.sin(x), a[0])],
    "cond": lambda a, k: [lax.cond(lax.gt(total(a[0]), 1.0), sin_mul, lambda x, y: lax.mul(x, x), *a)],
    "map": lambda a, k: [lax.map(scaled_by_sum, a[0])],
    "assoc_scan": lambda a, k: [lax.associative_scan(lax.mul, a[0], reverse=bool(k["reverse"][0]), axis=k["axis"][0])],
    "assoc_recurrence": lambda a, k: list(lax.associative_scan(recurrence, (a[0], a[1]))),
}
# Operations whose jaxpr may differ from JAX's: they are made of other primitives.
OTHER_JAXPR = {"lower_solve", "hessian", "jacfwd", "jacrev"}


# Numbers of numpy print as Python's, so that lines have the same lengths.
np.set_printoptions(legacy="1.25")


def function(name):
    """The jax function of an op of the text, as (values, keys) -> list of results."""
    if name == "add_any":
        from jax._src.ad_util import add_jaxvals_p
        return lambda a, k: [add_jaxvals_p.bind(a[0], a[1])]
    one = {
        "stop_gradient": lambda a, k: lax.stop_gradient(a[0]),
        "round": lambda a, k: lax.round(a[0], lax.RoundingMethod(k["method"][0])),
        "integer_pow": lambda a, k: lax.integer_pow(a[0], k["y"][0]),
        "select_n": lambda a, k: lax.select_n(*a),
        "clamp": lambda a, k: lax.clamp(*a),
        "broadcast_in_dim": lambda a, k: lax.broadcast_in_dim(a[0], k["shape"], k["dims"]),
        "reshape": lambda a, k: lax.reshape(a[0], k["shape"]),
        "transpose": lambda a, k: lax.transpose(a[0], k["permutation"]),
        "rev": lambda a, k: lax.rev(a[0], k["dims"]),
        "expand_dims": lambda a, k: lax.expand_dims(a[0], k["dims"]),
        "concatenate": lambda a, k: lax.concatenate(a, k["dim"][0]),
        "pad": lambda a, k: lax.pad(a[0], a[1], list(zip(*[iter(k["config"])] * 3))),
        "slice": lambda a, k: lax.slice(a[0], k["start"], k["limit"], k["strides"]),
        "dynamic_slice": lambda a, k: lax.dynamic_slice(a[0], a[1:], k["sizes"]),
        "dynamic_update_slice": lambda a, k: lax.dynamic_update_slice(a[0], a[1], a[2:]),
        "reduce_sum": lambda a, k: lax.reduce_sum_p.bind(a[0], axes=k["axes"], out_sharding=None),
        "reduce_prod": lambda a, k: lax.reduce_prod_p.bind(a[0], axes=k["axes"]),
        "reduce_max": lambda a, k: lax.reduce_max_p.bind(a[0], axes=k["axes"]),
        "reduce_min": lambda a, k: lax.reduce_min_p.bind(a[0], axes=k["axes"]),
        "argmax": lambda a, k: lax.argmax(a[0], k["axis"][0], jnp.int32),
        "argmin": lambda a, k: lax.argmin(a[0], k["axis"][0], jnp.int32),
        "dot_general": lambda a, k: lax.dot_general(
            a[0], a[1], ((k["lc"], k["rc"]), (k.get("lb", ()), k.get("rb", ())))),
        "iota": lambda a, k: lax.broadcasted_iota(jnp.float32, k["shape"], k["dim"][0]),
        "reduce_precision": lambda a, k: lax.reduce_precision(a[0], 5, 10),
    }
    if name == "sort":
        return lambda a, k: list(lax.sort(tuple(a), dimension=k["dim"][0], num_keys=1))
    if name in one:
        return lambda a, k: [one[name](a, k)]
    if name.startswith("cum"):
        return lambda a, k: [getattr(lax, name)(a[0], k["axis"][0], bool(k["reverse"][0]))]
    if name == "jit_sin_mul":
        def f(x, y):
            return lax.mul(lax.sin(x), y)
        return lambda a, k: [jax.jit(f)(a[0], a[1])]
    if name == "rows":
        dims = lax.GatherDimensionNumbers((1,), (0,), (0,))
        modes = [lax.GatherScatterMode.CLIP, lax.GatherScatterMode.FILL_OR_DROP]
        return lambda a, k: [lax.gather(a[0], lax.expand_dims(a[1], (1,)), dims, (1, a[0].shape[1]),
                                        mode=modes[k["mode"][0]])]
    if name in FUNCTIONS:
        return FUNCTIONS[name]
    if name in OPS:
        return OPS[name]
    if name in GENERAL:
        return GENERAL[name]
    if name in CASES:
        return CASES[name]
    if name in INDEX:
        return lambda a, k: [INDEX[name](a, k)]
    if name in USER:
        return USER[name]
    if name in MODEL_OPS:
        return MODEL_OPS[name]
    return lambda a, k: [getattr(lax, name)(*a)]
