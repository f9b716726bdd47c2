#===- run.py - reshards: our plans, XLA's, Shardy's and the bound ---------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Mean bytes that a device sends in a reshard, divided by the lower bound on the bytes that it must
receive on average (pairs.py), for seeded pairs of shardings on 8, 16 and 32 devices. Prints the
geometric mean, the worst ratio, the collectives, the number of values that become replicated
although neither side is, and the largest value relative to the larger shard of both sides. Exit
code 1 if ours misses the project's targets.

    run.py [--pairs N] [--seed S] [--awkward N] [--ours] [--show N]
"""

import argparse
import math
import os
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"  # XLA warns of each full rematerialization
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from common import table

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=32"

import ours
import pairs
import shardy
import xla

# Targets: geometric mean and worst ratio, collectives.
PROMISED = {"ours, effort 1": (1.10, 1.8, 4), "ours, effort 2": (1.02, None, None)}


def row(name, cases, costs, bounds):
    """Returns the row for the pairs that have a cost."""
    ratios, counts, whole, peaks, refused = [], [], 0, [], 0
    for pair, cost, bound in zip(cases, costs, bounds):
        if cost is None:
            refused += 1
            continue
        larger = max(pair.local_bytes(pair.before), pair.local_bytes(pair.after))
        everything = 4 * math.prod(pair.shape)
        whole += cost.peak >= everything > larger
        peaks.append(cost.peak / larger)
        counts.append(cost.collectives)
        if bound:
            ratios.append(cost.bytes / bound)
        elif cost.bytes:
            ratios.append(math.inf)
    geometric = math.exp(sum(map(math.log, ratios)) / len(ratios))
    cells = [
        name, f"{geometric:.3f}", f"{max(ratios):.2f}", f"{sum(counts) / len(counts):.2f}",
        max(counts), whole, f"{max(peaks):.2f}", refused,
    ]  # fmt: skip
    return cells, (geometric, max(ratios), max(counts), whole)


HEADER = [
    "", "geo mean", "worst", "collectives", "most", "whole values", "peak / larger part", "refused",
]  # fmt: skip


def compare(title, cases, competitors, show):
    bounds = [pair.bound() for pair in cases]
    rows, failures = [], []
    for name, found in competitors:
        found = list(found)
        cells, (mean, worst, count, whole) = row(name, cases, found, bounds)
        rows.append(cells)
        wants = PROMISED.get(name)
        if wants and "awkward" not in title:
            if any(w and v > w + 1e-9 for v, w in zip((mean, worst, count), wants)) or whole:
                failures.append(name)
        if name.startswith("ours") and show:
            ranked = sorted(
                ((c.bytes / b if b else 0, c.collectives, p.name()) for c, b, p in zip(found, bounds, cases)),
                reverse=True,
            )
            for ratio, collectives, text in ranked[:show]:
                print(f"  {ratio:.2f} {collectives} {text}")
    table(title, HEADER, rows)
    return failures


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pairs", type=int, default=360)
    parser.add_argument("--awkward", type=int, default=120)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--ours", action="store_true", help="without peers")
    parser.add_argument("--show", type=int, default=0, help="the worst pairs of ours")
    args = parser.parse_args()
    plain = list(pairs.power_of_two(args.pairs, args.seed))
    strange = list(pairs.awkward(args.awkward, args.seed))
    efforts = (0, 1, 2)
    failures = []
    for title, cases in (
        (f"{args.pairs} pairs on 8, 16, 32 devices: bytes sent / bound (answers compared first)", plain),
        (f"{args.awkward} awkward pairs: axes of 3, 5 and 6, parts of axes", strange),
    ):
        if not cases:
            continue
        for effort in efforts:
            ours.check(cases, effort)
        peers = [] if args.ours else [("Shardy (jaxlib)", shardy.costs(cases))]
        if cases is plain and not args.ours:
            peers.append(("XLA", xla.costs(cases)))
        mine = [(f"ours, effort {e}", ours.costs(cases, e)) for e in efforts]
        failures += compare(title, cases, mine + peers, args.show)
    if failures:
        sys.exit(f"more than promised: {', '.join(failures)}")


if __name__ == "__main__":
    main()
