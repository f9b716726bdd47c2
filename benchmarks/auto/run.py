#===- run.py - shardings that are found beside those that people wrote ----===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""The programs of benchmarks/collective_bytes as people annotated them, and without their annotations: `shardwright auto
--drop=all` finds shardings anew, within the memory that the annotated program takes. Prints the predicted step of what
is found over that of the annotated program and over that of the best layout that needs no search, on three machines of
the programs' size: one with links of one speed, one whose first axis is slow, and one where computing is cheap.

    benchmarks/auto/run.py [-v] [--list N] [--machine NAME] [--effort N] [--modules FOLDER] [--shard K/N] [--results FILE]
                           [PART OF A NAME...]

--modules keeps the exported programs in a folder; --shard takes each Nth program from the Kth (from 0) on, for several
processes; --results appends what is measured to a file, a line of JSON for each program and machine, and leaves out what the
file has already. The summary then is of the whole file. Exit code 1 if a program cannot be sharded."""

import argparse
import json
import math
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.environ.get("SHARDWRIGHT_BUILD", os.path.join(ROOT, "build"))
TOOL = os.path.join(BUILD, "bin", "shardwright")

# Programs of these sizes would run on one device of a real machine. Arithmetic, memory and links are as much slower as the
# programs are smaller: matrices of some hundred columns instead of some ten thousand.
BASE = {
    "flops_per_second": {"default": 5e10},
    "memory": {"bytes": 1e12, "bytes_per_second": 2e11},
    "link": {"bytes_per_second": 1e10, "latency_seconds": 2e-7, "directions": 2},
}


def machine(name, axes):
    """The machine `name` for a mesh with these axes."""
    made = json.loads(json.dumps(BASE)) | {"name": name}
    if name == "slow axis":
        made["links"] = {axes[0]: {"bytes_per_second": 1.5e9, "latency_seconds": 1e-6, "directions": 1}}
    if name == "cheap computing":
        made["flops_per_second"]["default"] = 5e11
        made["memory"]["bytes_per_second"] = 1e12
    return made


MACHINES = ["one speed", "slow axis", "cheap computing"]


def export(folder, chosen, keep=True):
    """Writes the programs to a folder, or finds them there. Returns (list, name, path) of those that are chosen. Without
    `keep`, writes no others."""
    index = os.path.join(folder, "index.json")
    if not os.path.exists(index):
        sys.path.insert(0, os.path.join(ROOT, "benchmarks", "collective_bytes"))
        import run as collective_bytes
        import suite

        rows = []
        lists = [collective_bytes.programs(), *(collective_bytes.later_programs(s) for s in (suite.SECOND, suite.THIRD))]
        for number, programs in enumerate(lists, 1):
            for name, make in programs:
                path = os.path.join(folder, f"{len(rows)}.mlir")
                if not keep and not chosen(number, name, path):
                    continue
                with open(path, "w") as file:
                    file.write(make().text)
                rows.append([number, name, path])
                print(f"\rexported {len(rows)}", end="", file=sys.stderr, flush=True)
        print(file=sys.stderr)
        with open(index, "w") as file:
            json.dump(rows, file)
        if not keep:
            return rows
    with open(index) as file:
        return [row for row in json.load(file) if chosen(*row)]


def auto(module, *options):
    started = time.monotonic()
    done = subprocess.run([TOOL, "auto", module, "--report=json", *options], capture_output=True, text=True)
    if not done.stdout:
        raise RuntimeError(done.stderr.strip().splitlines()[0] if done.stderr.strip() else f"exit code {done.returncode}")
    return json.loads(done.stdout), time.monotonic() - started


def annotated(module, machine_file):
    """The predicted step and peak of a program as it is annotated."""
    done = subprocess.run(
        [TOOL, "partition", module, f"--machine={machine_file}", "--report=json"], capture_output=True, text=True
    )
    if done.returncode:
        raise RuntimeError(done.stderr.strip().splitlines()[0] if done.stderr.strip() else f"exit code {done.returncode}")
    report = json.loads(done.stdout)
    return report["predicted_step"]["step_seconds"], report["predicted_peak"]["bytes"]


def measure(module, name, effort, folder):
    text = open(module).read()
    axes = re.findall(r'"([^"]+)"=\d+', re.search(r"sdy\.mesh @\w+ = <\[([^\]]*)\]", text).group(1))
    file = os.path.join(folder, "machine.json")
    with open(file, "w") as out:
        json.dump(machine(name, axes), out)
    given, peak = annotated(module, file)
    found, seconds = auto(module, f"--machine={file}", "--drop=all", f"--effort={effort}", f"--memory={int(peak)}")
    fitting = [c["step_seconds"] for c in found["compared"] if c["fits"]]
    return dict(
        given=given,
        found=found["found"]["step_seconds"],
        fits=found["found"]["fits"],
        recipe=min(fitting, default=None),
        trials=found["trials"],
        seconds=seconds,
        over=found["found"]["peak_bytes"] / max(peak, 1),
    )


def mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else float("nan")


def read_results(path):
    """By machine and program."""
    if not path or not os.path.exists(path):
        return {}
    with open(path) as file:
        return {(row["machine"], row["program"]): row for row in map(json.loads, file)}


def summary(machine_name, rows):
    print(f"\n{machine_name}: {len(rows)} programs")
    fits = {n: r for n, r in rows.items() if r["fits"] and r["given"] > 0 and r["found"] > 0}
    ratios = {n: r["found"] / r["given"] for n, r in fits.items()}
    print(f"  fit in the memory of the annotated program: {len(fits)} of {len(rows)}")
    if not ratios:
        return
    print(f"  found / annotated: geometric mean {mean(list(ratios.values())):.3f}, median {statistics.median(ratios.values()):.3f}")
    above = {n: q for n, q in ratios.items() if q > 1.0001}
    print(f"  above the annotated program: {len(above)}")
    recipes = [r["found"] / r["recipe"] for r in fits.values() if r["recipe"]]
    if recipes:
        print(f"  found / best recipe that fits: geometric mean {mean(recipes):.3f}, median {statistics.median(recipes):.3f}, worst {max(recipes):.3f}")
    print(f"  seconds: median {statistics.median(r['seconds'] for r in rows.values()):.2f},"
          f" most {max(r['seconds'] for r in rows.values()):.2f}")
    print("  worst: " + "; ".join(f"{n} {q:.2f}" for n, q in sorted(ratios.items(), key=lambda i: -i[1])[:10]))
    missing = [f"{n} ({r['over']:.2f} of it)" for n, r in rows.items() if not r["fits"]]
    if missing:
        print("  do not fit, with the least memory that was found: " + "; ".join(missing))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*")
    parser.add_argument("-v", action="store_true")
    parser.add_argument("--list", type=int)
    parser.add_argument("--machine", choices=MACHINES, action="append")
    parser.add_argument("--effort", type=int, default=1)
    parser.add_argument("--modules")
    parser.add_argument("--shard", default="0/1")
    parser.add_argument("--results")
    args = parser.parse_args()
    failed = []
    with tempfile.TemporaryDirectory() as scratch:
        if args.modules:
            os.makedirs(args.modules, exist_ok=True)
        modules = export(
            args.modules or scratch,
            lambda number, name, _: (not args.list or number == args.list)
            and (not args.names or any(part in name for part in args.names)),
            keep=bool(args.modules),
        )
        shard, shards = map(int, args.shard.split("/"))
        for name in args.machine or MACHINES:
            rows = {program: row for (machine_name, program), row in read_results(args.results).items() if machine_name == name}
            for _, program, path in modules[shard::shards]:
                if program in rows:
                    continue
                try:
                    rows[program] = measure(path, name, args.effort, scratch)
                except RuntimeError as error:
                    failed.append(program)
                    print(f"{program}: {error}")
                    continue
                row = rows[program]
                if args.results:
                    with open(args.results, "a") as file:
                        file.write(json.dumps(dict(machine=name, program=program, **row)) + "\n")
                if args.v:
                    print(f"{program}: {row['found'] / max(row['given'], 1e-30):.3f}{'' if row['fits'] else ' does not fit'}"
                          f" ({row['trials']} trials, {row['seconds']:.1f} s)", flush=True)
            if rows:
                summary(name, rows)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
