#===- closeness.py - the distance between two results ---------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""The distance between a result and that of JAX's CPU backend, from near to far:

    BITS     the same bits (a NaN is a NaN, -0 is not 0)
    ULPS     each element within ULPS units in its last place, or within CANCELLED units in the last
             place of the largest element: functions that two libraries approximate, sums in
             another order
    ACCURATE no further from the same call in float64 than WORSE times the CPU's result, give or
             take CANCELLED units: sums of many terms, chains that XLA rounds once at their end
    APART    anything else, and always if integers or booleans differ

Elements of narrow floats are computed in wider types and rounded, so they differ by at most one
unit.
"""

import numpy as np

BITS, ULPS, ACCURATE, APART = "the same bits", "within ulps", "as near to float64", "different"
# Units in the last place of the element, by bytes of an element's real part.
ELEMENT = {8: 8, 4: 8, 2: 1, 1: 1}
CANCELLED = 4
WORSE = 2


def _finfo(dtype):
    import ml_dtypes

    return ml_dtypes.finfo(dtype)


def is_float(dtype):
    import jax.numpy as jnp

    return jnp.issubdtype(dtype, jnp.inexact)


def _real(dtype):
    return np.dtype({"complex64": "float32", "complex128": "float64"}.get(dtype.name, dtype))


def _wide(array):
    return array.astype(np.complex128 if array.dtype.kind == "c" else np.float64)


def _same_specials(a, b):
    """True if NaNs and infinities are in the same places; complex numbers by real and imaginary part."""
    parts = ((a.real, b.real), (a.imag, b.imag)) if a.dtype.kind == "c" else ((a, b),)
    for x, y in parts:
        if not np.array_equal(np.isnan(x), np.isnan(y)):
            return False
        inf = np.isinf(x) | np.isinf(y)
        if not np.array_equal(x[inf], y[inf]):
            return False
    return True


def _scale(*arrays):
    sizes = [np.abs(a[np.isfinite(a)]) for a in arrays]
    return max((float(s.max()) for s in sizes if s.size), default=0.0)


def _bits(array):
    return np.ascontiguousarray(array).reshape(-1).view(np.uint8)


def compare(ours, theirs, truth=None, slack=1):
    """Returns the verdict on one array, and a text. `truth`: the same in float64, if available.
    `slack`: a factor for CANCELLED, for factors of matrices, whose error bounds grow with n."""
    if ours.dtype != theirs.dtype or ours.shape != theirs.shape:
        return APART, f"{ours.dtype}{list(ours.shape)}, the CPU {theirs.dtype}{list(theirs.shape)}"
    if not is_float(ours.dtype):
        if np.array_equal(ours, theirs):
            return BITS, ""
        return APART, f"{np.count_nonzero(ours != theirs)} of {ours.size} elements differ:\n{ours}\nthe CPU:\n{theirs}"
    if np.array_equal(_bits(ours), _bits(theirs)):
        return BITS, ""
    with np.errstate(all="ignore"):
        a, b = _wide(ours), _wide(theirs)
        text = f"differs by {np.nanmax(np.abs(a - b)) if a.size else 0}:\n{ours}\nthe CPU:\n{theirs}"
        if not _same_specials(a, b):
            return _accurate(a, b, truth, ours.dtype, text) if truth is not None else (APART, text)
        if np.array_equal(a, b, equal_nan=True):
            zeros = np.array_equal(np.signbit(a.real), np.signbit(b.real) | np.isnan(b.real))
            return (BITS if zeros else ULPS), text
        info = _finfo(_real(ours.dtype))
        eps, tiny = float(info.eps), float(info.smallest_subnormal)
        finite = np.isfinite(a) & np.isfinite(b)
        near = np.maximum(np.abs(a), np.abs(b)) * eps * ELEMENT[_real(ours.dtype).itemsize] + tiny
        # XLA flushes subnormals to zero.
        near = np.maximum(near, float(info.smallest_normal))
        near = np.maximum(near, slack * CANCELLED * eps * _scale(a, b))
        if np.all(~finite | (np.abs(a - b) <= near)):
            return ULPS, text
    return _accurate(a, b, truth, ours.dtype, text)


def _accurate(a, b, truth, dtype, text):
    if truth is None or truth.shape != a.shape or not is_float(truth.dtype):
        return APART, text
    with np.errstate(all="ignore"):
        t = _wide(truth)
        info = _finfo(_real(dtype))
        # If the type cannot represent the true value, any special value is accepted.
        where = np.isfinite(t) & (np.abs(t) < float(info.max))
        if not np.all(np.isfinite(a) | ~np.isfinite(b) | ~where):
            return APART, text + f"\nin float64:\n{truth}"
        errors = [np.max(np.abs(x - t), where=where & np.isfinite(x), initial=0) for x in (a, b)]
        nothing = CANCELLED * float(info.eps) * _scale(t[where] if where.any() else t)
        if errors[0] <= WORSE * errors[1] + nothing:
            return ACCURATE, text
    return APART, text + f"\nin float64:\n{truth}"
