#===- case_ops.py - primitives that random programs do not use, in JAX ----===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""The operations of case_ops.cc by name, written with JAX."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax._src.random import prng
from jax._src.random.threefry2x32 import threefry2x32_p, threefry_prng_impl
from jax.experimental.layout import Format, Layout
from jax.sharding import SingleDeviceSharding

F, U, I = jnp.float32, jnp.uint32, jnp.int32
ROWS = lax.GatherDimensionNumbers((1,), (0,), (0,))
EACH = lax.GatherDimensionNumbers((), (1,), (1,), (0,), (0,))
MODES = [lax.GatherScatterMode.CLIP, lax.GatherScatterMode.FILL_OR_DROP]
SCATTERS = [lax.scatter, lax.scatter_add, lax.scatter_mul, lax.scatter_min, lax.scatter_max, lax.scatter_sub]


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
                                  unique_indices=bool(k["unique"][0]), mode=MODES[1])


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


ONE = {
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
CASES = {name: (lambda f: lambda a, k: [f(a, k)])(f) for name, f in ONE.items()} | {
    "optimization_barrier": lambda a, k: list(lax.optimization_barrier(tuple(a))),
    "split": lambda a, k: list(lax.split(a[0], k["sizes"], axis=k["axis"][0])),
    "unstack": lambda a, k: list(jnp.unstack(a[0], axis=k["axis"][0])),
    "key_split": lambda a, k: list(jax.random.split(a[0])),
    "lu_permutation": lu_permutation,
    "threefry2x32": threefry,
}
