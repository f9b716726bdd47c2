#===- kernel_pallas.py - kernels over cores in Pallas ---------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""The programs of kernel_programs.py in Pallas, by its interpret mode."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax._src.pallas.mosaic.interpret import interpret_pallas_call
from jax._src.state.discharge import run_state
from jax._src.state.primitives import ref_swap
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

TYPES = {"f32": jnp.float32, "bf16": jnp.bfloat16, "i32": jnp.int32, "i8": jnp.int8, "bool": jnp.bool_}
# What the interpret mode of 0.10.2 refuses: copies between cores, memory that cores share, other memory than that of a
# core, types of 64 bits, values from outside, empty parts, and reading semaphores.
REFUSED = {"empty", "ring", "group", "space", "x64", "capture", "read"}


def reset():
    """After an error."""
    interpret_pallas_call.reset_tpu_interpret_mode_state()


class Body:
    def __init__(self, cores, seed):
        self.cores, self.in_kernel = cores, False
        self.refs, self.values, self.loops, self.operands = {}, {}, {}, set()
        self.interpret = pltpu.InterpretParams(
            num_cores_or_threads=cores, dma_execution_mode=["eager", "on_wait"][seed % 2])

    def integer(self, n):
        if isinstance(n, int):
            return jnp.int32(n)
        if isinstance(n, str):
            return lax.axis_index("core") if n == "core" else self.loops[n]
        if n[0] == "pick":
            return lax.rem(lax.abs(lax.convert_element_type(self.values[n[1]], jnp.int32)), self.integer(n[2]))
        return {"add": lax.add, "mul": lax.mul, "rem": lax.rem}[n[0]](self.integer(n[1]), self.integer(n[2]))

    def index(self, dim):
        if dim[0] == "all":
            return slice(None)
        if dim[0] == "st":
            return pl.ds(dim[1], dim[2], dim[3]) if dim[2] else slice(0, 0)
        return self.integer(dim[1]) if dim[0] == "at" else pl.ds(self.integer(dim[1]), dim[2], dim[3])

    def view(self, n):
        ref = self.refs[n[1]]
        for dims in n[2:]:
            ref = ref.at[tuple(self.index(d) for d in dims)] if dims else ref
        return ref

    def small(self, x):
        return lax.rem(x, lax.full_like(x, 13))

    def value(self, n):
        if isinstance(n, str):
            return self.values[n]
        if n[0] == "full":
            return lax.full(n[2], n[3], TYPES[n[1]])
        if n[0] == "of":
            return lax.broadcast_in_dim(lax.convert_element_type(self.small(self.integer(n[3])), TYPES[n[1]]), n[2], ())
        if n[0] == "mix":
            x = self.value(n[1])
            if x.dtype == jnp.bool_:
                return lax.bitwise_not(x) if n[2] % 2 else x
            return self.small(self.small(x) + lax.full_like(x, n[2]))
        if n[0] == "plus":
            a, b = self.value(n[1]), self.value(n[2])
            return lax.bitwise_xor(a, b) if a.dtype == jnp.bool_ else self.small(self.small(a) + self.small(b))
        if n[0] == "cast":
            return lax.convert_element_type(self.value(n[2]), TYPES[n[1]])
        x = self.value(n[2])
        flat = lax.convert_element_type(lax.reshape(x, (x.size,)), jnp.int32)
        total = lax.reduce_sum(lax.rem(flat, jnp.int32(13)) * (lax.iota(jnp.int32, x.size) + 1), (0,))
        total = lax.rem(total, jnp.int32(2 if x.dtype == jnp.bool_ else 13))
        return lax.broadcast_in_dim(lax.convert_element_type(total, x.dtype), n[1], ())

    def access(self, n, change):
        """Pallas reaches operands by copies only: the part is copied to the core and back."""
        view = self.view(n)
        if not self.in_kernel or n[1] not in self.operands:
            return change(view)

        def with_copy(buffer, sem):
            pltpu.async_copy(view, buffer, sem).wait()
            out = change(buffer)
            pltpu.async_copy(buffer, view, sem).wait()
            return out

        def read(buffer, sem):
            pltpu.async_copy(view, buffer, sem).wait()
            return buffer[...]

        return pl.run_scoped(read if change is Body.get else with_copy, pltpu.VMEM(view.shape, view.dtype),
                             pltpu.SemaphoreType.DMA(()))

    @staticmethod
    def get(view):
        return view[...]

    @staticmethod
    def write(view, value, op):
        # The interpret mode has no addupdate.
        view[...] = value if op == "set" else view[...] + value

    def steps(self, steps):
        for step in steps:
            self.step(step)

    def step(self, n):
        op = n[0]
        if op == "get":
            self.values[n[1]] = self.access(n[2], Body.get)
        elif op == "swap":
            self.values[n[1]] = self.access(n[2], lambda view: ref_swap(view, ..., self.value(n[3])))
        elif op in ("set", "add"):
            self.access(n[1], lambda view: self.write(view, self.value(n[2]), op))
        elif op == "when":
            a, b = self.integer(n[1][1]), self.integer(n[1][2])
            pl.when(a < b if n[1][0] == "lt" else a == b)(lambda: self.steps(n[2:]))
        elif op == "loop":
            def body(k, _):
                self.loops[n[1]] = k
                self.steps(n[4:])

            lax.fori_loop(self.integer(n[2]), self.integer(n[3]), body, None)
        elif op == "kernel":
            self.in_kernel = True
            pl.core_map(pltpu.create_tensorcore_mesh("core", num_cores=self.cores), interpret=self.interpret)(
                lambda: self.steps(n[1:]))
            self.in_kernel = False
        elif op == "scope":
            self.scope(n)
        else:
            self.synchronize(op, n)

    def scope(self, n):
        def types(space, dtype, shape):
            if space == "sem":
                return pltpu.SemaphoreType.REGULAR(tuple(shape))
            return pltpu.SemaphoreType.DMA(tuple(shape)) if space == "dma" else pltpu.VMEM(tuple(shape), TYPES[dtype])

        def body(*refs):
            self.refs.update(zip([one[0] for one in n[1]], refs))
            self.steps(n[3:])

        pl.run_scoped(body, *(types(*one[1:]) for one in n[1]))

    def synchronize(self, op, n):
        if op in ("copy", "wait"):
            copy = pltpu.make_async_copy(*(self.view(v) for v in n[1:4]))
            copy.start() if op == "copy" else copy.wait()
        elif op == "signal":
            # Without a target the interpret mode would signal core 0.
            core = self.integer(n[3] if len(n) == 4 else "core")
            pl.semaphore_signal(self.view(n[1]), self.integer(n[2]), core_index=core)
        elif op == "semwait":
            pl.semaphore_wait(self.view(n[1]), self.integer(n[2]))
        else:
            pltpu.core_barrier(self.view(n[1]), core_axis_name="core")


def run(program, seed):
    """The arrays at the end, as numbers of f32."""
    cores, _, operands, steps = program

    def body(refs):
        one = Body(cores, seed)
        one.operands = {name for name, *_ in operands}
        one.refs = dict(zip([name for name, *_ in operands], refs))
        one.steps(steps)

    init = tuple(jnp.asarray(np.array(values, np.float32).reshape(shape), TYPES[dtype])
                 for name, dtype, shape, values in operands)
    out = jax.jit(lambda xs: run_state(body)(xs))(init)
    return [np.asarray(x.astype(jnp.float32)) for x in jax.block_until_ready(out)]
