#===- run.py - time of simplification per op, by size ---------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Microseconds per op of `sw-simplify`, best of some runs, on programs of 5,000 to 60,000 ops. The
figures of a row grow little if the time is close to linear. The peer is canonicalize, then cse, in
jaxlib, which has few rewrites of StableHLO (its own simplifier is not available as a pass). Ours
must leave no more ops than the peer."""

import os
import re
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from common import BUILD, table

import modules
import oracle

SIZES, RUNS = (5000, 20000, 60000), 3
PEER = "builtin.module(canonicalize,cse)"


def ours(path):
    """Returns the seconds in the pass, and the simplified text."""
    best = None
    for _ in range(RUNS):
        done = subprocess.run(
            [os.path.join(BUILD, "bin", "shardwright-opt"), path, "--sw-simplify", "--mlir-timing",
             "--mlir-timing-display=list", "--mlir-disable-threading"],
            capture_output=True, text=True, check=True)  # fmt: skip
        seconds = float(re.search(r"([\d.]+) \([^)]*\) +SimplifyPass", done.stderr)[1])
        best = min(best or seconds, seconds)
    return best, done.stdout


def peer(text):
    best = None
    for _ in range(RUNS):
        module = oracle.parse(text)
        with module.context:
            manager = oracle.passmanager.PassManager.parse(PEER)
            start = time.perf_counter()
            manager.run(module.operation)
            seconds = time.perf_counter() - start
        best = min(best or seconds, seconds)
    return best, oracle.text(module)


def operations(text):
    return sum(" = stablehlo." in line for line in text.splitlines())


def main():
    rows = []
    for kind in modules.KINDS:
        row = [kind]
        for n in SIZES:
            text = modules.module(kind, n)
            with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
                file.write(text)
                file.flush()
                seconds, mine = ours(file.name)
            theirs_seconds, theirs = peer(text)
            if operations(mine) > operations(theirs):
                sys.exit(f"{kind} {n}: ours leaves {operations(mine)} ops, upstream {operations(theirs)}")
            row += [f"{seconds / n * 1e6:.2f}", f"{theirs_seconds / n * 1e6:.2f}"]
        rows.append(row + [f"{operations(mine) / operations(text):.2f}"])
    header = [f"{who} {n}" for n in SIZES for who in ("ours", "peer")]
    table("microseconds an op", ["program", *header, "ops left"], rows)


main()
