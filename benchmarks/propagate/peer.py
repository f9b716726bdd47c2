#===- peer.py - the same with Shardy inside jaxlib -------------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""peer.py FILE RUNS: the same as propagate_module.cc."""

import json
import os
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "test", "oracle"))
import oracle
from jaxlib.mlir import passmanager


def main():
    path, runs = sys.argv[1], int(sys.argv[2])
    with open(path) as file:
        text = file.read()
    best = dict(parse=1e9, propagate=1e9)
    for _ in range(max(runs, 1)):
        start = time.process_time()
        module = oracle.parse(text)
        parsed = time.process_time()
        with module.context:
            pipeline = passmanager.PassManager.parse("builtin.module(sdy-propagation-pipeline)")
            pipeline.enable_verifier(False)
            begin = time.process_time()
            pipeline.run(module.operation)
            end = time.process_time()
        best["parse"] = min(best["parse"], parsed - start)
        best["propagate"] = min(best["propagate"], end - begin)
    print(oracle.text(module) if runs == 0 else json.dumps(best))


if __name__ == "__main__":
    main()
