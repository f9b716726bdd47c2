#===- frontend_examples.py - the examples of the front end against JAX ----===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Runs the programs of examples/cpp and their twins in JAX. The losses must fall, and agree in each
line to what rounding explains."""

import os
import re
import signal
import subprocess
import sys

import oracle

args = oracle.arguments(__doc__, cases=2, long_cases=2)
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.environ.get("SHARDWRIGHT_BUILD", "build")
# Optimizers amplify rounding: the tolerance, relative to the first loss.
TOLERANCE = 2e-3
# XLA's CPU client ends the process where a collective waits too long for a device's thread, which happens on
# machines that do other work. That is no difference between the two programs.
XLA_ATTEMPTS = 3


def losses(command, attempts=1):
    for attempt in range(attempts):
        run = subprocess.run(command, capture_output=True, text=True, timeout=900)
        if run.returncode == 0:
            break
        report = f"{' '.join(command)} ended with {run.returncode}: {run.stderr[:2000]}\n...\n{run.stderr[-500:]}"
        if run.returncode != -signal.SIGABRT or attempt + 1 == attempts:
            raise RuntimeError(report)
        print(report)
    return [(int(step), float(loss)) for step, loss in re.findall(r"step +(\d+) loss ([-\d.naif]+)", run.stdout)]


def main():
    tally = oracle.Tally("frontend_examples")
    for name in ("mlp", "gpt"):
        ours = losses([os.path.join(BUILD, "bin", f"example_{name}")])
        theirs = losses([sys.executable, os.path.join(ROOT, "examples", "cpp", f"{name}.py")], XLA_ATTEMPTS)
        if not ours or [step for step, _ in ours] != [step for step, _ in theirs]:
            tally.fail(name, f"{ours}\nJAX: {theirs}")
            continue
        if not ours[-1][1] < 0.5 * ours[0][1]:
            tally.fail(f"{name} learns", str(ours))
        for (step, a), (_, b) in zip(ours, theirs):
            if abs(a - b) <= TOLERANCE * ours[0][1]:
                tally.ok()
            else:
                tally.fail(f"{name} step {step}", f"loss {a}, JAX {b}")
    tally.finish()


main()
