#===- harnesses.py - JAX's own cases of its primitives ------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""The cases that JAX's own tests of its primitives share, which are part of JAX
(jax._src.internal_test_util.test_harnesses): some thousands, each primitive with all element types
and attributes. They run jitted on one device, and are compared as in closeness.py.

    harnesses.py --long          all of them; a sample without
    harnesses.py sin_shape=...   one of them
"""

import collections
import os
import random

os.environ.setdefault("JAX_ENABLE_X64", "1")

import jax
import numpy as np
from both import case, cases, main

np.random.seed(0)  # some cases use it when they are defined
from jax._src.internal_test_util import test_harnesses

# Cases per primitive, without --long.
SAMPLE = 1
# The factors for closeness.CANCELLED, and the reasons.
SLACK = {
    "cholesky lu qr hessenberg triangular_solve custom_linear_solve tridiagonal_solve":
        (16, "backward stable algorithms, of matrices with some ten rows"),
    "eig eigh svd schur": (64, "vectors err by the inverse of the distance between their values, too"),
    "atanh erf_inv igamma igammac log1p": (8, "float64 has no wider oracle here: two series for one function"),
    "log": (8, "where |z| is near 1 the CPU's complex logarithm is 14 ulp off, ours 1 (in 200 bits)"),
}  # fmt: skip
SLACK = {group: slack for groups, (slack, _) in SLACK.items() for group in groups.split()}


def _arguments(harness):
    np.random.seed(0)
    return harness.dyn_args_maker(np.random.RandomState(0))


def _wide(value):
    if not hasattr(value, "dtype") or not jax.numpy.issubdtype(value.dtype, jax.numpy.inexact):
        return value
    return np.asarray(value).astype(np.complex128 if value.dtype.kind == "c" else np.float64)


def _add(harness):
    def run():
        result = jax.jit(harness.dyn_fun)(*_arguments(harness))
        # Equal elements may be in any order: 256 values of bfloat16 contain some.
        ties = harness.group_name == "approx_top_k" and "bfloat16" in harness.fullname
        return result[0] if ties else result

    def truth():
        return jax.jit(harness.dyn_fun)(*map(_wide, _arguments(harness)))

    run.__name__ = harness.fullname
    case(run, close=True, truth=truth, slack=SLACK.get(harness.group_name, 1))


# As in the CPU's own tests: cases that its limitations do not exclude.
for _harness in test_harnesses.all_harnesses:
    if _harness.filter("cpu") and not any(l.skip_run for l in _harness.jax_unimplemented):
        _add(_harness)

def sample():
    """Returns some cases of each primitive."""
    of_group, rng, known = collections.defaultdict(list), random.Random(3), set(cases())
    for harness in test_harnesses.all_harnesses:
        if harness.fullname in known:
            of_group[harness.group_name].append(harness.fullname)
    return [name for names in of_group.values() for name in rng.sample(names, min(SAMPLE, len(names)))]


if __name__ == "__main__":
    main(__doc__, sample())
