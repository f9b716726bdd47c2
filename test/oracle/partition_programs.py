#===- partition_programs.py - random programs with shardings ---------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""A program of a few ops that take each other's results (partition_families.py), single ops with
any type and attribute (partition_ops.py), bodies of manual computations (partition_manual.py)."""

import partition_families
import partition_manual
import partition_ops
from partition_builder import Builder

FAMILIES = {**partition_families.FAMILIES, **partition_manual.FAMILIES}
# Results are those of the unpartitioned program to the bit, whatever the type.
EXACT = {
    "barrier", "broadcast", "concatenate", "constraint", "dynamic_slice",
    "dynamic_update_slice", "gather", "long_sort", "pad", "reshape", "reverse", "roll", "slice", "sort", "sort_pairs",
    "top_k", "transpose",
}  # fmt: skip


def random_program(rng, family=None, only=None, most_devices=16):
    """family: only of this family. only: of the op tests, those whose name has this part."""
    b = Builder(rng, most_devices)
    b.extra = []
    names = [family] if family else list(FAMILIES)
    single = family == "op" or only

    def grow():
        at = len(b.p.ops)
        if single or (not family and rng.random() < 0.35):
            partition_ops.splice(b, only)
        else:
            name = rng.choice(names)
            FAMILIES[name](b)
            for op in b.p.ops[at:]:
                op.family = op.family or name

    if not single and (not family or rng.random() < 0.7):
        b.arg()
    for _ in range(rng.randint(1, 6) if not family and not only else rng.randint(1, 3)):
        grow()
        if rng.random() < 0.2 and b.values:
            partition_families.constraint(b)
            b.p.ops[-1].family = "constraint"
    for _ in range(20):
        if b.p.ops:
            break
        grow()
    if not b.p.args:
        b.arg()
    computed = [v for v in b.values if v not in b.p.args and v.shape] or ([] if b.extra else b.values[:1])
    b.p.results = list({v.name: v for v in computed[-3:] + b.extra}.values())
    for r in b.p.results:
        if r.shape and rng.random() < 0.5:
            b.p.result_shardings[r.name] = b.sharding(r.shape, border=True)
    return b.p
