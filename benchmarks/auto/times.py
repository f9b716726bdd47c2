#===- times.py - time and memory of a search -------------------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""What `shardwright auto --drop=all` takes on the programs of benchmarks/propagate: seconds, CPU seconds (of all threads),
CPU microseconds per op and trial, and the largest memory of the process, at efforts 0 and 1. Then the CPU time per trial
on a mesh of 1,048,576 devices over that on 8 devices, of layers whose layouts are given, so that they are equal on both.

    benchmarks/auto/times.py [--sizes 1000,25000,100000] [--families "GPT, no constraints;conv net"] [--cpu]

Exit code 1 if a search fails, exceeds the goals (on two idle cores: 1,000 ops in 2 s, 25,000 in 8 s, 100,000 in 20 s at
effort 1, a third at effort 0, 4 GiB), or takes 5 % longer on the larger mesh. With `--cpu`, half of the CPU seconds count
instead of the seconds: for a machine that does other work too."""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "propagate")]
from run import TOOL, machine  # before programs, whose folders have a run.py too

import programs

GOALS = {1000: 2.0, 25000: 8.0, 100000: 20.0}
MOST_BYTES = 4 << 30
CORES = 2


def search(module, machine_file, *options, drop=True):
    """Runs one search. Returns its seconds, CPU seconds, bytes of memory and answer (None if it fails)."""
    with tempfile.TemporaryFile("w+") as out:
        started = time.monotonic()
        command = [TOOL, "auto", module, f"--machine={machine_file}", "--report=json", *options]
        command += ["--drop=all"] if drop else []
        child = subprocess.Popen(command, stdout=out)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        seconds = time.monotonic() - started
        out.seek(0)
        answer = json.loads(out.read() or "null") if child.returncode in (0, 1) else None
    return seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024, answer


def fixed_layers(axes, layers=400):
    """Layers of two matrices, split as Megatron does; all arguments have layouts, whatever the sizes of the axes."""
    tensor = "tensor<4096x4096xf32>"
    sizes = ", ".join(f'"{name}"={size}' for name, size in zip(("data", "model"), axes))

    def argument(name, rows, columns):
        return f"%{name}: {tensor} {{sdy.sharding = #sdy.sharding<@mesh, [{{{rows}}}, {{{columns}}}]>}}"

    arguments, body, x = [argument("x", '"data"', "")], [], "%x"
    for i in range(layers):
        arguments += [argument(f"u{i}", "", '"model"'), argument(f"v{i}", '"model"', "")]
        product = f"contracting_dims = [1] x [0] : ({tensor}, {tensor}) -> {tensor}"
        body += [
            f"%a{i} = stablehlo.dot_general {x}, %u{i}, {product}",
            f"%b{i} = stablehlo.tanh %a{i} : {tensor}",
            f"%c{i} = stablehlo.dot_general %b{i}, %v{i}, {product}",
            f"%d{i} = stablehlo.add %c{i}, {x} : {tensor}",
        ]
        x = f"%d{i}"
    lines = "\n  ".join(body)
    return f"""sdy.mesh @mesh = <[{sizes}]>
func.func @main({", ".join(arguments)}) -> {tensor} {{
  {lines}
  return {x} : {tensor}
}}
"""


def trial_on_large_mesh(folder, machine_file):
    """CPU seconds of a trial on 1,048,576 devices over those on 8. What each run needs besides trials is subtracted."""
    each = []
    for axes in ((2, 4), (1024, 1024)):
        path = os.path.join(folder, "fixed.mlir")
        with open(path, "w") as out:
            out.write(fixed_layers(axes))
        few, many = (search(path, machine_file, f"--effort={effort}", drop=False) for effort in (0, 1))
        if not few[3] or not many[3]:
            return float("nan")
        # Plans with the shardings of earlier ones are not trials, but take time: more of them on one mesh than on the other.
        each.append((many[1] - few[1]) / (many[3]["trials_spent"] - few[3]["trials_spent"]))
    return each[1] / each[0]


def goal(ops):
    """Seconds at effort 1: of the nearest size that is at least as large."""
    return next((seconds for size, seconds in sorted(GOALS.items()) if ops <= 1.25 * size), GOALS[max(GOALS)] * ops / max(GOALS))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="1000,25000,100000")
    parser.add_argument("--families", default="GPT, no constraints;conv net")
    parser.add_argument("--cpu", action="store_true", help="judge half of the CPU seconds instead of the seconds")
    args = parser.parse_args()
    sizes = [int(size) for size in args.sizes.split(",")]
    bad = []
    with tempfile.TemporaryDirectory() as folder:
        machine_file = os.path.join(folder, "machine.json")
        with open(machine_file, "w") as out:
            json.dump(machine("one speed", []), out)
        for family in args.families.split(";"):
            for size in sizes:
                path = os.path.join(folder, f"{family}{size}.mlir")
                with open(path, "w") as out:
                    out.write(programs.FAMILIES[family](size))
                for effort in (0, 1):
                    seconds, cpu, memory, answer = search(path, machine_file, f"--effort={effort}")
                    name = f"{family}, {size} ops, effort {effort}"
                    if not answer:
                        bad.append(f"{name}: failed")
                        continue
                    trials = answer["trials"]
                    print(
                        f"{name}: {seconds:.1f} s, {cpu:.1f} CPU s, {trials} trials, {cpu / trials / size * 1e6:.1f} us per op"
                        f" and trial, {memory / 2**30:.2f} GiB",
                        flush=True,
                    )
                    most = goal(size) / (1 if effort else 3)
                    if (cpu / CORES if args.cpu else seconds) > most:
                        bad.append(f"{name}: more than {most:.1f} s")
                    if memory > MOST_BYTES:
                        bad.append(f"{name}: more than 4 GiB")
        ratio = trial_on_large_mesh(folder, machine_file)
        print(f"CPU time of a trial on 1,048,576 devices over that on 8: {ratio:.3f}")
        if not ratio <= 1.05:
            bad.append(f"a trial on the larger mesh takes {ratio:.3f} of the time")
    print("\n".join(bad))
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
