#===- shardy_ir_known.py - intended differences to Shardy's passes --------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""The differences that `shardy_ir.py` accepts; docs/compatibility.md has the reason for each. Without
the difference both texts must be equal. shardy_passes.py compares the results of the further passes
with those of the unpartitioned program."""

import re

# Ops that make the values of an op agree.
AGREE = {"reshard", "all_reduce", "replicated_to_unreduced"}
COLLECTIVES = ("all_gather", "all_reduce", "all_to_all", "collective_permute", "reduce_scatter")
# Ops of masks, and of rows that are removed or added at the end of a dimension.
MASKS = {"iota", "constant", "broadcast_in_dim", "compare", "select", "slice", "pad", "and"}

REFUSED = re.compile("has no sharding rule|takes its shape from a value|to have one user and the user is an sdy.all_reduce|"
                     "requires device communication|needs rows of other devices|has another sharding than the callee's")  # fmt: skip


def ops(text):
    """Returns the names of a module's ops, in order."""
    return [op for op in re.findall(r"(?<![#@.\w])(?:stablehlo|sdy|func)\.([a-z_0-9]+)", text) if not op.startswith("sharding")]


def without(text, names):
    return [op for op in ops(text) if op not in names]


def outside(text):
    """Returns the text without the bodies of manual computations, which fetch halo rows."""
    lines, depth = [], 0
    for line in text.splitlines():
        if depth == 0:
            lines.append(line)
        opens = "sdy.manual_computation(" in line and line.rstrip().endswith("{")
        if depth or opens:
            depth += line.count("{") - line.count("}")
            depth = max(depth, 0)
    return "\n".join(lines)


def collectives(text):
    """Returns the collectives of the program of one device, in order: op, groups, types. Pairs of
    permutes are not compared: a device that has its shard keeps it, and upstream's pairs are wrong
    for sub-axes. Tensors without elements need no communication."""
    found = []
    for line in text.splitlines():
        name = re.search(r'"stablehlo\.(\w+)"', line)
        if name and name[1] in COLLECTIVES and not re.search(r"tensor<(\d+x)*0x", line):
            groups = re.search(r"replica_groups = (dense<.*?>) : ", line)
            found.append((name[1], groups and groups[1]))
    return found


def parts_gathered(text):
    """Returns the collectives, with a gather in place of an all_reduce: its groups are the same, in
    the order of the gathered parts."""
    found = []
    for name, groups in collectives(text):
        if name in ("all_gather", "all_reduce"):
            groups = sorted(sorted(row.split(", ")) for row in re.findall(r"\[(\d[^\[\]]*)\]", groups or ""))
        found.append(("all_gather" if name == "all_reduce" else name, str(groups)))
    return found


def reason(stage, before, theirs, ours):
    """Returns the reason why the texts may differ after this stage, or None."""
    if re.search(r"sort.*dimension = -", before):
        return "sort along a dimension counted from the last"
    one = re.search(r"sdy.mesh @(\w+) = <\[\], device_ids=\[\d+\]>", before)
    if one and f"<@{one[1]}, []>" in before and stage in ("full", "export collectives", "export cmv1"):
        return "ops for one device"
    if "use meshes of one number of devices" in ours:
        return "meshes of other numbers of devices"
    # In jaxlib's form nothing has replicated them.
    if stage == "pad" and "is reduced over shards, but other" in ours or stage.startswith("local") and REFUSED.search(ours):
        return "refused: local as it stands it would be wrong"
    # Upstream also ignores the values that collectives of the program reduce.
    if stage in ("minimal", "full", "export", "export collectives", "export cmv1") and "unreduced=" in before:
        moves = AGREE | {"all_gather", "all_slice", "all_to_all", "collective_permute", "reduce_scatter", "reshape"}
        if without(theirs, moves) == without(ours, moves):
            return "what is whole, and said to be unreduced, is so on one device of each group"
    if stage.startswith("permutation"):
        if without(theirs, AGREE) == without(ours, AGREE):
            return "whole what no rule makes agree"
        moved = AGREE | {"mesh", "manual_computation", "slice", "pad", "reverse", "constant"}
        if without(outside(theirs), moved) == without(outside(ours), moved):
            return "rows of neighbours instead of whole dimensions"
    if stage == "pad":
        rows = MASKS | {"manual_computation", "all_gather", "all_slice"}
        if without(outside(theirs), rows) == without(outside(ours), rows):
            return "masks, and rows that move"
    if stage.startswith("local"):
        if collectives(theirs) == collectives(ours):
            return "what a device computes of its number, once"
        # Upstream adds up partial results that only the reducer itself can combine.
        if re.search(r":\d+ = stablehlo\.reduce\(", before):
            if parts_gathered(theirs) == parts_gathered(ours):
                return "parts that their reducer combines, gathered"
    return None
