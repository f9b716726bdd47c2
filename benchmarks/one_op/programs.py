#===- programs.py - small programs, as JAX's own tests run them ------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Small programs of one operation each. programs(): (name, function, arguments), on one device.
sharded(): (name, function, arguments, specs) on a mesh of 8 devices with the axis x."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import PartitionSpec as P


def programs():
    rng = np.random.default_rng(0)
    f = lambda *shape: rng.uniform(0.1, 2.0, shape).astype(np.float32)
    i = lambda *shape: rng.integers(0, 7, shape).astype(np.int32)
    x, y = f(16, 24), f(16, 24)
    yield "warm up", lambda x: x + 1, (x,)
    yield "add", jnp.add, (x, y)
    yield "add, other shape", jnp.add, (f(5), f(5))
    yield "add i32", jnp.add, (i(9, 3), i(9, 3))
    yield "multiply, broadcast", jnp.multiply, (x, f(24))
    yield "maximum", jnp.maximum, (f(7, 5, 3), f(7, 5, 3))
    yield "divide", jnp.divide, (f(33), f(33))
    yield "exp", jnp.exp, (x,)
    yield "log", jnp.log, (x,)
    yield "tanh", jnp.tanh, (x,)
    yield "sin", jnp.sin, (x,)
    yield "sqrt", jnp.sqrt, (x,)
    yield "logistic", lax.logistic, (x,)
    yield "power", jnp.power, (x, y)
    yield "floor", jnp.floor, (x,)
    yield "negative", jnp.negative, (x,)
    yield "convert", lambda x: x.astype(jnp.int32), (x,)
    yield "less", jnp.less, (x, y)
    yield "where", jnp.where, (x > 1, x, y)
    yield "clip", lambda x: lax.clamp(0.5, x, 1.0), (x,)
    yield "sum", jnp.sum, (x,)
    yield "sum of rows", lambda x: jnp.sum(x, axis=1), (x,)
    yield "sum of columns", lambda x: jnp.sum(x, axis=0), (x,)
    yield "max", jnp.max, (x,)
    yield "argmax", lambda x: jnp.argmax(x, axis=1), (x,)
    yield "sort", jnp.sort, (x,)
    yield "cumsum", lambda x: jnp.cumsum(x, axis=1), (x,)
    yield "softmax", lambda x: jax.nn.softmax(x), (x,)
    yield "dot", jnp.dot, (x, f(24, 8))
    yield "matrix times vector", jnp.dot, (x, f(24))
    yield "batched dot", jnp.matmul, (f(3, 8, 8), f(3, 8, 8))
    yield "transpose", jnp.transpose, (x,)
    yield "reshape", lambda x: x.reshape(24, 16), (x,)
    yield "broadcast", lambda x: jnp.broadcast_to(x, (8, 24)), (f(24),)
    yield "concatenate", lambda x, y: jnp.concatenate([x, y], 1), (x, y)
    yield "slice", lambda x: x[3:11, ::2], (x,)
    yield "dynamic slice", lambda x, n: lax.dynamic_slice(x, (n, n), (4, 4)), (x, np.int32(3))
    yield "take", lambda x, n: x[n], (x, i(5))
    yield "scatter", lambda x, n: x.at[n].add(1.0), (x, i(5))
    yield "pad", lambda x: jnp.pad(x, 2), (x,)
    yield "reverse", lambda x: x[::-1], (x,)
    yield "iota", lambda: jnp.arange(40, dtype=jnp.float32), ()
    yield "identity", lambda x: x, (x,)
    yield from libraries(f)
    yield from contractions(f, i)
    yield from types(f, i)


def sharded():
    rng = np.random.default_rng(1)
    f = lambda *shape: rng.uniform(0.1, 2.0, shape).astype(np.float32)
    x, rows = f(64, 24), P("x")
    yield "warm up", lambda x: x + 1, (x,), (rows,)
    yield "add", jnp.add, (x, x + 1), (rows, rows)
    yield "add, replicated", jnp.add, (x, x + 1), (P(), P())
    yield "exp", jnp.exp, (x,), (rows,)
    yield "sum of rows", lambda x: jnp.sum(x, 1), (x,), (rows,)
    yield "sum of columns: all_reduce", lambda x: jnp.sum(x, 0), (x,), (rows,)
    yield "softmax", jax.nn.softmax, (x,), (rows,)
    yield "matmul", jnp.dot, (x, f(24, 16)), (rows, P())
    yield "matmul: all_reduce", jnp.dot, (f(16, 64), f(64, 16)), (P(None, "x"), rows)
    yield "to one layout: all_gather", lambda x: lax.with_sharding_constraint(x * 2, P()), (x,), (
        rows,)  # fmt: skip
    yield "other dimension: all_to_all", lambda x: lax.with_sharding_constraint(
        x * 2, P(None, "x")), (x,), (rows,)  # fmt: skip
    yield "shift: collective_permute", lambda x: jnp.roll(x, 8, 0), (x,), (rows,)


def on_mesh(specs):
    """Returns a mesh of 8 devices, to be set for lowering and calls, and the shardings of arguments."""
    mesh = jax.make_mesh((8,), ("x",), axis_types=(jax.sharding.AxisType.Auto,))
    return mesh, [jax.sharding.NamedSharding(mesh, spec) for spec in specs]


def libraries(f):
    """Ops that call libraries, or whose compilation takes long elsewhere."""
    image, taps = f(2, 8, 8, 3), f(3, 3, 3, 4)
    conv = lambda x, w, **options: lax.conv_general_dilated(
        x, w, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"), **options
    )
    yield "convolution", conv, (image, taps)
    yield "convolution, dilated", lambda x, w: conv(x, w, rhs_dilation=(2, 2)), (image, taps)
    yield "convolution, gradient", jax.grad(lambda w, x: jnp.sum(conv(x, w) ** 2)), (taps, image)
    yield "fft", jnp.fft.fft, (f(4, 16),)
    yield "irfft", lambda x: jnp.fft.irfft(x + 1j), (f(4, 9),)
    yield "cholesky", lambda x: jnp.linalg.cholesky(x @ x.T + 9 * jnp.eye(8)), (f(8, 8),)
    yield "triangular solve", lambda a, b: lax.linalg.triangular_solve(
        a + 4 * jnp.eye(8), b, left_side=True, lower=True), (f(8, 8), f(8, 3))  # fmt: skip
    yield "qr", lambda x: jnp.abs(jnp.linalg.qr(x)[1]), (f(8, 4),)
    yield "random bits", lambda k: jax.random.bits(jax.random.wrap_key_data(k), (40,)), (
        np.array([0, 7], np.uint32),)  # fmt: skip
    yield "random normal", lambda k: jax.random.normal(jax.random.wrap_key_data(k), (40,)), (
        np.array([0, 7], np.uint32),)  # fmt: skip


def contractions(f, i):
    x = f(16, 24)
    yield "argsort", lambda x: jnp.argsort(x, 0), (x,)
    yield "sort of two", lambda x, y: lax.sort((x, y), num_keys=2), (i(60), f(60))
    yield "top_k", lambda x: lax.top_k(x, 3), (x,)
    yield "cumsum of columns", lambda x: jnp.cumsum(x, 0), (x,)
    yield "cumprod, from the end", lambda x: lax.cumprod(x, 1, reverse=True), (x,)
    yield "cummax", lambda x: lax.cummax(x, 0), (x,)
    yield "cumlogsumexp", lambda x: lax.cumlogsumexp(x, 0), (x,)
    yield "logsumexp", lambda x: jax.nn.logsumexp(x, 1), (x,)
    yield "variance", lambda x: jnp.var(x, 0), (x,)
    yield "all", lambda x: jnp.all(x > 0, 1), (x,)
    yield "max pool", lambda x: lax.reduce_window(
        x, -jnp.inf, lax.max, (2, 2), (2, 2), "VALID"), (x,)  # fmt: skip
    yield "max pool, gradient", jax.grad(lambda x: jnp.sum(lax.reduce_window(
        x, -jnp.inf, lax.max, (2, 2), (2, 2), "VALID") ** 2)), (x,)  # fmt: skip
    yield "while", lambda x: lax.while_loop(lambda c: jnp.sum(c) < 1e4, lambda c: c * 2, x), (x,)
    yield "scan", lambda x: lax.scan(lambda c, a: (c + a, c * a), jnp.zeros(24), x), (x,)
    yield "cond", lambda x: lax.cond(x[0, 0] > 1, jnp.sin, jnp.cos, x), (x,)
    yield "gather 2-D", lambda x, a, b: x[a, b], (x, i(9), i(9))
    yield "scatter, set", lambda x, n, v: x.at[n].set(v), (f(16, 4), i(5), f(5, 4))
    yield "scatter, max", lambda x, n: x.at[n].max(1.0), (f(16), i(5))
    yield "dynamic update", lambda x, u, n: lax.dynamic_update_slice(x, u, (n, n)), (
        x, f(3, 3), np.int32(5))  # fmt: skip
    yield "roll", lambda x: jnp.roll(x, 5, 1), (x,)
    yield "einsum", lambda a, b: jnp.einsum("bij,bkj->bik", a, b), (f(3, 8, 4), f(3, 8, 4))
    yield "transpose 3-D", lambda x: x.transpose(2, 0, 1), (f(4, 6, 8),)
    yield "unique ids", lambda x: jnp.searchsorted(jnp.sort(x), x), (f(40),)


def types(f, i):
    """Functions with the element types of JAX's tests."""
    positive = f(7, 9)
    for name in ("bfloat16", "float16"):
        half = positive.astype(name)
        yield f"tanh {name}", jnp.tanh, (half,)
        yield f"sum {name}", lambda x: jnp.sum(x, 0), (half,)
        yield f"dot {name}", jnp.dot, (half, half.T)
    z = (positive + 1j * positive[::-1]).astype(np.complex64)
    yield "multiply complex64", jnp.multiply, (z, z)
    yield "exp complex64", jnp.exp, (z,)
    yield "divide complex64", jnp.divide, (z, z)
    yield "abs complex64", jnp.abs, (z,)
    yield "dot complex64", jnp.dot, (z, z.T)
    yield "power i32", lambda x: x**3, (i(7, 9),)
    yield "remainder i32", jnp.remainder, (i(7, 9), i(7, 9) + 1)
    yield "shift u8", lambda x: x << 2, (i(7, 9).astype(np.uint8),)
    yield "dot i8", lambda a, b: lax.dot(a, b, preferred_element_type=jnp.int32), (
        i(8, 16).astype(np.int8), i(16, 8).astype(np.int8))  # fmt: skip
    yield "population count", lax.population_count, (i(40),)
    for name in ("cos", "tan", "arctan2", "sinh", "arcsinh", "cbrt", "log1p", "expm1"):
        function = getattr(jnp, name)
        yield name, function, (positive,) * (2 if name == "arctan2" else 1)
    yield "erf", jax.scipy.special.erf, (positive,)
    yield "erf_inv", lambda x: jax.scipy.special.erfinv(x / 4), (positive,)
    yield "lgamma", jax.scipy.special.gammaln, (positive,)
    yield "digamma", jax.scipy.special.digamma, (positive,)
    yield "igamma", lambda a, x: lax.igamma(a, x), (positive, positive[::-1])
    yield "bessel_i0e", lax.bessel_i0e, (positive,)
    wide = positive.astype(np.float64)
    for name in ("exp", "sin", "tanh", "log"):
        yield f"{name} float64", getattr(jnp, name), (wide,)
    yield "dot float64", jnp.dot, (wide, wide.T)
    yield "sort float64", lambda x: jnp.sort(x, 0), (wide,)


def precision(name):
    """A context for lowering and calling a program."""
    return jax.enable_x64("float64" in name)


def bits(array):
    """Returns bfloat16 as its bits, because numpy's files do not support it."""
    array = np.asarray(array)
    return array.view(np.uint16) if array.dtype.name == "bfloat16" else array
