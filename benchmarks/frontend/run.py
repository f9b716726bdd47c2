#===- run.py - the front end in C++ and JAX on its CPU backend -----------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Calls of a small jitted function on 1 and 8 devices; tracing and lowering of a training step of a GPT
whose 24 layers are unrolled; operations outside of jit. The two sides run alternately in separate
processes; their results are compared first. `run.py eager` runs the cases whose names contain that."""

import json
import os
import statistics
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import common
import numpy as np

ROUNDS = 9
# Name: what is measured, its unit in a second, the limit of the ratio.
CASES = {
    "dispatch_1": ("a call on 1 device, us", 1e6, 0.3),
    "dispatch_8": ("a call on 8 devices, us", 1e6, 0.1),
    "lowering": ("tracing and lowering a GPT, ms", 1e3, 0.1),
    "eager": ("an operation outside of jit, us", 1e6, 0.5),
}


class Side:
    def __init__(self, *command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, request, case):
        print(request, case, file=self.process.stdin, flush=True)
        line = self.process.stdout.readline()
        if not line:
            sys.exit(f"a worker ended with exit code {self.process.wait()}")
        return json.loads(line)

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def main():
    wanted = sys.argv[1:]
    sides = [Side(os.path.join(common.BUILD, "bin", "frontend_worker")), Side(sys.executable, os.path.join(HERE, "peer.py"))]
    names = [c for c in CASES if not wanted or any(w in c for w in wanted)]
    rows = []
    for name in names:
        ours, theirs = (np.array(side.ask("answer", name)) for side in sides)
        if ours.shape != theirs.shape or not np.allclose(ours, theirs, 1e-3, 1e-4):
            sys.exit(f"{name}: the answers differ, times mean nothing:\n{ours}\n{theirs}")
        for side in sides:
            side.ask("time", name)  # warms up
        seconds = [[], []]
        for r in range(ROUNDS):
            for i in (0, 1) if r % 2 else (1, 0):
                seconds[i].append(sides[i].ask("time", name))
        title, unit, limit = CASES[name]
        row = [title]
        for clock in (0, 1):
            a, b = ([s[clock] for s in side] for side in seconds)
            ratio = statistics.median(x / y for x, y in zip(a, b))
            row += [f"{statistics.median(a) * unit:.2f}", f"{statistics.median(b) * unit:.2f}", f"{ratio:.3f}"]
        rows.append(row + [str(limit)])
    header = ["", "ours", "JAX", "ratio", "its CPU time", "JAX", "ratio", "limit"]
    common.table("the front end (medians of rounds in turns, answers compared first)", header, rows)
    for side in sides:
        side.end()


if __name__ == "__main__":
    main()
