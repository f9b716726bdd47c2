#===- partition_programs.py - random programs with shardings ---------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Programs of a few ops that use each other's results (partition_families.py), single ops with any
type and attribute (partition_ops.py), bodies of manual computations (partition_manual.py), values
that are unreduced, of rank 0 or empty (partition_sums*.py)."""

import json

import numpy as np

import partition_families
import partition_manual
import partition_ops
import partition_sums
import partition_sums_manual
import partition_sums_regions
import replicas
from ops.case import DTYPES
from partition_builder import Builder
from partition_layouts import ADDITIVE

PLAIN = {**partition_families.FAMILIES, **partition_manual.FAMILIES}
SUMS = {**partition_sums.FAMILIES, **partition_sums_regions.FAMILIES, **partition_sums_manual.FAMILIES}
FAMILIES = {**PLAIN, **partition_families.KEPT, **SUMS}
# Ops whose results must be those of the unpartitioned program to the bit, for any type.
EXACT = {
    "barrier", "broadcast", "concatenate", "constraint", "dynamic_slice",
    "dynamic_update_slice", "gather", "long_sort", "pad", "reshape", "reverse", "roll", "slice", "sort", "sort_pairs",
    "top_k", "transpose", "sum move",
}  # fmt: skip
# Ops whose results do not depend on the order of the operands, including NaN.
ANY_NUMBER = EXACT | {
    "unary", "binary", "select", "iota", "reduce", "dot", "window", "convolution", "while", "scan", "case", "call",
    "sum reduce", "sum dot", "sum collective", "sum pair", "sum several", "sum loop", "sum case", "group", "empty",
} - {"sort", "long_sort", "sort_pairs"}  # fmt: skip
# Families that are exact, too, if all unreduced values of the program are maxima or minima.
ORDERED = {"sum reduce", "sum collective", "scalar", "group"}
# Places where values may be unreduced, by the value of --sums.
PLACES = {"off": (), "inside": ("inside",), "arguments": ("inside", "arguments"), "all": ("inside", "arguments", "results")}


def random_program(rng, family=None, only=None, most_devices=16, sums="off", more=()):
    """family: only ops of this family. only: only op tests whose names contain this. sums: places
    where values may be unreduced, one of PLACES. more: families beside PLAIN."""
    b = Builder(rng, most_devices, PLACES[sums])
    b.extra = []
    names = [family] if family else [*PLAIN, *more]
    single = family == "op" or only

    def grow():
        at = len(b.p.ops)
        if single or (not family and rng.random() < 0.35):
            partition_ops.splice(b, only)
        else:
            name = rng.choice(list(SUMS) if b.sums and not family and rng.random() < 0.5 else names)
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
    scalars = bool(b.sums)
    computed = [v for v in b.values if v not in b.p.args and (v.shape or scalars)] or ([] if b.extra else b.values[:1])
    b.p.results = list({v.name: v for v in computed[-3:] + b.extra}.values())
    for r in b.p.results:
        if (r.shape or scalars) and rng.random() < 0.5:
            b.p.result_shardings[r.name] = b.sharding(r.shape, border=True, element=r.element, place="results")
    if b.sums:
        shard_ops(b)
        special_numbers(b)
        choose_options(b)
    return b.p


def shard_ops(b):
    """Gives some ops shardings of their own."""
    for op in b.p.ops:
        if not op.shardings and b.rng.random() < 0.1 and op.takes_shardings() and all(o.element in DTYPES for o in op.outs):
            op.shardings = [b.layout(o.shape, 0.5, unreduced=0.5 if o.element in ADDITIVE else 0, element=o.element).text()
                            for o in op.outs]  # fmt: skip


def special_numbers(b):
    """Puts NaN, infinities and -0.0 into arguments if results do not depend on the order of operands."""
    if b.rng.random() >= 0.25 or not b.p.families <= ANY_NUMBER:
        return
    draw = np.random.default_rng(b.p.seed)
    for a in b.p.args:
        if a.element == "f32" and a.name not in b.p.data:
            data = draw.uniform(-2, 2, a.shape).astype(np.float32)
            some = draw.random(a.shape) < b.rng.choice([0.02, 0.3])
            b.p.data[a.name] = np.where(some, draw.choice(np.float32([np.nan, np.inf, -np.inf, -0.0, 0.0]), a.shape), data).astype(np.float32)


def random_machine(b):
    """A machine file for tensors of some hundred elements: links from almost free to far slower than
    memory, with and without latency, and axes that differ."""
    r = b.rng

    def link():
        return {
            "bytes_per_second": r.choice([1e6, 1e8, 1e10, 1e12]),
            "latency_seconds": r.choice([0, 1e-8, 1e-6, 1e-4]),
            "directions": r.choice([1, 2]),
        }

    machine = {
        "flops_per_second": r.choice([1e6, 1e9, 1e12]),
        "memory": {"bytes": r.choice([1e4, 1e9]), "bytes_per_second": r.choice([1e8, 1e11])},
        "link": link(),
        "operation_seconds": r.choice([0, 1e-7, 1e-5]),
    }
    if r.random() < 0.5:
        machine["links"] = {name: link() for name, _ in b.p.mesh.axes if r.random() < 0.5}
    if r.random() < 0.15:
        machine["processes"] = {"devices_per_process": r.choice([1, 2, 4])}
    return machine


def choose_options(b):
    r, p = b.rng, b.p
    p.options["partition-effort"] = r.choice([0, 1, 1, 2])
    if r.random() < 0.15:
        p.options["overlap"] = "force"
    if r.random() < 0.35:
        p.options["machine"] = json.dumps(random_machine(b), separators=(",", ":"))
    # The program is written for a larger mesh; --mesh sets the sizes for which the shardings are
    # made.
    fixed = any(word in op.sharded for op in p.ops for word in ("sdy.manual_computation", "replica_groups", "out_sharding="))
    if len(p.meshes) == 1 and not p.mesh.ids and not fixed and r.random() < 0.3:
        p.options["mesh"] = ",".join(f"{n}={s}" for n, s in p.mesh.axes)
        p.written = replicas.DeviceMesh([(n, s * r.choice([1, 2, 3])) for n, s in p.mesh.axes])
    if p.options["partition-effort"] == 2 and r.random() < 0.3:
        p.options["partition-effort"] = 3
