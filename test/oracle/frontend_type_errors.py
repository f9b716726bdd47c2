#===- frontend_type_errors.py - mistakes that types of values show --------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Calls of JAX with a mistake each, for frontend_errors.py: operations on arrays whose types have shardings, on
partial sums, in bodies and specs of shard_map, callbacks and options of the compiler. test/oracle/
frontend_type_mistakes.cc makes the same calls in C++."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental import io_callback
from jax.sharding import AbstractMesh, AxisType, Mesh, NamedSharding, PartitionSpec as P

D = jax.devices()
AUTO = Mesh(np.array(D).reshape(4, 2), ("x", "y"))
TYPED = Mesh(np.array(D).reshape(4, 2), ("x", "y"), axis_types=(AxisType.Explicit,) * 2)
OTHER = Mesh(np.array(D).reshape(2, 4), ("x", "y"), axis_types=(AxisType.Explicit,) * 2)
X = np.ones((8, 4), np.float32)
SQUARE = np.ones((8, 8), np.float32)


def typed(spec, x=X, mesh=TYPED):
    return jax.device_put(x, NamedSharding(mesh, spec))


def under(function, *args, mesh=TYPED):
    """Traces under a mesh with Explicit axes."""
    with jax.set_mesh(mesh):
        return jax.make_jaxpr(function)(*args)


def sums(*spec, axes=("y",)):
    return P(*spec, unreduced=set(axes))


def copies(*spec):
    return P(*spec, reduced={"y"})


def reduced(spec=("x",)):
    with jax.set_mesh(TYPED):
        return jax.reshard(typed(P(*spec)), copies(*spec))


def unreduced(x, spec=("x",)):
    return jax.reshard(x, sums(*spec))


def dot_out(lhs, rhs, out):
    return under(lambda a, b: lax.dot_general(a, b, (((1,), (1,)), ((), ())), out_sharding=out),
                 typed(lhs, SQUARE), typed(rhs, SQUARE))


def sum_first(f):
    """Applies a function to a value that is a partial sum."""
    return under(lambda x: f(unreduced(x)), typed(P("x")))


def typed_map(f, i, o, *args, mesh=TYPED, **options):
    def body(*a):
        return f(*a)
    body.__name__ = "f"
    with jax.set_mesh(mesh):
        return jax.make_jaxpr(jax.shard_map(body, in_specs=i, out_specs=o, **options))(*args)


def auto_map(f, i, o, *args, mesh=AUTO, **options):
    body = (lambda a: f(a)) if len(args) == 1 else (lambda a, b: f(a, b))
    body.__name__ = "f"
    return jax.jit(jax.shard_map(body, mesh=mesh, in_specs=i, out_specs=o, **options))(*args)


def in_map(f, i=P("x"), o=P("x"), x=None, **options):
    return typed_map(f, i, o, typed(P("x")) if x is None else x, **options)


def on_sums(f, o):
    """A body whose argument is a partial sum along y."""
    return under(lambda x: jax.shard_map(f, in_specs=sums("x"), out_specs=o)(unreduced(x)), typed(P("x")))


EXPLICIT = {
    "sum of a partial sum and another value": lambda: under(lambda x, y: unreduced(x) + y, typed(P("x")), typed(P("x"))),
    "product of partial sums": lambda: sum_first(lambda x: x * x),
    "product of a partial sum and a constant": lambda: under(lambda x, y: unreduced(x) * y, typed(P("x")), typed(P("x"))),
    "sine of a partial sum": lambda: sum_first(lax.sin),
    "reversal of a partial sum": lambda: sum_first(lambda x: lax.rev(x, (1,))),
    "dot of a partial sum": lambda: under(
        lambda x, y: lax.dot_general(unreduced(x), y, (((1,), (1,)), ((), ()))), typed(P("x")), typed(P())),
    "reduced and replicated": lambda: under(lambda x, y: x * y, reduced(), typed(P("x"))),
    "reduced and sharded": lambda: under(lambda x, y: x * y, reduced(()), typed(P("y"))),
    "unreduced axes that are not contracted": lambda: dot_out(P(None, "x"), P(None, "x"), sums(axes="y")),
    "unreduced axes contracted on one side": lambda: dot_out(P(None, "x"), P(), sums(axes="x")),
    "unreduced axes that are not summed": lambda: under(lambda x: lax.reduce_sum(x, (1,), out_sharding=sums(axes="y")), typed(P("x"))),
    "context mesh of an operation": lambda: under(lambda x: x * x, typed(P("x"), mesh=OTHER)),
    "meshes of operands": lambda: jax.jit(lambda x, y: x * y)(typed(P("x")), typed(P("x"), mesh=OTHER)),
    "tile of a sharded dimension": lambda: under(lambda x: lax.tile(x, (2, 1)), typed(P("x"))),
    "top_k of a sharded dimension": lambda: under(lambda x: lax.top_k(x, 2), typed(P(None, "y"))),
    "selection by another sharding": lambda: under(lambda p, x: lax.select_n(p, x, x), typed(P("y"), X > 0), typed(P("x"))),
    "convolution of sharded features": lambda: under(
        lambda x, k: lax.conv_general_dilated(x, k, (1,), "SAME"), typed(P(None, "x"), np.ones((2, 4, 8), np.float32)),
        typed(P(), np.ones((4, 4, 3), np.float32))),
    "cholesky of a sharded matrix": lambda: under(
        lambda x: lax.linalg.cholesky(x, symmetrize_input=False), typed(P("x"), SQUARE)),
    "gather by sharded indices": lambda: under(
        lambda x, i: lax.gather(x, lax.expand_dims(i, (1,)), lax.GatherDimensionNumbers((1,), (0,), (0,)), (1, 4), mode="clip"),
        typed(P("x")), typed(P("x"), np.zeros(8, np.int32))),
    "scatter into a sharded dimension": lambda: under(
        lambda x, i, u: lax.scatter_add(x, lax.expand_dims(i, (1,)), u, lax.ScatterDimensionNumbers((1,), (0,), (0,)), mode="clip"),
        typed(P("x")), typed(P("x"), np.zeros(8, np.int32)), typed(P())),
    "scan over a sharded dimension": lambda: under(lambda x: lax.scan(lambda c, y: (c, y), 0.0, x), typed(P("x"))),
    "carry of another sharding": lambda: under(
        lambda x: lax.scan(lambda c, y: (jax.reshard(c, P()), y), x, np.ones(2, np.float32)), typed(P("x"))),
    "branches of two shardings": lambda: under(
        lambda p, x: lax.cond(p, lambda y: y, lambda y: jax.reshard(y, P()), x), np.bool_(True), typed(P("x"))),
    "constraint as an assertion": lambda: under(lambda x: lax.with_sharding_constraint(x, P("y")), typed(P("x"))),
    "batched constraint on the mapped axis": lambda: jax.vmap(
        lambda x: lax.with_sharding_constraint(x, NamedSharding(AUTO, P("x"))), spmd_axis_name="x")(X),
    "empty mesh of a sharding": lambda: jax.jit(lambda x: x, in_shardings=NamedSharding(AbstractMesh((), ()), P()))(X),
}
SHARD_MAP = {
    "specs that differ from the type": lambda: in_map(lambda x: x, P("y")),
    "specs without the sums of the type": lambda: on_sums_with(P("x")),
    "specs with sums that the type does not have": lambda: in_map(lambda x: x, sums("x")),
    "sums in a spec of Auto axes": lambda: auto_map(lambda x: x, sums("x"), sums("x"), X),
    "sums in an out spec of Auto axes": lambda: auto_map(lambda x: x, P("x"), sums("x"), X),
    "sums where some axes are manual": lambda: in_map(lambda x: x, P("x"), sums("x"), axis_names={"x"}),
    "result that is a sum without its spec": lambda: on_sums(lambda x: x, P("x")),
    "result that is no sum": lambda: in_map(lambda x: x, P("x"), sums("x")),
    "result that is not reduced": lambda: in_map(lambda x: x, P("x"), copies("x")),
    "result that is reduced, not a sum": lambda: in_map(lambda x: x, copies("x"), sums("x"), reduced()),
    "sum cast to a varying value": lambda: on_sums(lambda x: x, P("x", "y")),
    "maximum of a sum": lambda: on_sums(lambda x: lax.pmax(x, "y"), P("x")),
    "psum of a reduced value": lambda: in_map(lambda x: lax.psum(x, "y"), copies("x"), P("x"), reduced()),
    "psum of sums and others": lambda: on_sums(lambda x: lax.psum(x, ("x", "y")), P()),
    "psum_scatter of sums and others": lambda: on_sums(lambda x: lax.psum_scatter(x, ("x", "y"), tiled=True), P(("x", "y"))),
    "sine of a sum in a body": lambda: on_sums(lax.sin, sums("x")),
    "product of a sum in a body": lambda: on_sums(lambda x: x * 2.0, sums("x")),
    "sum of a sum and a constant in a body": lambda: on_sums(lambda x: x + 1.0, sums("x")),
    "reduced value and a constant in a body": lambda: in_map(lambda x: x * 2.0, copies("x"), copies("x"), reduced()),
    "cast of a sum": lambda: on_sums(lambda x: lax.pcast(x, "y", to="varying"), P("x", "y")),
    "cast of an invariant value to a sum": lambda: in_map(lambda x: lax.pcast(x, "y", to="unreduced"), P("x"), sums("x")),
    "cast of both kinds": lambda: in_map(lambda x: lax.pcast(x, ("x", "y"), to="reduced"), P("x"), copies("x")),
    "all_gather to reduced of an invariant value": lambda: in_map(lambda x: lax.all_gather(x, "y", to="reduced"), P("x"), copies("x")),
    "inferred specs of Auto axes": lambda: jax.jit(jax.shard_map(lambda x: x, mesh=AUTO, out_specs=P("x")))(X),
    "no mesh for shard_map": lambda: jax.jit(jax.shard_map(lambda x: x, in_specs=P("x"), out_specs=P("x")))(X),
    "another mesh in context": lambda: other_context(),
    "number of in specs": lambda: auto_map(lambda x, y: x, (P("x"),), P("x"), X, X),
    "number of out specs": lambda: auto_map(lambda x: (x, x), P("x"), (P("x"),), X),
    "sharding as a spec": lambda: auto_map(lambda x, y: x, (NamedSharding(AUTO, P("x")), P()), P("x"), X, X),
    "sharding as an out spec": lambda: auto_map(lambda x: x, P("x"), NamedSharding(AUTO, P("x")), X),
    "unknown axes in a tree of specs": lambda: auto_map(lambda d, y: y, ({"w": P("z"), "b": P("q")}, P("x")), P("x"), {"w": X, "b": X}, X),
    "keys of specs": lambda: auto_map(lambda d: d["w"], ({"z": P("x")},), P("x"), {"w": X, "b": X}),
    "rank in a tree of specs": lambda: auto_map(lambda a: a["w"], ({"w": P(None, None, "x"), "b": P()},), P(), {"w": X, "b": X}),
    "size in a tree of specs": lambda: auto_map(lambda a: a["w"], ({"w": P(None, ("x", "y")), "b": P()},), P(), {"w": X, "b": X}),
    "None as an out spec": lambda: auto_map(lambda x: (x, x), P("x"), None, X),
    "abstract mesh and no named sharding": lambda: jax.shard_map(
        lambda x: x, mesh=AUTO.abstract_mesh, in_specs=P("x"), out_specs=P("x"))(jax.device_put(X, D[0])),
    "abstract mesh of another shape": lambda: jax.shard_map(
        lambda x: x, mesh=AbstractMesh((2, 4), ("x", "y")), in_specs=P("x"), out_specs=P("x"))(jax.device_put(X, NamedSharding(AUTO, P()))),
    "mapped axis in specs": lambda: jax.vmap(jax.shard_map(lambda x: x, mesh=AUTO, in_specs=P("x"), out_specs=P("y"), check_vma=False),
                                             spmd_axis_name="x")(np.ones((8, 8), np.float32)),
    "mapped axis in out specs": lambda: jax.vmap(jax.shard_map(lambda x: x, mesh=AUTO, in_specs=P("y"), out_specs=P("x"), check_vma=False),
                                                 spmd_axis_name="x")(np.ones((8, 8), np.float32)),
    "ppermute to one device twice": lambda: auto_map(lambda x: lax.ppermute(x, "x", [(0, 1), (0, 2)]), P("x"), P("x"), X),
    "device_put to a device in a body": lambda: jax.shard_map(
        lambda x: jax.device_put(x, D[0]), mesh=AUTO, in_specs=P("x"), out_specs=P("x"))(X),
}


def on_sums_with(spec):
    return under(lambda x: jax.shard_map(lambda y: y, in_specs=spec, out_specs=P("x"))(unreduced(x)), typed(P("x")))


def other_context():
    with jax.set_mesh(TYPED):
        return jax.shard_map(lambda x: x, mesh=AUTO, in_specs=P("x"), out_specs=P("x"))(X)


def like(x):
    return jax.ShapeDtypeStruct(x.shape, x.dtype)


def call_in(f):
    return auto_map(f, P("x"), P("x"), X, axis_names={"x"})


FAST = {"xla_cpu_enable_fast_math": True}
CALLS = {
    "pure callback where some axes are manual": lambda: call_in(lambda x: jax.pure_callback(lambda v: v, like(x), x)),
    "io callback where some axes are manual": lambda: call_in(lambda x: io_callback(lambda v: v, like(x), x)),
    "device of a callback in a body": lambda: auto_map(
        lambda x: jax.pure_callback(lambda v: v, like(x), x, sharding=jax.sharding.SingleDeviceSharding(D[0])), P("x"), P("x"), X),
    "unknown compiler option": lambda: jax.jit(lambda x: x, compiler_options={"foo": True})(X),
    "value of a compiler option": lambda: jax.jit(lambda x: x, compiler_options={"xla_cpu_enable_fast_math": "maybe"})(X),
    "number of a compiler option": lambda: jax.jit(lambda x: x).lower(X).compile(
        compiler_options={"xla_backend_optimization_level": "x"})(X),
    "compiler options of a nested function": lambda: jax.jit(lambda x: jax.jit(lambda y: y, compiler_options=FAST)(x))(X),
    "offloaded and saved names": lambda: jax.checkpoint_policies.save_and_offload_only_these_names(
        names_which_can_be_saved=["y"], names_which_can_be_offloaded=["y"], offload_src="device", offload_dst="pinned_host"),
}

MISTAKES = EXPLICIT | SHARD_MAP | CALLS
