#===- exports.py - programs for several platforms and abstract meshes -----===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Programs that are lowered for several platforms at once, and programs that are exported from an
`AbstractMesh` without devices: they are saved, loaded, called and differentiated."""

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


def plain(text):
    return str(text).replace("shardwright", "cpu")


def said(function, *args):
    try:
        function(*args)
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
    use = getattr(jax.sharding, "use_abstract_mesh", None) or jax.use_abstract_mesh
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


if __name__ == "__main__":
    main(__doc__)
