#===- programs.py - programs on the devices of several processes ----------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""jit over all devices, over some of them and over those of one process, shard_map, pmap, loops, donation, many runs in
flight, Explicit mode, multihost_utils; on equal and unequal numbers of devices, in permuted orders."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
from helpers import devices, local_of, mesh, named, numbers, put, replicated, rows, shards
from job import case, main
from jax.experimental import multihost_utils
from jax.sharding import AxisType, Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

LAYOUTS = [(2, 2), (4, 1)]
UNEQUAL = [*LAYOUTS, (2, (1, 3)), (3, (2, 1, 2))]


def failure(function, *args):
    """Returns the type and text of the error that a call raises."""
    try:
        function(*args)
    except Exception as error:
        return [type(error).__name__, str(error)]
    return "no error"



@case(layouts=UNEQUAL)
def sum_of_rows():
    n = len(devices())
    return jax.jit(lambda x: (jnp.sum(x), jnp.sum(x, 0), jnp.max(x, 1)), out_shardings=NamedSharding(mesh(), P()))(rows(4 * n, 8))


@case(layouts=UNEQUAL, local=True)
def elementwise():
    return shards(jax.jit(lambda x: jnp.sin(x) * 2)(rows(2 * len(devices()), 3)))


@case(layouts=UNEQUAL)
def products():
    n = len(devices())
    x, w = rows(2 * n, 4 * n), put(numbers((4 * n, 6), seed=1), named("x"))
    return replicated(jax.jit(lambda x, w: jax.nn.relu(x @ w) @ w.T)(x, w))


@case(layouts=LAYOUTS)
def two_axes():
    m = mesh((2, -1), ("x", "y"))
    x, w = put(numbers((8, 16)), NamedSharding(m, P("x", "y"))), put(numbers((16, 8), seed=1), NamedSharding(m, P("y", "x")))
    return replicated(jax.jit(lambda x, w: jnp.tanh(x @ w).T @ x)(x, w))


@case(layouts=UNEQUAL)
def permuted_devices():
    n = len(devices())
    order = np.random.RandomState(3).permutation(n)
    x = put(numbers((2 * n, 3)), NamedSharding(mesh(order=order), P("x")))
    return replicated(jax.jit(lambda x: jnp.cumsum(x, 0) + jnp.flip(x, 0) + jnp.sum(x))(x))


@case(layouts=UNEQUAL)
def interleaved_devices():
    """Neighbours on the mesh belong to different processes where they can."""
    n = len(devices())
    order = np.argsort(np.arange(n) % 2, kind="stable")
    x = put(numbers((n, 4)), NamedSharding(mesh(order=order), P("x")))
    return replicated(jax.jit(lambda x: jnp.roll(x, 1, 0) + x)(x))


@case(layouts=UNEQUAL, local=True)
def some_devices():
    """The second device of each process, or the only one."""
    last = [[d for d in devices() if d.process_index == p][-1] for p in range(jax.process_count())]
    x = put(numbers((4 * len(last),)), NamedSharding(Mesh(last, "x"), P("x")))
    return shards(jax.jit(lambda x: x + jnp.sum(x))(x))


@case(layouts=[(4, 1)], local=True)
def not_all_processes():
    found = []
    for group in ((0, 1), (2, 3), (1, 2), (3, 0)):
        m = Mesh([d for p in group for d in devices() if d.process_index == p], "x")
        x = put(numbers((8,)), NamedSharding(m, P("x")))
        found.append(shards(jax.jit(lambda x: jnp.sort(x) + jnp.sum(x))(x)))
    return found


@case(layouts=LAYOUTS, local=True)
def one_process_each():
    found = []
    for p in range(jax.process_count()):
        m = Mesh([d for d in devices() if d.process_index == p], "x")
        x = put(numbers((4,)), NamedSharding(m, P("x")))
        found.append(shards(jax.jit(lambda x: jnp.sum(x) + x)(x)))
    return found


@case(layouts=UNEQUAL)
def loops():
    def body(i, x):
        return jnp.tanh(x + jnp.mean(x)) + i

    x = rows(len(devices()) * 2)
    y = jax.jit(lambda x: jax.lax.fori_loop(0, 5, body, x))(x)
    z = jax.jit(lambda x: jax.lax.while_loop(lambda x: jnp.sum(jnp.abs(x)) > 1, lambda x: x * 0.5, x))(y)
    return replicated(z)


@case(layouts=UNEQUAL)
def branches():
    f = jax.jit(lambda x: jax.lax.cond(jnp.sum(x) > 0, lambda x: x - jnp.max(x), lambda x: x + jnp.sum(x), x))
    x = rows(len(devices()))
    return replicated(f(x)), replicated(f(-x))


@case(layouts=UNEQUAL)
def reshards():
    n = len(devices())
    x = rows(n, n)
    turned = jax.jit(lambda x: x, out_shardings=named(None, "x"))(x)
    back = jax.jit(lambda x: x * 2, out_shardings=named("x"))(turned)
    return replicated(turned), replicated(back)


@case(layouts=UNEQUAL)
def gradient():
    n = len(devices())
    x, w = rows(4 * n, 8), put(numbers((8, 4), seed=2), named(None))
    f = jax.jit(jax.value_and_grad(lambda w, x: jnp.mean((x @ w) ** 2)), out_shardings=NamedSharding(mesh(), P()))
    return f(w, x)


@case(layouts=UNEQUAL)
def random_numbers():
    n = len(devices())
    return replicated(jax.jit(lambda: jax.random.normal(jax.random.key(3), (4 * n,)), out_shardings=named("x"))())


@case(layouts=UNEQUAL)
def donated():
    x = rows(2 * len(devices()))
    f = jax.jit(lambda x: x + jnp.sum(x), donate_argnums=0)
    y = f(x)
    assert x.is_deleted()
    return replicated(f(y))


@case(layouts=UNEQUAL)
def eight_runs_in_flight():
    f = jax.jit(lambda x: x * 0.5 + jnp.sum(x))
    runs = [rows(2 * len(devices()), seed=seed) for seed in range(8)]
    for _ in range(6):
        runs = [f(x) for x in runs]
    return [replicated(x) for x in runs]


@case(layouts=UNEQUAL)
def on_different_sets_in_flight():
    """Every process launches the same programs in the same order, on sets of devices that overlap."""
    n = len(devices())
    sets = [devices()[:2], devices()[-2:], devices(), devices()[1:3], [devices()[0], devices()[-1]]]
    f = jax.jit(lambda x: x + jnp.sum(x))
    meshes = [Mesh(s, "x") for s in sets]
    values = [put(numbers((2 * n * len(s),), seed=i), NamedSharding(m, P("x"))) for i, (s, m) in enumerate(zip(sets, meshes))]
    for _ in range(5):
        values = [f(x) for x in values]
    jax.block_until_ready(values)
    return replicated(values[2])


@case(layouts=LAYOUTS)
def shard_map():
    m = mesh()
    n = len(devices())

    @jax.jit
    @functools.partial(jax.shard_map, mesh=m, in_specs=P("x"), out_specs=(P("x"), P()))
    def f(x):
        i = jax.lax.axis_index("x")
        return x * i + jax.lax.ppermute(x, "x", [(k, (k + 1) % n) for k in range(n)]), jax.lax.psum(x, "x")

    return [replicated(y) for y in f(rows(2 * n, 3))]


@case(layouts=LAYOUTS)
def custom_partitioning():
    """Each process asks its Python function; the program that it gives has a collective."""
    from jax.experimental.custom_partitioning import custom_partitioning

    @custom_partitioning
    def normalized(x):
        return x / jnp.sum(jnp.abs(x), axis=0)

    def partition(mesh, args, result):
        def local(x):
            return x / jax.lax.psum(jnp.sum(jnp.abs(x), axis=0), "x")

        return mesh, local, args[0].sharding, (args[0].sharding,)

    normalized.def_partition(
        partition, infer_sharding_from_operands=lambda mesh, args, result: args[0].sharding, sharding_rule="i j -> i j"
    )
    return replicated(jax.jit(normalized)(rows(8, 4)))


@case(layouts=LAYOUTS, local=True)
def pmap():
    x = numbers((jax.local_device_count(), 4)) + jax.process_index()
    y = jax.pmap(lambda x: x / jax.lax.psum(x, "i") + jax.lax.axis_index("i"), axis_name="i")(x)
    return np.stack([np.asarray(s.data) for s in sorted(y.addressable_shards, key=lambda s: s.device.id)])


@case(layouts=UNEQUAL)
def explicit_mode():
    m = Mesh(np.array(devices()), ("x",), axis_types=(AxisType.Explicit,))
    n = len(devices())
    x = put(numbers((2 * n, 2 * n)), NamedSharding(m, P("x", None)))
    with jax.set_mesh(m):
        return jax.jit(lambda x: jax.reshard(jnp.sin(x) @ jax.reshard(x, P(None, None)).T, P(None, None)))(x)


@case(layouts=UNEQUAL)
def uneven_shards():
    """A sharding that does not divide, inside of a program."""
    n = len(devices())
    x = rows(2 * n)
    f = jax.jit(lambda x: jnp.sum(jax.lax.with_sharding_constraint(jnp.tile(x, 3)[: 3 * n + 1], named("x"))))
    return f(x)


@case(layouts=UNEQUAL)
def empty():
    n = len(devices())
    return jax.jit(lambda x: jnp.sum(x, 0), out_shardings=NamedSharding(mesh(), P()))(put(np.zeros((n, 0), np.float32), named("x")))


@case(layouts=LAYOUTS)
def host_utilities():
    p = jax.process_index()
    multihost_utils.sync_global_devices("here")
    multihost_utils.assert_equal(numbers((3,)), "differs")
    gathered = multihost_utils.process_allgather(np.arange(3, dtype=np.float32) * 1.5)
    return {
        "gathered": np.asarray(gathered)[:1],
        "one": np.asarray(multihost_utils.broadcast_one_to_all(numbers((4,)) * (p == 0))),
    }


@case(layouts=LAYOUTS, local=True)
def gathered_from_processes():
    p = jax.process_index()
    return {
        "stacked": multihost_utils.process_allgather(numbers((3,)) + p),
        "tiled": multihost_utils.process_allgather(numbers((3,)) + p, tiled=True),
        "global": multihost_utils.process_allgather(rows(2 * len(devices())), tiled=True),
        "ints": multihost_utils.process_allgather(np.int32(p)),
        "source": multihost_utils.broadcast_one_to_all(numbers((4,)) * p, is_source=p == jax.process_count() - 1),
    }


@case(layouts=LAYOUTS, local=True)
def names_that_differ():
    return failure(multihost_utils.sync_global_devices, f"process {jax.process_index()}")


@case(layouts=LAYOUTS, local=True)
def values_that_differ():
    return failure(multihost_utils.assert_equal, numbers((3,)) + jax.process_index(), "they differ")


@case(layouts=LAYOUTS, local=True)
def put_a_host_value():
    x = jax.device_put(numbers((2 * len(devices()),)), named("x"))
    return shards(x)


@case(layouts=LAYOUTS, local=True)
def put_values_that_differ():
    return failure(jax.device_put, numbers((2 * len(devices()),)) + jax.process_index(), named("x"))


@case(layouts=UNEQUAL, local=True)
def local_program_between():
    """Programs on one device run between those of all, in another number in each process."""
    f = jax.jit(lambda x: x + jnp.sum(x))
    g = jax.jit(lambda x: x * 2)
    x, y = rows(len(devices())), jax.device_put(numbers((3,)), jax.local_devices()[0])
    for _ in range(4):
        x = f(x)
        for _ in range(1 + 3 * jax.process_index()):
            y = g(y)
    return shards(x), np.asarray(y)


@case(layouts=LAYOUTS, local=True, cpu=False)
def moved_to_another_process():
    """By device_put, in both directions and at once. (JAX's CPU does not offer such transfers.)"""
    n = jax.local_device_count()
    meshes = [Mesh([d for d in devices() if d.process_index == p], "x") for p in range(jax.process_count())]
    found = []
    for dtype in (np.float32, np.int8, "bool", jnp.bfloat16):
        value = numbers((4 * n, 3)).astype(dtype)
        x = put(value, NamedSharding(meshes[0], P("x")))
        y = put(-value if dtype != "bool" else value, NamedSharding(meshes[-1], P("x")))
        for step in range(3):
            x, y = (jax.device_put(a, NamedSharding(meshes[to], P("x"))) for a, to in ((x, (step + 1) % len(meshes)), (y, step % 2)))
        for a, wanted in ((x, value), (y, -value if dtype != "bool" else value)):
            for s in a.addressable_shards:
                assert np.array_equal(np.asarray(s.data), wanted[s.index]), (s, wanted[s.index])
        found.append((shards(x), shards(y)))
    # Computed just before, and used just after.
    z = jax.jit(lambda x: jnp.sin(x) * 2)(put(numbers((2 * n,)), NamedSharding(meshes[0], P("x"))))
    z = jax.jit(lambda x: x + 1)(jax.device_put(z, NamedSharding(meshes[1], P("x"))))
    for s in z.addressable_shards:
        assert np.allclose(np.asarray(s.data), (np.sin(numbers((2 * n,))) * 2 + 1)[s.index], rtol=1e-5)
    return found, shards(z)


@case(layouts=LAYOUTS, local=True)
def output_on_one_process():
    """A result on the devices of one process, of operands of all."""
    x = jax.jit(lambda x: jnp.sum(x, 0), out_shardings=NamedSharding(mesh(), P()))(rows(2 * len(devices()), 3))
    return [np.asarray(s.data) for s in x.addressable_shards if local_of(s.device)]


main(__doc__, LAYOUTS)
