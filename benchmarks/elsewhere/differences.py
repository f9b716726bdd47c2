#===- differences.py - a backend's bytes against our plan ----------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Explains why a backend's optimized program sends other bytes than our plan, and why it takes more time than
with the backend's own partition."""

from shardwright.jax.elsewhere import hlo_bytes


def lost_results(ours, theirs):
    """Returns the numbers of the results that are constants in their program, but not in ours: XLA's own
    partition loses them. (XLA's partition of the sort of a top_k returns 0 for each index.)"""
    return sorted(hlo_bytes.Module(theirs).constant_results() - hlo_bytes.Module(ours).constant_results())


def explain(planned, text):
    """planned: {kind: {"count", "bytes"}}. text: the optimized HLO module. Returns (reasons, bytes): why the
    bytes of some kinds differ, and {kind: more bytes} of those without a reason. A kind that sends less has a
    reason: the backend has removed a collective, or made its operand smaller, and the results are compared."""
    found = hlo_bytes.summary(text)
    compiled, promoted = found["collectives"], found["promoted_bytes"]
    reasons, rest = [], {}
    if promoted:
        reasons.append(f"bf16 is reduced as f32, {promoted:,.0f} bytes more")
    for kind in sorted(planned | compiled):
        before, after = (side.get(kind, {"count": 0, "bytes": 0}) for side in (planned, compiled))
        more = after["bytes"] - before["bytes"]
        if kind in ("all_reduce", "reduce_scatter"):
            by_type = min(promoted, max(more, 0))
            promoted, more = promoted - by_type, more - by_type
        if more < -0.5:
            reasons.append(f"{kind} is removed or smaller, {-more:,.0f} bytes less")
        elif more > 0.5:
            rest[kind] = more
    return reasons, rest


def reasons_for_time(ours, theirs):
    """ours, theirs: (bytes, number of collectives, optimized HLO module). Returns why a step of ours may take
    longer on a backend on which each collective has a latency."""
    reasons = []
    if ours[0] < theirs[0] and ours[1] > theirs[1]:
        reasons.append(f"{ours[0] / theirs[0]:.2f} of the bytes in {ours[1]:g} collectives instead of {theirs[1]:g}")
    call = 'custom_call_target="TopK"'
    if call in theirs[2] and call not in ours[2]:
        reasons.append("each device sorts its shard and then the candidates of all; XLA calls TopK on the gathered rows")
    return reasons
