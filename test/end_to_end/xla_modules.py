#===- xla_modules.py - runs StableHLO text in XLA --------------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Compiles a module, as text, with XLA for all devices of the process and runs it."""

import jax
import numpy as np
from jax._src import compiler
from jax._src.lib import xla_client
from jax._src.sharding_impls import GSPMDSharding


def run(text, arguments, shardy=False):
    """Returns the results as arrays, and "" or XLA's error."""
    devices = jax.devices()
    options = compiler.get_compile_options(num_replicas=1, num_partitions=len(devices))
    build = options.executable_build_options
    build.use_spmd_partitioning, build.use_shardy_partitioner = True, shardy
    to_sharding = lambda proto: GSPMDSharding(devices, xla_client.HloSharding.from_proto(proto))
    try:
        executable = devices[0].client.compile_and_load(text, xla_client.DeviceList(tuple(devices)), options)
        placed = [
            jax.device_put(value, to_sharding(sharding))
            for value, sharding in zip(arguments, executable.get_parameter_shardings() or [])
        ]
        shards = executable.execute_sharded(placed).disassemble_into_single_device_arrays()
        results = []
        for pieces, proto in zip(shards, executable.get_output_shardings() or []):
            shape = whole_shape(pieces[0].shape, xla_client.HloSharding.from_proto(proto))
            results.append(
                np.asarray(jax.make_array_from_single_device_arrays(shape, to_sharding(proto), pieces))
            )
        return results, ""
    except Exception as error:
        return [], str(error)


def whole_shape(local, sharding):
    """The full shape of a value, for XLA's results with evenly divided shards."""
    if not sharding.is_tiled():
        return tuple(local)
    tiles = sharding.tile_assignment_dimensions()
    return tuple(size * tiles[i] for i, size in enumerate(local))
