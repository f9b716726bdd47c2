#===- exporting.py - write a sharded JAX program and its expected results --===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""What the export scripts of the examples share.

An example is a function of arrays, its arguments, and shardings for both. `export` writes
beside the script:
  NAME.mlir     StableHLO + sdy with locations, as JAX lowers it for 8 devices
  inputs.npz    arg0, arg1, ...: the flattened arguments of @main, global arrays
  expected.npz  out0, out1, ...: the results of the same function, unsharded, in JAX
The same versions of jax and numpy write the same bytes each time.
"""

import os
import re
import zipfile

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"
os.environ["JAX_PLATFORMS"] = "cpu"

import jax
import numpy as np
from jax.sharding import AxisType, NamedSharding, PartitionSpec

# Locations name files from the root of the tree on, whoever exports, wherever.
jax.config.update(
    "jax_hlo_source_file_canonicalization_regex",
    "^" + re.escape(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))) + "/",
)


def make_mesh(**axes):
    """A mesh of Auto axes over the virtual devices: make_mesh(data=2, model=4)."""
    sizes, names = tuple(axes.values()), tuple(axes)
    count = int(np.prod(sizes))
    return jax.make_mesh(
        sizes, names, axis_types=(AxisType.Auto,) * len(names), devices=jax.devices()[:count]
    )


def shardings(mesh, specs):
    """The NamedShardings of a tree of PartitionSpecs."""
    return jax.tree.map(
        lambda spec: NamedSharding(mesh, spec),
        specs,
        is_leaf=lambda x: isinstance(x, PartitionSpec),
    )


def constrainer(mesh):
    """with_sharding_constraint on one mesh; without a mesh, the unsharded program's no-op. Its
    attribute `mesh` is that mesh, or None."""

    def constrain(x, *spec):
        return x if mesh is None else jax.lax.with_sharding_constraint(x, NamedSharding(mesh, PartitionSpec(*spec)))

    constrain.mesh = mesh
    return constrain


def lower(make, mesh, args, in_specs, out_specs):
    """The jax.stages.Lowered of make(constrain) on the mesh; no out_specs: left to the compiler."""
    outs = {} if out_specs is None else dict(out_shardings=shardings(mesh, out_specs))
    jitted = jax.jit(make(constrainer(mesh)), in_shardings=shardings(mesh, in_specs), **outs)
    return jitted.lower(*args)


def write_npz(path, prefix, arrays, compress):
    """numpy.savez with members PREFIX0, PREFIX1, ..., without the time of day in the file."""
    method = zipfile.ZIP_DEFLATED if compress else zipfile.ZIP_STORED
    with zipfile.ZipFile(path, "w", method) as archive:
        for i, array in enumerate(arrays):
            member = zipfile.ZipInfo(f"{prefix}{i}.npy")
            member.compress_type = method
            with archive.open(member, "w") as out:
                np.lib.format.write_array(out, array, allow_pickle=False)


def export(script, make, mesh, args, in_specs, out_specs, compress=False):
    """Lowers, runs unsharded, and writes the three files into the folder of `script`."""
    folder = os.path.dirname(os.path.abspath(script))
    name = os.path.basename(folder)
    text = lower(make, mesh, args, in_specs, out_specs).as_text(debug_info=True)
    results = jax.jit(make(constrainer(None)))(*args)
    flat = lambda tree: [np.asarray(x) for x in jax.tree.leaves(tree)]
    with open(os.path.join(folder, name + ".mlir"), "w") as out:
        out.write(text)
    inputs, expected = flat(args), flat(results)
    write_npz(os.path.join(folder, "inputs.npz"), "arg", inputs, compress)
    write_npz(os.path.join(folder, "expected.npz"), "out", expected, compress)
    print(f"{name}: {len(inputs)} arguments, {len(expected)} results, {len(text)} characters")
