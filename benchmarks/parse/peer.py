#===- peer.py - the same in jaxlib -----------------------------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""peer.py FILE RUNS: the same as parse_module.cc, with jaxlib's MLIR and dialects."""

import json
import sys
import time

from jaxlib.mlir import ir
from jaxlib.mlir._mlir_libs import _jax_mlir_ext
from jaxlib.mlir.dialects import chlo, sdy, stablehlo


def new_context():
    context = ir.Context()
    registry = ir.DialectRegistry()
    _jax_mlir_ext.register_dialects(registry)
    context.append_dialect_registry(registry)
    context.load_all_available_dialects()
    for dialect in (chlo, sdy, stablehlo):
        dialect.register_dialect(context)
    return context


def count(op):
    return 1 + sum(count(o) for region in op.regions for block in region for o in block)


def main():
    path, runs = sys.argv[1], int(sys.argv[2])
    best = dict(wall=1e9, cpu=1e9, context=1e9, ops=0)
    for _ in range(max(runs, 1)):
        start = time.perf_counter()
        context = new_context()
        ready, ready_cpu = time.perf_counter(), time.process_time()
        with open(path, "rb") as file:
            module = ir.Module.parse(file.read(), context=context)
        best["wall"] = min(best["wall"], time.perf_counter() - ready)
        best["cpu"] = min(best["cpu"], time.process_time() - ready_cpu)
        best["context"] = min(best["context"], ready - start)
        if runs == 0:
            print(module.operation.get_asm(print_generic_op_form=True))
            return
        if best["ops"] == 0:
            best["ops"] = count(module.operation)
        del module
    print(json.dumps(best))


if __name__ == "__main__":
    main()
