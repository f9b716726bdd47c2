#===- placing.py - arrays on a mesh of 8 devices -------------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Helpers for the tests of functions that Python partitions."""

import jax
import numpy as np
from jax.sharding import AxisType, NamedSharding
from jax.sharding import PartitionSpec as P


def mesh(kind=AxisType.Auto):
    return jax.make_mesh((4, 2), ("x", "y"), axis_types=(kind,) * 2)


def on(*spec):
    return NamedSharding(mesh(), P(*spec))


def placed(shape, *spec):
    return jax.device_put(np.arange(np.prod(shape), dtype=np.float32).reshape(shape) / 7, on(*spec))


def text(sharding):
    return str(getattr(sharding, "spec", sharding))
