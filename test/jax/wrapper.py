#===- wrapper.py - JAX on another vendor's plugin, partitioned by us ------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""The wrapper plugin (SHARDWRIGHT_BACKEND): our own plugin plays the vendor's. Results, shardings,
gradients, donation and errors equal those of JAX's CPU; programs of several devices reach the vendor in
region form, others as they are."""

import functools
import os

HERE = os.path.dirname(os.path.abspath(__file__))
BUILD = os.environ.get("SHARDWRIGHT_BUILD", os.path.join(os.path.dirname(os.path.dirname(HERE)), "build"))
# Its table is that of this version; what it compiles goes to the folder in LYING_PLUGIN_DUMP.
os.environ.setdefault("SHARDWRIGHT_BACKEND", os.path.join(BUILD, "lib", "liblying_plugin.so"))
os.environ.setdefault("LYING_PLUGIN", "minor=116,size=1144")

import glob
import tempfile

import jax
import jax.numpy as jnp
import numpy as np
from both import case, main
from jax import lax
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P
from placing import mesh, on, placed, text

A = np.arange(128, dtype=np.float32).reshape(16, 8) / 50


@functools.cache
def is_ours():
    return jax.devices()[0].platform == "shardwright"


def compiled_programs(run):
    """Calls `run`, and returns what the vendor's plugin compiled meanwhile."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["LYING_PLUGIN_DUMP"] = folder
        try:
            run()
        finally:
            del os.environ["LYING_PLUGIN_DUMP"]
        programs = []
        for path in sorted(glob.glob(os.path.join(folder, "*"))):
            with open(path, "rb") as file:
                programs.append(file.read())
        return programs


@case
def the_vendor_gets_regions():
    def several():
        x = placed((8, 8), "x", "y")
        jax.block_until_ready(jax.jit(lambda a: a @ a.T + 1)(x))

    def one():
        jax.block_until_ready(jax.jit(lambda a: a @ a.T + 2)(np.ones((8, 8), np.float32)))

    found = [compiled_programs(several), compiled_programs(one)]
    if not is_ours():
        return "as expected"
    assert len(found[0]) >= 1 and len(found[1]) >= 1, "the vendor compiled nothing"
    regions = [any(b"manual_computation" in program for program in programs) for programs in found]
    return "as expected" if regions == [True, False] else f"regions {regions}"


@case
def products():
    x, w = placed((16, 8), "x", None), placed((8, 32), None, "y")
    y = jax.jit(lambda x, w: jnp.tanh(x @ w / 50))(x, w)
    return y, text(y.sharding)


@case
def wanted_shardings():
    f = jax.jit(lambda x: (x * 2, x.T), out_shardings=(on("y"), on()))
    a, b = f(placed((16, 8), "x", "y"))
    return a, b, text(a.sharding), text(b.sharding)


@case
def gradients():
    def loss(w, x):
        return jnp.sum(jnp.tanh(x @ w) ** 2)

    w, x = placed((8, 4), None, "y"), placed((16, 8), "x", None)
    value, grad = jax.jit(jax.value_and_grad(loss))(w / 100, x / 100)
    return value, grad, text(grad.sharding)


@case
def loops():
    def step(c, _):
        return c @ jnp.ones((8, 8)) / 8 + 1, jnp.sum(c)

    return jax.jit(lambda x: lax.scan(step, x, None, length=5))(placed((16, 8), "x", "y"))


@case
def collectives_of_the_program():
    def body(x):
        s = lax.psum(x, "x")
        g = lax.all_gather(x, "y", axis=1, tiled=True)
        p = lax.ppermute(x, "x", [(i, (i + 1) % 4) for i in range(4)])
        return s + p, g, x + lax.axis_index("x")

    f = jax.shard_map(body, mesh=mesh(), in_specs=P("x", "y"), out_specs=(P("x", "y"), P("x"), P("x", "y")),
                      check_vma=False)  # fmt: skip
    return jax.jit(f)(A)


@case
def donation():
    x = placed((16, 8), "x", "y")
    y = jax.jit(lambda x: x + 1, donate_argnums=0)(x)
    return y, str(x.is_deleted())


@case
def permuted_devices():
    devices = np.array(jax.devices())[[3, 1, 0, 2, 7, 6, 5, 4]].reshape(4, 2)
    other = Mesh(devices, ("x", "y"))
    x = jax.device_put(A, NamedSharding(other, P("x", "y")))
    y = jax.jit(lambda x: jnp.cumsum(x, axis=0))(x)
    return y, text(y.sharding)


@case
def some_devices():
    few = Mesh(np.array(jax.devices())[[5, 2]], ("x",))
    x = jax.device_put(A, NamedSharding(few, P("x")))
    return jax.jit(lambda x: x.sum(0))(x)


@case
def uneven():
    x = jax.device_put(np.arange(24, dtype=np.float32).reshape(8, 3), on("x"))
    return jax.jit(lambda x: jnp.sort(x[:5] @ x.T[:, :3], axis=0))(x)


@case
def random_numbers():
    return jax.jit(lambda k: jax.random.normal(k, (16, 8)), out_shardings=on("x"))(jax.random.key(3))


@case
def our_options():
    f = jax.jit(lambda x: x @ x.T)
    x = placed((16, 8), "x", "y")
    slow = os.path.join(HERE, "slow_machine.json")
    several = [{"shardwright_partition_effort": "2"}, {"shardwright_partition_effort": "3", "shardwright_machine": slow}]
    return [f.lower(x).compile(compiler_options=options if is_ours() else {})(x) for options in several]


@case
def saved():
    from jax.experimental.serialize_executable import deserialize_and_load, serialize

    x = placed((16, 8), "x", "y")
    compiled = jax.jit(lambda x: x * 3 - x.sum()).lower(x).compile()
    return deserialize_and_load(*serialize(compiled))(x)


@case
def one_device():
    return jax.jit(lambda x: x @ x.T)(A)


if __name__ == "__main__":
    main(__doc__)
