#===- common.py - shared by benchmarks: programs, clocks, tables ----------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""A benchmark is a folder with a file for each competitor, and run.py, which checks that their results
agree and prints a table of measurements."""

import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD = os.environ.get("SHARDWRIGHT_BUILD", os.path.join(ROOT, "build"))
TOOL = os.path.join(BUILD, "bin", "shardwright")
sys.path.insert(0, os.path.join(ROOT, "examples"))
sys.path.insert(0, os.path.join(ROOT, "test", "oracle"))

import exporting  # before jax: it requests 8 host devices

import jax
import numpy as np

RTOL = 5e-4  # of an element, or a hundredth of it of the largest one (docs/testing.md)


class Program:
    """A sharded JAX program: its lowering, its arguments, and its results without sharding.
    `make(constrain)` returns the function. Without `out_specs` propagation determines the shardings
    of results."""

    # False: programs are only lowered; nothing runs, and no files are written.
    runs = True

    def __init__(self, name, make, mesh, args, in_specs, out_specs=None):
        self.name = name
        self.make, self.mesh, self.args = make, mesh, args
        self.in_specs, self.out_specs = in_specs, out_specs
        self.lowered = exporting.lower(make, mesh, args, in_specs, out_specs)
        self.text = self.lowered.as_text(debug_info=True)
        if not self.runs:
            return
        unsharded = jax.jit(make(exporting.constrainer(None)))(*args)
        self.expected = [np.asarray(x) for x in jax.tree.leaves(unsharded)]
        self.folder = tempfile.TemporaryDirectory()
        self.module = self.file("module.mlir")
        self.inputs, self.outputs = self.file("inputs.npz"), self.file("expected.npz")
        with open(self.module, "w") as out:
            out.write(self.text)
        flat = [np.asarray(x) for x in jax.tree.leaves(self.args)]
        exporting.write_npz(self.inputs, "arg", flat, compress=False)
        exporting.write_npz(self.outputs, "out", self.expected, compress=False)

    @classmethod
    def example(cls, name, example, **sizes):
        """One of examples/: its `case` with these sizes."""
        path = os.path.join(ROOT, "examples", example, "export.py")
        spec = importlib.util.spec_from_file_location(example, path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return cls(name, *module.case(**sizes))

    def file(self, name):
        return os.path.join(self.folder.name, name)

    def check(self, who, results):
        """Exits with an error if a competitor's results are not those of the unsharded program."""
        for i, (found, expected) in enumerate(zip(results, self.expected, strict=True)):
            largest = np.max(np.abs(expected), initial=0)
            if not np.allclose(np.asarray(found), expected, RTOL, RTOL / 100 * largest):
                sys.exit(f"{self.name}: result {i} of {who} is wrong: its figures mean nothing")


def tool(*arguments):
    """Runs the shardwright command and returns its stdout. Exits with its message if it fails."""
    done = subprocess.run([TOOL, *arguments], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"shardwright {' '.join(arguments)}: exit code {done.returncode}\n{done.stderr}")
    return done.stdout


def check_ours(program):
    """Runs the program with Shardwright, compares the results, and returns the stats."""
    tool(
        "run", program.module, program.inputs, "--expect", program.outputs,
        "--rtol", str(RTOL), f"--stats=json={program.file('stats.json')}",
    )  # fmt: skip
    with open(program.file("stats.json")) as file:
        return json.load(file)


def timed(function, runs=5):
    """Returns (best, mean) seconds of `runs` runs after a warm-up run."""
    function()
    seconds = []
    for _ in range(runs):
        start = time.perf_counter()
        function()
        seconds.append(time.perf_counter() - start)
    return min(seconds), sum(seconds) / len(seconds)


def table(title, header, rows):
    """Prints rows of text or numbers, right-aligned except for the first column."""
    print(f"\n{title}")
    lines = [header] + [[c if isinstance(c, str) else f"{c:,}" for c in row] for row in rows]
    widths = [max(len(line[i]) for line in lines) for i in range(len(header))]
    for line in lines:
        cells = [line[0].ljust(widths[0])] + [c.rjust(w) for c, w in zip(line[1:], widths[1:])]
        print("  " + "  ".join(cells))
