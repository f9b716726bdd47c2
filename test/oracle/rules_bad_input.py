#===- rules_bad_input.py - rules of ops with wrong numbers ----------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Ops of `rules.py` with some numbers replaced: shardwright-opt must refuse them or return a rule, and
never crash."""

import re

import oracle
import rules

BATCH = 100
OPTIONS = ("", "extra-rules=true", "conservative-propagation=true")


def spoil(rng, text):
    """Returns the program with one or two of its numbers changed, but not those in names and types."""
    for _ in range(rng.choice([1, 1, 2])):
        numbers = [m for m in re.finditer(r"-?\b\d+\b", text) if text[m.start() - 1] not in "%fix"]
        if not numbers:
            break
        number = rng.choice(numbers)
        value = rng.choice([-1, 0, 1, 2, 7, 100, 2**40, int(number.group()) + 1])
        text = text[: number.start()] + str(value) + text[number.end() :]
    return text


def survives(tally, cases, options):
    """cases: (name, program). Runs one process; after a crash one per case, to find the crashing ones."""
    pipeline = f"builtin.module(func.func(sdy-populate-op-sharding-rules{{{options}}}))"
    done = oracle.process(
        [oracle.OPT, "--split-input-file", f"--pass-pipeline={pipeline}"],
        oracle.SPLIT.join(text for _, text in cases),
    )
    if done.returncode in (0, 1):
        tally.passed += len(cases)
    elif len(cases) == 1:
        name, text = cases[0]
        tally.fail(f"{name} {options}", f"exit code {done.returncode}\n{done.stderr[:2000]}\n{text}")
    else:
        for case in cases:
            survives(tally, [case], options)


def main():
    args = oracle.arguments(__doc__, cases=800, long_cases=20000)
    tally = oracle.Tally("rules_bad_input")
    batch = []
    for rng in oracle.generators(args):
        family = rng.choice(list(rules.FAMILIES))
        text = rules.FAMILIES[family][0](rng)
        batch.append((f"{family} {rng.name}", spoil(rng, f"func.func @f{text}")))
        if len(batch) == BATCH:
            for options in OPTIONS:
                survives(tally, batch, options)
            batch = []
    for options in OPTIONS:
        if batch:
            survives(tally, batch, options)
    tally.finish()


if __name__ == "__main__":
    main()
