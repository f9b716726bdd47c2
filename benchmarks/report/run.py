#===- run.py - time and size of reports -----------------------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""CPU seconds of `shardwright report` without suggestions, and the size of the page, of the examples and of a training
step of a GPT of 20,000 ops; beside them the CPU seconds of `shardwright partition` on the same module. Exit code 1 if the
large report takes more than MOST_RATIO times as long as partitioning, or a page is larger than test/end_to_end/report_size.py
allows. The time until the page answers is measured by test/browser/opening.py."""

import os
import resource
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [os.path.dirname(HERE), os.path.join(ROOT, "test", "end_to_end"), os.path.join(ROOT, "test", "oracle")]
from common import table

import oracle
import report_size

RUNS = 3
MOST_RATIO = 8.0


def cpu_seconds(*arguments):
    """The least CPU seconds of some runs of the command."""
    least = None
    for _ in range(RUNS):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([oracle.TOOL, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        least = min(spent, least or spent)
    return least


def main():
    rows, good = [], True
    with tempfile.TemporaryDirectory() as folder:
        step, page = os.path.join(folder, "step.mlir"), os.path.join(folder, "page.html")
        with open(step, "w") as file:
            file.write(report_size.training_step())
        programs = [(name, oracle.example(name), report_size.MOST_OF_EXAMPLE) for name in oracle.EXAMPLES]
        programs.append(("GPT of 20,000 ops", step, report_size.MOST_OF_GPT))
        for name, module, most in programs:
            partition = cpu_seconds("partition", module, "-o", os.devnull)
            report = cpu_seconds("report", module, "-o", page, "--trials=0")
            size = os.path.getsize(page)
            good &= size < most and (module != step or report < MOST_RATIO * partition)
            rows.append([name, f"{partition:.2f}", f"{report:.2f}", f"{report / partition:.2f}", f"{size / 1e6:.2f}"])
    table("Reports without suggestions", ["program", "partition, CPU s", "report, CPU s", "ratio", "page, MB"], rows)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
