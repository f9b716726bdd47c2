#===- run.py - compile times of our stages, Shardy's and XLA's ------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Milliseconds, best of five runs after a warm-up, of
  parse       the module's text
  propagate   sharding propagation; Shardy's is the pipeline inside jaxlib
  all         text to executable for 8 devices; the peer is XLA for its CPU
Results are compared first. Ours counts the stages of `--stats=json`, so no process start."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from common import Program, check_ours, table, timed

import jax
import ours
import peers

RUNS = 5


def programs():
    yield Program.example("mlp_train", "mlp_train")
    yield Program.example("transformer_block", "transformer_block")
    yield Program.example("gpt, scan", "gpt")
    yield Program.example("gpt, 4 layers unrolled", "gpt", unroll=True)
    yield Program.example("gpt, 24 layers unrolled", "gpt", layers=24, unroll=True)


def milliseconds(seconds):
    return f"{seconds * 1e3:.1f}"


def main():
    rows = []
    for program in programs():
        check_ours(program)
        program.check("XLA", jax.tree.leaves(program.lowered.compile()(*program.args)))
        mine = ours.stages(program, RUNS)
        parse, propagate = peers.shardy(program, RUNS)
        compile_all, _ = timed(lambda: peers.xla(program), RUNS)
        total = sum(mine[s] for s in ("parse", "propagate", "partition", "compile"))
        for stage, a, b, who in (
            ("parse", mine["parse"], parse, "jaxlib"),
            ("propagate", mine["propagate"], propagate, "Shardy"),
            ("all", total, parse + compile_all, "XLA CPU"),
        ):
            rows.append(
                [program.name, mine["ops"], stage, milliseconds(a), milliseconds(b), who,
                 f"{a / b:.2f}"]
            )  # fmt: skip
    table(
        "compile time in ms (answers compared first; best of 5)",
        ["program", "ops", "stage", "ours", "peer", "which", "ours/peer"],
        rows,
    )


if __name__ == "__main__":
    main()
