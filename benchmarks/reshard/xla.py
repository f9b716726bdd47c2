#===- xla.py - bytes that XLA's reshards send ------------------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//

import os
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "python"))
import jax
import numpy as np
from jax.sharding import AxisType, Mesh, NamedSharding, PartitionSpec

from shardwright.jax.elsewhere import hlo_bytes

from local_program import Cost


def one(pair):
    devices = np.array(jax.devices()[: pair.devices]).reshape(tuple(pair.mesh.values()))
    mesh = Mesh(devices, tuple(pair.mesh), axis_types=(AxisType.Auto,) * len(pair.mesh))

    def sharding(side):
        return NamedSharding(mesh, PartitionSpec(*(tuple(n for n, _, _ in axes) for axes in side)))

    identity = jax.jit(
        lambda a: a, in_shardings=sharding(pair.before), out_shardings=sharding(pair.after)
    )
    text = identity.lower(jax.ShapeDtypeStruct(pair.shape, np.float32)).compile().as_text()
    found = hlo_bytes.summary(text)
    count = sum(c["count"] for c in found["collectives"].values())
    sizes = [b for line in text.splitlines() for b in hlo_bytes.array_bytes(line)]
    return Cost(found["bytes_sent_per_device"], count, max(sizes))


def costs(pairs):
    return map(one, pairs)
