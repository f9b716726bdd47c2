#===- run.py - our partition and XLA's own on one backend ----------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Compares the first list of benchmarks/collective_bytes as jax.jit and as shardwright.jax.jit on the same
backend: bytes that a device sends, counted in the backend's optimized programs, and on JAX's CPU with 8
devices the time of a step, in interleaved pairs.

    benchmarks/elsewhere/run.py [-v] [--pairs N] [--list N] [PART OF A NAME...]
    benchmarks/elsewhere/run.py --compiler h100|v5e [-v] ...      compile only, with a vendor's plugin

The ratio of times is the median of the ratios of the pairs. For `--compiler`, vendors.sh installs the
plugins; no GPU or TPU is needed. Exit code 1 if a program cannot be compiled, if results differ, or if our
optimized program on the CPU sends more bytes than planned without a reason (differences.py)."""

import argparse
import os
import statistics
import sys
import time
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE), os.path.join(os.path.dirname(HERE), "collective_bytes")]
sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(HERE)), "python"))
os.environ.setdefault("NPROC", "32")

import differences
import vendors

if any(word.startswith("--compiler") for word in sys.argv):
    vendors.add_to_path()
from common import exporting, table

import jax
import run_programs
import shardwright.jax

SLOW = 1.1  # ratio of step times for which a reason is looked for


class Pair:
    """A program compiled both ways, its counts, and the plan."""

    def __init__(self, program, effort, target):
        self.program = program
        outs = {} if program.out_specs is None else dict(out_shardings=exporting.shardings(program.mesh, program.out_specs))
        options = dict(in_shardings=exporting.shardings(program.mesh, program.in_specs), **outs)
        function = program.make(exporting.constrainer(program.mesh))
        ours = shardwright.jax.jit(function, effort=effort, **options)
        plan = ours.partition(*program.args, stages=(), memory=False, target=target)
        self.compiled = [f.lower(*program.args).compile() for f in (ours, jax.jit(function, **options))]
        self.texts = [c.as_text() for c in self.compiled]
        self.counts = [plan.collectives, *map(shardwright.jax.communication, self.texts)]

    def bytes(self, which):
        """Of the plan (0), our program (1), XLA's (2)."""
        return sum(total["bytes"] for total in self.counts[which].values())

    def number(self, which):
        return sum(total["count"] for total in self.counts[which].values())

    def check(self):
        for who, compiled in zip(("ours", "XLA"), self.compiled):
            self.program.check(who, jax.tree.leaves(compiled(*self.program.args)))

    def times(self, pairs):
        """Returns (our milliseconds, XLA's, ratio) of a step."""
        args = [jax.device_put(tuple(self.program.args), c.input_shardings[0]) for c in self.compiled]
        runs = [lambda c=c, a=a: jax.block_until_ready(c(*a)) for c, a in zip(self.compiled, args)]
        start = time.perf_counter()
        for _ in range(3):
            [run() for run in runs]
        steps = max(1, int(0.02 * 6 / (time.perf_counter() - start)))
        seconds = []
        for i in range(pairs):
            pair = [0.0, 0.0]
            for which in (0, 1) if i % 2 else (1, 0):
                start = time.perf_counter()
                for _ in range(steps):
                    runs[which]()
                pair[which] = (time.perf_counter() - start) / steps
            seconds.append(pair)
        middle = [statistics.median(pair[i] for pair in seconds) * 1e3 for i in (0, 1)]
        return *middle, statistics.median(a / b for a, b in seconds)


def measure(args):
    """Returns (rows, ratios of bytes, ratios of times, names of failures, names of programs with more bytes than
    planned)."""
    rows, byte_ratios, time_ratios, failed, exceeding = [], {}, {}, [], []
    target = vendors.TARGETS[args.compiler] if args.compiler else "cpu"
    for name, make in run_programs.programs(args.list):
        if args.names and not any(part in name for part in args.names):
            continue
        try:
            pair = Pair(make(), args.effort, target)
            if not args.compiler:
                pair.check()
            spent = pair.times(args.pairs) if args.pairs and not args.compiler else None
        except (Exception, SystemExit) as error:
            failed.append(name)
            print(f"{name}: {error}" if isinstance(error, SystemExit) else traceback.format_exc(limit=-3), flush=True)
            continue
        plan, ours, theirs = (pair.bytes(which) for which in range(3))
        lost = differences.lost_results(*pair.texts)
        if lost:
            print(f"{name}: not compared, XLA's own partition returns constants for the results {lost}", flush=True)
        elif ours and theirs:
            byte_ratios[name] = ours / theirs
        reasons, rest = differences.explain(pair.counts[0], pair.texts[0])
        if reasons:
            print(f"{name}: {'; '.join(reasons)}", flush=True)
        if rest and not args.compiler:
            exceeding.append(name)
            more = ", ".join(f"{size:,.0f} bytes of {kind}" for kind, size in rest.items())
            print(f"{name}: error: the compiled program sends {more} more than planned, without a known reason", flush=True)
        ratio = f"{ours / theirs:.2f}" if theirs else ("1.00" if ours == theirs else "inf")
        row = [name, round(plan), round(ours), round(theirs), ratio, *(round(pair.number(i)) for i in range(3))]
        if spent:
            time_ratios[name] = spent[2]
            sides = [(pair.bytes(i), pair.number(i), pair.texts[i - 1]) for i in (1, 2)]
            if spent[2] > SLOW:
                reasons = differences.reasons_for_time(*sides) or ["no known reason"]
                print(f"{name}: {spent[2]:.2f} of the time: {'; '.join(reasons)}", flush=True)
            row += [f"{spent[0]:.2f}", f"{spent[1]:.2f}", f"{spent[2]:.2f}"]
        rows.append(row)
        if args.verbose:
            print(*row, sep=" | ", flush=True)
    return rows, byte_ratios, time_ratios, failed, exceeding


def summarize(what, ratios, limit):
    if not ratios:
        return
    worst = sorted(((r, n) for n, r in ratios.items() if r > limit), reverse=True)
    print(f"\n  {what}, ours over XLA's own partition: {statistics.geometric_mean(ratios.values()):.3f} in geometric mean of {len(ratios)} programs")
    print(f"  above {limit}: " + ("; ".join(f"{n} {r:.2f}" for r, n in worst) or "none"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*")
    parser.add_argument("-v", "--verbose", action="store_true", help="print a program as soon as it is measured")
    parser.add_argument("--pairs", type=int, default=15, help="pairs of measurements; 0: no times")
    parser.add_argument("--effort", type=int, default=1)
    parser.add_argument("--list", type=int, default=1, choices=(1, 2, 3), help="of benchmarks/collective_bytes")
    parser.add_argument("--compiler", choices=tuple(vendors.COMPILERS), help="compile for 8 of these devices, without running")
    args = parser.parse_args()
    if args.compiler:
        devices = vendors.devices(args.compiler)
        exporting.make_mesh = lambda **axes: vendors.make_mesh(devices, axes)
    rows, byte_ratios, time_ratios, failed, exceeding = measure(args)
    header = ["program", "planned", "ours", "XLA", "ratio", "collectives: planned", "ours", "XLA"]
    header += ["ours, ms", "XLA, ms", "ratio"] if time_ratios else []
    where = args.compiler or f"{jax.default_backend()}, {len(jax.devices())} devices"
    table(f"bytes sent by a device in a step on {where}", header, rows)
    summarize("bytes", byte_ratios, 1.05)
    summarize("step time", time_ratios, SLOW)
    if failed:
        print(f"not measured: {', '.join(failed)}")
    if exceeding:
        print(f"more bytes than planned: {', '.join(exceeding)}")
    sys.exit(1 if failed or exceeding else 0)


if __name__ == "__main__":
    main()
