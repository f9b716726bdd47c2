#===- programs.py - small programs, as JAX's own tests run them ------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""(name, function, arguments): one operation each, on small arrays of one device."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax


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
