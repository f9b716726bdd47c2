#===- case_ops.py - primitives that random programs do not use, in JAX ----===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""The operations of case_ops.cc by name, written with JAX."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax._src.lax import lax as lax_internal
from jax._src.random import prng
from jax._src.random.core import random_gamma_p
from jax._src.random.threefry2x32 import threefry2x32_p, threefry_prng_impl
from jax.experimental.layout import Format, Layout
from jax.sharding import SingleDeviceSharding

F, U, I = jnp.float32, jnp.uint32, jnp.int32
ROWS = lax.GatherDimensionNumbers((1,), (0,), (0,))
EACH = lax.GatherDimensionNumbers((), (1,), (1,), (0,), (0,))
MODES = [lax.GatherScatterMode.CLIP, lax.GatherScatterMode.FILL_OR_DROP, lax.GatherScatterMode.PROMISE_IN_BOUNDS]
SCATTERS = [lax.scatter, lax.scatter_add, lax.scatter_mul, lax.scatter_min, lax.scatter_max, lax.scatter_sub]
ACCURACIES = [lax.AccuracyMode.DEFAULT, lax.AccuracyMode.HIGHEST, lax.Tolerance(1e-5, 1e-3, 2)]
METHODS = [None, "sequential", "sequential_unrolled", "expand_dims", "broadcast_all", "legacy_vectorized"]


def f32(x):
    return lax.convert_element_type(x, F)


def word(x):
    return lax.convert_element_type(x, U)


def real_of(z):
    return lax.add(lax.real(z), lax.mul(lax.imag(z), lax.full_like(lax.real(z), 0.5)))


def key(k):
    return prng.random_seed_p.bind(np.int32(k["seed"][0]), impl=threefry_prng_impl)


def data(keys):
    return f32(prng.random_unwrap_p.bind(keys))


def pairs(flat):
    return tuple(zip(*[iter(flat)] * 2))


def window_max(x, k):
    ones = (1,) * x.ndim
    return lax.reduce_window(x, -jnp.inf, lax.max, k["dims"], k["strides"], pairs(k["padding"]),
                             k.get("base", ones), k.get("dilation", ones))


def squared_maxima(x, k):
    y = window_max(x, k)
    return lax.reduce_sum_p.bind(lax.mul(y, y), axes=tuple(range(y.ndim)), out_sharding=None)


def add_each(a, k):
    dims = lax.ScatterDimensionNumbers((), (1,), (1,), (0,), (0,))
    return lax.scatter_add(a[0], lax.expand_dims(a[1], (2,)), a[2], dims, mode=MODES[0])


def scatter(a, k):
    return SCATTERS[k["kind"][0]](a[0], lax.expand_dims(a[1], (1,)), a[2], lax.ScatterDimensionNumbers((1,), (0,), (0,)),
                                  indices_are_sorted=bool(k.get("sorted", (0,))[0]),
                                  unique_indices=bool(k["unique"][0]), mode=MODES[k.get("mode", (1,))[0]])


def threefry(a, k):
    seven = np.uint32(7)
    outs = threefry2x32_p.bind(seven, seven, word(a[0]), word(a[1]))
    return [f32(x) for x in outs]


def int_chain(x):
    i = lax.convert_element_type(lax.mul(x, np.float32(40)), I)
    low = lax.bitwise_and(lax.bitwise_not(i), np.int32(12345))
    high = lax.bitwise_or(low, lax.shift_left(i, np.int32(2)))
    shifted = lax.add(lax.shift_right_logical(i, np.int32(1)), lax.shift_right_arithmetic(i, np.int32(2)))
    return lax.mul(x, lax.mul(f32(lax.bitwise_xor(high, shifted)), np.float32(2**-12)))


def lu_permutation(a, k):
    _, pivots, permutation = lax.linalg.lu(a[0])
    return [permutation, pivots]


def precise(f):
    with jax.default_matmul_precision("highest"):
        return f()


def conv(x, y, **keys):
    return lax.conv_general_dilated(x, y, (1,), [(1, 1)], (1,), (1,), ("NCW", "OIW", "NCW"), **keys)


def f16(x):
    return lax.convert_element_type(x, jnp.float16)


def token(x):
    lax.after_all(lax.create_token(), lax.create_token())
    return lax.sin(x)


def while_captured(x, step):
    limit = lax.reduce_max_p.bind(step, axes=(0, 1))
    return lax.while_loop(lambda c: lax.lt(lax.reduce_max_p.bind(c, axes=(0, 1)), limit), lambda c: lax.add(c, step), x)


@functools.cache
def load_lapack():
    """jaxlib finds LAPACK's functions when it lowers its first factorization; before, calls of them crash."""
    jax.jit(lax.linalg.cholesky).lower(jax.ShapeDtypeStruct((2, 2), F))


def ffi_cholesky(x, k):
    load_lapack()
    order = list(range(x.ndim))
    order[-1], order[-2] = order[-2], order[-1]
    alias = {"input_output_aliases": {0: 0}} if k.get("alias", (0,))[0] else {}
    call = jax.ffi.ffi_call(
        "lapack_spotrf_ffi", (jax.ShapeDtypeStruct(x.shape, x.dtype), jax.ShapeDtypeStruct(x.shape[:-2], I)),
        vmap_method=METHODS[k["method"][0]], has_side_effect=bool(k.get("effect", (0,))[0]),
        input_layouts=[tuple(order)], output_layouts=[tuple(order), tuple(range(x.ndim - 2))], **alias)
    return call(x, uplo=np.uint8(ord("L")))[0]


def ffi_attributes(x):
    return jax.ffi.ffi_call("no_such_target", jax.ShapeDtypeStruct(x.shape, x.dtype))(
        x, a=np.int32(1), b=2.5, c="text", d=np.float32(1.5), e=np.int64(-3), f={"x": np.uint8(1), "y": "z"},
        g=np.array([0, 1.5], F))


ONE = {
    "mul_f16": lambda a, k: lax.mul(*a, out_dtype=np.dtype("float16")),
    "mulhi": lambda a, k: lax.mulhi(*a),
    "mulhi_chain": lambda a, k: lax.mul(a[0], f32(lax.mulhi(lax.convert_element_type(lax.mul(a[0], np.float32(2**20)), I), np.int32(2**20)))),
    "argmax_u8": lambda a, k: f32(lax.argmax(a[0], k["axis"][0], np.uint8)),
    "argmin_u8": lambda a, k: f32(lax.argmin(a[0], k["axis"][0], np.uint8)),
    "bits_of_u32": lambda a, k: lax.bitcast_convert_type(a[0], U),
    "to_weak": lambda a, k: lax_internal._convert_element_type(a[0], np.dtype("float32"), weak_type=True),
    "reduce_precision_of": lambda a, k: lax.reduce_precision(a[0], k["exponent"][0], k["mantissa"][0]),
    "sort_unstable": lambda a, k: lax.sort(a[0], k["dim"][0], is_stable=False),
    "dot_precise": lambda a, k: precise(lambda: lax.dot_general(*a, (((1,), (1,)), ((), ())))),
    "conv_precise": lambda a, k: precise(lambda: conv(*a)),
    "dot_f32": lambda a, k: lax.dot_general(f16(a[0]), f16(a[1]), (((1,), (1,)), ((), ())), preferred_element_type=F),
    "conv_f32": lambda a, k: conv(f16(a[0]), f16(a[1]), preferred_element_type=F),
    "token": lambda a, k: token(a[0]),
    "inline_sin": lambda a, k: jax.jit(lax.sin, inline=True)(a[0]),
    "checkpoint_cse": lambda a, k: jax.checkpoint(lambda x: lax.sin(lax.sin(x)), prevent_cse=False)(a[0]),
    "while_captured": lambda a, k: while_captured(*a),
    "cond_number": lambda a, k: lax.cond(a[0], lax.sin, lambda x: lax.mul(x, x), a[1]),
    "ffi_cholesky": lambda a, k: ffi_cholesky(a[0], k),
    "ffi_attributes": lambda a, k: ffi_attributes(a[0]),
    "not": lambda a, k: lax.bitwise_not(a[0]),
    "and": lambda a, k: lax.bitwise_and(*a),
    "or": lambda a, k: lax.bitwise_or(*a),
    "xor": lambda a, k: lax.bitwise_xor(*a),
    "reduce_and": lambda a, k: lax.reduce_and_p.bind(a[0], axes=k["axes"]),
    "reduce_or": lambda a, k: lax.reduce_or_p.bind(a[0], axes=k["axes"]),
    "reduce_xor": lambda a, k: lax.reduce_xor_p.bind(a[0], axes=k["axes"]),
    "to_i32": lambda a, k: lax.convert_element_type(a[0], I),
    "to_f32": lambda a, k: f32(a[0]),
    "key_seed": lambda a, k: prng.random_seed_p.bind(a[0], impl=threefry_prng_impl),
    "key_fold": lambda a, k: prng.random_fold_in_p.bind(*a),
    "key_bits": lambda a, k: f32(prng.random_bits_p.bind(a[0], bit_width=32, shape=k["shape"])),
    "key_uniform": lambda a, k: jax.random.uniform(a[0], k["shape"]),
    "key_normal": lambda a, k: jax.random.normal(a[0], k["shape"]),
    "through_bf16": lambda a, k: f32(lax.convert_element_type(a[0], jnp.bfloat16)),
    "bits_of": lambda a, k: lax.bitcast_convert_type(a[0], I),
    "random_seed": lambda a, k: data(key(k)),
    "random_wrap": lambda a, k: data(prng.random_wrap_p.bind(word(a[0]), impl=threefry_prng_impl)),
    "random_split": lambda a, k: data(prng.random_split_p.bind(key(k), shape=k["n"])),
    "random_fold_in": lambda a, k: data(prng.random_fold_in_p.bind(key(k), np.int32(k["data"][0]))),
    "random_bits": lambda a, k: f32(prng.random_bits_p.bind(key(k), bit_width=k["width"][0], shape=k["shape"])),
    "real_part": lambda a, k: real_of(lax.complex(lax.real(lax.complex(*a)), a[1])),
    "imag_part": lambda a, k: lax.imag(lax.complex(*a)),
    "conjugate": lambda a, k: real_of(lax.conj(lax.complex(*a))),
    "complex_pair": lambda a, k: real_of(lax.complex(*a)),
    "conv_plain": lambda a, k: lax.conv_general_dilated(
        a[0], a[1], (1,), (k["padding"],), (1,), (1,), ("NCW", "OIW", "NCW"), a[0].shape[1] // a[1].shape[1]),
    "copy": lambda a, k: lax.copy_p.bind(a[0]),
    "device_put": lambda a, k: jax.device_put(a[0], jax.devices()[0]),
    "device_put_format": lambda a, k: jax.device_put(
        a[0], Format(Layout((1, 0)), SingleDeviceSharding(jax.devices()[0]))),
    "squeeze": lambda a, k: lax.squeeze(a[0], k["dims"]),
    "select3": lambda a, k: lax.select_n(a[0], a[1], a[2], lax.neg(a[1])),
    "tile": lambda a, k: lax.tile(a[0], k["reps"]),
    "stack": lambda a, k: jnp.stack(a, k["axis"][0]),
    "polygamma": lambda a, k: lax.polygamma(*a),
    "zeta": lambda a, k: lax.zeta(*a),
    "eig": lambda a, k: lax.reduce_sum_p.bind(lax.real(lax.linalg.eig(
        a[0], compute_left_eigenvectors=bool(k["left"][0]), compute_right_eigenvectors=bool(k["right"][0]))[0]),
        axes=(a[0].ndim - 2,), out_sharding=None),
    "householder_product": lambda a, k: lax.linalg.householder_product(*a),
    "symmetric_product": lambda a, k: lax.linalg.symmetric_product(*a, alpha=float(k["alpha"][0]), beta=float(k["beta"][0])),
    "igamma": lambda a, k: lax.igamma(*a),
    "igammac": lambda a, k: lax.igammac(*a),
    "igamma_grad_a": lambda a, k: lax.igamma_grad_a(*a),
    "betainc": lambda a, k: lax.betainc(*a),
    "random_gamma": lambda a, k: random_gamma_p.bind(key(k), a[0], log_space=False),
    "random_loggamma": lambda a, k: random_gamma_p.bind(key(k), a[0], log_space=True),
    "bessel_i0e": lambda a, k: lax.bessel_i0e(a[0]),
    "bessel_i1e": lambda a, k: lax.bessel_i1e(a[0]),
    "take_rows": lambda a, k: lax.gather(a[0], lax.expand_dims(a[1], (1,)), ROWS, (1, a[0].shape[1]),
                                         mode=MODES[k["mode"][0]]),
    "take_each": lambda a, k: lax.gather(a[0], lax.expand_dims(a[1], (2,)), EACH, (1, 1), mode=MODES[0]),
    "add_each": add_each,
    "scatter": scatter,
    "lu_pivots_to_permutation": lambda a, k: lax.linalg.lu_pivots_to_permutation(a[0], k["size"][0]),
    "int_chain": lambda a, k: int_chain(a[0]),
    "window_tangent": lambda a, k: jax.jvp(lambda x: window_max(x, k), (a[0],), (a[1],))[1],
    "window_cotangent": lambda a, k: jax.grad(lambda x: squared_maxima(x, k))(a[0]),
}
for name in "exp exp2 log log1p expm1 sin cos tan tanh logistic sqrt rsqrt cbrt".split():
    ONE[f"accurate_{name}"] = (lambda f: lambda a, k: f(a[0], accuracy=ACCURACIES[k["mode"][0]]))(getattr(lax, name))
CASES = {name: (lambda f: lambda a, k: [f(a, k)])(f) for name, f in ONE.items()} | {
    "optimization_barrier": lambda a, k: list(lax.optimization_barrier(tuple(a))),
    "split": lambda a, k: list(lax.split(a[0], k["sizes"], axis=k["axis"][0])),
    "unstack": lambda a, k: list(jnp.unstack(a[0], axis=k["axis"][0])),
    "key_split": lambda a, k: list(jax.random.split(a[0])),
    "lu_permutation": lu_permutation,
    "threefry2x32": threefry,
}
