#===- save_and_load.py - the program of save_and_load.cc in JAX ------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""The program of save_and_load.cc in JAX, in one process, with the same numbers to float accuracy."""

import os

os.environ.setdefault("NPROC", "32")
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"

import jax
import jax.numpy as jnp
from jax.experimental import serialize_executable
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Auto,) * 2)
rows, columns = NamedSharding(mesh, P("data")), NamedSharding(mesh, P(None, "model"))
keys = jax.random.split(jax.random.key(7), 2)
x = jax.device_put(jax.random.normal(keys[0], (16, 8)), rows)
w = jax.device_put(jax.random.normal(keys[1], (8, 4)), columns)
compiled = jax.jit(lambda x, w: jax.nn.softmax(jnp.tanh(x) @ w), out_shardings=rows).lower(x, w).compile()
result = serialize_executable.deserialize_and_load(*serialize_executable.serialize(compiled))(x, w)
for i in range(0, 16, 5):
    print(f"row {i:2d} value {result[i, 0]:.5f} {result[i, 3]:.5f}")
