#===- arrays.py - arrays of several processes -----------------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Devices, arrays made of local data, arrays on devices of other processes, and what is refused."""

import jax
import jax.numpy as jnp
import numpy as np
from helpers import devices, local_of, mesh, named, numbers, put, rows, shards
from job import case, main
from jax.experimental import multihost_utils
from jax.sharding import NamedSharding, SingleDeviceSharding
from jax.sharding import PartitionSpec as P


@case(local=True)
def processes_and_their_devices():
    return {
        "process": jax.process_index(),
        "count": jax.process_count(),
        "devices": [(d.process_index, jax.process_index() == d.process_index) for d in devices()],
        "local": [d.local_hardware_id for d in jax.local_devices()],
        "counts": [jax.device_count(), jax.local_device_count()],
        "of": [len(jax.local_devices(process_index=p)) for p in range(jax.process_count())],
        "indices": list(jax.process_indices()),
    }


@case(local=True, cpu=False)
def ids_are_dense():
    """JAX's CPU numbers the devices of process p from 2048 p."""
    found = [d.id for d in jax.devices()]
    assert found == list(range(len(found))), found
    # jaxlib says -1 or None.
    assert all((d.local_hardware_id in (None, -1)) == (d.process_index != jax.process_index()) for d in jax.devices())
    return found


@case(local=True)
def from_a_callback():
    x = jax.make_array_from_callback((8, 3), named("x"), lambda index: numbers((8, 3))[index])
    return {"shards": shards(x), "whole": [x.is_fully_addressable, x.is_fully_replicated, str(x.shape)]}


@case(local=True)
def from_process_local_data():
    n = jax.local_device_count()
    x = jax.make_array_from_process_local_data(named("x"), numbers((2 * n, 3)) + 100 * jax.process_index())
    y = jax.make_array_from_process_local_data(named(None), numbers((5,)))
    return {"x": shards(x), "y": shards(y), "shape": str(x.shape)}


@case(local=True)
def from_single_device_arrays():
    parts = [jax.device_put(numbers((2, 3)) + d.process_index, d) for d in jax.local_devices()]
    x = jax.make_array_from_single_device_arrays((2 * len(devices()), 3), named("x"), parts)
    return shards(x)


@case(local=True)
def host_local_to_global_and_back():
    m = mesh()
    x = multihost_utils.host_local_array_to_global_array(numbers((4, 2)) * (1 + jax.process_index()), m, P("x"))
    back = multihost_utils.global_array_to_host_local_array(x, m, P("x"))
    return {"global": shards(x), "shape": str(x.shape), "local": np.asarray(back)}


@case(local=True)
def without_local_shards():
    there = [d for d in devices() if d.process_index != jax.process_index()][0]
    x = jax.device_put(numbers((4,)), there)
    return {
        "addressable": x.is_fully_addressable, "shards": len(x.addressable_shards), "all": len(x.global_shards),
        "shape": str(x.shape), "type": str(x.dtype), "repr": repr(x),
    }  # fmt: skip


@case(local=True)
def on_all_devices_as_numpy():
    x = put(numbers((6,)), named(None))
    return {"value": np.asarray(x), "item": np.asarray(x[2]), "text": str(x), "addressable": x.is_fully_addressable}


@case(errors="same", local=True)
def not_addressable_as_numpy():
    return np.asarray(rows(8))


@case(errors="same", local=True)
def not_addressable_item():
    return rows(8).item()


@case(local=True)
def representations():
    x = rows(8)
    return {"repr": repr(x), "sharding": str(x.sharding.spec), "len": len(x), "size": x.size}


@case(errors="type", local=True)
def memory_statistics_of_a_remote_device():
    return [d for d in devices() if d.process_index != jax.process_index()][0].memory_stats()


@case(local=True)
def moved_between_local_devices():
    a, b = jax.local_devices()[:2]
    x = jax.device_put(numbers((3,)), a)
    y = jax.device_put(x, b)
    return {"value": np.asarray(y), "on": y.devices() == {b}, "memory": str(y.sharding.memory_kind == x.sharding.memory_kind)}


@case(local=True)
def computed_on_a_local_device():
    d = jax.local_devices()[-1]
    y = jax.jit(lambda x: jnp.sin(x) + 1)(jax.device_put(numbers((5,)), d))
    return {"value": np.asarray(y), "on": y.devices() == {d}}


@case(local=True)
def computed_on_the_local_devices():
    x = jax.device_put(numbers((8,)), NamedSharding(jax.sharding.Mesh(jax.local_devices(), "x"), P("x")))
    y = jax.jit(lambda x: x * jax.process_index() + jnp.sum(x))(x)
    return {"value": np.asarray(y), "one": len(y.devices())}


@case(local=True)
def computed_on_a_device_of_one_process():
    found = []
    for d in devices()[:: jax.local_device_count()]:
        y = jax.jit(lambda x: x + 1, out_shardings=SingleDeviceSharding(d))(jax.device_put(numbers((3,)), d))
        found.append(np.asarray(y) if local_of(d) else str(y.shape))
    return found


@case(local=True)
def computed_on_the_devices_of_one_process():
    found = []
    for p in range(jax.process_count()):
        m = jax.sharding.Mesh([d for d in devices() if d.process_index == p], "x")
        x = put(numbers((4,)), NamedSharding(m, P("x")))
        y = jax.jit(lambda x: jnp.cumsum(x) + p)(x)
        found.append(shards(y))
    return found


@case(local=True)
def donated_on_local_devices():
    x = jax.device_put(numbers((8,)), NamedSharding(jax.sharding.Mesh(jax.local_devices(), "x"), P("x")))
    y = jax.jit(lambda x: x + 1, donate_argnums=0)(x)
    return {"value": np.asarray(y), "deleted": x.is_deleted()}


@case(local=True)
def deleted_array():
    x = rows(8)
    x.delete()
    return x.is_deleted()


main(__doc__, [(2, 2)])
