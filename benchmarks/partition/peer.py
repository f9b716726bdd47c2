#===- peer.py - the same with Shardy inside jaxlib -------------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""peer.py FILE RUNS: prints one line of JSON with the best CPU seconds of propagation, and of lowering
its result to collectives."""

import json
import os
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "test", "oracle"))
import oracle
from jaxlib.mlir import passmanager

PASSES = {
    "propagate": "sdy-propagation-pipeline",
    "insert": "func.func(sdy-insert-explicit-reshards{enable-full-version=true},sdy-reshard-to-collectives)",
}


def main():
    path, runs = sys.argv[1], int(sys.argv[2])
    with open(path) as file:
        text = file.read()
    best = {}
    for _ in range(max(runs, 1)):
        module = oracle.parse(text)
        for name, passes in PASSES.items():
            with module.context:
                pipeline = passmanager.PassManager.parse(f"builtin.module({passes})")
                pipeline.enable_verifier(False)
                begin = time.process_time()
                pipeline.run(module.operation)
                seconds = time.process_time() - begin
            best[name] = min(best.get(name, seconds), seconds)
    print(json.dumps(best))


if __name__ == "__main__":
    main()
