#===- training.py - models train in several processes ---------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""The models of test/jax/models.py train on 8 devices of 2 and 4 processes: losses and parameters have the bits of one process.
The losses of one are those of JAX's CPU in as many processes."""

import jax
import jax.numpy as jnp
from helpers import replicated
from job import case, main  # makes test/jax importable

import models  # noqa: E402, I001

STEPS = 5
# Whose losses are compared with those of JAX's CPU, which is slow in several processes. (Parameters whose gradient is zero
# but for rounding, such as biases of keys, differ between backends.)
COMPARED = ("mlp_data",)

for _problem, (_model, _inputs, _labels) in models.PROBLEMS.items():
    for _how, (_spec, _batch) in models.PARALLELISMS.items():

        def _case(arguments=(_model, _inputs, _labels, _spec, _batch), compared=f"{_problem}_{_how}" in COMPARED):
            step, params, state = models.training(*arguments)
            losses = []
            for _ in range(STEPS):
                value, params, state = step(params, state)
                losses.append(value)
            return {"losses": jnp.stack(losses), "params": None if compared else jax.tree.map(replicated, params)}

        _case.__name__ = f"{_problem}_{_how}"
        _case.__doc__ = "Compared with one process of ours."
        case(_case, rtol=1e-3, atol=1e-3, cpu=_case.__name__ in COMPARED)

main(__doc__, [(2, 4), (4, 2)])
