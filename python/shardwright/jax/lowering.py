#===- lowering.py - StableHLO of a jitted function or module --------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Converts a jitted function with arguments, a `Lowered`, an `Exported` or a module's text into
StableHLO. No device is needed: only shape, dtype and NamedSharding of arguments are used, and
meshes may be `AbstractMesh`es of any size."""

import contextlib


def _abstract(leaf):
    """Returns an argument without its data. Other shardings than NamedShardings are dropped, because
    they only describe the current devices."""
    import jax
    from jax.sharding import NamedSharding

    sharding = getattr(leaf, "sharding", None)
    if isinstance(leaf, jax.Array) and not isinstance(leaf, jax.core.Tracer):
        named = sharding if isinstance(sharding, NamedSharding) else None
        return jax.ShapeDtypeStruct(leaf.shape, leaf.dtype, sharding=named, weak_type=leaf.weak_type)
    return leaf


def _lower(traced):
    import jax

    try:
        return traced.lower()
    except ValueError:
        # If all meshes are abstract, JAX needs an explicit platform.
        return traced.lower(lowering_platforms=(jax.default_backend(),))


def _context(mesh):
    """Returns a context in which PartitionSpecs of a traced function refer to axes of `mesh`."""
    import jax
    import numpy as np
    from jax.sharding import AbstractMesh, Mesh

    if mesh is None:
        return contextlib.nullcontext()
    if isinstance(mesh, Mesh):
        return jax.set_mesh(mesh)
    if not isinstance(mesh, AbstractMesh):
        raise TypeError(f"mesh is a {type(mesh).__name__}, expected a jax.sharding.Mesh or AbstractMesh")
    # JAX accepts PartitionSpecs only for a mesh with devices. The devices of a topology need not
    # exist.
    from jax.experimental import topologies

    from shardwright.jax import PLATFORM

    topology = topologies.get_topology_desc("x".join(map(str, mesh.axis_sizes)), PLATFORM)
    devices = np.array(topology.devices).reshape(mesh.axis_sizes)
    return jax.set_mesh(Mesh(devices, mesh.axis_names, axis_types=mesh.axis_types))


def lowered(jitted, args, kwargs, mesh=None):
    """Lowers a jitted function for these arguments, of which only shapes, types and shardings are used."""
    import jax

    args, kwargs = jax.tree_util.tree_map(_abstract, (args, kwargs))
    with _context(mesh):
        return _lower(jitted.trace(*args, **kwargs))


def stablehlo(program, args, kwargs, mesh=None):
    """Returns the module as bytes, and the objects that keep alive the Python functions to which it
    refers. Raises TypeError if `program` cannot be lowered."""
    import jax

    if isinstance(program, (str, bytes)):
        return program.encode() if isinstance(program, str) else program, None
    if hasattr(program, "mlir_module_serialized"):  # jax.export.Exported
        return program.mlir_module().encode(), program
    if isinstance(program, jax.stages.Compiled):
        raise TypeError("a Compiled no longer has its program: pass the jitted function or its Lowered")
    if isinstance(program, jax.stages.Lowered):
        if args or kwargs:
            raise TypeError("a Lowered has its arguments already: pass nothing after it")
        return program.as_text("stablehlo", debug_info=True).encode(), program
    if not callable(program):
        raise TypeError(
            f"cannot lower a {type(program).__name__}: expected a function that jax.jit gave, a Lowered, an Exported, "
            "or the text of a StableHLO module"
        )
    lowered_program = lowered(program if hasattr(program, "trace") else jax.jit(program), args, kwargs, mesh)
    return lowered_program.as_text("stablehlo", debug_info=True).encode(), lowered_program
