#===- real_steps.py - real steps of shardings that are found ---------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""The largest programs of run.py on the virtual devices of this CPU: one step of the program as people annotated it, and of
the same program without annotations after `shardwright auto`, which uses a machine file that `shardwright measure` makes
here (or --machine-file names) and the annotated program's memory. Both are partitioned for that machine, so that what
runs is what was predicted: without a machine the partitioner counts bytes and joins collectives as for an accelerator.
Results on random arguments are compared first; then both programs run in alternating order, each time in a process of its
own of some steps, and the medians of the processes' medians count.

    benchmarks/auto/real_steps.py [--programs N] [--runs N] [--modules FOLDER] [--machine-file FILE] [PART OF A NAME...]

Prints found over annotated, measured (by medians, and by the least seconds of a step, for machines with other load) and
predicted. Exit code 1 if results differ, a program fails, or a ratio exceeds 1.05."""

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from run import TOOL, annotated, auto, export, mean

MOST = 1.05
#: Steps of one process.
STEPS = 20
# Sums in another order change gradients at kinks: of a T5 step on one device and as annotated, by 2.3e-4.
TOLERANCE = ["--rtol=2e-3", "--atol=5e-4"]


def tool(*arguments):
    done = subprocess.run([TOOL, *arguments], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{arguments[0]}: {done.stderr.strip()[:500] or done.stdout.strip()[-500:]}")
    return done.stdout


def mesh_of(path):
    axes = re.search(r"sdy\.mesh @\w+ = <\[([^\]]*)\]", open(path).read()).group(1)
    return ",".join(f"{name}={size}" for name, size in re.findall(r'"([^"]+)"=(\d+)', axes))


def seconds(executable):
    """Median and least seconds of some steps in a new process."""
    runs = json.loads(tool("run-saved", executable, "--random=1", f"--repeat={STEPS}", "--stats=json").splitlines()[-1])["runs"]
    return runs["median_seconds"], runs["min_seconds"]


def measure(path, machine, folder, runs):
    given, peak = annotated(path, machine)
    found_path = os.path.join(folder, "found.mlir")
    found, _ = auto(path, f"--machine={machine}", "--drop=all", f"--memory={int(peak)}", "-o", found_path)
    if not found["found"]["fits"]:
        raise RuntimeError(f"nothing fits; the least memory found is {found['found']['peak_bytes']:.0f} bytes")
    expected = os.path.join(folder, "expected.npz")
    files = []
    for name, module in (("annotated", path), ("found", found_path)):
        files.append(os.path.join(folder, name + ".bin"))
        compare = [f"--out={expected}"] if name == "annotated" else [f"--expect={expected}", *TOLERANCE]
        tool("run", module, f"--machine={machine}", "--random=1", f"--save={files[-1]}", *compare)
    taken = [], []
    for run in range(runs):
        for i in (0, 1) if run % 2 else (1, 0):
            taken[i].append(seconds(files[i]))
    return taken, found["found"]["step_seconds"] / given


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--programs", type=int, default=10)
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--modules")
    parser.add_argument("--machine-file")
    args = parser.parse_args()
    bad, ratios = [], []
    with tempfile.TemporaryDirectory() as scratch:
        rows = export(args.modules or scratch, lambda _, name, __: not args.names or any(part in name for part in args.names))
        rows.sort(key=lambda row: -os.path.getsize(row[2]))
        machines = {}
        for _, name, path in rows[: args.programs]:
            mesh = mesh_of(path)
            if args.machine_file:
                machines[mesh] = args.machine_file
            elif mesh not in machines:
                machines[mesh] = os.path.join(scratch, f"machine{len(machines)}.json")
                tool("measure", "--mesh", mesh, "-o", machines[mesh])
            try:
                taken, predicted = measure(path, machines[mesh], scratch, args.runs)
            except RuntimeError as error:
                bad.append(f"{name}: {error}")
                continue
            given, found = (statistics.median(median for median, _ in rows) for rows in taken)
            least = [min(shortest for _, shortest in rows) for rows in taken]
            measured = found / given
            print(
                f"{name}: measured {measured:.3f} ({found * 1e3:.2f} ms over {given * 1e3:.2f} ms),"
                f" by the least {least[1] / least[0]:.3f}, predicted {predicted:.3f}",
                flush=True,
            )
            ratios.append(measured)
            if measured > MOST:
                bad.append(f"{name}: takes {measured:.3f} of the annotated program's step")
    print(f"found / annotated, measured: geometric mean {mean(ratios):.3f}, most {max(ratios, default=float('nan')):.3f}")
    print("\n".join(bad))
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
