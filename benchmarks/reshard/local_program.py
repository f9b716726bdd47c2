#===- local_program.py - bytes that a StableHLO program of one device sends ===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""The model of hlo_bytes.py for StableHLO of one device, for our programs and those of jaxlib's
passes."""

import collections
import math

import oracle
from jaxlib.mlir import ir

Cost = collections.namedtuple("Cost", "bytes collectives peak")

FACTORS = {
    "stablehlo.all_gather": lambda n: (n - 1) / n,
    "stablehlo.all_reduce": lambda n: 2 * (n - 1) / n,
    "stablehlo.reduce_scatter": lambda n: n - 1,
    "stablehlo.all_to_all": lambda n: (n - 1) / n,
}


def size(value):
    kind = ir.RankedTensorType(value.type)
    text = str(kind.element_type)
    return 4 * math.prod(kind.shape) if text == "f32" else 0


def cost(text):
    """Returns for @main: bytes that a device sends on average, collectives, bytes of the largest
    value."""
    module = oracle.parse(text)
    devices = ir.IntegerAttr(module.operation.attributes["mhlo.num_partitions"]).value
    total = count = peak = 0
    for func in module.body.operations:
        if func.operation.name != "func.func":
            continue
        block = func.regions[0].blocks[0]
        peak = max([peak] + [size(a) for a in block.arguments])
        for op in block.operations:
            name = op.operation.name
            if name not in ("func.return", "stablehlo.constant"):
                peak = max([peak] + [size(r) for r in op.results])
            if name == "stablehlo.collective_permute":
                pairs = op.attributes["source_target_pairs"]
                flat = [int(n) for n in ir.DenseIntElementsAttr(pairs)]
                senders = {s for s, t in zip(flat[::2], flat[1::2]) if s != t}
                total += sum(map(size, op.results)) * len(senders) / devices
                count += 1
            elif name in FACTORS:
                groups = ir.ShapedType(op.attributes["replica_groups"].type)
                total += sum(map(size, op.results)) * FACTORS[name](groups.get_dim_size(1))
                count += 1
            elif name.startswith("sdy."):
                raise oracle.OracleError(f"{name} is left")
    return Cost(total, count, peak)
