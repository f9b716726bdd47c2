#===- hlo_counts.py - collectives counted in HLO -------------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Optimized HLO as XLA's backends write it, with the collectives and bytes that hlo_bytes.py must find; and
what benchmarks/elsewhere says about bytes that differ from the plan."""

import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [os.path.join(ROOT, "python"), os.path.join(ROOT, "test", "oracle"), os.path.join(ROOT, "benchmarks", "elsewhere")]

import oracle

oracle.require()

import differences
from shardwright.jax.elsewhere import hlo_bytes

HEADER = "HloModule jit_f, num_partitions=8\n\n"
SUM = """%sum (a: f32[], b: f32[]) -> f32[] {
  %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  ROOT %s = f32[] add(%a, %b)
}

"""

REFUSED = "cannot count the bytes of the compiled program's HLO"

def reduced(name="%r", operand="%x", reducer="%sum"):
    return f"  {name} = f32[16]{{0}} all-reduce({operand}), channel_id=1, replica_groups={{{{0,1,2,3}},{{4,5,6,7}}}}, to_apply={reducer}\n"


REDUCED = 2 * 3 / 4 * 64


def loop(start="0", end="4", step="1", direction="LT", swapped=False, copied=False, counted="add"):
    """Returns a loop with a reduction in its body, without a known trip count, as XLA for TPUs writes it."""
    sides = "s32[] %n, s32[] %i" if swapped else "%i, %n"
    entered = "%start.copy" if copied else "%start"
    return HEADER + SUM + f"""%body (p: (s32[], f32[16])) -> (s32[], f32[16]) {{
  %p = (s32[]{{:T(128)}}, f32[16]{{0}}) parameter(0)
  %i = s32[]{{:T(128)}} get-tuple-element(%p), index=0
  %x = f32[16]{{0}} get-tuple-element(%p), index=1
  %step = s32[] constant({step})
  %next = s32[] {counted}(%i, %step)
{reduced()}  ROOT %t = (s32[], f32[16]{{0}}) tuple(%next, %r)
}}

%condition (p.1: (s32[], f32[16])) -> pred[] {{
  %p.1 = (s32[], f32[16]{{0}}) parameter(0)
  %i = s32[] get-tuple-element(%p.1), index=0
  %n = s32[] constant({end}), metadata={{op_name="call"}}
  ROOT %more = pred[] compare({sides}), direction={direction}
}}

ENTRY %main (v: f32[16]) -> f32[16] {{
  %v = f32[16]{{0}} parameter(0)
  %start = s32[] constant({start})
  %start.copy = s32[] copy(%start)
  %t0 = (s32[], f32[16]{{0}}) tuple({entered}, %v)
  %w = (s32[], f32[16]{{0}}) while(%t0), condition=%condition, body=%body
  ROOT %out = f32[16]{{0}} get-tuple-element(%w), index=1
}}
"""


def entry(lines, before=""):
    return HEADER + SUM + before + f"ENTRY %main (x: f32[16]) -> f32[16] {{\n  %x = f32[16]{{0}} parameter(0)\n{lines}}}\n"


def found(text):
    """Returns {kind: (count, bytes)}, or the error."""
    try:
        return {kind: (c["count"], c["bytes"]) for kind, c in hlo_bytes.summary(text)["collectives"].items()}
    except hlo_bytes.HloError as error:
        return str(error)


def trip_counts(tally):
    times = lambda n: {"all_reduce": (n, n * REDUCED)} if n else {"all_reduce": (0, 0)}
    for what, text, expected in (
        ("from 0 below 4", loop(), 4),
        ("from a copy", loop(copied=True), 4),
        ("to 4 included", loop(direction="LE"), 5),
        ("by 3", loop(end="10", step="3"), 4),
        ("downwards", loop(start="7", end="2", step="-1", direction="GT"), 5),
        ("downwards, end included", loop(start="7", end="2", step="-1", direction="GE"), 6),
        ("until equal", loop(start="6", end="0", step="-2", direction="NE"), 3),
        ("constant first", loop(direction="GT", swapped=True), 4),
        ("never", loop(start="9"), 0),
    ):
        tally.equal(what, found(text), times(expected), "")
    for what, text in (
        ("runs away", loop(step="-1")),
        ("never equal", loop(end="5", step="2", direction="NE")),
        ("not added", loop(counted="multiply")),
        ("another start", loop().replace("%start = s32[] constant(0)", "%start = s32[] convert(%v)")),
    ):
        tally.equal(what, found(text), f"{REFUSED}: the trip count of the loop 'w' is unknown", "")
    known = loop(step="-1").replace("body=%body", 'body=%body, backend_config={"known_trip_count":{"n":"7"}}')
    tally.equal("known to XLA", found(known), times(7), "")


def kinds(tally):
    fusion = """%all-reduce-scatter (i: f32[16]) -> f32[2] {
  %i = f32[16]{0} parameter(0)
  %all = f32[16]{0} all-reduce(%i), replica_groups={}, to_apply=%sum
  ROOT %d = f32[2]{0} slice(%all), slice={[0:2]}
}

"""
    chained = '  %{n} = f32[128]{{0}} all-gather(%x), channel_id=3, dimensions={{0}}, frontend_attributes={{chain_id="5"}}\n'
    for what, text, expected in (
        ("reduction in groups", entry(reduced("ROOT %r")), {"all_reduce": (1, REDUCED)}),
        ("groups as axes", entry(reduced("ROOT %r").replace("{{0,1,2,3},{4,5,6,7}}", "mesh['x'=4,'y'=2] {'x'}")), {"all_reduce": (1, REDUCED)}),
        ("all-reduce-scatter of TPUs", entry("  ROOT %f = f32[2]{0} fusion(%x), kind=kCustom, calls=%all-reduce-scatter\n", fusion),
         {"reduce_scatter": (1, 7 / 8 * 64)}),
        ("asynchronous gather", entry("  %s = (f32[16]{0}, f32[128]{0}) all-gather-start(%x), dimensions={0}\n"
                                      "  ROOT %d = f32[128]{0} all-gather-done(%s)\n"), {"all_gather": (1, 7 / 8 * 512)}),
        ("chained gather", entry(chained.format(n="a") + chained.format(n="b")), {"all_gather": (1, 7 / 8 * 512)}),
        ("permute of half the devices", entry("  ROOT %p = f32[16]{0} collective-permute(%x), source_target_pairs={{0,1},{1,2},{2,3},{3,0},{4,4}}\n"),
         {"collective_permute": (1, 32)}),
        ("unknown", entry("  ROOT %b = f32[16]{0} collective-broadcast(%x)\n"), f"{REFUSED}: the bytes that an instruction with opcode 'collective-broadcast' sends are not known"),
    ):  # fmt: skip
        tally.equal(what, found(text), expected, "")


def lost(tally):
    """Results that one program computes and the other returns as constants."""
    both = entry("  %c = f32[16]{0} constant(0)\n  %d = f32[16]{0} fusion(%c, %c), kind=kLoop, calls=%sum\n  ROOT %t = (f32[16], f32[16]) tuple(%x, %d)\n")
    used = both.replace("fusion(%c, %c)", "fusion(%c, %x)")
    tally.equal("lost", differences.lost_results(used, both), [1], "")
    tally.equal("constant in both", differences.lost_results(both, both), [], "")
    tally.equal("only ours is constant", differences.lost_results(both, used), [], "")
    tally.equal("one result", differences.lost_results(entry(reduced("ROOT %r")), entry("  ROOT %c = f32[16]{0} constant(0)\n")), [0], "")


def reasons(tally):
    """What benchmarks/elsewhere says about bytes that differ from the plan."""
    one = entry(reduced("ROOT %r"))
    promoted = one.replace("to_apply=%sum", "to_apply=%sum_promoted").replace("%sum (", "%sum_promoted (")
    planned = lambda count, size: {"all_reduce": {"count": count, "bytes": size}}
    gather = planned(1, REDUCED) | {"all_gather": {"count": 1, "bytes": 100}}
    for what, plan, text, expected in (
        ("as planned", planned(1, REDUCED), one, ([], {})),
        ("more", planned(1, REDUCED - 8), one, ([], {"all_reduce": 8})),
        ("another kind", {"all_gather": {"count": 1, "bytes": 500}}, one,
         (["all_gather is removed or smaller, 500 bytes less"], {"all_reduce": REDUCED})),
        ("removed", gather, one, (["all_gather is removed or smaller, 100 bytes less"], {})),
        ("promoted", planned(1, REDUCED / 2), promoted, (["bf16 is reduced as f32, 48 bytes more"], {})),
        ("promoted, and more", planned(1, REDUCED / 2 - 8), promoted, (["bf16 is reduced as f32, 48 bytes more"], {"all_reduce": 8})),
    ):  # fmt: skip
        tally.equal(what, differences.explain(plan, text), expected, "")


def main():
    tally = oracle.Tally("hlo_counts")
    for case in (trip_counts, kinds, lost, reasons):
        case(tally)
    tally.finish()


if __name__ == "__main__":
    main()
