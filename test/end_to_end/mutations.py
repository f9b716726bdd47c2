#===- mutations.py - broken programs never crash the tool -----------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Changes the text of the examples at random and runs `shardwright partition`: exit code 0, or 2 with
exactly one error and nothing on stdout. The output must parse again."""

import argparse
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "oracle"))
import oracle

TOKEN = re.compile(r'"[^"\n]*"|[#%@!]?[\w.$]+|->|\s+|.', re.S)
NUMBERS = ("0", "1", "2", "3", "7", "8", "-1", "4294967296", "9223372036854775807", "?", "1e9999")
WORDS = (
    "f32", "f64", "i1", "i32", "ui8", "bf16", "tensor<f32>", "tensor<?xf32>", "tensor<0x8xf32>", "{}",
    "{?}", '"x"', '"data"', '"model"', '"data":(1)2', '"model":(2)2', "@mesh", "@main", "replicated={",
    "unreduced={", "dense<0>", "dense<1.0>", "[0]", "[1, 0]", "[0, 0]", "array<i64: 1, 2>", "stablehlo.add",
    "stablehlo.while", "sdy.sharding_constraint", "sdy.reshard", "sdy.return", "func.call @main", "priority", "p0",
)  # fmt: skip


def mutate(rng, source):
    """One to three changes: mostly to tokens, so that many programs still parse."""
    for _ in range(rng.randint(1, 3)):
        lines = source.splitlines(keepends=True)
        body = [i for i, line in enumerate(lines) if not line.startswith("#loc")]
        at = rng.choice(body)
        kind = rng.random()
        if kind < 0.08:
            del lines[at]
        elif kind < 0.14:
            lines.insert(at, lines[rng.choice(body)])
        elif kind < 0.18:
            other = rng.choice(body)
            lines[at], lines[other] = lines[other], lines[at]
        elif kind < 0.22:
            lines = lines[:at]
        else:
            tokens = TOKEN.findall(lines[at])
            places = [i for i, t in enumerate(tokens) if not t.isspace()] or [0]
            numbers = [i for i in places if tokens and re.fullmatch(r"\d+(x\S+)?", tokens[i])]
            i = rng.choice(numbers if numbers and rng.random() < 0.5 else places)
            if not tokens:
                continue
            if tokens[i][:1].isdigit():
                tokens[i] = re.sub(r"^\d+", lambda _: rng.choice(NUMBERS), tokens[i])
            elif kind < 0.4:
                tokens[i] = rng.choice(WORDS)
            elif kind < 0.55:
                tokens[i] = ""
            elif kind < 0.7:
                j = rng.choice(places)
                tokens[i], tokens[j] = tokens[j], tokens[i]
            elif kind < 0.9:
                others = [t for t in set(TOKEN.findall(source)) if t[:1] == tokens[i][:1]]
                tokens[i] = rng.choice(sorted(others) or ["x"])
            else:
                cut = rng.randrange(len(tokens[i]) + 1)
                tokens[i] = tokens[i][:cut] + chr(rng.randrange(1, 256)) + tokens[i][cut:]
            lines[at] = "".join(tokens)
        source = "".join(lines)
    return source


def problem(source):
    """Returns what is wrong with the tool's reaction to the module, or None."""
    done = oracle.process([oracle.TOOL, "partition", "-"], source)
    if done.returncode == 0:
        again = oracle.process([oracle.OPT, "-o", "/dev/null"], done.stdout)
        if again.returncode != 0:
            return f"its output does not parse:\n{again.stderr}"
        return None
    if done.returncode != 2:
        return f"exit code {done.returncode}\n{done.stderr}"
    if done.stdout:
        return f"exit code 2, and on stdout:\n{done.stdout[:1000]}"
    errors = re.findall(r"^(?:[^\n]*[:\s])?error: ", done.stderr, re.M)
    if len(errors) != 1:
        return f"exit code 2 and {len(errors)} errors:\n{done.stderr}"
    return None


def shrink(lines_kept, fails):
    """Removes runs of lines as long as the module still fails."""
    size = len(lines_kept) // 2
    while size >= 1:
        i = 0
        while i < len(lines_kept):
            fewer = lines_kept[:i] + lines_kept[i + size :]
            if fails("".join(fewer)):
                lines_kept = fewer
            else:
                i += size
        size //= 2
    return "".join(lines_kept)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--long", action="store_true")
    args = parser.parse_args()
    if args.cases is None:
        args.cases = 10000 if args.long else 200
    tally = oracle.Tally("mutations", show=3)
    sources = []
    for name in oracle.EXAMPLES:
        with open(oracle.example(name)) as file:
            sources.append(re.sub(r" loc\((#loc\d*|\"[^\"]*\"\(?#?\w*\)?)\)", "", file.read()))
    for rng in oracle.generators(args):
        source = mutate(rng, rng.choice(sources))
        found = problem(source)
        if found is None:
            tally.ok()
            continue
        if tally.failed < tally.show:
            kind = found.split("\n")[0]

            def fails(text):
                again = problem(text)
                return again is not None and again.split("\n")[0] == kind

            source = shrink(source.splitlines(keepends=True), fails)
        tally.fail(rng.name, f"{found}\nprogram:\n{source}")
    tally.finish()


if __name__ == "__main__":
    main()
