#===- ring_attention.py - the program of ring_attention.cc in JAX ----------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""The program of ring_attention.cc in JAX, with the same numbers to float accuracy."""

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
import numpy as np
from jax import lax
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((2, 4), ("data", "sequence"), axis_types=(AxisType.Auto,) * 2)
blocks = P("data", "sequence")


def body(q, k, v):
    ring, length, rank = lax.axis_size("sequence"), q.shape[1], lax.axis_index("sequence")
    local = jnp.arange(length)

    def attend_to(step, b):
        keys, values, old, total, out = b
        scores = jnp.einsum("bqhc,bkhc->bhqk", q, keys) / np.sqrt(q.shape[3])
        source = lax.rem(rank - step + ring, ring)
        visible = (rank * length + local)[:, None] >= (source * length + local)[None]
        scores = jnp.where(visible, scores, -1e30)
        maximum = jnp.maximum(old, jnp.max(scores, -1))
        weights, correction = jnp.exp(scores - maximum[..., None]), jnp.exp(old - maximum)
        mixed = jnp.einsum("bhqk,bkhc->bhqc", weights, values)
        keys, values = (lax.ppermute(x, "sequence", [(i, (i + 1) % ring) for i in range(ring)]) for x in (keys, values))
        return keys, values, maximum, total * correction + jnp.sum(weights, -1), out * correction[..., None] + mixed

    out = lax.pcast(jnp.zeros((q.shape[0], q.shape[2], length, q.shape[3])), ("data", "sequence"), to="varying")
    none = jnp.sum(out, -1)
    _, _, _, total, out = lax.fori_loop(0, ring, attend_to, (k, v, none - 1e30, none, out))
    return jnp.transpose(out / total[..., None], (0, 2, 1, 3))


attention = jax.shard_map(body, mesh=mesh, in_specs=blocks, out_specs=blocks)
args = [jax.device_put(jax.random.normal(key, (2, 64, 4, 8)), NamedSharding(mesh, blocks))
        for key in jax.random.split(jax.random.key(0), 3)]
out = np.asarray(jax.jit(attention)(*args))
slope = np.asarray(jax.jit(jax.grad(lambda *a: jnp.sum(jnp.square(attention(*a))), 1))(*args))
for i in range(0, 64, 9):
    print(f"position {i:2d} value {out[1, i, 2, 3]:8.5f} derivative {slope[1, i, 2, 3]:8.5f}")
