#===- harnesses.py - JAX's own cases of its primitives ------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""The cases that JAX's own tests of its primitives share, which come with it
(jax._src.internal_test_util.test_harnesses): some thousands, each primitive with all element types
and attributes. Jitted, on one device, compared as closeness.py says.

    harnesses.py --long          all of them; a sample without
    harnesses.py sin_shape=...   one of them
"""

import os

os.environ.setdefault("JAX_ENABLE_X64", "1")

import jax
import numpy as np
from both import case, main
from jax._src.internal_test_util import test_harnesses

SAMPLE = 150


def _arguments(harness):
    return harness.dyn_args_maker(np.random.RandomState(0))


def _wide(value):
    if not hasattr(value, "dtype") or not jax.numpy.issubdtype(value.dtype, jax.numpy.inexact):
        return value
    return np.asarray(value).astype(np.complex128 if value.dtype.kind == "c" else np.float64)


def _add(harness):
    def run():
        return jax.jit(harness.dyn_fun)(*_arguments(harness))

    def truth():
        return jax.jit(harness.dyn_fun)(*map(_wide, _arguments(harness)))

    run.__name__ = harness.fullname
    case(run, close=True, truth=truth)


# As the CPU's own tests have it: what its limitations do not rule out.
for _harness in test_harnesses.all_harnesses:
    if _harness.filter("cpu") and not any(l.skip_run for l in _harness.jax_unimplemented):
        _add(_harness)

if __name__ == "__main__":
    main(__doc__, SAMPLE)
