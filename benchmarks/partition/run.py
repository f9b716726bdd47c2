#===- run.py - time of the partitioner and of propagation -----------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""CPU milliseconds of propagation and of both stages of the partitioner, in the same runs. Stage
`insert` makes the program with collectives over named axes (calls inlined); stage `localize` makes
the program of one device, with its lists of devices. The peer of `insert` is Shardy's
`sdy-insert-explicit-reshards` and `sdy-reshard-to-collectives`. The programs are those of
../propagate at every size, and all programs of ../collective_bytes together. The last table is one
program on meshes of 8 and of 1,048,576 devices.

    run.py [--sizes 2000,20000,100000] [--efforts 0,1,2] [--no-peer] [--no-models]

Exit code 1 if partitioning at effort 1 takes more than twice the time of propagation, or `insert`
takes 5 % longer on the larger mesh."""

import argparse
import contextlib
import io
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
for folder in ("", "propagate", "collective_bytes"):
    sys.path.insert(0, os.path.join(os.path.dirname(HERE), folder))
import common
import exporting
import jax
import models  # the import fills suite.PROGRAMS
import numerics  # noqa: F401
import programs
import suite

TURNS, RUNS = 3, 4
MOST = 2.0  # times the time of propagation
OURS = [os.path.join(common.BUILD, "bin", "partition_module")]
PEER = [sys.executable, os.path.join(HERE, "peer.py")]


def measure(command, *arguments):
    done = subprocess.run([*command, *map(str, arguments)], capture_output=True, text=True)
    if done.returncode != 0:
        print(f"{os.path.basename(command[-1])} {' '.join(map(str, arguments))}: {done.stderr[-500:]}")
        return None
    return json.loads(done.stdout.splitlines()[-1])


def best_of(questions, turns):
    """Returns the best of every measurement of each question, in alternating runs. None if one failed."""
    best = [{} for _ in questions]
    for _ in range(turns):
        for i, question in enumerate(questions):
            figures = best[i] is not None and measure(*question)
            best[i] = {k: min(v, best[i].get(k, v)) for k, v in figures.items()} if figures else None
    return best


def write(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, "w") as out:
        out.write(text)
    return path


def milliseconds(seconds):
    return f"{seconds * 1e3:.1f}"


def ratio(one):
    return (one["insert"] + one["localize"]) / one["propagate"]


def row(name, effort, one, first, peer):
    times = [milliseconds(one[k]) for k in ("propagate", "insert", "localize")]
    both = lambda of: (of["insert"] + of["localize"]) / of["inserted"]
    theirs = milliseconds(peer["insert"]) if peer else "-"
    return [name, one["ops"], one["inserted"], str(effort), *times, f"{one['insert'] / one['propagate']:.2f}",
            f"{ratio(one):.2f}", f"{both(one) / both(first):.2f}", theirs]


HEADER = ["module", "ops", "inlined", "effort", "propagate", "insert", "localize",
          "insert/propagate", "both/propagate", "growth", "Shardy"]


def sizes(folder, args):
    rows, worst = [], 0
    for family, make in programs.FAMILIES.items():
        first = {}
        for size in args.sizes:
            path = write(folder, "module.mlir", make(size))
            small = size <= 20000
            questions = [(OURS, path, RUNS if small else 2, effort) for effort in args.efforts]
            *mine, peer = best_of([*questions, (PEER, path, 1)] if args.peer else questions,
                                  TURNS if small else 1) + ([] if args.peer else [None])
            for effort, one in zip(args.efforts, mine):
                if not one:
                    sys.exit(f"{family}, {size} ops: not partitioned")
                first.setdefault(effort, one)
                rows.append(row(family, effort, one, first[effort], peer))
                if effort == 1:
                    worst = max(worst, ratio(one))
    common.table(
        "CPU ms; growth: time of insert and localize an inlined op, relative to the smallest module",
        HEADER, rows)
    return worst


def jax_models(folder, args):
    """Returns sums over the programs of ../collective_bytes, on 8 devices."""
    def spec(tree, like):
        return jax.tree.map(lambda _, s: jax.sharding.PartitionSpec(*s), like, tree)

    total, failed = {}, []
    for i, (name, (function, arguments, specs, outs, axes)) in enumerate(suite.PROGRAMS.items()):
        specs = spec(tuple(specs), tuple(arguments))
        if outs is not None:
            outs = spec(tuple(outs), tuple(range(len(outs))))
            outs = outs[0] if len(outs) == 1 else outs
        with contextlib.redirect_stderr(io.StringIO()):
            lowered = exporting.lower(lambda _: function, exporting.make_mesh(**axes), arguments, specs, outs)
        path = write(folder, f"model{i}.mlir", lowered.as_text(debug_info=True))
        for effort in args.efforts:
            one = measure(OURS, path, 5, effort)
            if not one:
                failed.append(name)
                continue
            sums = total.setdefault(effort, dict.fromkeys(one, 0))
            for key, value in one.items():
                sums[key] += value
    rows = [row(f"{len(suite.PROGRAMS)} programs of JAX", effort, one, one, None) for effort, one in total.items()]
    common.table("CPU ms, sums", HEADER, rows)
    if failed:
        sys.exit(f"not partitioned: {', '.join(sorted(set(failed)))}")
    return ratio(total[1]) if 1 in total else 0


def meshes(folder):
    """Measures the same module on a small mesh and on a huge one, without lists of devices."""
    sides = ((2, 4), (1024, 1024))
    paths = [write(folder, f"mesh{x}.mlir", programs.control_flow(20000, (("x", x), ("y", y)))) for x, y in sides]
    # Many short turns, so that noise affects both alike.
    best = best_of([(OURS, path, 2, 1, "insert") for path in paths], 8 * TURNS)
    rows = [[f"{x * y:,} devices", one["ops"], milliseconds(one["insert"]), f"{one['insert'] / best[0]['insert']:.3f}"]
            for (x, y), one in zip(sides, best)]
    common.table("the same module on two meshes, CPU ms, named axes", ["mesh", "ops", "insert", "ratio"], rows)
    return best[1]["insert"] / best[0]["insert"]


def main():
    numbers = lambda text: [int(x) for x in text.split(",")]
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", default="2000,20000,100000", type=numbers)
    parser.add_argument("--efforts", default="0,1,2", type=numbers)
    parser.add_argument("--no-peer", dest="peer", action="store_false", help="ours alone")
    parser.add_argument("--no-models", dest="models", action="store_false")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        worst = sizes(folder, args) if args.sizes else 0
        if args.models:
            worst = max(worst, jax_models(folder, args))
        larger = meshes(folder)
    print(f"\n  at most {worst:.2f} times propagation at effort 1; {larger:.3f} times as long for a million devices")
    sys.exit(1 if worst > MOST or larger > 1.05 else 0)


if __name__ == "__main__":
    main()
