#===- run.py - complete programs: ours and XLA's CPU backend --------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Measures programs on 8 virtual devices (or one) and at most 2 cores: wall and CPU time of a step on
device arrays, time to compile, planned bytes of a device (arguments, results and temporaries), and
growth of the process at its peak. Each side is a separate process, which has compiled a small
program before. The sides alternate in one run; the best turn counts. The results are compared
first.

    benchmarks/programs/run.py [--turns N] [--seconds S] [--rounds R] [--dots] [-v] [PART OF A NAME...]
"""

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:2])
from common import BUILD, table

import dots
import numpy as np
import programs

OURS = os.path.join(BUILD, "bin", "run_program")
# Sums of many terms, and iterative LAPACK functions: errors relative to the largest element of the
# array.
RTOL = 2e-3


class Side:
    """A process that answers lines with lines of JSON."""

    def __init__(self, command):
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )

    def ask(self, line):
        if line is not None:
            self.process.stdin.write(line + "\n")
        answer = self.process.stdout.readline()
        if not answer:
            raise RuntimeError(f"{' '.join(self.process.args)} ended")
        return json.loads(answer)

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def differ(stem):
    """Returns the difference between the results, or None."""
    with np.load(stem + ".ours.npz") as mine, np.load(stem + ".xla.npz") as peer:
        if sorted(mine.files) != sorted(peer.files):
            return "the number of results"
        for key in peer.files:
            a, b = mine[key], peer[key]
            if a.dtype == np.uint16 and b.dtype == np.float32:  # bfloat16
                a = (a.astype(np.uint32) << 16).view(np.float32)
            if a.shape != b.shape or a.dtype != b.dtype:
                return f"the type of {key}"
            scale = np.max(np.abs(b)) if b.size else 0
            rtol = 3e-2 if mine[key].dtype == np.uint16 else RTOL
            exact = b.dtype.kind in "iub"
            wrong = a != b if exact else ~(np.abs(a - b) <= rtol * scale)
            # An element close to a threshold may be on either side of it.
            if np.count_nonzero(wrong) > (1e-4 * wrong.size if exact else 0):
                return f"{np.count_nonzero(wrong)} of {wrong.size} elements of {key}"
    return None


def least(old, new):
    return old | {k: min(v, old.get(k, v)) for k, v in new.items()}


def measure(name, xla, stem, turns, seconds):
    """Returns ({measurement: value} of ours, of XLA's). None if the results differ or are missing."""
    peer = xla.ask(f"{name}\t{stem}")
    ours = Side([OURS, stem])
    try:
        try:
            mine = ours.ask(None)
        except RuntimeError as error:
            print(f"{name}: {error}")
            return None
        if what := differ(stem):
            print(f"{name}: {what} differ: its figures mean nothing")
            return None
        mine["compile cpu"], peer["compile cpu"] = mine.pop("cpu"), peer.pop("cpu")
        for _ in range(turns):
            mine = least(mine, ours.ask(str(seconds)))
            peer = least(peer, xla.ask(str(seconds)))
    finally:
        ours.end()
        xla.process.stdin.write("\n")
    for side in (mine, peer):
        side["planned"] = side["arguments"] + side["results"] + side["temporaries"]
    return mine, peer


COLUMNS = [
    ("step", "step ms", 1e3, "{:.2f}"),
    ("cpu", "its CPU ms", 1e3, "{:.2f}"),
    ("compile", "compile ms", 1e3, "{:.0f}"),
    ("compile cpu", "its CPU ms", 1e3, "{:.0f}"),
    ("planned", "a device MiB", 2**-20, "{:.2f}"),
    ("grown", "process MiB", 2**-20, "{:.0f}"),
]
SHOWN = ("step", "cpu", "compile", "compile cpu")


def print_tables(measured):
    for title, columns in (
        ("a step (answers compared first; best turn)", COLUMNS[:2]),
        ("compile time", COLUMNS[2:4]),
        ("memory", COLUMNS[4:]),
    ):
        rows = []
        for name, (mine, peer) in measured.items():
            row = [name]
            for key, _, unit, form in columns:
                a, b = mine[key] * unit, peer[key] * unit
                row += [form.format(a), form.format(b), f"{a / b:.2f}" if b else "-"]
            rows.append(row)
        last = ["geometric mean"]
        for key, *_ in columns:
            ratios = [m[key] / p[key] for m, p in measured.values() if p[key] and m[key]]
            last += ["", "", f"{math.exp(np.mean(np.log(ratios))):.2f}"]
        header = [cell for _, label, *_ in columns for cell in (label, "XLA", "ratio")]
        table(title, ["program", *header], rows + [last])


def print_dots(measured):
    """Prints the rate of one core, by CPU time."""
    rows = []
    for name, sides in measured.items():
        rates = [dots.FLOPS[name] / side["cpu"] / 1e9 for side in sides]
        rows.append([name, *(f"{r:.0f}" for r in rates), f"{rates[0] / rates[1]:.1f}"])
    table("Gflop/s a core (answers compared first)", ["product", "ours", "XLA", "ratio"], rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--turns", type=int, default=4)
    parser.add_argument("--seconds", type=float, default=0.1)
    parser.add_argument("--rounds", type=int, default=2, help="processes of each side")
    parser.add_argument("--dots", action="store_true", help="matrix products of each shape class")
    parser.add_argument("-v", "--verbose", action="store_true", help="each program's ratios at once")
    args = parser.parse_args()
    every = dots.DOTS if args.dots else programs.PROGRAMS
    names = [n for n in every if not args.names or any(part in n for part in args.names)]
    if args.verbose:
        print("ours / XLA:", ", ".join(SHOWN))
    xla = Side([sys.executable, os.path.join(HERE, "peer.py")])
    measured, wrong = {}, set()
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(args.rounds):
            for i, name in enumerate(names):
                stem = os.path.join(folder, str(i))
                figures = measure(name, xla, stem, args.turns, args.seconds)
                if figures is None:
                    wrong.add(name)
                    continue
                before = measured.get(name, ({}, {}))
                measured[name] = tuple(map(least, before, figures))
                if args.verbose:
                    print(name, *(f"{figures[0][k] / figures[1][k]:.2f}" for k in SHOWN), flush=True)
    xla.end()
    if args.dots:
        print_dots(measured)
    else:
        print_tables(measured)
    slow = [n for n, (m, p) in measured.items() if m["step"] > 4 * p["step"]]
    if slow:
        print("\n  more than 4 times XLA's step time:", ", ".join(slow))
    sys.exit(1 if slow or wrong else 0)


if __name__ == "__main__":
    main()
