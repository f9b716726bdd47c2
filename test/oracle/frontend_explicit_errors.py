#===- frontend_explicit_errors.py - mistakes on Explicit axes -------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Calls of JAX with a mistake each, for frontend_errors.py: the sharding of the result of each family of operations,
partial sums, changes of shardings and of axis types. test/oracle/frontend_explicit_mistakes.cc makes the same calls in
C++."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax._src.lax import lax as internal
from jax.sharding import AbstractMesh, AxisType, Mesh, NamedSharding, PartitionSpec as P, SingleDeviceSharding

from frontend_type_errors import AUTO, D, OTHER, SQUARE, TYPED, X, typed, typed_map, under, unreduced

ROWS, COLUMNS = P("x"), P(None, "y")


def one(f, spec=ROWS, x=X):
    return under(f, typed(spec, x))


def two(f, a=ROWS, b=ROWS, x=X):
    return under(f, typed(a, x), typed(b, x))


def dot(x, y, out=None):
    return lax.dot_general(x, y, (((1,), (1,)), ((), ())), out_sharding=out)


def in_context(mesh, f, *args):
    with jax.set_mesh(mesh):
        return jax.jit(f)(*args)


FAMILIES = {
    "dynamic_slice that does not divide": lambda: one(lambda x: lax.dynamic_slice(x, (0, 0), (6, 4))),
    "padding that does not divide": lambda: one(lambda x: lax.pad(x, np.float32(0), ((1, 0, 0), (0, 0, 0)))),
    "split that does not divide": lambda: one(lambda x: lax.split(x, (3, 5), 0)),
    "slice of two axes": lambda: one(lambda x: lax.slice(x, (0, 0), (4, 4)), P(("x", "y"))),
    "update of another sharding": lambda: two(lambda x, y: lax.dynamic_update_slice(x, y, (0, 0)), ROWS, COLUMNS),
    "stack of two shardings": lambda: two(lambda x, y: internal.stack((x, y), axis=0), P("x"), P("y"), SQUARE),
    "cases of two shardings": lambda: under(
        lambda p, x, y: lax.select_n(p, x, y), typed(P(), SQUARE > 0), typed(P("x"), SQUARE), typed(P("y"), SQUARE)),
    "unstack of a sharded dimension": lambda: one(lambda x: internal.unstack(x, axis=0)),
    "keys of two shardings": lambda: two(lambda x, y: lax.sort((x, y), dimension=1), ROWS, P()),
    "sine and cosine": lambda: two(lambda x, y: lax.atan2(x, y), ROWS, P("y")),
    "comparison of two shardings": lambda: two(lambda x, y: lax.lt(x, y), COLUMNS, P(None, "x"), SQUARE),
    "one axis on two dimensions of a dot": lambda: two(dot, ROWS, ROWS, SQUARE),
    "sharded matrix of a solve": lambda: two(
        lambda a, b: lax.linalg.triangular_solve(a, b, left_side=True), ROWS, ROWS, SQUARE),
    "sharded matrix of eigenvalues": lambda: one(lambda x: lax.linalg.eigh(x, symmetrize_input=False), ROWS, SQUARE),
    "sharded matrix of singular values": lambda: one(lambda x: lax.linalg.svd(x), ROWS, SQUARE),
    "sharded matrix of qr": lambda: one(lambda x: lax.linalg.qr(x), ROWS, SQUARE),
    "sharded matrix of lu": lambda: one(lambda x: lax.linalg.lu(x), COLUMNS, SQUARE),
    "maximum along a sharded dimension": lambda: one(lambda x: lax.cummax(x, 0)),
    "ragged product": lambda: one(
        lambda x: lax.ragged_dot(x, np.ones((2, 4, 3), np.float32), np.array([4, 4], np.int32))),
    "reshape into pieces": lambda: one(lambda x: lax.reshape(x, (2, 4, 4))),
    "carry of a loop with another sharding": lambda: one(lambda x: lax.while_loop(
        lambda c: c[0] < 3, lambda c: (c[0] + 1, jax.reshard(c[1], P())), (0, x))),
    "no sharding rule": lambda: one(lambda x: unruly_p.bind(x)),
}


def shape_of(x):
    return x.shape


unruly_p = internal.standard_primitive(shape_of, lambda x: x.dtype, "unruly")
SUMS = {
    "value and a partial sum": lambda: two(lambda x, y: y + unreduced(x)),
    "value times a partial sum": lambda: two(lambda x, y: y * unreduced(x)),
    "value without a partial sum": lambda: two(lambda x, y: y - unreduced(x)),
    "partial sum over a value": lambda: two(lambda x, y: unreduced(x) / y),
    "exponential of a partial sum": lambda: one(lambda x: lax.exp(unreduced(x))),
    "comparison of a partial sum": lambda: two(lambda x, y: unreduced(x) < y),
    "partial sums along two axes": lambda: two(
        lambda x, y: jax.reshard(x, P(unreduced={"x"})) + jax.reshard(y, P(unreduced={"y"})), P(), P()),
}
RESHARDS = {
    "reshard to nothing": lambda: jax.reshard(X, None),
    "reshard to nothing in jit": lambda: jax.jit(lambda x: jax.reshard(x, None))(X),
    "reshard to an empty mesh": lambda: jax.reshard(X, NamedSharding(AbstractMesh((), ()), P())),
    "reshard to one device": lambda: jax.reshard(X, SingleDeviceSharding(D[0])),
    "dot to an Auto axis": lambda: in_context(AUTO, lambda x: dot(x, x, ROWS), X),
    "dot without a mesh": lambda: jax.jit(lambda x: dot(x, x, ROWS))(X),
    "dot to an unknown axis": lambda: two(lambda x, y: dot(x, y, P("q"))),
    "dot to an axis twice": lambda: two(lambda x, y: dot(x, y, P("x", "x"))),
    "iota without a mesh": lambda: jax.jit(lambda x: lax.broadcasted_iota(jnp.float32, (8, 4), 0, out_sharding=ROWS))(X),
    "iota that does not divide": lambda: one(lambda x: lax.broadcasted_iota(jnp.float32, (6, 4), 0, out_sharding=ROWS)),
    "sum to an Auto axis": lambda: in_context(AUTO, lambda x: lax.reduce_sum(x, (1,), out_sharding=ROWS), X),
    "mapped axis of a dot": lambda: one(lambda x: jax.vmap(lambda v: dot(v, v, P("x", None)))(x), ROWS, np.ones((8, 8, 8), np.float32)),
    "mapped axis of a reshard": lambda: one(lambda x: jax.vmap(lambda v: jax.reshard(v, P("x")))(x), ROWS, SQUARE),
    "mapped dimensions of two shardings": lambda: two(lambda x, y: jax.vmap(lambda a, b: a + b)(x, y), P("x"), P("y"), SQUARE),
    "mapped dimension of one sharding": lambda: two(lambda x, y: jax.vmap(lambda a, b: a + b)(x, y), P(), P(("x", "y")), SQUARE),
    "mapped dimension with spmd names": lambda: one(lambda x: jax.vmap(lambda v: v + 1, spmd_axis_name="y")(x)),
    "auto axes without a result": lambda: one(lambda x: jax.sharding.auto_axes(lambda v: v)(x)),
    "explicit axes without arguments": lambda: in_context(AUTO, jax.sharding.explicit_axes(lambda v: v), X),
    "explicit axes without a mesh": lambda: jax.sharding.explicit_axes(lambda v: v, in_sharding=ROWS)(X),
    "auto axes in a body": lambda: typed_map(
        lambda x: jax.sharding.auto_axes(lambda v: v, out_sharding=P())(x), ROWS, ROWS, typed(ROWS)),
    "one auto axis in a body": lambda: typed_map(
        lambda x: jax.sharding.auto_axes(lambda v: v, axes="x", out_sharding=P())(x), ROWS, ROWS, typed(ROWS)),
    "explicit axes in a body": lambda: typed_map(
        lambda x: jax.sharding.explicit_axes(lambda v: v, in_sharding=P())(x), ROWS, ROWS, typed(ROWS)),
}

MISTAKES = FAMILIES | SUMS | RESHARDS
