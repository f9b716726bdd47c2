#===- helpers.py - meshes and arrays of a job -----------------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Meshes over the devices of all processes, and arrays on them."""

import jax
import numpy as np
from jax.sharding import AxisType, Mesh, NamedSharding
from jax.sharding import PartitionSpec as P


def devices():
    """All devices, process by process."""
    return sorted(jax.devices(), key=lambda d: (d.process_index, d.id))


def local_of(device):
    return device.process_index == jax.process_index()


def mesh(shape=None, names=("x",), order=None):
    """Returns a mesh over all devices; `order` permutes them."""
    found = np.array(devices(), dtype=object)
    if order is not None:
        found = found[np.asarray(order)]
    return Mesh(found.reshape(shape or (len(found),)), names, axis_types=(AxisType.Auto,) * len(names))


def named(*spec):
    """Returns a sharding over all devices, axis `x`."""
    return NamedSharding(mesh(), P(*spec))


def numbers(shape, dtype=np.float32, seed=0):
    """Returns random numbers, the same in all processes."""
    rng = np.random.RandomState(seed)
    dtype = np.dtype(dtype)
    if dtype.kind in "iu":
        return rng.randint(0, 50, shape).astype(dtype)
    if dtype.kind == "b":
        return rng.rand(*shape) < 0.5
    return rng.uniform(-2, 2, shape).astype(dtype)


def put(array, sharding):
    """Returns the array with this sharding; each process makes its own shards."""
    array = np.asarray(array)
    return jax.make_array_from_callback(array.shape, sharding, lambda index: array[index], dtype=array.dtype)


def rows(n, width=None, dtype=np.float32, seed=0):
    """Returns random numbers whose rows are sharded over all devices."""
    return put(numbers((n,) if width is None else (n, width), dtype, seed), named("x"))


def shards(x):
    """Returns the local shards in order of device, each with its index."""
    parts = sorted(x.addressable_shards, key=lambda s: s.device.id)
    return [(str(s.index), np.asarray(s.data)) for s in parts]


def replicated(x):
    """Returns an array with the whole value in each process."""
    return jax.jit(lambda x: x, out_shardings=NamedSharding(x.sharding.mesh, P()))(x)
