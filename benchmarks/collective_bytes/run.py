#===- run.py - bytes sent by our programs and by XLA's --------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Compares partitioned programs of Shardwright and XLA on 8 devices: the bytes that a device sends on
average in one run, by one model (python/shardwright/jax/elsewhere/hlo_bytes.py), and the number of executed collectives. The first
list is the examples at several sizes, models.py and numerics.py; the programs of second_*.py and of
third_*.py are reported separately.

    benchmarks/collective_bytes/run.py [-v] [--list N] [PART OF A NAME...]

-v prints a program as soon as it is measured. Exit code 1 if a program cannot be run, or if the
transformer block of the examples sends more than XLA's."""

import argparse
import math
import os
import sys
import traceback
from functools import partial

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from common import Program, exporting, table

import jax
import models  # the import fills suite.PROGRAMS
import numerics  # noqa: F401
import ours
import second_language  # the imports fill suite.SECOND
import second_learning  # noqa: F401
import second_numerics  # noqa: F401
import second_serving  # noqa: F401
import suite
import third_data  # the imports fill suite.THIRD
import third_learning  # noqa: F401
import third_science  # noqa: F401
import third_sequences  # noqa: F401
import xla


def examples():
    yield "mlp_train", "mlp_train", {}
    yield "mlp_train batch 256 x 512", "mlp_train", dict(batch=256, inputs=512, hidden=1024)
    yield "transformer_block", "transformer_block", {}
    yield "transformer_block 4x2", "transformer_block", dict(mesh_sizes=dict(data=4, model=2))
    yield "transformer_block 1x8", "transformer_block", dict(mesh_sizes=dict(data=1, model=8))
    yield "transformer_block d 256", "transformer_block", dict(d_model=256, d_ff=1024)
    yield "gpt", "gpt", {}
    yield "gpt 4x2", "gpt", dict(mesh_sizes=dict(data=4, model=2))


def listed(name, function, args, specs, outs, axes):
    def spec(tree, like):
        return jax.tree.map(lambda _, s: jax.sharding.PartitionSpec(*s), like, tree)

    specs = spec(tuple(specs), tuple(args))
    if outs is not None:
        leaf = dict(is_leaf=lambda entry: isinstance(entry, tuple))
        outs = tuple(jax.tree.map(lambda s: jax.sharding.PartitionSpec(*s), out, **leaf) for out in outs)
        outs = outs[0] if len(outs) == 1 else outs
    make = (lambda c: partial(function, c)) if hasattr(function, "constrained") else lambda _: function
    return Program(name, make, exporting.make_mesh(**axes), args, specs, outs)


def programs():
    """Returns (name, function that makes the Program) of the first list."""
    for name, example, sizes in examples():
        yield name, lambda name=name, example=example, sizes=sizes: Program.example(name, example, **sizes)
    for name, listing in suite.PROGRAMS.items():
        yield name, lambda name=name, listing=listing: listed(name, *listing)


def later_programs(chosen):
    for name, listing in chosen.items():
        yield name, lambda name=name, listing=listing: listed(name, *listing)


def counts(stats):
    return {k: v["count"] for k, v in stats["collectives"].items() if v["count"]}


def kinds(stats):
    return " ".join(f"{k} x{n}" for k, n in counts(stats).items()) or "none"


def mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else 1.0


def summary(measured):
    """Returns the summary of all programs. Programs that send nothing on one side are counted
    separately."""
    sent = {n: (m["bytes_sent_per_device"], x["bytes_sent_per_device"]) for n, m, x in measured}
    both = [a / b for a, b in sent.values() if a and b]
    number = [
        (sum(counts(m).values()), sum(counts(x).values())) for _, m, x in measured
    ]
    print(f"\n  {len(sent)} programs; ours / XLA in geometric mean, where both send: {mean(both):.3f} of the bytes,")
    print(f"  {mean([a / b for a, b in number if a and b]):.3f} of the collectives")
    print(f"  at most XLA's bytes: {sum(a <= b for a, b in sent.values())} of {len(sent)}"
          f"; nothing to send for ours alone: {sum(b > 0 == a for a, b in sent.values())}")
    for title, bad in (
        ("more than XLA's", [n for n, (a, b) in sent.items() if b < a <= 1.1 * b]),
        ("more than 1.1 times XLA's", [n for n, (a, b) in sent.items() if a > 1.1 * b]),
    ):
        if bad:
            print(f"  {title}: {'; '.join(bad)}")


def measure(listed_programs, args):
    """Returns (name, our stats, XLA's) of each program that ran, and the names of the others."""
    measured, failed = [], []
    for name, make in listed_programs:
        if args.names and not any(part in name for part in args.names):
            continue
        try:
            program = make()
            figures = (name, ours.stats(program), xla.stats(program))
        except (Exception, SystemExit) as error:
            failed.append(name)
            print(f"{name}: {error}" if isinstance(error, SystemExit) else traceback.format_exc())
            continue
        measured.append(figures)
        if args.verbose:
            print(name, *(f"{f['bytes_sent_per_device']:,.0f} ({kinds(f)})" for f in figures[1:]), sep=" | ", flush=True)
    return measured, failed


def report(title, measured):
    """Prints the table and the summary. Returns the names of transformer blocks that send more than
    XLA's."""
    rows = []
    for name, mine, theirs in measured:
        a, b = mine["bytes_sent_per_device"], theirs["bytes_sent_per_device"]
        ratio = f"{a / b:.2f}" if b else ("1.00" if a == b else "inf")
        rows.append([name, round(a), round(b), ratio, kinds(mine), kinds(theirs)])
    table(title, ["program", "ours", "XLA", "ours/XLA", "our collectives", "XLA's"], rows)
    summary(measured)
    return [row[0] for row in rows if row[0].startswith("transformer_block") and row[1] > row[2]]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("-v", "--verbose", action="store_true")
    parser.add_argument("--list", type=int, choices=(1, 2, 3), help="that list alone")
    args = parser.parse_args()
    worse, failed = [], []
    for number, title, chosen in (
        (1, "bytes sent per device (answers compared first)", programs()),
        (2, "the second list, chosen later and before any tuning on it", later_programs(suite.SECOND)),
        (3, "the third list, likewise chosen after the second", later_programs(suite.THIRD)),
    ):
        if args.list in (None, number):
            measured, missing = measure(chosen, args)
            failed += missing
            if measured:
                worse += report(title, measured)
    if worse:
        print(f"more than XLA: {', '.join(worse)}")
    if failed:
        print(f"not measured: {', '.join(failed)}")
    sys.exit(1 if worse or failed else 0)


if __name__ == "__main__":
    main()
