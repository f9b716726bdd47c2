#===- exports.py - programs for several platforms and abstract meshes -----===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Programs that are lowered for several platforms at once, and programs that are exported from an
`AbstractMesh` without devices: they are saved, loaded, called and differentiated."""

import re

import jax
import jax.numpy as jnp
import numpy as np
from both import case, main
from jax import lax
from jax.sharding import AbstractMesh, AxisType, NamedSharding
from jax.sharding import PartitionSpec as P

A = np.arange(64, dtype=np.float32).reshape(16, 4) / 64
SQUARE = (A.T @ A + 4 * np.eye(4)).astype(np.float32)


def platforms():
    """Four platforms, with the one that runs the programs."""
    return list(dict.fromkeys(["tpu", "cpu", "cuda", jax.default_backend(), "rocm"]))[:4]


def abstract(*sizes):
    return AbstractMesh(sizes, ("x", "y", "z")[: len(sizes)], axis_types=(AxisType.Auto,) * len(sizes))


def mesh(*sizes):
    return jax.make_mesh(sizes, ("x", "y", "z")[: len(sizes)], axis_types=(AxisType.Auto,) * len(sizes))


def use(where):
    """A context with an abstract mesh."""
    return (getattr(jax.sharding, "use_abstract_mesh", None) or jax.use_abstract_mesh)(where)


def plain(text):
    return str(text).replace("shardwright", "cpu")


def said(function, *args, **kwargs):
    try:
        function(*args, **kwargs)
    except Exception as error:
        return plain(f"{type(error).__name__}: {error}")
    return "nothing"


def by_platform(x):
    return lax.platform_dependent(x, cpu=lambda v: v + 1, tpu=lambda v: v + 2, cuda=lambda v: v + 3, default=lambda v: v + 4)


def two_kinds(x):
    return lax.platform_dependent(x, tpu=lambda v: v * 2, default=by_platform)


PROGRAMS = {
    "by_platform": (by_platform, A),
    "nested": (two_kinds, A),
    "eigenvalues": (lambda a: jnp.linalg.eigh(a)[0], SQUARE),
    "factors": (lambda a: jnp.linalg.qr(a)[1] ** 2, SQUARE),
    "solved": (lambda a: jnp.linalg.solve(a, a[0]), SQUARE),
    "random": (lambda a: jax.random.normal(jax.random.key(3), a.shape) + a, A),
    "sums": (lambda a: jnp.cumsum(jnp.sort(a, 0)[::-1], 1), A),
    "loops": (lambda a: lax.fori_loop(0, 3, lambda i, v: by_platform(v) * i, a), A),
    "special": (lambda a: lax.erf_inv(a) + lax.lgamma(a + 1) + jnp.round(a * 7), A * 0.9),
}  # fmt: skip


def _for_several(name):
    function, x = PROGRAMS[name]
    program = jax.export.export(jax.jit(function), platforms=platforms())(jax.ShapeDtypeStruct(x.shape, x.dtype))
    loaded = jax.export.deserialize(program.serialize())
    return program.call(x), jax.jit(loaded.call)(x), jax.jit(lambda v: loaded.call(v) * 2)(x), str("cpu" in loaded.platforms)


for _name in PROGRAMS:

    def _case(name=_name):
        return _for_several(name)

    _case.__name__ = f"{_name}_for_several_platforms"
    case(_case, rtol=1e-4, atol=1e-5)


@case(rtol=1e-4, atol=1e-5)
def slopes_for_several_platforms():
    f = jax.jit(lambda a: (by_platform(a) ** 2).sum() + jnp.linalg.cholesky(a).sum())
    program = jax.export.export(f, platforms=platforms())(jax.ShapeDtypeStruct((4, 4), np.float32))
    loaded = jax.export.deserialize(program.serialize(vjp_order=2))
    return jax.grad(loaded.call)(SQUARE), jax.jit(jax.grad(lambda a: jax.grad(loaded.call)(a)[0, 0]))(SQUARE)


@case
def sharded_for_several_platforms():
    s = NamedSharding(mesh(8), P("x"))
    f = jax.jit(lambda a: by_platform(a) @ SQUARE, in_shardings=s, out_shardings=s)
    program = jax.export.export(f, platforms=platforms())(jax.ShapeDtypeStruct(A.shape, A.dtype))
    y = jax.jit(jax.export.deserialize(program.serialize()).call)(jax.device_put(A, s))
    return y, plain(y.sharding), str(program.nr_devices)


@case
def lowered_for_several_platforms():
    """The number of the platform is the first argument of such a program."""
    lowered = jax.jit(by_platform).trace(A).lower(lowering_platforms=tuple(platforms()))
    text = lowered.as_text()
    return str(text.count("stablehlo.case")), str("_platform_index" in lowered.as_text(debug_info=True)), said(lowered.compile)


@case
def conditionals_for_several_platforms():
    """Nested conditionals are emitted once, not once for each platform."""

    def nested(x, depth):
        return x * 2 if depth == 0 else lax.cond(x.sum() > depth, lambda v: nested(v, depth - 1), lambda v: v + 1, x)

    lowered = jax.jit(lambda x: nested(x, 4)).trace(A).lower(lowering_platforms=tuple(platforms()))
    return str(lowered.as_text().count("stablehlo.case"))


@case
def other_platforms_only():
    return [said(jax.export.export(jax.jit(by_platform), platforms=names)(A).call, A) for names in (["tpu"], ["tpu", "cuda"])]


@case
def callbacks_for_several_platforms():
    f = jax.jit(lambda a: jax.pure_callback(np.sin, jax.ShapeDtypeStruct(a.shape, a.dtype), a))
    return said(jax.jit(f).trace(A).lower, A), said(lambda: f.trace(A).lower(lowering_platforms=tuple(platforms())))


@case
def branches_in_transformations():
    def f(a):
        mapped = jax.vmap(by_platform)(a)
        scanned = lax.scan(lambda c, row: (c + by_platform(row).sum(), two_kinds(row)), jnp.float32(0), a)
        slope = jax.grad(lambda v: (by_platform(v) ** 2).sum())(a)
        return mapped, scanned, slope, lax.cond(a.sum() > 0, by_platform, lambda v: v, a), jax.checkpoint(by_platform)(a)

    program = jax.export.export(jax.jit(f), platforms=platforms())(jax.ShapeDtypeStruct(A.shape, A.dtype))
    return jax.jit(jax.export.deserialize(program.serialize()).call)(A), jax.jit(f)(A), f(A)


@case
def constants_without_elements():
    """JAX writes them as splats."""
    values = [np.broadcast_to(np.asarray(1, t), (0, 4)) for t in ("float32", "bool", "int8", "complex64", "bfloat16")]
    f = jax.jit(lambda a: [jnp.concatenate([a[:0].astype(v.dtype), v, a[:1].astype(v.dtype)]) for v in values])
    program = jax.export.export(f, platforms=platforms())(jax.ShapeDtypeStruct(A.shape, A.dtype))
    return [np.asarray(v).astype("complex64") for v in f(A) + jax.jit(jax.export.deserialize(program.serialize()).call)(A)]


@case
def branches_of_single_platforms():
    """A branch without a default is an error on other platforms, and removed where the platform is known."""
    own = lambda v: lax.platform_dependent(v, tpu=lambda v: v - 1, cpu=lambda v: v + 1)
    other = lambda v: lax.platform_dependent(v, tpu=lambda v: v - 1, cuda=lambda v: v - 2)
    text = jax.jit(own).lower(A).as_text()
    return [
        jax.jit(own)(A), own(A), said(jax.jit(other), A), str("stablehlo.case" in text), str("stablehlo.case" in jax.jit(two_kinds).lower(A).as_text()),
        said(jax.export.export(jax.jit(own), platforms=platforms()), A).split(" for platforms")[0], said(lax.platform_dependent, A), str(jax.eval_shape(own, A)),
    ]  # fmt: skip


@case
def exports_that_call_exports():
    inner = jax.export.export(jax.jit(by_platform), platforms=platforms())(jax.ShapeDtypeStruct(A.shape, A.dtype))
    outer = jax.export.export(jax.jit(lambda a: inner.call(a * 2) + by_platform(a)), platforms=platforms())(jax.ShapeDtypeStruct(A.shape, A.dtype))
    fewer = jax.export.export(jax.jit(lambda a: inner.call(a)), platforms=[jax.default_backend()])(jax.ShapeDtypeStruct(A.shape, A.dtype))
    only = jax.export.export(jax.jit(by_platform), platforms=["tpu"])(A)
    return [jax.jit(jax.export.deserialize(p.serialize()).call)(A) for p in (outer, fewer)], said(lambda: jax.export.export(jax.jit(only.call), platforms=platforms())(A)).split(" but")[0]


@case
def symbolic_for_several_platforms():
    f = jax.jit(lambda a: (by_platform(a).sum(0), jnp.concatenate([a, a]), jnp.sort(a, 0)[-1], jnp.arange(a.shape[0]) * 2))
    shape = jax.ShapeDtypeStruct(jax.export.symbolic_shape("n, 4"), np.float32)
    program = jax.export.deserialize(jax.export.export(f, platforms=platforms())(shape).serialize())
    return [jax.jit(program.call)(A[:n]) for n in (1, 5, 16)], said(program.call, A[:, :3]), str(program.in_avals), str(program.out_avals[1].shape)


@case
def names_of_platforms():
    shape = jax.ShapeDtypeStruct(A.shape, A.dtype)
    program = jax.export.export(jax.jit(jnp.sin))(shape)
    unchecked = jax.export.export(jax.jit(by_platform), platforms=["tpu"], disabled_checks=[jax.export.DisabledSafetyCheck.platform()])(shape)
    loaded = jax.export.deserialize(unchecked.serialize())
    return [
        plain(program.platforms), plain(jax.export.default_export_platform()), program.call(A), plain(loaded.platforms), said(jax.jit(loaded.call), A),
        said(jax.export.export(jax.jit(jnp.sin), platforms=["nowhere"]), shape), said(jax.export.export(jax.jit(jnp.sin), platforms=[]), shape),
        said(jax.export.export(jax.jit(jnp.sin), platforms="cpu"), shape), said(jax.export.export(jax.jit(jnp.sin), platforms=["cpu", "cpu"]), shape), said(jax.export.export, jnp.sin),
    ]  # fmt: skip


@case
def lowered_for_one_other_platform():
    traced = jax.jit(lambda a: (two_kinds(a), jnp.linalg.eigh(a.T @ a)[0])).trace(A)
    lowered = traced.lower(lowering_platforms=("cuda",))
    own = traced.lower(lowering_platforms=(jax.default_backend(),))
    return [
        said(lowered.compile).split("\n")[0], str(re.findall(r"@(cusolver\w+)", lowered.as_text())[:1]), own.compile()(A)[0], str(re.findall(r"@(lapack_\w+)", own.as_text())[:1]),
        said(lambda: traced.lower(lowering_platforms=("nowhere",))).split("\n")[0], said(lambda: traced.lower(lowering_platforms=())).split("\n")[0],
    ]  # fmt: skip


@case
def effects_in_exports():
    def printing(a):
        jax.debug.print("{}", a.sum())
        return a

    shape = jax.ShapeDtypeStruct(A.shape, A.dtype)
    return said(jax.export.export(jax.jit(printing), platforms=[jax.default_backend()]), shape), said(jax.jit(lambda a: jax.debug.callback(print, a, ordered=True)).trace(A).lower)


@case
def trees_and_static_arguments():
    f = jax.jit(lambda d, *, scale, flag=True: {"y": by_platform(d["a"]) * scale, "n": d["b"][0].sum() if flag else None}, static_argnames="flag")
    d = {"a": A, "b": [np.ones((2, 3), np.int8), None]}
    program = jax.export.export(f, platforms=platforms())(d, scale=np.float32(3))
    loaded = jax.export.deserialize(program.serialize())
    return loaded.call(d, scale=np.float32(2)), said(loaded.call, d), said(loaded.call, {"a": A}, scale=np.float32(2)).split("\n")[0], loaded.fun_name


@case
def manual_for_several_platforms():
    where = mesh(4, 2)
    f = jax.shard_map(lambda a: by_platform(lax.psum(a, "x")) + lax.axis_index("y"), mesh=where, in_specs=P("x", "y"), out_specs=P(None, "y"))
    program = jax.export.export(jax.jit(f), platforms=platforms())(jax.ShapeDtypeStruct(A.shape, A.dtype, sharding=NamedSharding(where, P("x", "y"))))
    loaded = jax.export.deserialize(program.serialize())
    x = jax.device_put(A, NamedSharding(where, P("x", "y")))
    return jax.jit(loaded.call)(x), said(jax.jit(loaded.call), A), str(loaded.nr_devices)


@case
def from_an_abstract_mesh():
    where = abstract(4, 2)
    f = jax.jit(lambda a: jnp.sin(a) @ SQUARE, in_shardings=NamedSharding(where, P("x", "y")), out_shardings=NamedSharding(where, P("y")))
    program = jax.export.export(f, platforms=platforms())(jax.ShapeDtypeStruct(A.shape, A.dtype))
    loaded = jax.export.deserialize(program.serialize(vjp_order=1))
    x = jax.device_put(A, NamedSharding(mesh(4, 2), P("x", "y")))
    y, slope = jax.jit(loaded.call)(x), jax.jit(jax.grad(lambda a: loaded.call(a).sum()))(x)
    return y, plain(y.sharding), slope, plain(slope.sharding), str(program.nr_devices), str(program.in_shardings_hlo), str(program.out_shardings_hlo)


@case
def of_one_platform_from_an_abstract_mesh():
    where = abstract(8)
    f = jax.jit(lambda a: a.sum(0), in_shardings=NamedSharding(where, P("x")))
    shape = jax.ShapeDtypeStruct(A.shape, A.dtype)
    program = jax.export.export(f, platforms=[jax.default_backend()])(shape)
    x = jax.device_put(A, NamedSharding(mesh(8), P("x")))
    return jax.jit(program.call)(x), said(lambda: jax.export.export(f)(shape)), str(program.nr_devices)


@case
def shapes_with_abstract_shardings():
    where = abstract(2, 4)
    shape = jax.ShapeDtypeStruct(A.shape, A.dtype, sharding=NamedSharding(where, P("x", "y")))
    program = jax.export.export(jax.jit(lambda a: (a * 2, a.T)), platforms=platforms())(shape)
    y = jax.jit(program.call)(jax.device_put(A, NamedSharding(mesh(2, 4), P("x", "y"))))
    return y, str(program.in_shardings_hlo), str(program.nr_devices)


@case
def manual_in_an_abstract_mesh():
    where = abstract(8)
    f = jax.shard_map(lambda a: lax.psum(a * lax.axis_index("x"), "x"), mesh=where, in_specs=P("x"), out_specs=P())
    sharded = jax.jit(f, in_shardings=NamedSharding(where, P("x")))
    program = jax.export.export(sharded, platforms=platforms())(jax.ShapeDtypeStruct(A.shape, A.dtype))
    loaded = jax.export.deserialize(program.serialize())
    return jax.jit(loaded.call)(jax.device_put(A, NamedSharding(mesh(8), P("x"))))


@case
def constrained_in_an_abstract_mesh():
    where = abstract(4, 2)
    f = jax.jit(lambda a: lax.with_sharding_constraint(a + 1, NamedSharding(where, P("y", "x"))) * 3)
    with use(where):
        program = jax.export.export(f, platforms=platforms())(jax.ShapeDtypeStruct(A.shape, A.dtype))
    with jax.set_mesh(mesh(4, 2)):
        y = jax.jit(program.call)(jax.device_put(A, NamedSharding(mesh(4, 2), P())))
    return y, str(program.nr_devices)


@case
def more_devices_than_there_are():
    where = abstract(16, 4)
    f = jax.jit(lambda a: a @ a.T, in_shardings=NamedSharding(where, P("x")))
    program = jax.export.export(f, platforms=platforms())(jax.ShapeDtypeStruct(A.shape, A.dtype))
    loaded = jax.export.deserialize(program.serialize())
    return str(loaded.nr_devices), str("num_partitions" in loaded.mlir_module()), said(jax.jit(loaded.call), A)


@case
def explicit_axes_of_an_abstract_mesh():
    where = AbstractMesh((4, 2), ("x", "y"), axis_types=(AxisType.Explicit,) * 2)
    f = jax.jit(lambda a: jnp.sin(a) * 2)
    with use(where):
        shape = jax.ShapeDtypeStruct(A.shape, A.dtype, sharding=NamedSharding(where, P("x", "y")))
        program = jax.export.export(f, platforms=platforms())(shape)
    there = jax.make_mesh((4, 2), ("x", "y"), axis_types=(AxisType.Explicit,) * 2)
    with jax.set_mesh(there):
        x = jax.device_put(A, P("x", "y"))
        y = jax.jit(jax.export.deserialize(program.serialize()).call)(x)
    return y, plain(y.sharding), str(program.in_avals), str(program.out_avals), str(program.nr_devices)


@case
def called_on_other_meshes():
    """The number of devices must be the same; names and sizes of axes need not be."""
    where = abstract(4, 2)
    f = jax.jit(lambda a: a * 2, in_shardings=NamedSharding(where, P("x", "y")), out_shardings=NamedSharding(where, P("y", "x")))
    loaded = jax.export.deserialize(jax.export.export(f, platforms=platforms())(jax.ShapeDtypeStruct(A.shape, A.dtype)).serialize())
    renamed = jax.sharding.Mesh(np.array(jax.devices()).reshape(4, 2), ("a", "b"))
    backwards = jax.sharding.Mesh(np.array(jax.devices())[::-1].reshape(4, 2), ("x", "y"))
    found = []
    for there, spec in ((mesh(4, 2), P("y")), (mesh(2, 4), P("x", "y")), (renamed, P("a", "b")), (backwards, P("x")), (mesh(8), P("x")), (mesh(2, 2, 2), P("z", "x"))):
        y = jax.jit(loaded.call)(jax.device_put(A, NamedSharding(there, spec)))
        found.append([y, str([str(s.index) for s in y.addressable_shards][:3])])
    return found


@case
def called_with_another_number_of_devices():
    where = abstract(4, 2)
    f = jax.jit(lambda a: a * 2, in_shardings=NamedSharding(where, P("x", "y")))
    program = jax.export.export(f, platforms=platforms())(jax.ShapeDtypeStruct(A.shape, A.dtype))
    half = jax.sharding.Mesh(np.array(jax.devices()[:4]), ("x",))
    small = jax.export.export(jax.jit(lambda a: a + 1, in_shardings=NamedSharding(abstract(4), P("x"))), platforms=platforms())(jax.ShapeDtypeStruct(A.shape, A.dtype))
    single = jax.export.export(jax.jit(lambda a: a + 1, in_shardings=NamedSharding(abstract(1), P("x"))), platforms=platforms())(jax.ShapeDtypeStruct(A.shape, A.dtype))
    # Its collective is among one device.
    alone = jax.shard_map(lambda a: lax.psum(a, "x"), mesh=abstract(1), in_specs=P("x"), out_specs=P())
    summed = jax.export.export(jax.jit(alone), platforms=platforms())(jax.ShapeDtypeStruct(A.shape, A.dtype))
    x = jax.device_put(A, NamedSharding(half, P("x")))
    return [
        said(program.call, A), said(jax.jit(program.call), x), jax.jit(small.call)(x), said(jax.jit(small.call), jax.device_put(A, NamedSharding(mesh(8), P("x")))),
        said(small.call, A), single.call(A), jax.jit(single.call)(jax.device_put(A, NamedSharding(mesh(8), P("x")))), str(single.nr_devices),
        summed.call(A), said(jax.jit(summed.call), jax.device_put(A, NamedSharding(mesh(8), P("x")))).split(":")[0],
    ]  # fmt: skip


@case
def used_without_devices():
    """What needs devices is refused."""
    sharding = NamedSharding(abstract(4, 2), P("x", "y"))
    shape = jax.ShapeDtypeStruct(A.shape, A.dtype, sharding=sharding)
    f = jax.jit(lambda a: a * 2, in_shardings=sharding)
    g = jax.jit(lambda a: a * 2)
    text = f.trace(A).lower(lowering_platforms=("cpu",)).as_text()
    return [
        said(lambda: f.lower(A)), said(lambda: f.trace(A).lower(lowering_platforms=("cpu",)).compile()), said(lambda: g.lower(shape).compile()), said(f, A), said(g, jax.device_put(A, NamedSharding(mesh(4, 2), P("x", "y")))),
        said(jax.device_put, A, sharding), str("sdy.mesh @mesh = <[\"x\"=4, \"y\"=2]>" in text), said(lambda: sharding.device_set), said(lambda: sharding.addressable_devices), str(sharding.shard_shape(A.shape)),
        str(sharding.num_devices), str(sharding.is_fully_replicated), said(lambda: sharding.devices_indices_map(A.shape)), said(jnp.zeros, (4,), "float32"), said(jax.make_array_from_callback, A.shape, sharding, lambda i: A[i]),
        said(lambda: jnp.zeros((4, 4), device=sharding)),
    ]  # fmt: skip


@case
def shardings_for_a_mesh():
    where = abstract(4, 2)
    f = jax.jit(lambda a, b: (a + 1, b.T), in_shardings=(NamedSharding(where, P("x", "y")), None), out_shardings=(NamedSharding(where, P("y")), NamedSharding(where, P(None, "x"))))
    shape = jax.ShapeDtypeStruct(A.shape, A.dtype)
    loaded = jax.export.deserialize(jax.export.export(f, platforms=platforms())(shape, shape).serialize())
    ins, outs = loaded.in_shardings_jax(mesh(4, 2)), loaded.out_shardings_jax(mesh(4, 2))
    args = [A if s is None else jax.device_put(A, s) for s in ins]
    found = jax.jit(loaded.call, in_shardings=(ins[0], None), out_shardings=outs)(*args)
    return found, plain(ins), plain(outs), plain([v.sharding for v in found]), said(loaded.in_shardings_jax, mesh(8))


@case
def collectives_in_an_abstract_mesh():
    where = abstract(4, 2)

    def local(a):
        n = lax.axis_size("x")
        moved = lax.ppermute(a, "x", [(i, (i + 1) % n) for i in range(n)])
        swapped = lax.all_to_all(a, "y", split_axis=0, concat_axis=1, tiled=True)
        return lax.psum(a, ("x", "y")), lax.all_gather(moved, "x", tiled=True), lax.psum_scatter(a, "y", tiled=True), swapped, lax.pmax(a, "y")

    specs = (P(), P(None, "y"), P(("x", "y"), None), P(("x", "y")), P("x"))
    f = jax.shard_map(local, mesh=where, in_specs=P("x", "y"), out_specs=specs, check_vma=False)
    shape = jax.ShapeDtypeStruct(A.shape, A.dtype, sharding=NamedSharding(where, P("x", "y")))
    program = jax.export.export(jax.jit(f), platforms=platforms())(shape)
    return jax.jit(jax.export.deserialize(program.serialize()).call)(jax.device_put(A, NamedSharding(mesh(4, 2), P("x", "y"))))


@case
def partly_manual_in_an_abstract_mesh():
    where = abstract(4, 2)
    f = jax.shard_map(lambda a: lax.psum(a @ SQUARE, "x"), mesh=where, in_specs=P("x"), out_specs=P(), axis_names={"x"})
    sharded = jax.jit(f, in_shardings=NamedSharding(where, P("x", "y")), out_shardings=NamedSharding(where, P("y")))
    program = jax.export.export(sharded, platforms=platforms())(jax.ShapeDtypeStruct(A.shape, A.dtype))
    y = jax.jit(jax.export.deserialize(program.serialize()).call)(jax.device_put(A, NamedSharding(mesh(4, 2), P("x", "y"))))
    return y, plain(y.sharding)


@case
def symbolic_in_an_abstract_mesh():
    where = abstract(4, 2)
    f = jax.jit(lambda a: jnp.sin(a) + a.sum(0), in_shardings=NamedSharding(where, P("x", "y")))
    shape = jax.ShapeDtypeStruct(jax.export.symbolic_shape("4*n, 4"), np.float32)
    loaded = jax.export.deserialize(jax.export.export(f, platforms=platforms())(shape).serialize())
    put = lambda v: jax.device_put(v, NamedSharding(mesh(4, 2), P("x", "y")))
    return [jax.jit(loaded.call)(put(A[:n])) for n in (4, 8, 16)], str(loaded.in_avals)


@case
def two_abstract_meshes():
    first, second = abstract(4, 2), AbstractMesh((2, 4), ("a", "b"), axis_types=(AxisType.Auto,) * 2)
    f = jax.jit(lambda a: lax.with_sharding_constraint(a * 2, NamedSharding(second, P("b", "a"))), in_shardings=NamedSharding(first, P("x", "y")))
    shape = jax.ShapeDtypeStruct(A.shape, A.dtype)
    found = said(jax.export.export(f, platforms=platforms()), shape)
    fewer = jax.jit(lambda a, b: a + b, in_shardings=(NamedSharding(first, P("x")), NamedSharding(abstract(4), P("x"))))
    return found, said(jax.export.export(fewer, platforms=platforms()), shape, shape)


@case
def specs_in_a_context():
    f = jax.jit(lambda a: lax.with_sharding_constraint(a * 3, P("y", "x")), in_shardings=P("x"), out_shardings=P(None, "y"))
    shape = jax.ShapeDtypeStruct(A.shape, A.dtype)
    with use(abstract(4, 2)):
        refused = said(jax.export.export(f, platforms=platforms()), shape)
    with jax.set_mesh(mesh(4, 2)):
        program = jax.export.export(f, platforms=platforms())(shape)
        y = jax.jit(jax.export.deserialize(program.serialize()).call)(jax.device_put(A, P("x")))
    return y, str(program.nr_devices), str(program.in_shardings_hlo), str(program.out_shardings_hlo), refused



if __name__ == "__main__":
    main(__doc__)
