#===- frontend_examples.py - the examples of the front end against JAX ----===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Runs the programs of examples/cpp and their twins in JAX. Losses must fall, and agree in each line to
what rounding explains; so must the numbers of the other programs. The program for 4096 devices has no twin."""

# Feature: output-shardings
import os
import re
import signal
import subprocess
import sys
import tempfile

import oracle

args = oracle.arguments(__doc__, cases=2, long_cases=2)
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.environ.get("SHARDWRIGHT_BUILD", "build")
# Optimizers amplify rounding: the tolerance, relative to the first loss.
TOLERANCE = 2e-3
# XLA's CPU client ends the process where a collective waits too long for a device's thread, or waits forever, which
# happens on machines with fewer cores than devices. That is no difference between the two programs.
XLA_ATTEMPTS = 3
SECONDS = 250


def output(command, attempts=1):
    for attempt in range(attempts):
        try:
            run = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
        except subprocess.TimeoutExpired:
            report, again = f"{' '.join(command)} did not end in {SECONDS} s", True
        else:
            if run.returncode == 0:
                return run.stdout
            report = f"{' '.join(command)} ended with {run.returncode}: {run.stderr[:2000]}\n...\n{run.stderr[-500:]}"
            again = run.returncode == -signal.SIGABRT
        if not again or attempt + 1 == attempts:
            raise RuntimeError(report)
        print(report, flush=True)


def ours(name, *arguments):
    return output([os.path.join(BUILD, "bin", f"example_{name}"), *arguments])


def twin(name):
    return output([sys.executable, os.path.join(ROOT, "examples", "cpp", f"{name}.py")], XLA_ATTEMPTS)


def losses(text):
    return [(int(step), float(loss)) for step, loss in re.findall(r"step +(\d+) loss ([-\d.naif]+)", text)]


def trains(tally, name):
    mine, theirs = losses(ours(name)), losses(twin(name))
    if not mine or [step for step, _ in mine] != [step for step, _ in theirs]:
        tally.fail(name, f"{mine}\nJAX: {theirs}")
        return
    if not mine[-1][1] < 0.5 * mine[0][1]:
        tally.fail(f"{name} learns", str(mine))
    for (step, a), (_, b) in zip(mine, theirs):
        if abs(a - b) <= TOLERANCE * mine[0][1]:
            tally.ok()
        else:
            tally.fail(f"{name} step {step}", f"loss {a}, JAX {b}")


def numbers(line):
    return [float(n) for n in re.findall(r"-?\d+(?:\.\d+)?", line)]


def computes(tally, name, text, last):
    """The lines of the twin, number by number, and a last line that only our program prints."""
    mine, theirs = text.splitlines(), twin(name).splitlines()
    tally.equal(f"{name}: last line", last, mine[-1] if mine else "")
    tally.equal(f"{name}: number of lines", len(theirs), len(mine) - 1)
    for a, b in zip(mine, theirs):
        pairs = list(zip(numbers(a), numbers(b), strict=True))
        if pairs and all(abs(x - y) <= 2e-5 * max(1, abs(y)) for x, y in pairs):
            tally.ok()
        else:
            tally.fail(name, f"{a}\nJAX: {b}")


def main():
    tally = oracle.Tally("frontend_examples")
    for name in ("mlp", "gpt", "pmap"):
        trains(tally, name)
    computes(tally, "ring_attention", ours("ring_attention"), "the ring differs from one device by less than 1e-5: yes")
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "predict")
        ours("save_and_load", "save", file)
        computes(tally, "save_and_load", ours("save_and_load", "run", file), "compiled in this process: no")
    text = ours("kernels")
    # The mistake has no twin.
    lines = [line for line in text.splitlines(True) if not line.startswith("without a wait: ")]
    tally.equal("kernels: the race", 1, len(re.findall("without a wait: .*a race in vmem1 .*wait for the copy", text)))
    computes(tally, "kernels", "".join(lines), "the kernel differs from matmul by less than 1e-4: yes")
    report = ours("many_devices")
    for text in ("on 4096 devices, mesh data=64, sequence=64", "collective_permute", "all_reduce"):
        if text in report:
            tally.ok()
        else:
            tally.fail(f"many_devices: {text}", report[:3000])
    tally.finish()


main()
