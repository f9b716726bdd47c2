#===- run.py - time of the propagation pipeline: ours and Shardy's --------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""CPU milliseconds of `sdy-propagation-pipeline`, and of parsing the same modules on each side; best
of all runs. The resulting modules must be equal (checked up to 20,000 ops; printing and comparing
takes longer than everything else).

Growth is compared with that of the parser, of Shardy, and of an empty walk over all ops. Caches
hold a small module and not a large one, so even the walk takes several times as long per op. Growth
below that of the walk is not a fault of the pipeline.

The contribution of memory to growth is measured in the same run: as many modules of the smallest
size as have the ops of the large one together are parsed first, then propagated one after another,
so that each is read from memory as the large one is ("cold", time per op relative to the smallest
module alone, which is in the caches). The rest, "growth / cold", is the cost of one large module:
ops that are visited again after the caches have lost them, arrays as large as the module, and
anything that takes more than linear time.

Ours allocates as our commands do (tools/allocator.cc: jemalloc, in huge pages), Shardy as Python
does.

    run.py [--sizes 2000,20000,100000] [--no-peer]
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import common
import programs
import oracle

TURNS = 3
OURS = [os.path.join(common.BUILD, "bin", "propagate_module")]
PEER = [sys.executable, os.path.join(HERE, "peer.py")]


def runs_of(size):
    """Returns the number of runs. A process is slow at first, so small modules need many runs until
    they are in the caches."""
    return max(2, 60000 // size)


def output(command, path, runs, *more):
    done = subprocess.run([*command, path, str(runs), *map(str, more)], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{command[-1]} {path}: {done.stderr}")
    return done.stdout


def best_of(commands, path, turns, runs):
    """Returns the best time of each command for each of its measurements, in alternating runs."""
    best = [{} for _ in commands]
    for _ in range(turns):
        for one, command in zip(best, commands):
            for key, value in json.loads(output(command, path, runs)).items():
                one[key] = min(value, one.get(key, value))
    return best


def cold(path, ops, alone, turns, runs):
    """Measures `ops` ops in modules of this file, all parsed before the first is propagated."""
    copies = max(1, round(ops / alone["ops"]))
    best = {}
    for _ in range(turns):
        for key, value in json.loads(output(OURS, path, runs, copies)).items():
            best[key] = min(value, best.get(key, value))
    return best


def write(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, "w") as out:
        out.write(text)
    return path


def growth(first, now, key):
    """Returns the time per op, relative to the smallest module."""
    return f"{now[key] / first[key] / (now['ops'] / first['ops']):.2f}"


def sizes(folder, args):
    rows = []
    for family, make in programs.FAMILIES.items():
        first = small = None
        for size in args.sizes:
            path = write(folder, f"module{size}.mlir", make(size))
            if args.peer and size <= 20000:
                if oracle.normal(output(OURS, path, 0)) != oracle.normal(output(PEER, path, 0)):
                    sys.exit(f"{family}, {size} ops: the results differ: their times mean nothing")
            turns = TURNS if size <= 20000 else 2
            commands = [OURS, PEER] if args.peer else [OURS]
            mine, *peer = best_of(commands, path, turns, runs_of(size))
            best = dict(mine, **{f"peer {key}": t for other in peer for key, t in other.items()})
            first, small = first or best, small or path
            memory = cold(small, best["ops"], first, turns, runs_of(size))
            row = [family, best["ops"], f"{best['parse'] * 1e3:.1f}", f"{best['propagate'] * 1e3:.1f}"]
            if args.peer:
                theirs = best["peer propagate"]
                row += [f"{theirs * 1e3:.1f}", f"{best['propagate'] / theirs:.3f}"]
            row += [f"{best['walk'] / best['ops'] * 1e9:.0f}"]
            keys = ["parse", "walk", *(["peer propagate"] if args.peer else [])]
            grown = best["propagate"] / best["ops"] / (memory["propagate"] / memory["ops"])
            row += [growth(first, best, "propagate"), growth(first, memory, "propagate"), f"{grown:.2f}"]
            rows.append(row + [growth(first, best, key) for key in keys])
    peer = args.peer
    common.table(
        "propagation pipeline, CPU ms; a bare walk in ns an op; growth: time an op, relative to the smallest",
        ["module", "ops", "parse", "ours", *(["Shardy", "ours/Shardy"] if peer else []), "walk",
         "growth", "cold", "growth / cold", "of parse", "of walk", *(["of Shardy"] if peer else [])],
        rows,
    )


def meshes(folder):
    """Measures the same module on a small mesh and on a huge one."""
    rows = []
    text = programs.control_flow(20000, (("x", 1024), ("y", 1024)))
    small = programs.control_flow(20000, (("x", 2), ("y", 4)))
    paths = [write(folder, f"mesh{i}.mlir", t) for i, t in enumerate((small, text))]
    best = [{}, {}]
    for _ in range(2 * TURNS):
        for one, path in zip(best, paths):
            for key, value in json.loads(output(OURS, path, runs_of(20000))).items():
                one[key] = min(value, one.get(key, value))
    for devices, one in zip((8, 1024 * 1024), best):
        ratio = one["propagate"] / best[0]["propagate"]
        rows.append([f"{devices:,} devices", one["ops"], f"{one['propagate'] * 1e3:.1f}", f"{ratio:.3f}"])
    common.table("the same module on two meshes, CPU ms", ["mesh", "ops", "ours", "ratio"], rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", default="2000,20000,100000",
                        type=lambda text: [int(x) for x in text.split(",")])
    parser.add_argument("--no-peer", dest="peer", action="store_false", help="ours alone")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        sizes(folder, args)
        meshes(folder)


if __name__ == "__main__":
    main()
