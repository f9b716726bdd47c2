#===- explicit_compare.py - compares results of two platforms -------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Compares the results of a program on two platforms (explicit_worker.py). Types and shardings must be
the same, and so must the part of every device, except for partial sums: each device may hold any
summand, so the sums over the unreduced axes are compared."""

import itertools

import numpy as np

# Units in the last place of the largest float32 element: sums in another order, and subsequent
# errors.
ULPS = 200


def _sums(parts, shape, unreduced):
    """Returns, for every device, the sum of the parts along the unreduced axes, in float64 or int64
    modulo 2^32."""
    axes = list(shape)
    wide = [p.astype(np.int64 if p.dtype.kind in "iub" else np.float64) for p in parts]
    places = list(itertools.product(*(range(shape[a]) for a in axes)))
    keys = [tuple(c for a, c in zip(axes, place) if a not in unreduced) for place in places]
    sums = {}
    with np.errstate(all="ignore"):
        for key, part in zip(keys, wide):
            sums[key] = sums[key] + part if key in sums else part
    out = [sums[key] for key in keys]
    return [o.astype(np.uint32) if parts[0].dtype.kind == "i" else o for o in out]


def _same(a, b, exact, scale):
    if a.shape != b.shape:
        return f"shape {a.shape}, the CPU {b.shape}"
    if a.dtype.kind in "iub" or exact:
        return "" if np.array_equal(a, b, equal_nan=a.dtype.kind not in "iub") else "differs"
    x, y = a.astype(np.float64), b.astype(np.float64)
    bound = ULPS * (2.0**-8 if a.dtype.itemsize == 2 else 2.0**-23) * max(scale, 1e-30)
    return "" if np.allclose(x, y, rtol=0, atol=bound, equal_nan=True) else f"differs, by more than {bound:.3g}"


def _parts(what, ours, theirs, exact):
    finite = [np.abs(p[np.isfinite(p)]).max(initial=0) for p in (q.astype(np.float64) for q in theirs)]
    for device, (a, b) in enumerate(zip(ours, theirs)):
        if difference := _same(a, b, exact, max(finite, default=0)):
            return f"{what} of device {device} {difference}:\n{a}\nthe CPU:\n{b}"
    return ""


def compare(ours, theirs):
    """Returns "" or the difference. Both are ("value", (mesh, leaves))."""
    mesh, ours, theirs = ours[1][0], ours[1][1], theirs[1][1]
    if [n for n, _ in ours] != [n for n, _ in theirs]:
        return f"the trees differ: {[n for n, _ in ours]}, {[n for n, _ in theirs]}"
    for (name, a), (_, b) in zip(ours, theirs):
        for key in ("dtype", "shape", "dims", "unreduced", "reduced", "weak", "text"):
            if a[key] != b[key]:
                return f"{name}: {key} is {a[key]}, the CPU's {b[key]}"
        exact = False
        if a["unreduced"]:
            sums = [_sums(leaf["parts"], mesh, a["unreduced"]) for leaf in (a, b)]
            found = _parts(f"{name}: the sum of the parts", *sums, exact) or _parts(f"{name}: its sum", a["whole"], b["whole"], exact)
        else:
            found = _parts(f"{name}: the part", a["parts"], b["parts"], exact)
        if found:
            return found
    return ""


def same_values(ours, truth):
    """True if the global values are those of an unsharded run, or of a run with separately compiled
    operations."""
    if ours[0] != "value" or truth[0] != "value" or len(ours[1][1]) != len(truth[1][1]):
        return False
    return not any(_parts("", [a["global"]], [b["global"]], False) for (_, a), (_, b) in zip(ours[1][1], truth[1][1]))
