#===- saved_programs.py - programs that outlive the process that made them ===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""The persistent compilation cache, serialised executables, programs compiled for a topology, exported
programs; and that the resources of a program are freed with the program."""

import gc
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "python"))
sys.path.insert(0, os.path.join(ROOT, "test", "oracle"))
os.environ.update(JAX_PLATFORMS="shardwright", SHARDWRIGHT_NUM_DEVICES="8")

import oracle
from both import J10

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import serialize_executable, topologies
from jax.sharding import AxisType, Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

CACHED = """
import sys, jax, jax.numpy as jnp, numpy as np
from jax._src import monitoring
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P
seen = []
monitoring.register_event_listener(lambda event, **_: seen.append(event.rsplit("/", 1)[-1]))
jax.config.update("jax_compilation_cache_dir", sys.argv[1])
jax.config.update("jax_persistent_cache_min_compile_time_secs", 0)
jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)
mesh = jax.make_mesh((8,), ("x",), axis_types=(AxisType.Auto,))
x = jax.device_put(np.arange(64, dtype=np.float32).reshape(16, 4) / 64, NamedSharding(mesh, P("x")))
f = jax.jit(lambda x: x @ x.T, compiler_options={"shardwright_partition_effort": int(sys.argv[2])}, donate_argnums=0)
y = f(x)
right = np.allclose(y, (lambda a: a @ a.T)(np.arange(64).reshape(16, 4) / 64), 1e-5)
print(seen.count("cache_hits"), seen.count("cache_misses"), right, y.sharding.spec, x.is_deleted())
"""


def cache(tally):
    """The second of two processes finds the entries of the first. Other options are another program."""
    with tempfile.TemporaryDirectory() as folder:

        def run(effort):
            command = [sys.executable, "-c", CACHED, folder, str(effort)]
            env = dict(os.environ, PYTHONPATH=os.path.join(ROOT, "python"))
            done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=300)
            return done.stdout.strip() or done.stderr

        first, second, other = run(1), run(1), run(2)
        tally.check("first process", first.startswith("0 1 True"), first)
        tally.check("second process", second == first.replace("0 1", "1 0", 1), (first, second))
        tally.check("other options", other.startswith("0 1 True"), other)
        entry = next(os.path.join(folder, f) for f in os.listdir(folder) if f.endswith("-cache"))
        with open(entry, "r+b") as file:
            file.truncate(os.path.getsize(entry) // 2)
        tally.check("a damaged entry is compiled again", "True" in run(1) and "True" in run(2), "")


# Programs with callbacks, in an order and with constants that the process chooses.
CACHED_CALLBACKS = """
import sys, jax, numpy as np
from jax._src import monitoring
seen = []
monitoring.register_event_listener(lambda event, **_: seen.append(event.rsplit("/", 1)[-1]))
jax.config.update("jax_compilation_cache_dir", sys.argv[1])
jax.config.update("jax_persistent_cache_min_compile_time_secs", 0)
jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)
out = jax.ShapeDtypeStruct((), np.float32)
def program(name, number):
    def f(x):
        y = jax.pure_callback(lambda a: np.float32(np.asarray(a) + number), out, x)
        return jax.pure_callback(lambda a: np.float32(np.asarray(a) * number), out, y)
    f.__name__ = name
    return jax.jit(f)
alive = []
for argument in sys.argv[2:]:
    name, number = argument.split("=")
    alive.append(program(name, int(number)))
    print(float(alive[-1](np.float32(1))), end=" ")
print(seen.count("cache_hits"), seen.count("cache_misses"))
"""


def cache_of_callbacks(tally):
    """Another process finds programs with callbacks, whatever it lowered before, and calls its own functions."""
    if J10:
        return  # this version stores no programs with callbacks
    with tempfile.TemporaryDirectory() as folder:

        def run(*programs):
            command = [sys.executable, "-c", CACHED_CALLBACKS, folder, *programs]
            env = dict(os.environ, PYTHONPATH=os.path.join(ROOT, "python"))
            done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=300)
            return done.stdout.strip() or done.stderr

        tally.equal("callbacks of the first process", "6.0 12.0 20.0 0 3", run("f=2", "g=3", "f=4"))
        tally.equal("in another order", "30.0 42.0 2 0", run("g=5", "f=6"))
        tally.equal("of another program first", "2.0 56.0 72.0 90.0 3 1", run("h=1", "g=7", "f=8", "f=9"))


def sharded(mesh):
    return jax.jit(lambda x: jnp.sin(x).sum(0), in_shardings=NamedSharding(mesh, P("x")))


def serialised(tally):
    mesh = jax.make_mesh((8,), ("x",), axis_types=(AxisType.Auto,))
    a = np.arange(32, dtype=np.float32).reshape(16, 2)
    compiled = sharded(mesh).lower(a).compile()
    loaded = serialize_executable.deserialize_and_load(*serialize_executable.serialize(compiled), execution_devices=jax.devices())
    x = jax.device_put(a, NamedSharding(mesh, P("x")))
    tally.check("loaded executable", np.allclose(loaded(x), np.sin(a).sum(0), 1e-5), loaded(x))
    tally.check("its shardings", str(loaded.output_shardings) == str(compiled.output_shardings), loaded.output_shardings)
    bad, *trees = serialize_executable.serialize(compiled)
    try:
        serialize_executable.deserialize_and_load(bad[: len(bad) // 2], *trees)
        tally.fail("half an executable", "was loaded")
    except Exception as error:
        tally.check("half an executable", not isinstance(error, SystemError), repr(error))


def for_a_topology(tally):
    """Compiles for devices that do not exist. A program that fits the existing devices runs on them."""
    topology = topologies.get_topology_desc("4x4", "shardwright")
    mesh = Mesh(np.array(topology.devices).reshape(4, 4), ("x", "y"), axis_types=(AxisType.Auto,) * 2)
    compiled = sharded(mesh).lower(jax.ShapeDtypeStruct((16, 2), jnp.float32)).compile()
    tally.check("16 devices", "num_partitions=16" in compiled.as_text(), compiled.as_text())
    tally.check("its memory", compiled.memory_analysis().argument_size_in_bytes == 4 * 2 * 4, compiled.memory_analysis())


def exported(tally):
    mesh = jax.make_mesh((8,), ("x",), axis_types=(AxisType.Auto,))
    a = np.arange(32, dtype=np.float32).reshape(16, 2)
    x = jax.device_put(a, NamedSharding(mesh, P("x")))
    for platforms in (["shardwright"], ["cpu", "shardwright"]):
        called = jax.jit(jax.export.export(sharded(mesh), platforms=platforms)(x).call)(x)
        tally.check(f"exported for {platforms}", np.allclose(called, np.sin(a).sum(0), 1e-5), called)
        saved = jax.export.export(sharded(mesh), platforms=platforms)(x).serialize(vjp_order=1)
        again = jax.export.deserialize(saved)
        called = jax.jit(again.call)(x)
        tally.check(f"saved for {platforms}", np.allclose(called, np.sin(a).sum(0), 1e-5), called)
        slope = jax.jit(jax.grad(lambda x: again.call(x).sum()))(x)
        tally.check(f"slope of what was saved for {platforms}", np.allclose(slope, np.cos(a), 1e-5), slope)
    try:
        jax.export.export(jax.jit(jnp.sin), platforms=["tpu"])(a).call(a)
        tally.fail("exported for another platform", "was run")
    except ValueError as error:
        tally.check("exported for another platform", "shardwright" in str(error), str(error))


def lifetimes(tally):
    """Callables are freed with the last program that calls them."""
    from shardwright.jax import callbacks

    out = jax.ShapeDtypeStruct((), np.float32)
    jax.clear_caches()
    gc.collect()
    before = len(callbacks._held)
    for i in range(5):
        f = jax.jit(lambda x: jax.pure_callback(lambda a: np.float32(a + i), out, x))
        tally.check("a callback", float(f(1.0)) == 1 + i, i)
    late = f(2.0)
    del f
    jax.clear_caches()
    gc.collect()
    tally.check("a run outlives its program", float(late) == 6, late)
    gc.collect()
    tally.check("callables are gone", len(callbacks._held) == before, callbacks._held)

    stats = jax.devices()[0].memory_stats()
    x = jax.device_put(np.zeros(1000, np.float32), jax.devices()[0])
    more = jax.devices()[0].memory_stats()
    tally.check("memory in use", more["bytes_in_use"] - stats["bytes_in_use"] == 4000, (stats, more))
    x.delete()
    tally.check("memory no longer in use", jax.devices()[0].memory_stats()["bytes_in_use"] == stats["bytes_in_use"], "")


def main():
    oracle.arguments(__doc__, 0, 0)
    tally = oracle.Tally("jax/saved_programs")
    for part in (cache, cache_of_callbacks, serialised, for_a_topology, exported, lifetimes):
        part(tally)
    tally.finish()


if __name__ == "__main__":
    main()
