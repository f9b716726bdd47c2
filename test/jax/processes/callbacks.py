#===- callbacks.py - Python functions in programs of several processes ----===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""debug.print, pure_callback, io_callback and effects: once for a whole value, in the process that has its first device;
inside of a shard_map or pmap in each process, for its own devices. What a process prints, and which functions it calls,
is part of the result."""

import jax
import jax.numpy as jnp
import numpy as np
from helpers import devices, mesh, named, numbers, put, replicated, rows, shards
from job import case, main
from jax.experimental import io_callback
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

LAYOUTS = [(2, 2), (4, 1)]
SHAPE = jax.ShapeDtypeStruct


def whole():
    return NamedSharding(mesh(), P())


@case(local=True)
def debug_print_of_a_whole_value():
    def f(x):
        jax.debug.print("sum {s}", s=jnp.round(jnp.sum(x)))
        return x + 1

    x = jax.jit(f)(rows(2 * len(devices())))
    jax.effects_barrier()
    return shards(x)


@case(local=True)
def debug_print_in_a_shard_map():
    def f(x):
        jax.debug.print("device {i}: {x}", i=jax.lax.axis_index("x"), x=jnp.sum(x.astype(jnp.int32)))
        return x

    g = jax.shard_map(f, mesh=mesh(), in_specs=P("x"), out_specs=P("x"))
    x = jax.jit(g)(rows(2 * len(devices())))
    jax.effects_barrier()
    return shards(x)


@case(local=True)
def debug_callback():
    called = []

    def f(x):
        jax.debug.callback(lambda v: called.append(float(v)), jnp.round(jnp.sum(x), 1))
        return x * 2

    x = jax.jit(f)(rows(2 * len(devices())))
    jax.effects_barrier()
    return shards(x), [str(v) for v in called]


@case(local=True)
def pure_callback_of_a_whole_value():
    called = []

    def host(x):
        called.append(x.shape)
        return np.sin(np.asarray(x))

    x = rows(2 * len(devices()))
    y = jax.jit(lambda x: jax.pure_callback(host, SHAPE(x.shape, x.dtype), x) + 1, out_shardings=whole())(x)
    return np.asarray(y), [str(s) for s in called]


@case(local=True)
def pure_callback_with_scalar_and_two_results():
    def host(x):
        return np.float32(np.sum(x)), np.asarray(x)[:2] * 2

    def f(x):
        a, b = jax.pure_callback(host, (SHAPE((), jnp.float32), SHAPE((2,), jnp.float32)), x)
        return a + jnp.sum(x) * 0, b

    return [np.asarray(y) for y in jax.jit(f, out_shardings=whole())(rows(2 * len(devices())))]


@case(local=True)
def pure_callback_in_a_shard_map():
    called = []

    def host(x):
        called.append(x.shape)
        return np.cos(np.asarray(x))

    f = lambda x: jax.pure_callback(host, SHAPE(x.shape, x.dtype), x)
    y = jax.jit(jax.shard_map(f, mesh=mesh(), in_specs=P("x"), out_specs=P("x")))(rows(2 * len(devices())))
    found = shards(y)
    return found, [str(s) for s in called]


@case(local=True)
def pure_callback_in_a_loop():
    host = lambda x: np.asarray(x) * 0.5 + 1
    f = lambda x: jax.lax.fori_loop(0, 4, lambda i, x: jax.pure_callback(host, SHAPE(x.shape, x.dtype), x) + jnp.sum(x), x)
    return np.asarray(jax.jit(f, out_shardings=whole())(rows(len(devices()))))


@case(local=True)
def io_callback_of_a_whole_value():
    called = []

    def host(x):
        called.append(round(float(np.sum(x)), 3))
        return np.float32(len(x))

    y = jax.jit(lambda x: x + io_callback(host, SHAPE((), jnp.float32), x), out_shardings=whole())(rows(2 * len(devices())))
    found = np.asarray(y)
    jax.effects_barrier()
    return found, [str(v) for v in called]


@case(local=True)
def ordered_on_a_local_device():
    called = []

    @jax.jit
    def f(x):
        io_callback(lambda v: called.append(float(v)), None, x, ordered=True)
        jax.debug.print("ordered {x}", x=x, ordered=True)
        return x + 1

    x = jnp.float32(0)
    for _ in range(4):
        x = f(x)
    jax.effects_barrier()
    return np.asarray(x), [str(v) for v in called]


@case(local=True, errors="same")
def ordered_on_all_devices():
    called = []

    def f(x):
        io_callback(lambda v: called.append(v.shape), None, x, ordered=True)
        return x + 1

    y = jax.jit(f)(rows(2 * len(devices())))
    jax.effects_barrier()
    return shards(y), [str(s) for s in called]


@case(local=True)
def callback_whose_first_device_is_in_the_last_process():
    called = []

    def host(x):
        called.append(x.shape)
        return np.asarray(x) + 3

    order = list(reversed(range(len(devices()))))
    x = put(numbers((2 * len(devices()),)), NamedSharding(mesh(order=order), P("x")))
    f = jax.jit(lambda x: jax.pure_callback(host, SHAPE(x.shape, x.dtype), x), out_shardings=NamedSharding(x.sharding.mesh, P()))
    return np.asarray(f(x)), [str(s) for s in called]


@case(local=True, cpu=False)
def callback_on_one_process_only():
    """JAX's CPU leaves zeros on the devices that do not call."""
    called, found = [], []
    for p in range(jax.process_count()):
        m = Mesh([d for d in devices() if d.process_index == p], "x")
        x = put(numbers((4,)) + p, NamedSharding(m, P("x")))
        y = jax.jit(lambda x: jax.pure_callback(lambda v: called.append(p) or np.asarray(v), SHAPE((4,), jnp.float32), x))(x)
        jax.block_until_ready(y)
        found.append([np.asarray(s.data) for s in y.addressable_shards])
        assert all(np.array_equal(v, numbers((4,)) + p) for v in found[-1])
    assert called == [jax.process_index()], called
    return found


@case(local=True)
def pmap_with_a_callback():
    called = []
    f = jax.pmap(lambda x: jax.pure_callback(lambda v: called.append(1) or np.asarray(v) * 2, SHAPE(x.shape, x.dtype), x))
    y = f(numbers((jax.local_device_count(), 3)))
    found = [np.asarray(s.data) for s in sorted(y.addressable_shards, key=lambda s: s.device.id)]
    return found, str(len(called))


@case(local=True, cpu=False)
def callback_that_fails():
    """All processes get the error. On JAX's CPU those that did not call wait for ever."""

    def host(x):
        raise ValueError("no value")

    f = jax.jit(lambda x: jax.pure_callback(host, SHAPE(x.shape, x.dtype), x), out_shardings=whole())
    try:
        return np.asarray(f(rows(2 * len(devices()))))
    except jax.errors.JaxRuntimeError as error:
        assert "ValueError: no value" in str(error), error
        return "failed"


@case
def after_a_failure():
    """The devices can still be used."""
    return replicated(jax.jit(lambda x: x + jnp.sum(x))(rows(len(devices()))))


main(__doc__, LAYOUTS)
