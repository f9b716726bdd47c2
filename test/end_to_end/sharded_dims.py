#===- sharded_dims.py - each dimension of each op can be sharded ----------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""A table of every op of the op tests (test/oracle/ops: StableHLO, CHLO, LAPACK and other calls,
including dynamic and quantized ones) and of every dimension of its arguments and results. With only
that dimension sharded, the program must partition. `sharded_ops.py` checks numbers; this test
covers each dimension of each op.

    sharded_dims.py --op sort -v       one op, with the sharded dimensions
    sharded_dims.py --cases 3          three random cases of each op
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

import ops  # noqa: F401  (registers the cases)
from ops import case as case_module
from sharded_ops import Tame

# Complete programs, and ops without a dimension that can be sharded.
WITHOUT = ("grid", "collectives")
PREFERRED = ("f32", "i32", "complex<f32>", "i1")


def table():
    """Returns one entry for each op, with the first available of the preferred element types."""
    chosen = {}
    for entry in case_module.REGISTRY:
        family, name, element, _ = entry
        rank = PREFERRED.index(element) if element in PREFERRED else len(PREFERRED)
        if family not in WITHOUT and (name not in chosen or rank < chosen[name][0]):
            chosen[name] = (rank, entry)
    return [entry for _, entry in chosen.values()]


def variants(c, size):
    """Returns the program with one function for each sharded dimension, and their names."""
    lines = c.text().split("\n")
    at = next(i for i, line in enumerate(lines) if line.startswith("func.func @main("))
    end = next(i for i in range(at, len(lines)) if lines[i] == "}")
    places = [(side, i, d) for side, values in (("arg", c.args), ("result", [r[0] for r in c.results]))
              for i, value in enumerate(values) for d, n in enumerate(value.shape) if n >= size and n % size == 0]
    functions, names = [], []
    for side, i, d in places:
        def attribute(value, here):
            if not here:
                return ""
            dims = ", ".join('{"a"}' if k == d else "{?}" for k in range(len(value.shape)))
            return f" {{sdy.sharding = #sdy.sharding<@mesh, [{dims}]>}}"

        args = ", ".join(f"{a}: {a.type}{attribute(a, (side, i) == ('arg', k))}" for k, a in enumerate(c.args))
        results = ", ".join(f"{r[0].type}{attribute(r[0], (side, i) == ('result', k))}"
                            for k, r in enumerate(c.results))
        names.append(f"{side}{i}_dim{d}")
        functions.append("\n".join([f"func.func @{names[-1] if functions else 'main'}({args}) -> ({results}) {{"]
                                   + lines[at + 1 : end + 1]))
    rest = lines[:at] + lines[end + 1 :]
    return f'sdy.mesh @mesh = <["a"={size}]>\n' + "\n".join(functions + rest), names


def check(c, folder, verbose):
    """Returns (number of dimensions, what is wrong or None). None if no dimension can be sharded."""
    text, names = variants(c, c.rng.choice((2, 2, 3)))
    if not names or any(line.startswith("module") for line in text.split("\n")):
        return None
    path = os.path.join(folder, re.sub(r"\W", "_", f"{c.name}_{c.rng.seed_value}") + ".mlir")
    plain = path + ".plain"
    with open(path, "w") as file:
        file.write(text)
    with open(plain, "w") as file:
        file.write(c.text())
    if verbose:
        print(text)
    many = oracle.process([oracle.TOOL, "partition", path])
    if many.returncode == 0:
        return len(names), None
    if oracle.process([oracle.TOOL, "partition", plain]).returncode != 0:
        return None  # import refuses the op itself
    return len(names), f"exit code {many.returncode}\n{many.stderr[-2000:]}\nprogram:\n{text}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--op", action="append", help="only this one, like add or stablehlo.add")
    parser.add_argument("-v", "--verbose", action="store_true", help="print each program")
    args = oracle.arguments(__doc__, cases=1, long_cases=20, parser=parser)
    short = lambda name: re.sub(r"^(stablehlo|chlo)\.", "", name.split(" ")[0])
    entries = [e for e in table() if not args.op or short(e[1]) in map(short, args.op)]
    if not entries:
        sys.exit("no test matches")
    tally = oracle.Tally("sharded_dims", show=8)
    dims = 0
    without = []

    def run(entry, seed):
        for attempt in range(4):  # some random cases have no dimension to shard
            rng = random.Random(f"{entry[1]} {seed} {attempt}")
            rng.seed_value = seed * 16 + attempt
            c = Tame(rng, entry[1], entry[2])
            entry[3](c, entry[2])
            found = None if c.on_grid else check(c, folder, args.verbose)
            if found:
                return found
        return None

    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for seed in range(args.seed, args.seed + args.cases):
            for entry, found in zip(entries, pool.map(lambda e: run(e, seed), entries)):
                if not found:
                    without.append(entry[1])
                    continue
                dims += found[0]
                if found[1]:
                    tally.fail(f"{entry[1]} {entry[2]} --seed {seed}", found[1])
                else:
                    tally.ok()
    print(f"sharded_dims: {dims} dimensions; nothing to shard in {', '.join(sorted(set(without))) or 'none'}")
    tally.finish()


if __name__ == "__main__":
    main()
