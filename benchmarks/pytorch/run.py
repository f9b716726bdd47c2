#!/usr/bin/env python3
#===- run.py - training steps of PyTorch beside PyTorch/XLA's CPU device ------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Times of training steps and of compilation, on eight of our devices and on eight devices of PyTorch/XLA's own
CPU backend, which take turns in one run. Prints a row for each program, and the geometric means of the
ratios. Needs .venv-torch (scripts/bootstrap.sh pytorch), or SHARDWRIGHT_TORCH_PYTHON."""

import argparse
import json
import math
import os
import statistics
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
PROGRAMS = ("mlp", "conv", "gpt", "lstm")
MODES = ("plain", "data", "tensor")
DEVICES = ("SHARDWRIGHT", "CPU")


class Worker:
    def __init__(self, python, device, program, mode):
        env = dict(os.environ, PJRT_DEVICE=device, SHARDWRIGHT_NUM_DEVICES="8", CPU_NUM_DEVICES="8", TF_CPP_MIN_LOG_LEVEL="3")
        command = [python, os.path.join(HERE, "worker.py"), program, mode]
        self.process = subprocess.Popen(
            command, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        self.compile = self.answer()
        self.wall, self.cpu = [], []

    def answer(self):
        line = self.process.stdout.readline()
        if not line:
            sys.exit(f"the worker ended with {self.process.wait()}: {' '.join(self.process.args)}")
        return json.loads(line)

    def steps(self, count):
        self.process.stdin.write(f"{count}\n")
        self.process.stdin.flush()
        found = self.answer()
        self.wall += found["wall"]
        self.cpu.append(found["cpu"])

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def geometric_mean(values):
    return math.exp(sum(math.log(v) for v in values) / len(values))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", default=",".join(PROGRAMS))
    parser.add_argument("--modes", default=",".join(MODES))
    parser.add_argument("--rounds", type=int, default=5, help="turns of each device type")
    parser.add_argument("--steps", type=int, default=10, help="steps of a turn")
    parser.add_argument("--json", metavar="FILE", help="write the times there")
    args = parser.parse_args()
    python = os.environ.get("SHARDWRIGHT_TORCH_PYTHON") or os.path.join(ROOT, ".venv-torch", "bin", "python")
    if not os.path.exists(python):
        sys.exit("benchmarks/pytorch: no .venv-torch: scripts/bootstrap.sh pytorch makes it (7 GB)")
    print(f"{'program':14} {'step ms':>9} {'CPU dev.':>9} {'ratio':>6} {'CPU time':>9} {'CPU dev.':>9} {'ratio':>6} {'compile s':>9} {'CPU dev.':>9} {'ratio':>6}")
    rows = []
    for program in args.programs.split(","):
        for mode in args.modes.split(","):
            ours, theirs = workers = [Worker(python, device, program, mode) for device in DEVICES]
            for _ in range(args.rounds):
                for worker in workers:
                    worker.steps(args.steps)
            for worker in workers:
                worker.end()
            pairs = [
                [1e3 * statistics.median(w.wall) for w in workers],
                [1e3 * statistics.median(w.cpu) for w in workers],
                [ours.compile, theirs.compile],
            ]
            rows.append({"program": program, "mode": mode, "step": pairs[0], "cpu": pairs[1], "compile": pairs[2]})
            print(f"{program + ' ' + mode:14} " + " ".join(f"{a:9.2f} {b:9.2f} {a / b:6.2f}" for a, b in pairs), flush=True)
    for what in ("step", "cpu", "compile"):
        print(f"geometric mean of the ratios, {what}: {geometric_mean([r[what][0] / r[what][1] for r in rows]):.2f}")
    if args.json:
        with open(args.json, "w") as file:
            json.dump(rows, file, indent=1)


if __name__ == "__main__":
    main()
