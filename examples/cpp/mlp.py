#===- mlp.py - the program of mlp.cc in JAX --------------------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""The program of mlp.cc in JAX, with the same losses to float accuracy."""

import os

# A device that waits for others blocks a thread of XLA's pool, which has no more threads than devices: NPROC adds
# some. The devices share few cores: a collective may wait long for one of them.
os.environ.setdefault("NPROC", "32")
os.environ["XLA_FLAGS"] = (
    "--xla_force_host_platform_device_count=8 --xla_cpu_collective_call_warn_stuck_timeout_seconds=60"
    " --xla_cpu_collective_call_terminate_timeout_seconds=100"
)

import jax
import jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

# Steps in flight would wait for each other's threads on a machine with fewer cores than devices.
jax.config.update("jax_cpu_enable_async_dispatch", False)
mesh = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))
rows, everywhere = NamedSharding(mesh, P("data")), NamedSharding(mesh, P())


def loss(n, x, y):
    hidden = jnp.tanh(x @ n["hidden"]["w"] + n["hidden"]["b"])
    return jnp.mean(jnp.square(hidden @ n["out"]["w"] + n["out"]["b"] - y))


@jax.jit
def update(state, x, y):
    network, mean, variance, step = state
    value, gradient = jax.value_and_grad(loss)(network, x, y)
    step = step + 1.0
    mean = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, mean, gradient)
    variance = jax.tree.map(lambda m, g: 0.999 * m + 0.001 * jnp.square(g), variance, gradient)
    a, b = 1.0 - 0.9**step, 1.0 - 0.999**step
    network = jax.tree.map(
        lambda p, m, v: p - 0.01 * (m / a) / (jnp.sqrt(v / b) + 1e-8), network, mean, variance
    )
    return value, (network, mean, variance, step)


k = jax.random.split(jax.random.key(0), 3)
network = {
    "hidden": {"w": jax.random.normal(k[0], (2, 32)), "b": jnp.zeros(32)},
    "out": {"w": jax.random.normal(k[1], (32, 1)) * 0.1, "b": jnp.zeros(1)},
}
zero = jax.tree.map(jnp.zeros_like, network)
state = jax.device_put((network, zero, zero, jnp.zeros(())), everywhere)
x = jax.random.uniform(k[2], (256, 2), minval=-1, maxval=1)
y = jnp.sin(3.0 * x[:, 0:1]) * x[:, 1:2]
x, y = jax.device_put((x, y), rows)
for i in range(301):
    value, state = update(state, x, y)
    if i % 50 == 0:
        print(f"step {i:3d} loss {value:.5f}")
