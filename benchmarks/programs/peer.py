#===- peer.py - the same with XLA's CPU backend ----------------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""The same as run_program.cc, for 8 host devices of jaxlib. Each line `NAME TAB STEM` forks a process
(so that jax is imported only once), which builds the program, writes STEM.mlir and STEM.inputs.npz,
compiles, and writes STEM.xla.npz and a line of JSON. Then it runs for as many seconds as each
further line says, until an empty line. Compilation is from the lowered module to an executable."""

import json
import os
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(HERE)), "examples"))
import exporting
import jax
import numpy as np
import programs


def memory(field):
    with open("/proc/self/status") as status:
        return next(1024 * int(line.split()[1]) for line in status if line.startswith(field))


def read_line():
    """Reads unbuffered, so that the parent does not read lines of the child."""
    line = b""
    while not line.endswith(b"\n"):
        byte = os.read(0, 1)
        if not byte:
            return ""
        line += byte
    return line.decode().strip()


def reply(**figures):
    os.write(1, (json.dumps(figures) + "\n").encode())


def bits(array):
    """Returns bfloat16 as its bits, because numpy's formats do not support it."""
    array = np.asarray(array)
    return array.view(np.uint16) if array.dtype.name == "bfloat16" else array


def serve(name, stem):
    function, mesh, args, in_shardings, out_shardings = programs.build(name)
    shardings = {} if mesh is None else dict(in_shardings=in_shardings, out_shardings=out_shardings)
    jitted = jax.jit(function, keep_unused=True, **shardings)
    lowered = jitted.lower(*args)
    with open(stem + ".mlir", "w") as out:
        out.write(lowered.as_text())
    flat = [bits(x) for x in jax.tree.leaves(args)]
    exporting.write_npz(stem + ".inputs.npz", "arg", flat, compress=False)
    jax.block_until_ready(jax.jit(lambda x: x + x)(np.ones(64, np.float32)))

    with open("/proc/self/clear_refs", "w") as refs:
        refs.write("5")
    before = memory("VmRSS:")
    begin, cpu_begin = time.perf_counter(), time.process_time()
    compiled = lowered.compile()
    done, cpu_done = time.perf_counter(), time.process_time()

    placed = jax.device_put(args, in_shardings) if mesh is not None else jax.device_put(args)
    results = jax.tree.leaves(jax.block_until_ready(compiled(*placed)))
    results = [np.asarray(x, np.float32) if x.dtype.name == "bfloat16" else np.asarray(x) for x in results]
    np.savez(stem + ".xla.npz", **{f"out{i}": x for i, x in enumerate(results)})
    stats = compiled.memory_analysis()
    reply(
        compile=done - begin, cpu=cpu_done - cpu_begin, arguments=stats.argument_size_in_bytes,
        results=stats.output_size_in_bytes, temporaries=stats.temp_size_in_bytes,
    )  # fmt: skip
    del results
    while line := read_line():
        best, steps = 1e9, 0
        start, cpu_start = time.perf_counter(), time.process_time()
        end = start + float(line)
        while steps < 3 or time.perf_counter() < end:
            step_begin = time.perf_counter()
            jax.block_until_ready(compiled(*placed))
            best = min(best, time.perf_counter() - step_begin)
            steps += 1
        cpu = (time.process_time() - cpu_start) / steps
        reply(step=best, cpu=cpu, grown=memory("VmHWM:") - before)


def main():
    while line := read_line():
        child = os.fork()
        if child == 0:
            status = 1
            try:
                serve(*line.split("\t"))
                status = 0
            finally:
                sys.stderr.flush()
                os._exit(status)
        if os.waitpid(child, 0)[1] != 0:
            sys.exit(1)


if __name__ == "__main__":
    main()
