#===- explicit_helpers.py - functions that random programs call -----------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Functions that the texts of explicit_programs.py import. With test/jax in PYTHONPATH such a text
runs alone."""

import jax
import numpy as np
from jax import lax


def data(seed, shape, dtype, kind, spec):
    """Returns an array: small integers, `fractions`, or integers mixed with `special` values."""
    rng = np.random.default_rng(seed)
    x = rng.integers(-4, 5, shape).astype(dtype)
    if kind == "fractions":
        x = rng.normal(size=shape).astype(dtype)
    if kind == "special":
        x = np.where(rng.random(shape) < 0.1, rng.choice([np.inf, -np.inf, np.nan, -0.0], shape), x).astype(dtype)
    return jax.device_put(x, spec)


def scan(f, carried, start, rows, **options):
    """lax.scan of a function with flat arguments and results; the first `carried` of them are carried."""

    def body(c, x):
        out = f(*c, *x)
        return out[:carried], out[carried:]

    last, more = lax.scan(body, start, rows, **options)
    return (*last, *more)


def own_gradient(f, rule):
    g = jax.custom_vjp(lambda v: f(v)[0])
    g.defvjp(lambda v: (f(v)[0], None), rule)
    return lambda v: (g(v),)


def _of(f, wanted, values):
    """Returns f as a function of the `wanted` arguments, and these arguments."""

    def g(*some):
        new = list(values)
        for i, v in zip(wanted, some):
            new[i] = v
        return f(*new)

    return g, [values[i] for i in wanted]


def pullback(f, wanted):
    """Returns the value of f and its gradients, by jax.vjp."""

    def g(*values):
        h, some = _of(f, wanted, values)
        value, back = jax.vjp(h, *some)
        return value, back(value + value)

    return g


def pushforward(f, wanted):
    """Returns the value of f and its derivative in one direction, by jax.jvp."""

    def g(*values):
        h, some = _of(f, wanted, values)
        return jax.jvp(h, some, [v + v for v in some])

    return g


def apart(f, **options):
    """shard_map that is compiled as one program, even if other operations are compiled separately."""
    g = jax.jit(jax.shard_map(f, **options))

    def call(*values):
        with jax.disable_jit(False):
            return g(*values)

    return call
