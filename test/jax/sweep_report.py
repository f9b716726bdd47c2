#===- sweep_report.py - writes the results of the sweep -------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Counts the outcomes of sweep.py by module, and writes docs/jax-support.md. The sweep fails if a
difference has no reason in sweep_reasons.py, or if a reason matches no difference."""

import collections
import os
import re

from both import ROOT
from closeness import ACCURATE, APART, BITS, ULPS
from sweep_reasons import REASONS

DOCUMENT = os.path.join(ROOT, "docs", "jax-support.md")
NEEDED = 0.97
FUNCTIONS = "## Public functions"


def module_of(name):
    parts = name.split("/")[0].split(".")
    return "jax." + ".".join(parts[:2] if parts[0] == "scipy" or len(parts) > 2 else parts[:1])


def reason(name):
    """Returns the reason why this case may differ, or None."""
    return next((why for pattern, why in REASONS.items() if re.fullmatch(pattern, name)), None)


def public_table(public, not_called):
    """Returns rows `module | public functions | of them no computations`."""
    counts, left = collections.Counter(map(module_of, public)), collections.Counter(map(module_of, (n for n in public if n in not_called)))
    return "\n".join(f"| `{module}` | {counts[module]} | {left[module] or ''} |" for module in sorted(counts))


def documented_public_table():
    if not os.path.exists(DOCUMENT):
        return ""
    with open(DOCUMENT) as file:
        section = file.read().partition(FUNCTIONS)[2].split("\n## ")[0]
    return "\n".join(line for line in section.splitlines() if line.startswith("| `jax."))


class Results:
    def __init__(self, outcomes):
        self.kept, self.refused, self.unguessed = {}, [], []
        for name, (verdict, text, theirs) in outcomes.items():
            if theirs[0] == "value" and any(leaf == "no arguments found" for _, leaf in theirs[1] if isinstance(leaf, str)):
                self.unguessed.append(name)
            elif theirs[0] != "value" and not text.startswith("ended the process"):
                self.refused.append(name)
            else:
                self.kept[name] = (verdict, text)

    def check(self, tally):
        for name, (verdict, text) in self.kept.items():
            ended = verdict == APART and text.startswith("ended the process")
            tally.check(name, verdict != APART or (not ended and reason(name)), text)

    def summary(self):
        count = collections.Counter(verdict for verdict, _ in self.kept.values())
        total = max(1, len(self.kept))
        return (f"{len(self.kept)} calls: " + ", ".join(f"{v} {count[v]} ({100 * count[v] / total:.1f} %)" for v in (BITS, ULPS, ACCURATE, APART))
                + f"; {len(self.refused)} that the CPU refuses too, {len(self.unguessed)} without arguments")  # fmt: skip

    def document(self, public, not_called, update, tally):
        by_module, functions = collections.defaultdict(collections.Counter), set()
        for name, (verdict, _) in self.kept.items():
            by_module[module_of(name)][verdict] += 1
            functions.add(name.split("/")[0])
        apart = {name.split("/")[0] for name, (verdict, _) in self.kept.items() if verdict == APART}
        equal = functions - apart
        missing = sorted({name.split("/")[0] for name in (*self.refused, *self.unguessed)} - functions)
        share = len(equal) / max(1, len(functions))
        tally.check("97% of the functions are equal", share >= NEEDED, f"{share:.4f}")
        if not update:
            return
        count = collections.Counter(name.split("/")[1] for name in self.kept)
        ways = ", ".join(f"{way} {count[way]}" for way in sorted(count))
        lines = [HEAD.format(
            functions=len(functions), public=len(public), equal=len(equal), percent=100 * share, ways=ways, calls=len(self.kept),
            percent_calls=100 * (1 - sum(c[APART] for c in by_module.values()) / max(1, len(self.kept))))]  # fmt: skip
        lines += ["## Calls", "", f"| module | calls | {BITS} | {ULPS} | {ACCURATE} | {APART} | equal |", "| --- " + "| ---: " * 6 + "|"]
        for module, c in sorted(by_module.items()):
            total = sum(c.values())
            lines.append(f"| `{module}` | {total} | {c[BITS]} | {c[ULPS]} | {c[ACCURATE]} | {c[APART]} | {100 * (1 - c[APART] / total):.1f} % |")
        lines += ["", "## Differences", "", "| call | why |", "| --- | --- |"]
        for name, (verdict, _) in sorted(self.kept.items()):
            if verdict == APART:
                lines.append(f"| `{name}` | {reason(name) or 'UNKNOWN'} |")
        lines += ["", FUNCTIONS, "", "| module | public | no computation |", "| --- | ---: | ---: |", public_table(public, not_called)]
        lines += ["", "Not called, being no computations on arrays:", ""]
        for why in dict.fromkeys(not_called.values()):
            lines.append(f"- {why}: " + ", ".join(f"`{n}`" for n in sorted(not_called) if not_called[n] == why and n in public))
        lines += ["", "No arguments that JAX's CPU takes were found for: " + (", ".join(f"`{n}`" for n in missing) or "none") + "."]
        with open(DOCUMENT, "w") as file:
            file.write("\n".join(lines) + "\n")


HEAD = """# How much of JAX runs

Written by `test/jax/sweep.py --long --update`: every public function of jax.lax, jax.numpy, jax.nn, jax.random,
jax.scipy, jax.ops and jax.image is called under `jit`; and under `jit` with other element types (types), without it
(eager), and with its arguments sharded over 8 devices. The same call on JAX's CPU backend (8 devices too, and
`--xla_allow_excess_precision=false`, so that every operation of a 16-bit type rounds to it) gives the answer to compare with.

Of {public} public functions {functions} were called, and {equal} of them ({percent:.2f} %) are equal in all calls;
of {calls} calls {percent_calls:.2f} % are equal. No call ended the process. Calls by their way: {ways};
ways with fewer calls are a sample.

Equal means, for integers and booleans, equal. A float is equal when it has the same bits; or within 8 units in the last
place (1 for types of 16 bits and fewer) of the element, or 4 of the largest element of the array; or when the same call
in float64 shows that its error is at most twice that of the CPU's (`test/jax/closeness.py`).
"""
