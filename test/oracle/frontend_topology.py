#===- frontend_topology.py - orders of devices against JAX ----------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Seeded machines (rows of CPUs and GPUs, tori, rings, several slices) and shapes of meshes. The order in which
`createDeviceMesh` and `createHybridDeviceMesh` put the devices, or the error, is that of jax.experimental.mesh_utils."""

import itertools
import os
import random

os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ["XLA_FLAGS"] = os.environ.get("XLA_FLAGS", "") + " --xla_force_host_platform_device_count=8"

import numpy as np
from jax.experimental import mesh_utils

import frontend_mesh as fm
import oracle

args = oracle.arguments(__doc__, cases=400, long_cases=5000)
KINDS = {"given": ("cpu", "cpu"), "number": ("gpu", "H100"), "torus": ("tpu", "TPU v4"), "small": ("tpu", "TPU v5 lite"), "rings": ("tpu", "TPU v3")}


class Chip:
    """A device that is not there."""
    process_index = 0

    def __init__(self, number, coordinates, core, slice_index, kind):
        self.id, self.coords, self.core_on_chip, self.slice_index = number, coordinates, core, slice_index
        self.platform, self.device_kind = kind


def shape_of(rng, count, rank):
    """A random shape with this number of elements."""
    shape = [1] * rank
    for prime in (2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 5):
        if count % prime == 0:
            shape[rng.randrange(rank)] *= prime
            count //= prime
    shape[0] *= count
    return shape


def machine(rng, wiring):
    """The devices of one slice."""
    sizes = [rng.choice([1, 1, 2, 2, 4, 8, 3, 6]) for _ in range(3)]
    if rng.random() < 0.5 or wiring == "small":
        sizes[2] = 1
    cores = rng.choice([1, 2]) if wiring == "rings" else 1
    return [(x, y, z, core) for z, y, x in itertools.product(*map(range, sizes[::-1])) for core in range(cores)]


def main():
    server = fm.Server()
    tally = oracle.Tally("frontend_topology", show=int(os.environ.get("SHOW", 3)))
    for case in range(args.cases):
        rng = random.Random(args.seed + case)
        wiring = rng.choice([*KINDS, "torus", "torus", "small"])
        slices = rng.choice([1, 1, 1, 2, 4])
        places = machine(rng, wiring)
        if len(places) * slices > 128:
            continue
        shape = shape_of(rng, len(places), rng.choice([1, 2, 2, 3]))
        network = shape_of(rng, slices, len(shape)) if slices > 1 else []
        if rng.random() < 0.05:
            shape[0] += 1
        splits = wiring == "torus" and rng.random() < 0.5
        chips = [Chip(s * len(places) + i, p[:3], p[3], s, KINDS[wiring]) for s in range(slices) for i, p in enumerate(places)]
        join = lambda v: ",".join(map(str, v))
        listed = ";".join(join([*c.coords, c.core_on_chip, c.slice_index]) for c in chips)
        line = f"wiring={wiring} shape={join(shape)} network={join(network)} split={int(splits)} places={listed}"
        server.process.stdin.write(f"topology {line}\n")
        server.process.stdin.flush()
        make = lambda: (mesh_utils.create_hybrid_device_mesh(tuple(shape), tuple(network), chips, allow_split_physical_axes=splits) if network
                        else mesh_utils.create_device_mesh(tuple(shape), chips, allow_split_physical_axes=splits))
        made = fm.or_error(make)
        theirs = made if isinstance(made, str) else str([d.id for d in np.ravel(made)])
        tally.equal(f"{args.seed + case}", theirs, server.receive(), line[:200])
    server.close()
    tally.finish()


main()
