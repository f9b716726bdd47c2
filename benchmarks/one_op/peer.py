#===- peer.py - the same with XLA's CPU backend ----------------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""peer.py FOLDER COUNT CALLS: as compile_and_run.cc, for the one CPU device of jaxlib. Compiling
is the client's call on the text; a call is jax.jit's fast path on arrays of the device."""

import json
import os
import sys
import time

os.environ["JAX_PLATFORMS"] = "cpu"
import jax
import numpy as np
import programs
from jax._src.lib import xla_client
from jaxlib import _jax


def call(function, args, times, path):
    """Writes the results; the seconds of each of so many calls after the first."""
    args = [jax.device_put(a) for a in args]
    function = jax.jit(function, keep_unused=True)
    results = jax.tree.leaves(function(*args))
    np.savez(path, **{f"out{n}": programs.bits(r) for n, r in enumerate(results)})
    calls = []
    for _ in range(times):
        begin = time.perf_counter()
        jax.block_until_ready(function(*args))
        calls.append(time.perf_counter() - begin)
    return calls


def main():
    folder, count, times = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
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
            calls = call(function, args, times, stem + ".xla.npz")
        figures = {"all": done - start, "cpu": cpu_done - cpu, "call": float(np.median(calls))}
        print(json.dumps(figures), flush=True)


if __name__ == "__main__":
    main()
