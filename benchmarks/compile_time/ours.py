#===- ours.py - times of our stages ----------------------------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//

import json

import common


def stages(program, runs):
    """Returns {stage: best seconds, "ops": N} over `runs` processes after a warm-up."""
    best = {}
    for i in range(runs + 1):
        common.tool(
            "run", program.module, program.inputs, f"--stats=json={program.file('stats.json')}"
        )
        with open(program.file("stats.json")) as file:
            stats = json.load(file)
        if i == 0:
            continue
        for stage, seconds in stats["stages"].items():
            best[stage] = min(seconds, best.get(stage, seconds))
    return {**best, "ops": stats["ops"]}
