#===- run.py - JAX programs on our devices and on JAX's CPU backend ------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Calls of a function that adds one, on 1 and 8 devices, with 1 and 50 arguments; training steps of an
MLP, a conv net and a GPT with data, tensor and fully sharded parallelism on 8 devices; their
compilation. The two sides run alternately in separate processes; their results are compared first.
On a shared machine CPU time is more reliable than wall time. `run.py mlp` runs the cases whose
names contain that."""

import json
import os
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(HERE)), "test", "jax"))
import both
import common
import numpy as np

ROUNDS, COMPILES = 7, 3


class Side:
    def __init__(self, platform):
        self.process = subprocess.Popen(
            [sys.executable, os.path.join(HERE, "worker.py")],
            env=both.environment(platform), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        self.cases = self.read()

    def read(self):
        line = self.process.stdout.readline()
        if not line:
            sys.exit(f"a worker ended with exit code {self.process.wait()}")
        return json.loads(line)

    def ask(self, do, case, **more):
        print(json.dumps(dict(do=do, case=case, **more)), file=self.process.stdin, flush=True)
        return self.read()


def check(sides, case, folder):
    answers = []
    for i, side in enumerate(sides):
        out = os.path.join(folder, f"{i}.npz")
        side.ask("answer", case, out=out)
        with np.load(out) as file:
            answers.append([file[name] for name in file.files])
    for ours, theirs in zip(*answers, strict=True):
        if ours.dtype != theirs.dtype or not np.allclose(ours, theirs, 1e-3, 1e-4):
            sys.exit(f"{case}: the answers differ, times mean nothing:\n{ours}\n{theirs}")


def compare(sides, rounds, *request, **more):
    """Returns, for wall and for CPU time, the medians of both sides, and the median ratio of a round.
    The sides begin alternately."""
    answers = [[], []]
    for r in range(rounds):
        for i in (0, 1) if r % 2 else (1, 0):
            answers[i].append(sides[i].ask(*request, **more))
    figures = []
    for clock in (0, 1):
        seconds = [[answer[clock] for answer in side] for side in answers]
        ratio = statistics.median(a / b for a, b in zip(*seconds))
        figures += [statistics.median(s) for s in seconds] + [ratio]
    return figures


def row(name, unit, figures):
    return [name, *(f"{x:.2f}" if i % 3 == 2 else f"{x * unit:.1f}" for i, x in enumerate(figures))]


def main():
    wanted = sys.argv[1:]
    sides = [Side("shardwright"), Side("cpu")]
    names = [c for c in sides[0].cases if not wanted or any(w in c for w in wanted)]
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            check(sides, name, folder)
    dispatch, steps, compiles = [], [], []
    for name in names:
        if name.startswith("dispatch"):
            _, devices, leaves = name.split("_")
            label = f"{devices} devices, {leaves} arguments"
            dispatch.append(row(label, 1e6, compare(sides, ROUNDS, "time", name, how=[False])))
            dispatch.append(row(label + ", awaited", 1e6, compare(sides, ROUNDS, "time", name, how=[True])))
        else:
            steps.append(row(name, 1e3, compare(sides, ROUNDS, "time", name)))
            compiles.append(row(name, 1e3, compare(sides, COMPILES, "compile", name)))
    for title, unit, rows in (
        ("a call of a function that adds one", "us", dispatch),
        ("a training step", "ms", steps),
        ("compiling a training step", "ms", compiles),
    ):
        if rows:
            header = ["", "ours", "JAX CPU", "ratio", "its CPU time", "JAX CPU", "ratio"]
            common.table(f"{title}, {unit} (medians of rounds in turns)", header, rows)
    for side in sides:
        side.process.stdin.close()
        side.process.wait()


if __name__ == "__main__":
    main()
