#===- wrapper_programs.py - the benchmarks' programs through the wrapper --===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""The first list of benchmarks/collective_bytes through the wrapper plugin (SHARDWRIGHT_BACKEND), with our own
plugin as the vendor's: results on 8 devices equal those of one device, and each program of several devices reaches
the vendor in region form. A sample without --long."""

import os

import wrapper  # first: it names the vendor's plugin

PLATFORMS = os.environ.get("JAX_PLATFORMS")
BENCHMARKS = os.path.join(os.path.dirname(os.path.dirname(wrapper.HERE)), "benchmarks")
import sys

sys.path[:0] = [os.path.join(BENCHMARKS, "elsewhere"), os.path.join(BENCHMARKS, "collective_bytes"), BENCHMARKS]
import jax
import run_programs
from both import case, cases, main

EARLIER = set(cases())  # of wrapper.py


def add(name):
    def compare():
        program = next(make() for listed, make in run_programs.programs(1) if listed == name)
        outs = {}
        if program.out_specs is not None:
            outs["out_shardings"] = exporting.shardings(program.mesh, program.out_specs)
        function = jax.jit(program.make(exporting.constrainer(program.mesh)),
                           in_shardings=exporting.shardings(program.mesh, program.in_specs), **outs)  # fmt: skip
        found = wrapper.compiled_programs(lambda: check(program, function(*program.args)))
        if wrapper.is_ours() and not any(b"manual_computation" in text for text in found):
            return "the vendor got no region"
        return "as expected"

    compare.__name__ = name.replace(" ", "_")
    case(compare)


def check(program, results):
    try:
        program.check("8 devices", jax.tree.leaves(results))
    except SystemExit as error:
        raise ValueError(str(error)) from None


for listed, _ in run_programs.programs(1):
    add(listed)

from common import exporting

# The benchmarks choose JAX's CPU.
jax.config.update("jax_platforms", PLATFORMS)
NAMES = [name for name in cases() if name not in EARLIER]

if __name__ == "__main__":
    main(__doc__, sample=NAMES[::11], full=NAMES)
