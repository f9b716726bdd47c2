#===- general_ops.py - primitives that take functions or groups, in JAX ---===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""The operations of general_ops.cc by name, written with JAX."""

import functools

import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental.layout import Layout, with_layout_constraint

REDUCERS = [lax.add, lax.mul, lax.max, lax.min, lax.bitwise_and, lax.bitwise_or, lax.bitwise_xor,
            lambda x, y: lax.mul(x, y), lambda x, y: lax.sub(lax.add(x, y), lax.mul(x, y))]
PAIR = lambda x, y: (lax.max(x[0], y[0]), lax.select(lax.gt(x[0], y[0]), x[1], y[1]))


def dot(p, q, r, s):
    return lax.add(lax.mul(p, q), lax.mul(r, s))


MATRICES = lambda x, y: (dot(x[0], y[0], x[1], y[2]), dot(x[0], y[1], x[1], y[3]), dot(x[2], y[0], x[3], y[2]),
                         dot(x[2], y[1], x[3], y[3]))


def ragged(a, k):
    get = lambda name: k.get(name, ())
    dims = lax.RaggedDotDimensionNumbers(((get("lc"), get("rc")), (get("lb"), get("rb"))), get("ragged"), get("group"))
    return [lax.ragged_dot_general(*a, dims)]


def dense_ragged(a, k):
    """A ragged_dot_general by masks: JAX has not every derivative and batching rule of it."""
    lhs, rhs, sizes = a
    lc, rc, lb, rb = (k.get(name, ()) for name in ("lc", "rc", "lb", "rb"))
    (ragged,), group = k.get("ragged", (0,)), k.get("group", ())
    letters = "abcdefghijklmnopqrstuvw"
    left, right = list(letters[:lhs.ndim]), list(letters[lhs.ndim:lhs.ndim + rhs.ndim])
    for l, r in (*zip(lc, rc), *zip(lb, rb)):
        right[r] = left[l]
    for g in group:
        right[g] = "z"
    free = [i for i in range(lhs.ndim) if i not in (*lc, *lb)]
    out = [left[i] for i in (*lb, *free)] + [right[i] for i in range(rhs.ndim) if i not in (*rc, *rb, *group)]
    if ragged in lb:
        return [jnp.einsum("".join(left) + "," + "".join(right) + "->" + "".join(out), lhs, rhs)]
    outer = lc if ragged in lc else free
    prefix = [*lb, *outer[:outer.index(ragged)]] if sizes.ndim > 1 else []
    ends = jnp.cumsum(sizes, -1)[..., None]
    starts = ends - sizes[..., None]
    position = jnp.arange(lhs.shape[ragged])
    mask = ((starts <= position) & (position < ends)).astype(lhs.dtype)
    masked = "".join(left[i] for i in prefix) + "z" + left[ragged]
    if ragged in lc:
        out.insert(0, "z")
    return [jnp.einsum("".join(left) + "," + "".join(right) + "," + masked + "->" + "".join(out), lhs, rhs, mask)]


def diagonal_solve(a, k):
    d, mode = a[0], k["mode"][0]
    transposed = (lambda matvec, y: lax.mul(y, lax.integer_pow(d, -1))) if mode == 0 else None
    return [lax.custom_linear_solve(lambda x: lax.mul(d, x), a[1], lambda matvec, y: lax.div(y, d), transposed,
                                    symmetric=mode == 1)]


def lower_solve(a, k):
    n = a[0].shape[0]
    below = lax.ge(lax.broadcasted_iota(np.int32, (n, n), 0), lax.broadcasted_iota(np.int32, (n, n), 1))
    matrix = lax.select(below, lax.add(a[0], lax.full((n, n), 1, np.float32)), lax.full((n, n), 0, np.float32))
    times = lambda x: lax.dot_general(matrix, x, (((1,), (0,)), ((), ())))

    def solved(y, transposed):
        return lax.squeeze(lax.linalg.triangular_solve(matrix, lax.expand_dims(y, (1,)), left_side=True, lower=True,
                                                       transpose_a=transposed), (1,))

    def solve(matvec, b):
        x = (solved(b[0], False), solved(b[1], False))
        return x, lax.sub(matvec(x)[0], b[0])

    x, rest = lax.custom_linear_solve(lambda x: (times(x[0]), times(x[1])), (a[1], a[2]), solve,
                                      lambda vecmat, b: ((solved(b[0], True), solved(b[1], True)), b[0]), has_aux=True)
    return [*x, rest]


ONE, ZERO = np.float32(1), np.float32(0)
def window(k):
    ones = (1,) * len(k["dims"])
    return (k["dims"], k["strides"], tuple(zip(*[iter(k["padding"])] * 2)), k.get("base", ones), k.get("dilation", ones))


GENERAL = {
    "reduce_window": lambda a, k: [lax.reduce_window(a[0], a[1], REDUCERS[k["by"][0]], *window(k))],
    "reduce_window_pairs": lambda a, k: list(lax.reduce_window((a[0], a[1]), (a[2], a[3]), PAIR, *window(k))),
    "reduce": lambda a, k: [lax.reduce(a[0], a[1], REDUCERS[k["by"][0]], k["axes"])],
    "reduce_pairs": lambda a, k: list(lax.reduce((a[0], a[1]), (a[2], a[3]), PAIR, k["axes"])),
    "reduce_matrices": lambda a, k: list(lax.reduce(tuple(a), (ONE, ZERO, ZERO, ONE), MATRICES, k["axes"])),
    "ragged_dot": lambda a, k: [lax.ragged_dot(*a)],
    "ragged_dot_general": ragged,
    "layout_constraint": lambda a, k: [with_layout_constraint(a[0], Layout(k["order"]))],
    "diagonal_solve": diagonal_solve,
    "lower_solve": lower_solve,
}


def pairs_in_turn(a, k):
    first, second = (jnp.moveaxis(x, k["axes"][0], 0) for x in a[:2])
    start = tuple(jnp.broadcast_to(x, first.shape[1:]) for x in a[2:])
    return list(functools.reduce(PAIR, zip(first, second), start))


def matrices_in_turn(a, k):
    xs = [jnp.moveaxis(x, k["axes"][0], 0) for x in a]
    start = [jnp.full(xs[0].shape[1:], x) for x in (ONE, ZERO, ZERO, ONE)]
    return list(functools.reduce(MATRICES, zip(*xs), start))


# The same by operations of which JAX has all rules, used where it refuses these.
WHOLE = {
    "clamp": lambda a, k: [lax.clamp(*(jnp.broadcast_to(x, a[1].shape) for x in a))],
    "ragged_dot": lambda a, k: dense_ragged(a, {"lc": (1,), "rc": (1,), "ragged": (0,), "group": (0,)}),
    "ragged_dot_general": dense_ragged,
    "reduce_pairs": pairs_in_turn,
    "reduce_matrices": matrices_in_turn,
    "reduce": lambda a, k: [functools.reduce(REDUCERS[k["by"][0]], jnp.moveaxis(a[0], k["axes"][0], 0), a[1])],
}
# JAX exchanges the elements in the derivatives of these.
ALWAYS_WHOLE = ("reduce_matrices",)
