#===- report_size.py - sizes of report pages -----------------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Pages of reports stay small: those of the examples under 1 MB, that of a training step of a GPT of 20,000 ops (loss and
gradients, as JAX writes them) under 10 MB. `benchmarks/report` measures their times."""

import json
import os
import re
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [os.path.join(ROOT, "test", "oracle"), os.path.join(ROOT, "benchmarks", "parse"), os.path.join(ROOT, "benchmarks")]
import oracle

LAYERS = 150  # of 136 ops
OPS = 20000
MOST_OF_GPT, MOST_OF_EXAMPLE = 10_000_000, 1_000_000


def training_step():
    """The text of a training step of OPS ops."""
    import modules

    return modules.training_step(LAYERS).as_text(debug_info=True)


def page(tally, name, module, *flags):
    """Writes the page of a module. Returns its bytes and its document; None if that fails."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "page.html")
        done = oracle.process([oracle.TOOL, "report", module, "-o", path, *flags])
        if not tally.check(f"{name}: a report", done.returncode == 0, done.stderr):
            return None
        with open(path, "rb") as file:
            text = file.read()
    document = re.search(rb'<script type="application/json"[^>]*>(.*?)</script>', text, re.S).group(1)
    return len(text), json.loads(document)


def main():
    oracle.arguments(__doc__, 0, 0)
    tally = oracle.Tally("report_size")
    for name in oracle.EXAMPLES:
        if found := page(tally, name, oracle.example(name)):
            tally.check(f"{name}: size", found[0] < MOST_OF_EXAMPLE, found[0])
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
        file.write(training_step())
        file.flush()
        if found := page(tally, "training step", file.name, "--trials=0"):
            size, document = found
            ops = len(document["ops"]["op"])
            print(f"training step of {ops} ops: {size / 1e6:.2f} MB")
            tally.check("training step: ops", ops >= OPS, ops)
            tally.check("training step: size", size < MOST_OF_GPT, size)
    tally.finish()


if __name__ == "__main__":
    main()
