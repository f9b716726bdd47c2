#===- index_cases.py - random subscripts ----------------------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""The operations of index_ops.cc by name, written with JAX, and random cases of them: subscripts of integers, slices, new
axes, ellipses, arrays and masks, read and updated in every mode."""

import random

import jax.numpy as jnp
import numpy as np
from jax import lax

from frontend.primitive_cases import Operand, arg, case, ints

MODES = [None, "clip", "fill", "promise_in_bounds"]
TAKE_MODES = ["fill", "clip", "wrap"]
KINDS = "set add subtract multiply divide power min max".split()


def indices_of(codes, arrays):
    """The subscript that `codes` say; see indicesOf in index_ops.cc."""
    out, codes, arrays = [], list(codes), iter(arrays)
    while codes:
        code = codes.pop(0)
        if code == 0:
            out.append(codes.pop(0))
        elif code == 1:
            has_start, start, has_stop, stop, step = codes[:5]
            del codes[:5]
            out.append(slice(start if has_start else None, stop if has_stop else None, step))
        elif code == 2:
            out.append(None)
        elif code == 3:
            out.append(Ellipsis)
        elif code == 4:
            out.append(next(arrays))
        elif code == 5:
            shape = codes[1:1 + codes[0]]
            m = codes[1 + codes[0]]
            del codes[:codes[0] + 2]
            out.append((np.arange(int(np.prod(shape, dtype=int))) % m == 0).reshape(shape))
        else:
            out.append(bool(codes.pop(0)))
    return tuple(out)


def options(k):
    out = {"mode": MODES[k.get("mode", (0,))[0]], "indices_are_sorted": bool(k.get("sorted", (0,))[0]),
           "unique_indices": bool(k.get("unique", (0,))[0]), "wrap_negative_indices": not k.get("raw", (0,))[0]}
    return out | ({"fill_value": k["fill"][0]} if "fill" in k else {})


def axis(k):
    return k["axis"][0] if "axis" in k else None


INDEX = {
    "index_plain": lambda a, k: a[0][indices_of(k["idx"], a[1:])],
    "index_get": lambda a, k: a[0].at[indices_of(k["idx"], a[1:])].get(**options(k)),
    "index_apply": lambda a, k: a[0].at[indices_of(k["idx"], a[1:])].apply(lambda v: lax.mul(lax.sin(v), v), **options(k)),
    "index_take": lambda a, k: jnp.take(a[0], a[1], axis(k), mode=TAKE_MODES[k["mode"][0]],
                                        **({"fill_value": k["fill"][0]} if "fill" in k else {})),
    "index_take_along_axis": lambda a, k: jnp.take_along_axis(a[0], a[1], axis(k), mode=TAKE_MODES[k["mode"][0]]),
    "index_in_dim": lambda a, k: lax.index_in_dim(a[0], k["at"][0], k["axis"][0], bool(k["keep"][0])),
    "index_slice": lambda a, k: lax.slice_in_dim(a[0], k["from"][0], k["to"][0], k["step"][0], k["axis"][0]),
    "index_dynamic_slice": lambda a, k: lax.dynamic_slice_in_dim(a[0], a[1], k["size"][0], k["axis"][0]),
    "index_dynamic_index": lambda a, k: lax.dynamic_index_in_dim(a[0], a[1], k["axis"][0], bool(k["keep"][0])),
    "index_dynamic_update_slice": lambda a, k: lax.dynamic_update_slice_in_dim(a[0], a[1], a[2], k["axis"][0]),
    "index_dynamic_update_index": lambda a, k: lax.dynamic_update_index_in_dim(a[0], a[1], a[2], k["axis"][0]),
    "index_lax_take": lambda a, k: lax.index_take(a[0], a[1:], k["axes"]),
}
for kind in KINDS:
    INDEX[f"index_{kind}"] = (lambda kind: lambda a, k: getattr(a[0].at[indices_of(k["idx"], a[2:])], kind)(
        a[1], **options(k)))(kind)
# JAX wraps these in jit[name=...], which ours does not.
WITHOUT_JAXPR = {"index_take", "index_take_along_axis", "index_dynamic_index", "index_dynamic_update_index", "index_lax_take"}


def subscript(rng, shape):
    """Codes of a random subscript of an array of this shape, and its arrays of positions."""
    codes, arrays, d = [], [], 0
    common = tuple(rng.choice([1, 2, 3]) for _ in range(rng.choice([0, 1, 1, 2])))
    static = rng.random() < 0.2  # Without arrays.
    stop = rng.choice([len(shape), len(shape), rng.randrange(len(shape) + 1)])
    ellipsis = rng.random() < 0.25
    while d < stop:
        if rng.random() < 0.12:
            codes.append(2)
        if ellipsis and rng.random() < 0.3:
            codes.append(3)
            ellipsis = False
        if rng.random() < 0.03:
            codes += [6, rng.choice([0, 1, 1])]
        n, roll = shape[d], rng.random()
        if roll < 0.15 and n:
            codes += [0, rng.randrange(-n, n)]
        elif roll < 0.5:
            step = rng.choice([1, 1, 1, 2, -1, -1, -2, 3])
            start, end = rng.randrange(-n - 1, n + 2), rng.randrange(-n - 1, n + 2)
            codes += [1, rng.choice([0, 1]), start, rng.choice([0, 1]), end, step]
        elif roll < 0.57 and not static:
            rank = rng.choice([1, min(2, len(shape) - d)])
            if d + rank > stop:
                rank = 1
            codes += [5, rank, *shape[d:d + rank], rng.choice([1, 2, 3])]
            d += rank - 1
        elif not static:
            codes.append(4)
            of = common if rng.random() < 0.7 else rng.choice([(), common[1:], (1,) * len(common)])
            over = 2 if rng.random() < 0.4 else 0
            arrays.append(Operand("i32", of, -n - over, n + over) if n or over else Operand("i32", (0,), 0, 1))
        else:
            codes += [1, 0, 0, 0, 0, 1]
        d += 1
    return tuple(codes), arrays


def result_shape(shape, codes, arrays):
    """The shape that the subscript reads, or None if JAX refuses it."""
    try:
        zeros = [np.zeros(a.shape, np.int32) for a in arrays]
        return jnp.zeros(shape).at[indices_of(codes, zeros)].get(mode="clip").shape
    except (IndexError, ValueError, TypeError):
        return None


def random_case(rng):
    shape = tuple(rng.choice([1, 2, 3, 4, 5]) if rng.random() < 0.95 else 0 for _ in range(rng.choice([0, 1, 2, 2, 3, 4])))
    codes, arrays = subscript(rng, shape)
    reads = result_shape(shape, codes, arrays)
    keys = {"idx": codes, "mode": rng.choice([0, 0, 1, 2, 3])}
    # Negative integers are out of bounds then, which ours refuses and JAX clips.
    if rng.random() < 0.1 and all(code >= 0 for code in codes):
        keys["raw"] = 1
    x = arg(*shape) if rng.random() < 0.8 else ints(*shape, lo=1, hi=9)
    roll = rng.random()
    if roll < 0.3:
        return case("index_plain", x, *arrays, explicit=False, idx=codes)
    if roll < 0.55:
        if rng.random() < 0.3:
            keys["fill"] = rng.choice([-1, 0, 7])
        return case("index_get", x, *arrays, explicit=False, **keys)
    if roll < 0.6:
        return case("index_apply", x, *arrays, explicit=False, **keys)
    kind = rng.choice(KINDS)
    # Which of several updates of an element wins is up to the implementation.
    y_shape = reads if reads is not None else ()
    while y_shape and rng.random() < 0.3:
        y_shape = y_shape[1:]
    y_shape = tuple(n if rng.random() < 0.85 else 1 for n in y_shape)
    if kind == "set" and arrays:
        y_shape = ()
    y = arg(*y_shape) if x.dtype == "f32" or kind in ("divide", "power") else ints(*y_shape, lo=1, hi=4)
    return case(f"index_{kind}", x, y, *arrays, explicit=False, **keys)


X, CUBE = arg(4, 6), arg(2, 3, 4)
FIXED = [case("index_take", X, ints(3, lo=-6, hi=8), mode=m, axis=a) for m in range(3) for a in (0, -1)] + [
    case("index_take", X, ints(2, 2, lo=-30, hi=30), mode=m) for m in range(3)] + [
    case("index_take", CUBE, ints(lo=-3, hi=3), mode=0, axis=1), case("index_take", X, ints(3, lo=-6, hi=8), mode=0, axis=0, fill=3),
    case("index_take", X, ints(0), mode=0, axis=0), case("index_take", ints(4), ints(3, lo=-6, hi=8), mode=0, axis=0),
    case("index_take_along_axis", X, ints(4, 2, lo=-7, hi=8), mode=0, axis=1),
    case("index_take_along_axis", X, ints(1, 6, lo=-5, hi=5), mode=1, axis=0),
    case("index_take_along_axis", arg(1, 6), ints(4, 3, lo=-6, hi=6), mode=0, axis=1),
    case("index_take_along_axis", CUBE, ints(2, 1, 3, lo=-4, hi=4), mode=0, axis=-1),
    case("index_take_along_axis", X, ints(5, lo=-24, hi=24), mode=0)] + [
    case("index_in_dim", CUBE, at=at, axis=a, keep=keep) for at, a in ((0, 0), (-1, 1), (3, 2)) for keep in (0, 1)] + [
    case("index_slice", CUBE, **{"from": f}, to=t, step=s, axis=a) for f, t, s, a in
    ((0, 2, 1, 0), (-3, -1, 1, 2), (0, 4, 2, 2), (1, 1, 1, 1))] + [
    case("index_dynamic_slice", CUBE, ints(lo=-4, hi=6), size=2, axis=a) for a in (0, 2)] + [
    case("index_dynamic_index", CUBE, ints(lo=-4, hi=6), axis=a, keep=keep) for a in (0, 1) for keep in (0, 1)] + [
    case("index_dynamic_update_slice", CUBE, arg(2, 3, 2), ints(lo=-4, hi=6), axis=2),
    case("index_dynamic_update_index", CUBE, arg(2, 4), ints(lo=-3, hi=5), axis=1),
    case("index_dynamic_update_index", CUBE, arg(2, 1, 4), ints(lo=-3, hi=5), axis=1),
    case("index_lax_take", CUBE, ints(3, lo=-5, hi=9), ints(3, lo=-5, hi=9), axes=(0, 2)),
    case("index_lax_take", CUBE, ints(3, lo=-5, hi=9), axes=(1,))]
for one in FIXED:
    one.explicit = False


def index_cases(seed, count):
    return FIXED + [random_case(random.Random(s)) for s in range(seed, seed + count)]
