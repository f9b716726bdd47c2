#===- run.py - latency of one-op programs: ours and XLA's -----------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Measures the time from a module's text to an executable, in ms of wall and of CPU time, and the time
of a call that produces its results, in us: on host arrays, or for programs of 8 devices on device
arrays. Every program is new to its process, which has compiled another one before. Each side runs
in RUNS processes, and the best time counts. The results are compared first."""

import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import common
import exporting
import jax
import numpy as np
import programs

RUNS, CALLS = 3, 500
OURS = os.path.join(common.BUILD, "bin", "compile_and_run")
PEER = [sys.executable, os.path.join(HERE, "peer.py")]


def lines(command, folder, count, *options):
    done = subprocess.run(
        [*command, folder, str(count), str(CALLS), *options], stdout=subprocess.PIPE, text=True
    )
    if done.returncode != 0:
        sys.exit(f"{command[-1]} failed")
    return [json.loads(line) for line in done.stdout.splitlines()]


def best(*command):
    runs = [lines(*command) for _ in range(RUNS)]
    return [{key: min(run[i][key] for run in runs) for key in one} for i, one in enumerate(runs[0])]


def check(names, folder):
    for i, name in enumerate(names):
        mine, peer = (np.load(os.path.join(folder, f"{i}.{who}.npz")) for who in ("ours", "xla"))
        for key in peer:
            # Bits of bfloat16: two units in the last place. Series of functions: the tolerance of
            # XLA's sums.
            tolerance = {np.uint16: (0, 2), np.float16: (2e-3, 1e-4)}.get(
                peer[key].dtype.type, (2e-5, 2e-6)
            )
            if not np.allclose(mine[key].astype(peer[key].dtype), peer[key], *tolerance):
                sys.exit(f"{name}: {key} differs: times mean nothing")


def export(folder, i, function, args, **options):
    stem = os.path.join(folder, str(i))
    with open(stem + ".mlir", "w") as out:
        out.write(jax.jit(function, keep_unused=True, **options).lower(*args).as_text())
    flat = [programs.bits(a) for a in args]
    exporting.write_npz(stem + ".inputs.npz", "arg", flat, compress=False)


def one_device(folder):
    names = []
    for i, (name, function, args) in enumerate(programs.programs()):
        names.append(name)
        with programs.precision(name):
            export(folder, i, function, args)
    return names, []


def eight_devices(folder):
    names = []
    for i, (name, function, args, specs) in enumerate(programs.sharded()):
        names.append(name)
        mesh, shardings = programs.on_mesh(specs)
        with jax.sharding.set_mesh(mesh):
            export(folder, i, function, args, in_shardings=shardings)
    return names, ["--sharded"]


def measure(title, make):
    with tempfile.TemporaryDirectory() as folder:
        names, options = make(folder)
        mine = best([OURS], folder, len(names))
        peer = best(PEER, folder, len(names), *options)
        check(names, folder)
    columns = [("all", 1e3), ("cpu", 1e3), ("call", 1e6)]
    rows = []
    for name, *sides in list(zip(names, mine, peer))[1:]:
        rows.append([name, *(f"{side[key] * unit:.1f}" for key, unit in columns for side in sides)])
    for name, statistic in (("median", np.median), ("largest", np.max)):
        figures = (
            f"{statistic([one[key] for one in side[1:]]) * unit:.1f}"
            for key, unit in columns
            for side in (mine, peer)
        )
        rows.append([name, *figures])
    common.table(
        f"{title} (answers compared first; best of {RUNS} processes)",
        ["program", "compile ms", "XLA", "its CPU ms", "XLA", "call us", "XLA"],
        rows,
    )
    stages = ("parse", "import", "propagate", "partition", "compile")
    print("\n  ours, median ms:", ", ".join(
        f"{s} {np.median([m[s] for m in mine[1:]]) * 1e3:.2f}" for s in stages))  # fmt: skip


def main():
    measure("one-op programs", one_device)
    measure("one-op programs on 8 devices", eight_devices)


if __name__ == "__main__":
    main()
