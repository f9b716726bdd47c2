#===- profiling.py - our runs in JAX's profiles --------------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""jax.profiler: traces with a plane for each of our devices, annotations, profiles of memory, the server."""

import glob
import os
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "python"))
sys.path.insert(0, os.path.join(ROOT, "test", "oracle"))
os.environ.update(JAX_PLATFORMS="shardwright", SHARDWRIGHT_NUM_DEVICES="8")

import oracle

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import AxisType, NamedSharding
from jax.sharding import PartitionSpec as P


# Nanoseconds: runs and operations have timestamps of two clocks.
SLACK = 20_000


def planes(folder):
    """plane -> line -> [(name, begin, end)]"""
    path = max(glob.glob(os.path.join(folder, "**", "*.xplane.pb"), recursive=True), key=os.path.getmtime)
    data = jax.profiler.ProfileData.from_file(path)
    return {p.name: {l.name: [(e.name, e.start_ns, e.end_ns) for e in l.events] for l in p.lines} for p in data.planes}


def main():
    oracle.arguments(__doc__, 0, 0)
    tally = oracle.Tally("jax/profiling")
    mesh = jax.make_mesh((8,), ("x",), axis_types=(AxisType.Auto,))
    x = jax.device_put(np.ones((256, 256), np.float32), NamedSharding(mesh, P("x")))
    y = jax.device_put(np.ones(8, np.float32), jax.devices()[3])

    def everywhere(x):
        return jnp.tanh(x @ x.T)

    def on_one(y):
        return y + 1

    def layers(x):
        return jax.lax.fori_loop(0, 5, lambda i, x: jnp.tanh(x @ x.T), x)

    everywhere, on_one, layers = jax.jit(everywhere), jax.jit(on_one), jax.jit(layers)
    jax.block_until_ready([everywhere(x), on_one(y)])
    with tempfile.TemporaryDirectory() as folder:
        with jax.profiler.trace(folder), jax.profiler.TraceAnnotation("mine"):
            for i in range(3):
                with jax.profiler.StepTraceAnnotation("step", step_num=i):
                    jax.block_until_ready(everywhere(x))
            jax.block_until_ready(on_one(y))
        everywhere(x).block_until_ready()  # not recorded any more
        found = planes(folder)
        host = [e for line in found.get("/host:CPU", {}).values() for e in line]
        tally.check("annotations", any(e[0] == "mine" for e in host), found.keys())
        for device in range(8):
            runs = found.get(f"/device:CUSTOM:shardwright:{device}", {}).get("programs", [])
            expected = ["jit_everywhere"] * 3 + ["jit_on_one"] * (device == 3)
            tally.check(f"runs of device {device}", [r[0] for r in runs] == expected, runs)
            tally.check("in order, without overlap", all(a[2] <= b[1] for a, b in zip(runs, runs[1:])), runs)
            tally.check("they take time", all(r[2] > r[1] for r in runs), runs)
            steps = found.get(f"/device:CUSTOM:shardwright:{device}", {}).get("operations", [])
            for run in runs:
                inside = [name for name, begin, end in steps if run[1] - SLACK <= begin and end <= run[2] + SLACK]
                wanted = ["dot_general", "all_gather"] if run[0] == "jit_everywhere" else ["add"]
                tally.check(f"operations of {run[0]}", all(any(w in name for name in inside) for w in wanted), inside)
            tally.check("operations are in runs", bool(steps) and steps[0][1] >= runs[0][1] - SLACK and steps[-1][2] <= runs[-1][2] + SLACK, steps)
    layers(x).block_until_ready()
    with tempfile.TemporaryDirectory() as folder:
        with jax.profiler.trace(folder):
            layers(x).block_until_ready()
        found = planes(folder)
        for device in range(8):
            lines = found.get(f"/device:CUSTOM:shardwright:{device}", {})
            loops, steps = lines.get("loops", []), lines.get("operations", [])
            names = [name for name, _, _ in loops]
            tally.equal(f"loops of device {device}", ["stablehlo.while", *(f"iteration {i}" for i in range(5))], names)
            inside = all(begin >= loops[0][1] - SLACK and end <= loops[0][2] + SLACK for name, begin, end in steps if "dot_general" in name)
            tally.check(f"steps of the loop of device {device}", inside and any("dot_general" in name for name, _, _ in steps), steps)
    with tempfile.TemporaryDirectory() as folder:
        jax.profiler.start_trace(folder)
        jax.profiler.stop_trace()
        tally.check("nothing ran", not any("shardwright" in name for name in planes(folder)), "")
    tally.check("memory profile", len(jax.profiler.device_memory_profile()) > 0, "")
    jax.profiler.start_server(0)
    jax.profiler.stop_server()
    tally.finish()


if __name__ == "__main__":
    main()
