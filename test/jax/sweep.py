#===- sweep.py - public functions of JAX on both platforms --------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Calls public functions of jax.lax, jax.numpy, jax.nn, jax.random, jax.scipy and the like with
arguments guessed from their names (test/oracle/jax_functions.py), on our devices and on JAX's CPU.
Without --long a sample; names of functions as arguments choose them. `jax_run.py` of the oracle
compares numbers closely; this asks whether the whole way through the plugin works."""

import os
import random
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "oracle"))

import jax
import jax_functions
import jax_run
from both import _cases, case, main

SAMPLE = 60


def _add(name, function):
    def run():
        rng = random.Random(name)
        call = jax_functions.guess(name, function, rng)
        if call is None:
            return "no arguments found that JAX takes"
        values = [jax_run.sample(rng, array) for array in call.arrays]
        return jax.jit(call.function)(*values)

    run.__name__ = name
    case(run, rtol=2e-3, atol=2e-3, by_type=True)


for _name, _function in jax_functions.functions():
    _add(_name, _function)

if __name__ == "__main__":
    if "--child" not in sys.argv and "--long" not in sys.argv and len(sys.argv) == 1:
        sys.argv += random.Random(3).sample(sorted(_cases), SAMPLE)
    main(__doc__)
