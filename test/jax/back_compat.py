#===- back_compat.py - programs that older versions of JAX exported -----===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""The exported programs that JAX keeps for tests of backward compatibility, those for its CPU: each runs on our devices as on the CPU. They call LAPACK by its older and
newer names, annotate shardings, memories and meshes."""

import importlib
import pkgutil

import jax
import numpy as np
from both import case, main
from jax._src.internal_test_util import export_back_compat_test_data as data
from jax._src.internal_test_util import export_back_compat_test_util as util

# Sizes that a program takes as they come; all others are fixed.
POLYMORPHIC = {
    "stablehlo_dynamic_approx_top_k": ("b,",),
    "stablehlo_dynamic_rng_bit_generator": (None, "b0, b1"),
    "stablehlo_dynamic_top_k": ("_, b",),
}


def _programs(value, name):
    if isinstance(value, dict) and "testdata_version" in value:
        yield name, util.CompatTestData(**value)
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from _programs(inner, f"{name}.{key}")
    elif isinstance(value, list):
        for i, inner in enumerate(value):
            yield from _programs(inner, f"{name}.{i}")


def _unique(name, results):
    """What of a decomposition is the same on every machine. The matrices of these programs have the eigenvalue 0
    several times, whose eigenvectors are any basis, and the others are unique but for their phase."""
    if "_eig" in name:
        values = next((r for r in results if r.ndim == 1), 1)
        return [abs(r * values) if r.ndim == 2 else r for r in results]
    if "_schur" in name and len(results) == 2:
        triangular, basis = results
        return [basis @ triangular @ basis.conj().T, abs(triangular.diagonal())]
    return results


def _add(name, program):
    def run():
        with jax.enable_x64(any(np.asarray(x).dtype.itemsize >= 8 for x in (*program.inputs, *program.expected_outputs))):
            results = util.CompatTestBase.run_serialized(None, program, POLYMORPHIC.get(name.split(".")[0]))
            return _unique(name, results)

    run.__name__ = name
    # A float32's 1e-5 is what JAX's tests of these allow as well.
    # Eigenvalues err in proportion to the largest, which is some hundreds.
    case(run, rtol=1e-4, atol=1e-3 if "_eig" in name or "_schur" in name else 1e-5)


for _module in pkgutil.iter_modules(data.__path__):
    if _module.ispkg:
        continue
    _found = importlib.import_module(f"{data.__name__}.{_module.name}")
    for _key, _value in sorted(vars(_found).items()):
        if not _key.startswith("_"):
            for _name, _program in _programs(_value, f"{_module.name}.{_key}"):
                if _program.platform == "cpu":
                    _add(_name, _program)

if __name__ == "__main__":
    main(__doc__)
