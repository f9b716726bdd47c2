#===- peers.py - times of Shardy's passes and of XLA -----------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//

import time

import jax
import oracle


def shardy(program, runs):
    """Returns the best seconds to parse, and to propagate, inside jaxlib."""
    from jaxlib.mlir import passmanager

    best = [float("inf"), float("inf")]
    for i in range(runs + 1):
        start = time.perf_counter()
        module = oracle.parse(program.text)
        parsed = time.perf_counter()
        with module.context:
            pipeline = passmanager.PassManager.parse("builtin.module(sdy-propagation-pipeline)")
            pipeline.enable_verifier(False)
            before = time.perf_counter()
            pipeline.run(module.operation)
        after = time.perf_counter()
        if i > 0:
            best = [min(best[0], parsed - start), min(best[1], after - before)]
    return best


def xla(program):
    """Compiles for 8 host devices. With any compiler option JAX compiles anew; this option has its
    default value."""
    jax.clear_caches()
    program.lowered.compile(compiler_options={"xla_cpu_enable_fast_math": False})
