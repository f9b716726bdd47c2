#===- op_tests.py - every op of StableHLO on our CPU backend ---------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Runs each op with each element type and random attributes, and compares our results with those of
XLA's CPU client, or of numpy if the case provides them, within the bounds of ops/tolerance.py.

    op_tests.py --list                        families, ops and types
    op_tests.py --family shape --op pad       only these
    op_tests.py --type bf16 --cases 300       only this type
    op_tests.py --seed 1234 --cases 1 -v      one case, with its program and the diagnostics

A case that our compiler refuses with a diagnostic is a failure. With `--lenient` it counts as
unsupported, by op and type, and is listed at the end. So does a case that no oracle can run.
"""

import argparse
import collections
import sys
import time

import oracle

oracle.require()

try:
    import ops
except ImportError as missing:
    print(f"SKIPPED op_tests: {missing}; scripts/bootstrap.sh installs it")
    print("op_tests: 0 passed, 0 failed, 1 skipped")
    raise SystemExit(0)

import random

import numpy as np

from ops import case as case_module
from ops import tolerance
from ops.engines import Failed, Interpreter, Ours, Xla

BATCH = 48


def select(args):
    """Returns the (family, op, element, generator) that the options select, mixed so that any range of
    seeds covers all families."""
    chosen = [
        entry for entry in case_module.REGISTRY
        if (not args.family or entry[0] in args.family)
        and (not args.op or any(o in (entry[1], entry[1].split(" ")[0], entry[1].removeprefix("stablehlo."),
                                      entry[1].split(" ")[0].removeprefix("stablehlo.")) for o in args.op))
        and (not args.type or entry[2] in args.type)
    ]  # fmt: skip
    random.Random(0).shuffle(chosen)
    return chosen


def make(entries, seed):
    rng = random.Random(seed)
    rng.seed_value = seed
    _, name, element, generator = entries[seed % len(entries)]
    c = case_module.Case(rng, name, element)
    generator(c, element)
    return c


def rounded(reference, element):
    with np.errstate(all="ignore"):
        return reference.astype(case_module.dtype(element))


class Run:
    def __init__(self, args, tally):
        self.args, self.tally = args, tally
        # Small programs are compiled with few optimisations, so every other case requests full
        # optimisation.
        self.ours = (Ours(), Ours(code="full"))
        self.xla, self.interpreter = Xla(), Interpreter()
        self.unsupported = collections.defaultdict(list)  # (op, element) -> messages
        self.no_oracle = collections.defaultdict(list)
        self.seconds = collections.Counter()
        self.table = collections.Counter()  # (op, element) -> cases that passed

    def label(self, c):
        only = "".join(f" --{k} {v}" for k in ("family", "op", "type") for v in (getattr(self.args, k) or ()))
        return f"{c.name} {c.element} (--seed {c.rng.seed_value} --cases 1{only})"

    def all(self, entries, seeds):
        """Compares all cases. XLA runs one batch while ours runs the previous one."""
        previous = None
        for i in range(0, len(seeds), BATCH):
            cases = [make(entries, seed) for seed in seeds[i : i + BATCH]]
            asked = [c for c in cases if not c.checks and any(r[1] is None for r in c.results)]
            self.xla.start(asked)
            if previous:
                self.batch(*previous)
            start = time.monotonic()
            found = self.xla.finish()
            self.seconds["waiting for XLA"] += time.monotonic() - start
            previous = cases, dict(zip(map(id, asked), found))
        if previous:
            self.batch(*previous)

    def batch(self, cases, expected):
        for c in cases:
            self.one(c, expected.get(id(c)))

    def one(self, c, expected):
        if self.args.verbose:
            print(c.text())
        flushed = True
        if isinstance(expected, Exception):
            try:
                expected, flushed = self.interpreter.run(c), False
            except Exception:
                self.no_oracle[c.name, c.element].append(str(expected).strip().splitlines()[0])
                return
        start = time.monotonic()
        try:
            found = self.ours[c.rng.seed_value % 2].run(c)
        except Failed as failed:
            if failed.kind == "compile":
                self.unsupported[c.name, c.element].append(failed.message.splitlines()[0] if failed.message else "")
                if not self.args.lenient:
                    self.tally.fail(self.label(c), f"{failed.message}\nprogram:\n{c.text()}")
            else:
                self.tally.fail(self.label(c), f"{failed.kind}: {failed.message}\nprogram:\n{c.text()}")
            return
        finally:
            self.seconds["ours"] += time.monotonic() - start
        for check in c.checks:
            wrong = check(found)
            if wrong:
                self.wrong(c, wrong)
                return
        for i, (value, reference, scale, ulps) in enumerate(c.results):
            if c.checks and reference is None:
                continue
            want = expected[i] if reference is None else rounded(reference, value.element)
            bound = tolerance.bound_of(c.name, c.element if case_module.is_complex(c.element) else value.element) if ulps is None else ulps
            shape = (c.replicas * c.partitions, *value.shape) if c.on_grid else value.shape
            wrong = tolerance.compare(want.reshape(shape), found[i], value.element, bound, scale,
                                      flushed and reference is None)  # fmt: skip
            if wrong:
                self.wrong(c, f"result {i} ({value.type}): {wrong}")
                return
        self.tally.ok()
        self.table[c.name, c.element] += 1

    def wrong(self, c, message):
        inputs = "\n".join(f"{a}: {d!r}" for a, d in zip(c.args, c.data)) if self.args.verbose else ""
        self.tally.fail(self.label(c), f"{message}\nprogram:\n{c.text()}{inputs}")

    def print_table(self):
        """Prints the number of passed cases by op and type."""
        by_op = collections.defaultdict(dict)
        for (name, element), count in self.table.items():
            by_op[name][element] = count
        for name, counts in sorted(by_op.items()):
            print(f"{name}: " + ", ".join(f"{e} {counts[e]}" for e in sorted(counts, key=case_module.TYPES.index)))
        print(f"{len(by_op)} ops and variants, {len(self.table)} with their types")

    def report(self):
        if self.args.table:
            self.print_table()
        for what, table in (("unsupported", self.unsupported), ("no oracle for", self.no_oracle)):
            by_op = collections.defaultdict(list)
            for (name, element), messages in table.items():
                by_op[name].append((element, messages))
            for name, found in sorted(by_op.items()):
                count = sum(len(m) for _, m in found)
                message = f": {found[0][1][0][:200]}" if self.args.verbose else ""
                print(f"{what}: {name} {' '.join(sorted(e for e, _ in found))} ({count}){message}")
        unsupported = sum(map(len, self.unsupported.values()))
        no_oracle = sum(map(len, self.no_oracle.values()))
        if unsupported or no_oracle:
            print(f"op_tests: {unsupported} cases unsupported, {no_oracle} without an oracle")
        if self.args.times:
            print({k: round(v, 1) for k, v in self.seconds.items()})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--family", action="append", choices=sorted(ops.FAMILIES), help="only this one")
    parser.add_argument("--op", action="append", help="only this one, like add or stablehlo.add")
    parser.add_argument("--type", action="append", help="only this element type")
    parser.add_argument("--list", action="store_true", help="say what there is, run nothing")
    parser.add_argument("--lenient", action="store_true", help="unsupported ops are no failures")
    parser.add_argument("--table", action="store_true", help="say how many cases of each op and type passed")
    parser.add_argument("--times", action="store_true", help="say where the time went")
    parser.add_argument("-v", "--verbose", action="store_true", help="print programs, and arguments of failures")
    args = oracle.arguments(__doc__, cases=400, long_cases=12000, parser=parser)
    entries = select(args)
    if args.list:
        by_op = collections.defaultdict(list)
        for family, name, element, _ in entries:
            by_op[family, name].append(element)
        for (family, name), elements in sorted(by_op.items()):
            print(f"{family}: {name}: {' '.join(sorted(elements))}")
        print(f"{len(by_op)} ops and variants, {len(entries)} with their types")
        return
    if not entries:
        sys.exit("no test matches")
    tally = oracle.Tally("op_tests", show=6)
    run = Run(args, tally)
    try:
        run.all(entries, list(range(args.seed, args.seed + args.cases)))
    finally:
        for ours in run.ours:
            ours.stop()
        run.xla.stop()
    run.report()
    tally.finish()


if __name__ == "__main__":
    main()
