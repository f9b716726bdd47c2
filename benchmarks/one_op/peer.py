#===- peer.py - the same with XLA's CPU backend ----------------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""peer.py FOLDER COUNT CALLS [--sharded]: the same as compile_and_run.cc on 1 or 8 of jaxlib's CPU
devices. Compilation is the client's call on the text, for 8 devices on the lowering. A call is
jax.jit's fast path on device arrays."""

import json
import os
import sys
import time

os.environ["JAX_PLATFORMS"] = "cpu"
if "--sharded" in sys.argv:
    os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"
import jax
import numpy as np
import programs
from jax._src.lib import xla_client
from jaxlib import _jax


def call(function, args, times, path):
    """Writes the results. Returns the seconds of each of `times` calls after the first."""
    results = jax.tree.leaves(function(*args))
    np.savez(path, **{f"out{n}": programs.bits(r) for n, r in enumerate(results)})
    calls = []
    for _ in range(times):
        begin = time.perf_counter()
        jax.block_until_ready(function(*args))
        calls.append(time.perf_counter() - begin)
    return calls


def report(start, cpu, done, cpu_done, calls):
    figures = {"all": done - start, "cpu": cpu_done - cpu, "call": float(np.median(calls))}
    print(json.dumps(figures), flush=True)


def sharded(folder, times):
    for i, (name, function, args, specs) in enumerate(programs.sharded()):
        mesh, shardings = programs.on_mesh(specs)
        function = jax.jit(function, in_shardings=shardings, keep_unused=True)
        with jax.sharding.set_mesh(mesh):
            lowered = function.lower(*args)
            start, cpu = time.perf_counter(), time.process_time()
            lowered.compile()
            done, cpu_done = time.perf_counter(), time.process_time()
            args = [jax.device_put(a, s) for a, s in zip(args, shardings)]
            calls = call(function, args, times, os.path.join(folder, f"{i}.xla.npz"))
        report(start, cpu, done, cpu_done, calls)


def main():
    folder, count, times = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    if "--sharded" in sys.argv:
        return sharded(folder, times)
    device = jax.devices()[0]
    cases = list(programs.programs())
    for i in range(count):
        stem = os.path.join(folder, str(i))
        with open(stem + ".mlir") as file:
            text = file.read()
        start, cpu = time.perf_counter(), time.process_time()
        device.client.compile_and_load(
            text, _jax.DeviceList((device,)), xla_client.CompileOptions()
        )
        done, cpu_done = time.perf_counter(), time.process_time()
        name, function, args = cases[i]
        with programs.precision(name):
            function = jax.jit(function, keep_unused=True)
            args = [jax.device_put(a) for a in args]
            calls = call(function, args, times, stem + ".xla.npz")
        report(start, cpu, done, cpu_done, calls)


if __name__ == "__main__":
    main()
