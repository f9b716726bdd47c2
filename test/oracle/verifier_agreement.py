#===- verifier_agreement.py - our verifiers refuse what jaxlib's refuse ---===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Valid operations, mutated at random: jaxlib and ours must accept and refuse the same ones.

The valid operations are those of test/stablehlo, test/chlo and of programs that JAX exports; every
op of the dialects must be among them. A finding is printed with the fewest changes that cause it.
The differences that docs/compatibility.md lists count as agreement. With --texts the first lines of
the diagnostics are compared as well, and the most frequent differences are printed. With --save the
cases that both refuse with the same diagnostic are written to the lit tests
test/*/verify_spoiled.mlir."""

import argparse
import collections
import os
import random
import re

import jax_corpus
import op_mutations
import oracle
import verdicts

FILES = [os.path.join("test", *name) for name in (
    ("stablehlo", "bounds.mlir"), ("stablehlo", "calls.mlir"), ("stablehlo", "collectives.mlir"),
    ("stablehlo", "contraction.mlir"), ("stablehlo", "control_flow.mlir"),
    ("stablehlo", "dynamic.mlir"), ("stablehlo", "elementwise.mlir"),
    ("stablehlo", "reduction.mlir"), ("stablehlo", "shape.mlir"), ("chlo", "ops.mlir"))]  # fmt: skip

BATCH = 500

# Intended differences (docs/compatibility.md): patterns in the case and in our diagnostic, if
# jaxlib accepts the case.
DELIBERATE = [
    ("chlo.broadcast_", "cannot be broadcast|broadcast_dimensions|inferred type"),
    ("chlo.top_k", "is_stable|k must not be negative"),
    ("stablehlo.fft", "requires innermost dimensions"),
    ("stablehlo.bitcast_convert", "operand and result shapes must match"),
    ("stablehlo.real_dynamic_slice", "must match result rank"),
    ("stablehlo.dynamic_iota", "result should have a rank"),
    ("stablehlo.dynamic_broadcast_in_dim", "is not equal to number of output dimensions"),
    ("stablehlo.dynamic_conv", "."),
    ("stablehlo.reduce_scatter", "result element-type is expected to be"),
    ("stablehlo.reduce_window", "rank of reduction-region's argument"),
    ("stablehlo.clamp[\\s\\S]*#stablehlo.bounds", "are incompatible with return type"),
    ("stablehlo.(convolution|reduce_window|select_and_scatter)[\\s\\S]*-9223372036854775808", "."),
    ("chlo.scan", "body output of type|has type"),
    ("chlo.(zeta|polygamma|next_after)", "all non-scalar operands"),
]

# The same if ours accepts it; jaxlib's diagnostic.
ACCEPTED = [
    (".", "^" + verdicts.CRASH),
    (" = dense<", "constraint: i(64|1) dense array attribute"),
    ("stablehlo.convolution", "window to have positive value for .-th window dimension, but got 0"),
]


def collect(modules):
    """Returns the valid single operations of some modules, by op name."""
    seeds, seen = collections.defaultdict(list), set()
    for module in modules:
        prelude = "".join(
            o.get_asm(print_generic_op_form=True, use_local_scope=True) + "\n"
            for o in (b.operation for b in module.body.operations)
            if o.name == "sdy.mesh"
            or 'sym_visibility = "private"' in o.get_asm(print_generic_op_form=True, use_local_scope=True)[:2000]
        )
        for operation in op_mutations.walk(module):
            if not operation.name.startswith(("stablehlo.", "chlo.")):
                continue
            op = op_mutations.Op.of(operation)
            if op is None or op.name.endswith(".return"):
                continue
            if any("@" in value for value in op.attributes.values()):
                op.prelude = prelude
            shape = re.sub(r"\d+", "0", op.text())
            if shape in seen or len(shape) > 20000:
                continue
            seen.add(shape)
            if verdicts.theirs(op.text()) is not None:
                continue  # it depends on its surroundings
            seeds[op.name].append(op)
    return seeds


def modules_of_files():
    for path in FILES:
        with open(os.path.join(oracle.ROOT, path)) as file:
            for part in file.read().split("// -----"):
                # Some functions do not parse, some contain ops that jaxlib does not have.
                functions = [part]
                if verdicts.theirs(part) is not None:
                    functions = re.findall(r"^func\.func.*?^}\n", part, re.M | re.S)
                for function in functions:
                    if verdicts.theirs(function) is None:
                        yield oracle.parse(function)


def template(message):
    """Returns a diagnostic without its names and numbers: the kind of finding."""
    return message and re.sub(r"-?\d+|'[^']*'", "_", message)


class Case:
    """A valid op and the seeds of the changes that were made to it."""

    def __init__(self, op, changes):
        self.op, self.changes = op, changes

    def text(self):
        op = self.op
        for change in self.changes:
            op = op_mutations.mutate(op, random.Random(change))
        return op.text()


def shrink(case):
    """Returns the case with the fewest changes on which the verdicts still differ."""
    smaller = [
        Case(case.op, case.changes[start : start + count])
        for count in range(1, len(case.changes))
        for start in range(len(case.changes) - count + 1)
    ]
    texts = [s.text() for s in smaller]
    for small, text, ours in zip(smaller, texts, verdicts.ours(texts)):
        if (verdicts.theirs(text) is None) != (ours is None):
            return small
    return case


def is_deliberate(text, theirs, ours):
    if theirs is not None:
        return ours is None and any(re.search(op, text) and re.search(m, theirs) for op, m in ACCEPTED)
    return any(
        re.search(f'"{op}', text) and re.search(message, ours) for op, message in DELIBERATE
    )


def save(agreed):
    """Writes lit tests of refused cases: for each op a few with different diagnostics."""
    for dialect in ("stablehlo", "chlo"):
        parts = []
        for name in sorted(agreed):
            if not name.startswith(dialect + "."):
                continue
            for message, text in sorted(agreed[name].values(), key=lambda c: len(c[1]))[:3]:
                lines = text.splitlines()
                at = next(i for i, line in enumerate(lines) if f'"{name}"(' in line)
                lines.insert(at, f"  // expected-error @+1 {{{{{message}}}}}")
                parts.append("\n".join(lines) + "\n")
        path = os.path.join(oracle.ROOT, "test", dialect, "verify_spoiled.mlir")
        with open(path, "w") as file:
            file.write(
                "// Spoiled operations that jaxlib and ours refuse in the same words, written by\n"
                "// test/oracle/verifier_agreement.py --save.\n"
                "// RUN: shardwright-opt %s --split-input-file --verify-diagnostics=only-expected -o /dev/null\n\n"
                + "\n// -----\n\n".join(parts)
            )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--texts", action="store_true", help="compare diagnostics, show differences")
    parser.add_argument("--op", help="only this op")
    parser.add_argument("--save", action="store_true", help="write lit tests of refused cases")
    args = oracle.arguments(__doc__, cases=4000, long_cases=100000, parser=parser)
    tally = oracle.Tally("verifier_agreement", show=12)

    programs = jax_corpus.exported(args.seed, 400 if args.long else 60)
    parsed = (oracle.parse(p.text()) for p in programs)
    seeds = collect([*modules_of_files(), *parsed])
    known = {
        value.OPERATION_NAME
        for module in (oracle.stablehlo, oracle.chlo)
        for value in vars(module._ods_gen if hasattr(module, "_ods_gen") else module).values()
        if hasattr(value, "OPERATION_NAME")
    }
    # jaxlib has no quantized types; a terminator is part of its parent's cases.
    known -= {"stablehlo.uniform_quantize", "stablehlo.uniform_dequantize", "stablehlo.return"}
    for name in sorted(known - {"chlo.return"}):
        tally.check(name, name in seeds, "no valid case of this op in test/stablehlo or test/chlo")

    ops = sorted(seeds) if not args.op else [args.op]
    cases = []
    for rng in oracle.generators(args):
        op = rng.choice(seeds[rng.choice(ops)])
        cases.append(Case(op, [rng.random() for _ in range(rng.choice([1, 1, 1, 2, 2, 3]))]))
    texts = [case.text() for case in cases]
    differences, refused, same_text = collections.Counter(), 0, 0
    findings, examples = collections.defaultdict(list), {}
    agreed = collections.defaultdict(dict)
    for start in range(0, len(cases), BATCH):
        batch = texts[start : start + BATCH]
        for case, text, ours in zip(cases[start:], batch, verdicts.ours(batch)):
            theirs = verdicts.theirs(text)
            if (theirs is None) != (ours is None) and not is_deliberate(text, theirs, ours):
                findings[template(theirs), template(ours)].append(case)
                continue
            tally.ok()
            if theirs is not None:
                refused += 1
                same_text += theirs.strip() == (ours or "").strip()
                if theirs.strip() == (ours or "").strip() and "undeclared SSA" not in theirs:
                    kept = agreed[case.op.name].setdefault(template(theirs), (theirs, text))
                    if len(text) < len(kept[1]):
                        agreed[case.op.name][template(theirs)] = (theirs, text)
                if theirs.strip() != (ours or "").strip():
                    key = (template(theirs), template(ours))
                    differences[key] += 1
                    examples.setdefault(key, (theirs, ours, text))
    for found in findings.values():
        text = shrink(found[0]).text() if tally.failed < tally.show else found[0].text()
        theirs, ours = verdicts.theirs(text), verdicts.ours([text])[0]
        message = f"{len(found)} like this\njaxlib: {theirs}\nours:   {ours}\n{text}"
        for case in found:
            tally.fail(case.op.name, message)
            message = "(the same again)"
    print(f"{refused} of {len(cases)} refused by both, {same_text} with the same text")
    if args.save:
        save(agreed)
    if args.texts:
        for key, count in differences.most_common(60):
            theirs, ours, text = examples[key]
            print(f"{count} times\n  jaxlib: {theirs}\n  ours:   {ours}\n  {text.splitlines()[-3]}")
    tally.finish()


if __name__ == "__main__":
    main()
