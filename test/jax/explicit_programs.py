#===- explicit_programs.py - random programs with shardings as types -----===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Random JAX programs on meshes of Explicit axes, on 8 devices of the plugin and of JAX's CPU:
unreduced and reduced values, reshards between them, in loops, branches, maps and manual
computations, and gradients of all that. Values, types, shardings and the parts of all devices must
be the same.

    explicit_programs.py                        a sample (SAMPLE)
    explicit_programs.py --long                 2,000 programs
    explicit_programs.py --seed 17 --cases 1    one, as a failure prints it
    explicit_programs.py --seed 17 --print      its text

Programs that JAX's CPU refuses are counted as refused; more than a tenth is a failure. If the two
differ, and a run on one device or with one operation at a time agrees with ours, the CPU is wrong
(XLA adds the parts of a partial sum that a loop carries again and again). A failing program is
reduced for --shrink seconds before it is printed."""

import argparse
import collections
import os
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "oracle")]

import explicit_text
import oracle
from explicit_compare import compare, same_values
from explicit_worker import Worker

SAMPLE, LONG = 40, 2000
ALLOWED = 0.1
SAME, REFUSED, DIFFERENT, WRONG = "same", "refused", "different", "the CPU is wrong"


class Pair:
    """Both platforms."""

    def __init__(self):
        self.cpu, self.ours = Worker("cpu"), Worker("shardwright")

    def generate(self, seed):
        self.cpu.send("generate", (seed,))
        return self.cpu.receive()

    def judge(self, program):
        """Returns (verdict, text): SAME, REFUSED, DIFFERENT, or WRONG if JAX's CPU contradicts itself
        and we do not."""
        text = program.text()
        self.cpu.send("run", text)
        self.ours.send("run", text)
        theirs, ours = self.cpu.receive(), self.ours.receive()
        if theirs[0] != "value":
            return REFUSED, theirs[1]
        if ours[0] != "value":
            return DIFFERENT, f"the CPU gives a value, we {'end the process: ' if ours[0] == 'crash' else ''}{ours[1]}"
        difference = compare(ours, theirs)
        if not difference:
            return SAME, ""
        # XLA loses or doubles some partial sums, for example those of loops.
        self.cpu.send("run", program.text("eager" if "shard_map" in text else "one"))
        truth = self.cpu.receive()
        if truth[0] == "value" and same_values(ours, truth) and not same_values(theirs, truth):
            return WRONG, difference
        return DIFFERENT, difference

    def stop(self):
        self.cpu.stop()
        self.ours.stop()


def shrink(pair, program, seconds):
    """Returns a smaller program that fails too, within the time."""
    end, message, again = time.monotonic() + seconds, None, True
    while again:
        again = False
        for smaller in explicit_text.smaller(program):
            if time.monotonic() > end:
                return program, message
            verdict, text = pair.judge(smaller)
            if verdict == DIFFERENT:
                program, message, again = smaller, text, True
                break
    return program, message


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--show", type=int, default=3, help="failures shown in full (3)")
    parser.add_argument("--shrink", type=float, default=60, help="seconds to reduce a failure (60)")
    parser.add_argument("--print", action="store_true", help="print the program instead")
    args = oracle.arguments(__doc__, SAMPLE, LONG, parser)
    pair, tally, refused = Pair(), oracle.Tally("jax/explicit_programs", args.show), collections.Counter()
    modes, wrong = collections.Counter(), 0
    for seed in range(args.seed, args.seed + args.cases):
        made = pair.generate(seed)
        if not isinstance(made, dict):
            tally.fail(f"--seed {seed} --cases 1", f"no program: {made[1]}")
            continue
        program = made["program"]
        if args.print:
            print(program.text())
            continue
        verdict, message = pair.judge(program)
        modes[made["mode"]] += 1
        wrong += verdict == WRONG
        if verdict == REFUSED:
            refused[message[:100].splitlines()[0]] += 1
        elif verdict != DIFFERENT:
            tally.ok()
        else:
            if tally.failed < args.show:
                program, smaller = shrink(pair, program, args.shrink)
                message = smaller or message
            tally.fail(f"--seed {seed} --cases 1", f"{message}\nprogram:\n{program.text()}")
    pair.stop()
    if args.print:
        return
    count = sum(refused.values())
    print(f"jax/explicit_programs: {dict(modes)}, refused by JAX's CPU: {count}, wrong on it: {wrong}")
    for text, n in refused.most_common(5):
        print(f"  {n} {text}")
    tally.check("refused", count <= ALLOWED * args.cases + 2, f"{count} of {args.cases} programs were refused by JAX's CPU")
    tally.finish()


if __name__ == "__main__":
    main()
