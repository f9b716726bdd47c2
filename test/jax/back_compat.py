#===- back_compat.py - programs that older versions of JAX exported -----===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Runs the exported programs that JAX keeps for tests of backward compatibility of its CPU backend, on
our devices and on the CPU. They call LAPACK by its older and newer names, and annotate shardings,
memories and meshes."""

import importlib
import pkgutil

import jax
import numpy as np
from both import case, main
from jax._src.internal_test_util import export_back_compat_test_data as data
from jax._src.internal_test_util import export_back_compat_test_util as util

# Free sizes of a program; all others are fixed.
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
    """Returns the part of a decomposition that is unique. The matrices of these programs have the
    multiple eigenvalue 0, whose eigenvectors are any basis; the others are unique up to their
    phase."""
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
    # JAX's tests also allow 1e-5 for float32 here.
    # Errors of eigenvalues are proportional to the largest one, which is some hundreds.
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
