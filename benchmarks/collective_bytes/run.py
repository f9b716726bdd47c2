#===- run.py - bytes sent: our partition beside XLA's ----------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Bytes sent by a device on average in one run of a program on 8 devices, by one model
(hlo_bytes.py). Exits with 1 when ours sends more than XLA for the transformer block."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from common import Program, table

import ours
import xla


def programs():
    yield Program("mlp_train", "mlp_train")
    yield Program("mlp_train batch 256 x 512", "mlp_train", batch=256, inputs=512, hidden=1024)
    yield Program("transformer_block", "transformer_block")
    yield Program("transformer_block 4x2", "transformer_block", mesh_sizes=dict(data=4, model=2))
    yield Program("transformer_block 1x8", "transformer_block", mesh_sizes=dict(data=1, model=8))
    yield Program("transformer_block d 256", "transformer_block", d_model=256, d_ff=1024)
    yield Program("gpt", "gpt")
    yield Program("gpt 4x2", "gpt", mesh_sizes=dict(data=4, model=2))


def kinds(stats):
    found = stats["collectives"].items()
    return " ".join(f"{k}x{v['count']}" for k, v in found if v["count"]) or "none"


def main():
    rows, worse = [], []
    for program in programs():
        mine, theirs = ours.stats(program), xla.stats(program)
        a, b = mine["bytes_sent_per_device"], theirs["bytes_sent_per_device"]
        ratio = f"{a / b:.2f}" if b else ("1.00" if a == b else "inf")
        rows.append([program.name, round(a), round(b), ratio, kinds(mine), kinds(theirs)])
        if program.name.startswith("transformer_block") and a > b:
            worse.append(program.name)
    table(
        "bytes sent per device (answers compared first)",
        ["program", "ours", "XLA", "ours/XLA", "our collectives", "XLA's"],
        rows,
    )
    if worse:
        sys.exit(f"more than XLA: {', '.join(worse)}")


if __name__ == "__main__":
    main()
