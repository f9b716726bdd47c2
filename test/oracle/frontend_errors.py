#===- frontend_errors.py - error texts of the front end against JAX -------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Programs with a mistake each, through frontend_mesh_server (C++) and through JAX: the texts of the errors are
equal. Mistakes in meshes and specs, arrays, options of jit, its stages and their calls, settings, devices, in the specs and
axes of a shard_map, in collectives, and in operations on Explicit axes."""

# Feature: named-sharding
import functools
import operator
import os
import re

os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ["XLA_FLAGS"] = os.environ.get("XLA_FLAGS", "") + " --xla_force_host_platform_device_count=8"

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import AbstractMesh, AxisType, Mesh, NamedSharding, PartitionSpec as P

import frontend_explicit_errors
import frontend_jit_errors
import frontend_mesh as fm
import frontend_pmap_errors
import frontend_run_errors
import frontend_type_errors
import oracle

args = oracle.arguments(__doc__, cases=1, long_cases=1)


def program(shapes, specs, ops, outs, mesh=((4, 2), ("x", "y")), kind="Auto", **options):
    """`ops`: (name, operands, keys); `outs`: (number, spec)."""
    p = fm.Program(*mesh, (kind,) * len(mesh[1]))
    for shape, spec in zip(shapes, specs):
        p.add_input(np.ones(shape, np.float32), spec)
    for name, operands, keys in ops:
        p.op(name, operands, **keys)
    for number, spec in outs:
        p.result(number, spec)
    p.options.update(forward=1, parameters="a,b,c", **options)
    return p


M3 = ((2, 2, 2), ("x", "y", "z"))
A, B, S = (8, 4), (8, 8), (4, 4)


def one(spec, out, shape=A, ops=(), number=None, **more):
    """One argument; the result is that of the last operation."""
    return program([shape], [spec], list(ops), [(len(ops) if number is None else number, out)], **more)


def two(specs, outs, shapes=(A, A), **more):
    return program(shapes, specs, [], list(enumerate(outs)), **more)


def body(name, spec="x", out="x", shape=A, **keys):
    """One collective on the piece of an argument."""
    return one(spec, out, shape, [(name, [0], keys)])


SHARD_MAP = {
    "replication of both axes": one("x|y", "."), "replication of one axis": one("x|y", "x"),
    "replication, others vary": one("x", "."), "replication of two results": two(["x|y", "y"], ["x", "."]),
    "replication on three axes": one("x|y", "x", mesh=M3), "replication of two of three": one("x|y+z", "x", mesh=M3, shape=B),
    "spec too long": one("x|y|-", "x"), "spec too long for a scalar": one("x", "x", shape=()),
    "two specs too long": two(["x|-|-", "-|-|y"], ["x", "y"]),
    "result spec too long": one("x", "x", ops=[("reduce_sum", [0], {"axes": (0, 1)})]),
    "size does not divide": one("x", "x", shape=(6, 4)), "size does not divide by two axes": one("x+y", "x", shape=S),
    "two sizes do not divide": two(["x", "-|x"], ["x", "x"], ((6, 4), (8, 3))),
    "unknown axis of an argument": one("z", "x"), "unknown axis of a result": one("x", "z"),
    "axis that is not manual": one("y", "x", axes="x"), "axis_names not in the mesh": one("x", "x", axes="z"),
    "all_to_all of another size": body("all_to_all", axes="x", split=0, concat=0, tiled=0),
    "tiled all_to_all that does not divide": body("all_to_all", axes="x", split=0, concat=0, tiled=1),
    "psum_scatter of another size": body("psum_scatter", axes="x", axis=0, tiled=0),
    "tiled psum_scatter that does not divide": body("psum_scatter", axes="x", axis=0, tiled=1),
    "cast of a varying value": body("pcast", axes="x"),
    "all_gather over an unknown axis": body("all_gather", axes="q", axis=0, tiled=0),
    "axis_index of an unknown axis": body("add_index", axes="q"),
    "groups that overlap": one("x", "x", ops=[("psum", [0], {"axes": "x", "groups": "0,1;1,3"})], check=0),
    "psum of both kinds": one("x", ".", ops=[("psum", [0], {"axes": "x,y"})]),
}
E_ = {"kind": "Explicit"}
EXPLICIT = {
    "two axes on one dimension": program([B, B], ["x|-", "y|-"], [("add", [0, 1], {})], [(2, ".")], **E_),
    "one axis on two dimensions": program([B, B], ["x|-", "-|x"], [("add", [0, 1], {})], [(2, ".")], **E_),
    "contraction sharded on both sides": program([B, B], ["-|y", "-|y"], [("dot_general", [0, 1], {"lc": (1,), "rc": (1,)})], [(2, ".")], **E_),
    "contraction sharded differently": program([B, B], ["-|y", "-|x"], [("dot_general", [0, 1], {"lc": (1,), "rc": (1,)})], [(2, ".")], **E_),
    "batch dimensions": program([B, B], ["x|-", "y|-"], [("dot_general", [0, 1], {"lc": (1,), "rc": (1,), "lb": (0,), "rb": (0,)})], [(2, ".")], **E_),
    "reshape of an inner dimension": one("-|y", ".", ops=[("reshape", [0], {"shape": (32,)})], **E_),
    "cumulative sum of a sharded dimension": one("x|y", ".", ops=[("cumsum", [0], {"axis": 0})], **E_),
    "sort of a sharded dimension": one("x|y", ".", ops=[("sort", [0], {"dim": 0})], **E_),
    "slice that does not divide": one("x", ".", ops=[("slice", [0], {"start": (0, 0), "limit": (6, 4), "strides": (1, 1)})], **E_),
    "concatenation of different shardings": program([B, B], ["x|-", "y|-"], [("concatenate", [0, 1], {"dim": 1})], [(2, ".")], **E_),
    "reshard that does not divide": one(".", ".", shape=(7, 4), ops=[("reshard", [0], {"spec": "y"})], **E_),
    "reshard to an unknown axis": one(".", ".", ops=[("reshard", [0], {"spec": "q"})], **E_),
    "reshard to an Auto axis": one(".", ".", ops=[("reshard", [0], {"spec": "x"})]),
}


D = jax.devices()
AUTO = Mesh(np.array(D).reshape(4, 2), ("x", "y"))
TYPED = Mesh(np.array(D).reshape(4, 2), ("x", "y"), axis_types=(AxisType.Explicit,) * 2)
X = np.ones(A, np.float32)
MISTAKES = {
    "mesh rank": lambda: Mesh(np.array(D), ("x", "y")),
    "mesh types": lambda: Mesh(np.array(D), ("x",), axis_types=(AxisType.Auto,) * 2),
    "too few devices": lambda: jax.make_mesh((16,), ("x",)),
    "unknown axis": lambda: NamedSharding(AUTO, P("z")),
    "axis twice": lambda: NamedSharding(AUTO, P("x", "x")),
    "unconstrained": lambda: NamedSharding(TYPED, P(P.UNCONSTRAINED)),
    "unreduced of Auto": lambda: NamedSharding(AUTO, P(None, unreduced={"x"})),
    "unreduced overlaps": lambda: P("x", unreduced={"x"}),
    "reduced overlaps": lambda: P("x", reduced={"x"}),
    "both sets overlap": lambda: P(unreduced={"x"}, reduced={"x"}),
    "shard shape": lambda: NamedSharding(AUTO, P("x")).shard_shape((6,)),
    "constraint without mesh": lambda: jax.jit(lambda a: jax.lax.with_sharding_constraint(a, P("x")))(X),
    "reshard without mesh": lambda: jax.jit(lambda a: jax.reshard(a, P("x")))(X),
    "gradient of an array": lambda: jax.grad(lambda a: a)(X),
    "gradient of integers": lambda: jax.grad(lambda a: a)(1),
    "shapes": lambda: jax.lax.add(X, np.ones((3, 4), np.float32)),
}


def pair(first=0):
    return Mesh(np.array(D[first:first + 2]), ("x",))


def on_pair(spec, first=0):
    return NamedSharding(pair(first), spec)


def on(spec):
    return NamedSharding(AUTO, spec)


def on_first():
    return jax.device_put(X, on_pair(P()))


def on_second():
    return jax.device_put(X, on_pair(P(), 2))


def deleted():
    a = jnp.ones(4)
    a.delete()
    return a


def part(device, dtype=np.float32):
    return jax.device_put(np.ones(4, dtype), D[device])


def joined(parts, shape=(8,)):
    return jax.make_array_from_single_device_arrays(shape, on_pair(P("x")), parts)


def f(x):
    return x + 1.0


def g(a, b):
    return a + b, a * b


def described(size, spec, dtype=np.float32):
    return jax.ShapeDtypeStruct((8, 4), dtype, sharding=abstract(size, spec))


def abstract(size, spec):
    return NamedSharding(AbstractMesh((size,), ("x",)), spec)


def lowered(fun, *args):
    return jax.jit(fun).trace(*args).lower(lowering_platforms=("cpu",))


def callback(shape):
    return jax.make_array_from_callback(shape, on_pair(P("x")), lambda index: np.ones(8, np.int32))


def constrained(x):
    return jax.lax.with_sharding_constraint(x, on_pair(P("x"), 2))


def mapped(x):
    return jax.shard_map(lambda a: a, mesh=pair(2), in_specs=P("x"), out_specs=P("x"))(x)


def renamed(function):
    function.__name__ = function.__qualname__ = "f"
    return function


def sets_mesh(x):
    jax.set_mesh(pair())
    return x


def in_context():
    with jax.set_mesh(pair(2)):
        return jax.jit(f)(on_first())


ARRAYS = {
    "put rank": lambda: jax.device_put(np.ones(8, np.float32), on(P("x", "y"))),
    "put rank of a scalar": lambda: jax.device_put(np.float32(1), on(P("x"))),
    "put indivisible": lambda: jax.device_put(np.ones((6, 6), np.float32), on(P("x", "y"))),
    "put spec": lambda: jax.device_put(X, P("x")),
    "put deleted": lambda: jax.device_put(deleted(), D[1]),
    "value of a deleted array": lambda: np.asarray(deleted()),
    "operation on a deleted array": lambda: deleted() + 1.0,
    "jit of a deleted array": lambda: jax.jit(f)(deleted()),
    "item of a deleted array": lambda: deleted()[0],
    "scalar of an array": lambda: jnp.ones(4).item(),
    "callback shape": lambda: callback((8,)),
    "callback indivisible": lambda: callback((7,)),
    "number of parts": lambda: joined([part(0)]),
    "devices of parts": lambda: joined([part(0), part(3)]),
    "parts on one device": lambda: joined([part(0), part(0)]),
    "types of parts": lambda: joined([part(0), part(1, np.int32)]),
    "shapes of parts": lambda: joined([part(0), part(1)], (6,)),
    "part with several shards": lambda: joined([part(0), jax.device_put(np.ones(8, np.float32), on_pair(P("x")))]),
    "local data": lambda: jax.make_array_from_process_local_data(on_pair(P("x")), np.ones(8, np.float32), (16,)),
}
NARROW = np.ones((6, 4), np.float32)
JIT = {
    "in_shardings length": lambda: jax.jit(g, in_shardings=(on_pair(P()),) * 3)(X, X),
    "out_shardings length": lambda: jax.jit(g, out_shardings=(on_pair(P()),) * 3)(X, X),
    "in_shardings without mesh": lambda: jax.jit(f, in_shardings=P("x"))(X),
    "out_shardings without mesh": lambda: jax.jit(f, out_shardings=P("x"))(X),
    "in_shardings unconstrained": lambda: jax.jit(f, in_shardings=on(P(P.UNCONSTRAINED)))(X),
    "in_shardings rank": lambda: jax.jit(f, in_shardings=on(P("x", None, "y")))(X),
    "out_shardings rank": lambda: jax.jit(lambda x: {"p": x}, out_shardings=on(P("x", None, "y")))(X),
    "in_shardings indivisible": lambda: jax.jit(f, in_shardings=on(P("x")))(NARROW),
    "out_shardings indivisible": lambda: jax.jit(f, out_shardings=on(P("x")))(NARROW),
    "sharding of an argument": lambda: jax.jit(f, in_shardings=on_pair(P("x")))(on_first()),
    "donation out of range": lambda: jax.jit(f, donate_argnums=3)(X),
    "call with a description": lambda: jax.jit(f)(jax.ShapeDtypeStruct((8,), np.float32)),
    "types of a compiled call": lambda: jax.jit(f).lower(X).compile()(np.ones(3, np.float32)),
    "shardings of a compiled call": lambda: jax.jit(f).lower(on_first()).compile()(jax.device_put(X, on_pair(P("x")))),
    "devices of a compiled call": lambda: jax.jit(f).lower(on_first()).compile()(on_second()),
    "dialect": lambda: jax.jit(f).lower(X).as_text("foo"),
    "set_mesh inside": lambda: jax.jit(sets_mesh)(X),
    "set_mesh of a manual mesh": lambda: jax.set_mesh(Mesh(np.array(D[:2]), ("x",), axis_types=(AxisType.Manual,))),
    "devices of arguments": lambda: jax.jit(g)(on_first(), on_second()),
    "devices of results": lambda: jax.jit(f, out_shardings=on_pair(P(), 2))(on_first()),
    "devices of a host argument": lambda: jax.jit(g, in_shardings=(None, on_pair(P("x"), 2)))(on_first(), X),
    "devices of a constraint": lambda: jax.jit(renamed(constrained))(on_first()),
    "devices of a shard_map": lambda: jax.jit(renamed(mapped))(on_first()),
    "devices of the context": in_context,
    "devices of operands": lambda: jnp.add(on_first(), on_second()),
    "abstract meshes of two sizes": lambda: lowered(g, described(2, P()), described(4, P())),
    "abstract mesh and devices": lambda: lowered(g, on_first(), described(4, P())),
    "abstract mesh without devices": lambda: lowered(f, described(2, P("x"))).compile(),
    "abstract mesh and too many devices": lambda: lowered(f, described(2, P("x"))).compile(device_assignment=tuple(D[:4])),
    "compile for other devices": lambda: jax.jit(f).lower(on_first()).compile(device_assignment=tuple(D[2:4])),
    "abstract constraint on one device": lambda: jax.lax.with_sharding_constraint(
        jax.device_put(jnp.ones(4), D[0]), abstract(4, P("x"))),
    "abstract constraint of another size": lambda: jax.lax.with_sharding_constraint(on_first(), abstract(4, P("x"))),
}


def mesh_of(p):
    return Mesh(np.array(jax.devices()).reshape(p.sizes), p.names, axis_types=tuple(AxisType[t] for t in p.types))


def shard_map_error(p):
    options = {"check_vma": bool(int(p.options.get("check", 1)))}
    if "axes" in p.options:
        options["axis_names"] = set(p.options["axes"].split(","))
    bodies = [lambda a: p.evaluate([a]), lambda a, b: p.evaluate([a, b])]
    f = bodies[len(p.ins) - 1]
    f.__name__ = "f"
    g = jax.shard_map(f, mesh=mesh_of(p), in_specs=tuple(map(fm.parse_spec, p.specs)),
                      out_specs=[fm.parse_spec(s) for _, s in p.outs], **options)
    return fm.or_error(lambda: jax.jit(g)(*p.ins))


def explicit_error(p):
    mesh = mesh_of(p)
    with jax.set_mesh(mesh):
        ins = [jax.device_put(x, NamedSharding(mesh, fm.parse_spec(s))) for x, s in zip(p.ins, p.specs)]
        return fm.or_error(lambda: jax.jit(lambda *a: p.evaluate(a))(*ins))


def normalized(text):
    # Our errors do not say where in the source a mistake is.
    text = re.sub(r" at \S+:\d+:\d+ \(\S+\)$", "", re.sub(r" *This error occurs at source: .*", "", text))
    text = re.sub(r" and source info: .*$|true_fun is .*\n|false_fun is .*\n\n", "", text)
    # Classes of traced values are those of Python.
    text = re.sub(r"(Detected argument of Tracer type ).*", r"\1", text)
    text = re.sub(r"pcast\(..., \(([^)]*)\)", lambda m: "pcast(..., " + " ".join(sorted(re.findall(r"'\w+'", m[1]))), text)
    text = re.sub(r"<jax\._src\.debugging\.(\w+)Effect object at 0x\w+>", r"\1", text)
    # Python prints this set in any order.
    text = re.sub(r"(difference on key sets is\n +)(.*)", lambda m: m[1] + " ".join(sorted(m[2].split())), text)
    # The runtime has no class of its own for its errors.
    return fm.normalized(text).replace("JaxRuntimeError", "RuntimeError").strip()


def main():
    server = fm.Server()
    tally = oracle.Tally("frontend_errors", show=int(os.environ.get("SHOW", 3)))
    for command, table, run in (("shard_map", SHARD_MAP, shard_map_error), ("types", EXPLICIT, explicit_error)):
        for name, p in table.items():
            p.context = command == "types"
            server.send(p, command)
            theirs = run(p)
            ours = server.receive()
            if not isinstance(theirs, str):
                tally.fail(name, "JAX gives no error")
                continue
            mine = ours["values"]
            tally.equal(name, normalized(theirs), normalized(mine if isinstance(mine, str) else "no error"), p.brief())
    others = (frontend_jit_errors, frontend_type_errors, frontend_run_errors, frontend_explicit_errors, frontend_pmap_errors)
    for name, run in functools.reduce(operator.or_, (m.MISTAKES for m in others), MISTAKES | ARRAYS | JIT).items():
        server.process.stdin.write(f"mistake {name}\n")
        server.process.stdin.flush()
        tally.equal(name, normalized(fm.or_error(run)), normalized(server.receive()))
    server.close()
    tally.finish()


main()
