#===- kernels.py - the first part of kernels.cc in JAX --------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""The product of kernels.cc in Pallas, by its interpret mode."""

import jax
import jax.numpy as jnp
from jax import lax
from jax._src.state.discharge import run_state
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

cores, size, tile = 2, 8, 2
rows = size // cores
interpret = pltpu.InterpretParams(num_cores_or_threads=cores)


@jax.jit
def product(a, b):
    def body(refs):
        left, right, out = refs

        @pl.core_map(pltpu.create_tensorcore_mesh("core", num_cores=cores), interpret=interpret)
        def _():
            first = lax.axis_index("core") * rows

            def with_buffers(lefts, rights, total, sems):
                def copies(k):
                    half = lax.rem(k, 2)
                    return (
                        pltpu.make_async_copy(left.at[pl.ds(first, rows), pl.ds(k * tile, tile)], lefts.at[half],
                                              sems.at[half, 0]),
                        pltpu.make_async_copy(right.at[pl.ds(k * tile, tile)], rights.at[half], sems.at[half, 1]),
                    )

                def start(k):
                    for copy in copies(k):
                        copy.start()

                def step(k, _):
                    pl.when(k + 1 < size // tile)(lambda: start(k + 1))
                    for copy in copies(k):
                        copy.wait()
                    half = lax.rem(k, 2)
                    total[...] = total[...] + lefts[half] @ rights[half]

                total[...] = jnp.zeros((rows, size))
                start(jnp.int32(0))
                lax.fori_loop(0, size // tile, step, None)
                pltpu.async_copy(total, out.at[pl.ds(first, rows)], sems.at[0, 0]).wait()

            pl.run_scoped(with_buffers, pltpu.VMEM((2, rows, tile), jnp.float32),
                          pltpu.VMEM((2, tile, size), jnp.float32), pltpu.VMEM((rows, size), jnp.float32),
                          pltpu.SemaphoreType.DMA((2, 2)))

    return run_state(body)((a, b, jnp.zeros((size, size))))[2]


a = jnp.arange(size * size, dtype=jnp.float32).reshape(size, size) / 8
c = product(a, jnp.sin(a))
for i in range(size):
    print(f"row {i}: {c[i, 0]:9.4f} {c[i, size - 1]:9.4f}")
