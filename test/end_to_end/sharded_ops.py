#===- sharded_ops.py - sharded ops give the same results ------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""The cases of the op tests (test/oracle/ops: every op of StableHLO and CHLO, including LAPACK calls)
with random shardings on their arguments and results, on several devices. The results must be those
of the same command on one device. This tests all sharding rules, Shardy's and ours.

    sharded_ops.py --list             ops
    sharded_ops.py --op map --cases 20
"""

import argparse
import concurrent.futures
import os
import random
import re
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "oracle"))
import oracle

oracle.require()

import numpy as np
import ops  # noqa: F401  (registers the cases)
from ops import case as case_module
from random_shardings import random_sharding

TYPES = ("i1", "i32", "i64", "f32", "f64", "complex<f32>")
MESHES = ([("a", 2)], [("a", 2), ("b", 2)], [("a", 4), ("b", 2)], [("a", 3)], [("a", 2), ("b", 3)])
# Programs that specify themselves what each device of a grid does.
WITHOUT = ("grid", "collectives")


class Tame(case_module.Case):
    """A case without huge numbers, whose sums depend on the order, and with sizes that divide."""

    def random(self, shape, e, wild=True):
        return super().random(shape, e, False)

    def shape(self, rank=None, largest=None, low=0):
        r = self.rng
        rank = r.choice((1, 2, 2, 3, 3, 4)) if rank is None else rank
        sizes = [s for s in (1, 2, 3, 4, 6, 8, 12) if largest is None or s <= largest]
        return tuple(max(low, r.choice(sizes)) for _ in range(rank))


def make(entries, seed):
    rng = random.Random(seed)
    rng.seed_value = seed
    _, name, element, generator = entries[seed % len(entries)]
    c = Tame(rng, name, element)
    generator(c, element)
    return c


def sharded(c):
    """Returns the program with a mesh and shardings on some arguments and results."""
    axes = c.rng.choice(MESHES)
    share = c.rng.choice((1, 0.6))

    def attributes(value):
        if not value.shape or c.rng.random() >= share:
            return ""
        return f" {{sdy.sharding = #sdy.sharding{random_sharding(c.rng, axes, len(value.shape), True)}}}"

    lines = c.text().split("\n")
    at = next(i for i, line in enumerate(lines) if line.startswith("func.func @main("))
    args = ", ".join(f"{a}: {a.type}{attributes(a)}" for a in c.args)
    # Results are sharded less often, so that propagation determines their axes.
    share /= 2
    results = ", ".join(f"{r[0].type}{attributes(r[0])}" for r in c.results)
    lines[at] = f"func.func @main({args}) -> ({results}) {{"
    mesh = ", ".join(f'"{name}"={size}' for name, size in axes)
    return f"sdy.mesh @mesh = <[{mesh}]>\n" + "\n".join(lines)


def check(c, folder):
    """Returns None if the case passes, "refused" if one device already refuses it, otherwise the
    problem."""
    path = lambda name: os.path.join(folder, f"{c.rng.seed_value}.{name}")
    with open(path("one.mlir"), "w") as file:
        file.write(c.text())
    np.savez(path("in.npz"), **{f"arg{i}": data for i, data in enumerate(c.data)})
    one = oracle.process([oracle.TOOL, "run", path("one.mlir"), path("in.npz"), "--out", path("out.npz")])
    if one.returncode != 0:
        return "refused"
    text = sharded(c)
    with open(path("many.mlir"), "w") as file:
        file.write(text)
    many = oracle.process(
        [oracle.TOOL, "run", path("many.mlir"), path("in.npz"), "--expect", path("out.npz"),
         "--rtol", "1e-4", "--atol", "1e-4"]
    )  # fmt: skip
    if many.returncode == 0:
        return None
    return f"exit code {many.returncode}\n{many.stderr[-2000:]}{many.stdout[-1000:]}\nprogram:\n{text}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--op", action="append", help="only this one, like add or stablehlo.add")
    parser.add_argument("--family", action="append", help="only this one")
    parser.add_argument("--list", action="store_true")
    args = oracle.arguments(__doc__, cases=120, long_cases=4000, parser=parser)
    short = lambda name: re.sub(r"^(stablehlo|chlo)\.", "", name.split(" ")[0])
    entries = [
        e for e in case_module.REGISTRY
        if e[2] in TYPES and e[0] not in WITHOUT
        and (not args.op or short(e[1]) in map(short, args.op)) and (not args.family or e[0] in args.family)
    ]  # fmt: skip
    random.Random(0).shuffle(entries)
    if args.list:
        print("\n".join(sorted({f"{family}: {name}" for family, name, _, _ in entries})))
        return
    if not entries:
        sys.exit("no test matches")
    tally = oracle.Tally("sharded_ops", show=6)
    refused = 0
    only = "".join(f" --op {o}" for o in args.op or ()) + "".join(f" --family {f}" for f in args.family or ())
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        cases = [make(entries, seed) for seed in range(args.seed, args.seed + args.cases)]
        cases = [c for c in cases if not c.checks and not c.on_grid and c.args]
        for c, wrong in zip(cases, pool.map(lambda c: check(c, folder), cases)):
            if wrong == "refused":
                refused += 1
            elif wrong:
                tally.fail(f"{c.name} {c.element} --seed {c.rng.seed_value} --cases 1{only}", wrong)
            else:
                tally.ok()
    if refused:
        print(f"sharded_ops: {refused} cases that one device refuses too")
    tally.finish()


if __name__ == "__main__":
    main()
