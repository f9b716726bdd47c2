#===- tolerance.py - tolerances for results, by op ------------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""The only table of bounds, in units in the last place (ulp), by op.

An op that is not listed must be exact: the same bits, except NaN. f16, bf16 and f8 results of a
listed op have 1 ulp. "f32" and "f64" are separate if they differ. Complex types have the bound of
their parts, relative to the larger part. XLA's CPU client flushes subnormal numbers, so such
results are equal to zero in comparisons with it.
"""

import ml_dtypes
import numpy as np

from ops.case import dtype, is_complex, is_float, is_int, part

ULPS = {
    # Functions, compared with long double.
    "atan2": 3,
    "cbrt": 2,
    "cosine": 3,
    "exponential": 3,
    "exponential_minus_one": 3,
    "log": 3,
    "log_plus_one": 3,
    "logistic": 4,
    "power": {"f32": 4, "f64": 3},
    "rsqrt": 3,
    "sine": 3,
    "tan": 4,
    "tanh": 4,
    # Sums, in ulp of the sum of magnitudes (which the case provides).
    "batch_norm_grad": 64,
    "batch_norm_inference": 8,
    "batch_norm_training": 32,
    "cholesky": 64,
    "convolution": 16,
    "dot_general": 16,
    "fft": 32,
    "reduce add": 16,
    "reduce multiply": 16,
    "reduce_window add": 16,
    "select_and_scatter": 16,
    "scatter add": 16,
    "triangular_solve": 256,
}
COMPLEX_ULPS = {
    "abs": 2, "add": 0, "subtract": 0, "negate": 0, "multiply": 4, "divide": 8, "power": 64,
    "sign": 4, "sqrt": 4, "rsqrt": 6, "log": 4, "log_plus_one": 8, "exponential_minus_one": 8,
}  # fmt: skip


def bound_of(op, element):
    """Returns the bound in ulp; 0: the same bits."""
    key = op.removeprefix("stablehlo.")
    base = key.split(" ")[0]
    if is_complex(element) and base in COMPLEX_ULPS:
        return COMPLEX_ULPS[base]
    bound = ULPS.get(key, ULPS.get(base, 0))
    if isinstance(bound, dict):
        bound = bound.get(part(element) if is_complex(element) else element, 1)
    if bound and is_float(element) and element not in ("f32", "f64"):
        return 1
    if is_complex(element) and bound:
        return 2 * bound + 2
    return bound


def same_bits(a, b):
    width = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}[a.dtype.itemsize]
    return a.view(width) == b.view(width)


def compare(want, got, element, ulps, scale=None, flushed=True):
    """Returns the error, or None. flushed: `want` had subnormal numbers flushed to zero."""
    if want.dtype != got.dtype and is_int(element) and want.dtype.itemsize == got.dtype.itemsize:
        want = want.view(got.dtype)  # XLA's random bits are unsigned
    if want.shape != got.shape or want.dtype != got.dtype:
        return f"{want.dtype}{want.shape} expected, got {got.dtype}{got.shape}"
    if want.size == 0:
        return None
    if isinstance(scale, str):  # half the largest element of any result
        magnitude = np.abs(want.astype(np.complex128)) if ulps else want
        scale = np.max(np.where(np.isfinite(magnitude), magnitude, 0)) / 2 if is_float(element) or is_complex(element) else None
    if is_complex(element):
        ok = _close_complex(want, got, part(element), ulps, scale, flushed)
    elif is_float(element):
        ok = _close(want, got, element, ulps, scale, flushed)
    else:
        ok = want == got
    if ok.all():
        return None
    at = tuple(int(i) for i in np.argwhere(~np.atleast_1d(ok))[0]) if want.ndim else ()
    return f"{int((~ok).sum())} of {ok.size} differ, first at {at}: {want[at]!r} expected, got {got[at]!r}"


def _close(want, got, element, ulps, scale, flushed):
    limits = ml_dtypes.finfo(dtype(element))
    wide = np.longdouble if element == "f64" else np.float64
    a, b = want.astype(wide), got.astype(wide)
    both_nan = np.isnan(a) & np.isnan(b)
    if ulps == 0 and scale is None:
        ok = same_bits(want, got) | both_nan
    else:
        with np.errstate(all="ignore"):
            size = np.abs(a) if scale is None else np.maximum(np.abs(a), np.abs(scale))
            size = np.where(np.isfinite(size), size, 0)
            step = np.exp2(np.floor(np.log2(np.maximum(size, wide(limits.tiny))))) * wide(limits.eps)
            ok = (np.abs(a - b) <= ulps * step) | (a == b) | both_nan
    if flushed:
        with np.errstate(all="ignore"):
            ok |= (np.abs(a) < wide(limits.tiny) * 2) & (np.abs(b) < wide(limits.tiny) * 2)
    return ok


def _close_complex(want, got, element, ulps, scale, flushed):
    parts = [(w.astype(dtype(element)), g.astype(dtype(element))) for w, g in
             ((want.real, got.real), (want.imag, got.imag))]  # fmt: skip
    if ulps:
        with np.errstate(all="ignore"):
            size = np.abs(want)
            scale = size if scale is None else np.maximum(size, scale)
    ok = [_close(np.ascontiguousarray(w), np.ascontiguousarray(g), element, ulps, scale, flushed) for w, g in parts]
    # All complex numbers with an infinite or NaN part are equivalent (Annex G).
    odd = ~np.isfinite(want) & ~np.isfinite(got) if ulps else np.zeros(want.shape, bool)
    return (ok[0] & ok[1]) | odd
