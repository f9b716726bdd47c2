#===- pmap.py - the program of pmap.cc in JAX ------------------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""The program of pmap.cc in JAX, with the same losses to float accuracy."""

import os

# As in mlp.py.
os.environ.setdefault("NPROC", "32")
os.environ["XLA_FLAGS"] = (
    "--xla_force_host_platform_device_count=8 --xla_cpu_collective_call_warn_stuck_timeout_seconds=60"
    " --xla_cpu_collective_call_terminate_timeout_seconds=100"
)

import jax
import jax.numpy as jnp

jax.config.update("jax_cpu_enable_async_dispatch", False)


def loss(line, x, y):
    return jnp.mean(jnp.square(line["slope"] * x + line["offset"] - y))


def update(line, x, y):
    value, gradient = jax.value_and_grad(loss)(line, x, y)
    gradient = jax.lax.pmean(gradient, "slices")
    return jax.lax.pmean(value, "slices"), jax.tree.map(lambda p, g: p - 0.1 * g, line, gradient)


x = jnp.linspace(-1.0, 1.0, 128).reshape(8, 16)
y = 2.0 * x + 0.5 + 0.1 * jnp.sin(20.0 * x)
train = jax.pmap(update, axis_name="slices", in_axes=(None, 0, 0), out_axes=None)
line = {"slope": jnp.zeros(()), "offset": jnp.zeros(())}
for i in range(101):
    value, line = train(line, x, y)
    if i % 20 == 0:
        print(f"step {i:3d} loss {value:.6f}")
