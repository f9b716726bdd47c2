#===- partition.py - partitioned programs against the unpartitioned one ----===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Random programs with random shardings are propagated, partitioned and run on up to 16 virtual
devices, and compared with the results of one device. Integers and moved data must be equal, floats
up to the precision of their type. The text of every stage must survive a round trip, and devices
that hold the same part of a result must agree on it.

    partition.py --family gather          only ops of this family; `op` is the op tests' ops
    partition.py --op fft                 only those of the op tests with this in their name
    partition.py --through xla            partitioned programs on XLA's CPU devices as well; `region`: there
                                          in region form, through XLA's partitioner; `interpreter`: by
                                          StableHLO's reference interpreter, as many devices as cores
    partition.py --list                   families, and ops of the op tests
"""

import argparse
import collections
import re
import sys
import time

import oracle

oracle.require()

import numpy as np

import partition_engines as engines
import partition_families
import partition_ops
import partition_programs as programs


class Check:
    def __init__(self, args):
        self.args = args
        self.engine = engines.Ours()
        self.seconds = {"generating": 0.0, "ours": 0.0, "other": 0.0}
        self.refused = collections.Counter()
        self.skipped = 0

    def stop(self):
        self.engine.stop()
        engines.XLA.stop()

    def timed(self, what, function, *args):
        start = time.monotonic()
        try:
            return function(*args)
        finally:
            self.seconds[what] += time.monotonic() - start

    def __call__(self, program):
        """Returns None if the case passes, "refused" if one device cannot run it either, otherwise a
        message."""
        values = program.inputs()
        plain = program.text(sharded=False)
        try:
            expected = self.timed("ours", self.engine.whole, plain, values, program.results)
        except engines.Failed as failed:
            if failed.kind == "crash":
                return f"on one device: {failed.message}"
            self.refused[re.sub(r"^loc\(.*?\): ", "", failed.message.splitlines()[0])] += 1
            return "refused"
        text = program.text(sharded=True)
        try:
            found = self.timed("ours", self.engine.partitioned, text, values, program.results,
                               program.options.get("partition-effort", 1))  # fmt: skip
        except engines.Failed as failed:
            return f"{failed.kind}: {failed.message[:3000]}"
        message = self.compare(program, plain, values, expected, found)
        if not message and self.args.through:
            message = self.timed("other", engines.through, self.args.through, program, values)
            self.skipped += message == "skipped"
        return None if message == "skipped" else message

    def compare(self, program, plain, values, expected, found):
        exact = program.families <= programs.EXACT
        if program.kinds and all(program.kinds.values()):
            exact = program.families <= programs.EXACT | programs.ORDERED
        # Ops of any family may sum up arrays to get the scalars that they need.
        exact = exact and "applies stablehlo.add" not in plain
        bound = engines.coarsest(plain)
        return engines.differs(self.engine, program, plain, values, expected, found, exact, bound)


def kind(message):
    """Returns the message without numbers, names and positions: a smaller program must fail in the
    same way."""
    line = re.sub(r"loc\(.*?\)+|<.*>|\"\w+\"|%\w+", "", message.splitlines()[0])
    return "result" if line.startswith("result") else re.sub(r"\d+", "", line)


def shrink(program, check, seconds, message):
    """Removes results, ops and shardings as long as the case fails as `message` says, for at most
    `seconds`."""
    changed, end, wanted = True, time.monotonic() + seconds, kind(message)
    while changed and time.monotonic() < end:
        changed = False
        for smaller in program.smaller():
            if time.monotonic() > end:
                break
            message = check(smaller)
            if message and message != "refused" and kind(message) == wanted:
                program, changed = smaller, True
                break
    return program


def main(name="partition", through=None, cases=240, long_cases=3000):
    """name: in the output. through, cases, long_cases: defaults of options."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--family", help="only ops of this family")
    parser.add_argument("--op", help="only ops of the op tests with this in their name")
    parser.add_argument("--effort", type=int, choices=(0, 1, 2, 3), help="of all programs (any of them)")
    parser.add_argument("--sums", choices=programs.PLACES, help="where values may be unreduced (all; off with --through)")
    parser.add_argument("--through", choices=("xla", "region", "interpreter"), default=through, help="run there as well")
    parser.add_argument("--shrink", type=float, default=20, help="seconds to reduce a failing program (20)")
    parser.add_argument("--failures", type=int, default=3, help="how many to show (3)")
    parser.add_argument("--show", action="store_true", help="print each program")
    parser.add_argument("--list", action="store_true", help="families and ops")
    parser.add_argument("--times", action="store_true", help="say where the time went")
    args = oracle.arguments(__doc__, cases=cases, long_cases=long_cases, parser=parser)
    args.sums = args.sums or ("off" if args.through else "all")
    if args.list:
        print("\n".join(sorted(programs.FAMILIES)))
        print("\n".join(f"op: {name}" for name in partition_ops.OPS))
        return
    tally, check = oracle.Tally(name, show=args.failures), Check(args)
    only = "".join(f" --{k} '{getattr(args, k)}'" for k in ("family", "op", "through") if getattr(args, k))
    only += f" --effort {args.effort}" if args.effort is not None else ""
    only += f" --sums {args.sums}" if args.sums != "all" else ""
    most = engines.MOST_DEVICES.get(args.through, 16)
    more = partition_families.KEPT if args.through == "region" else ()
    ops = set()
    try:
        for rng in oracle.generators(args):
            start = time.monotonic()
            program = programs.random_program(rng, args.family, args.op, most, args.sums, more)
            if args.effort is not None or not program.options:
                program.options["partition-effort"] = 1 if args.effort is None else args.effort
            check.seconds["generating"] += time.monotonic() - start
            if args.show:
                print(program.text(sharded=True))
            message = check(program)
            if message == "refused":
                continue
            if not message:
                tally.ok()
                ops |= program.families
                continue
            if args.shrink and tally.failed < tally.show:
                program = shrink(program, check, args.shrink, message)
                message = check(program)
            tally.fail(rng.name + only, f"{message}\n--- program\n{program.text(sharded=True)}")
            sys.stdout.flush()
    finally:
        check.stop()
    if check.refused:
        print(f"{name}: {check.refused.total()} programs that one device refuses too")
        for reason, count in check.refused.most_common():
            print(f"  {count}: {reason[:200]}")
    if check.skipped:
        print(f"{name}: {check.skipped} programs that {args.through} does not run were run by ours alone")
    if args.times:
        print({k: round(v, 1) for k, v in check.seconds.items()}, len(ops), "families and ops")
    tally.finish()


if __name__ == "__main__":
    main()
