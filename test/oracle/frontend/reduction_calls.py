#===- reduction_calls.py - reductions with options ------------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Random calls of the functions of reduction_ops.cc: reductions with masks, initial values, types and corrections."""

import jax.numpy as jnp

from frontend.elementwise_calls import axes, axis
from frontend.typed_calls import ALL, FLOATS, REAL, Array, Call, an_axis, like, shape_of, some_axes

# By number, as in reduction_ops.cc.
DTYPES = [jnp.bool_, jnp.int8, jnp.int32, jnp.uint8, jnp.float16, jnp.bfloat16, jnp.float32, jnp.complex64]
# C++ leaves it to the hardware which integer a float outside of its range becomes.
FROM_FLOATS, FROM_INTEGERS = (4, 5, 6, 6, 7), range(8)


def dtype(rng, x):
    return rng.choice(FROM_FLOATS if x.kind in ("f32", "f16", "bf16") else FROM_INTEGERS if x.kind != "c64" else (7,))


def reduced(types=ALL, options=(), needs_initial=False):
    """`options`: of where, initial, dtype, correction, mean, narrow. Keys of arrays have their number."""
    def make(rng):
        shape = shape_of(rng)
        arrays, found = [Array(rng, types, shape)], {**some_axes(rng, len(shape)), "keep": rng.choice([0, 1])}

        def add(key, array):
            found[key] = len(arrays)
            arrays.append(array)
        if "where" in options and rng.random() < 0.6:
            add("where", Array(rng, ["bool"] * 9 + ["f32"], like(rng, shape), -1, 1))
        if "initial" in options and rng.random() < (0.9 if needs_initial and "where" in found else 0.4):
            add("initial", Array(rng, REAL if types is REAL else ALL, () if rng.random() < 0.9 else (1,)))
        if "mean" in options and rng.random() < 0.2:
            add("mean", Array(rng, FLOATS, like(rng, shape)))
        if "dtype" in options and rng.random() < 0.5:
            found["dtype"] = dtype(rng, arrays[0])
        if "correction" in options:
            found["correction"] = rng.choice([0, 2, 2, 1])
        if "narrow" in options:
            found["narrow"] = rng.choice([0, 0, 1])
        return arrays, found
    return make


def with_nan(x):
    return jnp.where(x > 2.0, jnp.nan, x) if jnp.issubdtype(x.dtype, jnp.floating) else x


def by_name(name):
    function, has_nan = getattr(jnp, name), name.startswith("nan")

    def call(a, k):
        named = {"axis": axes(k), "keepdims": bool(k["keep"][0])}
        for key in ("where", "initial", "mean", "weights"):
            if key in k:
                named[key] = a[k[key][0]]
        if "dtype" in k:
            named["dtype"] = DTYPES[k["dtype"][0]]
        if "correction" in k:
            named["ddof" if has_nan else "correction"] = k["correction"][0] // 2 if has_nan else k["correction"][0] / 2
        if "narrow" in k:
            named["promote_integers"] = not k["narrow"][0]
        return function(with_nan(a[0]) if has_nan else a[0], **named)
    return call


def whole_corrections(make):
    """JAX's nanvar takes whole ones."""
    def both(rng):
        arrays, found = make(rng)
        return arrays, found | {"correction": found["correction"] // 2 * 2}
    return both


def averaged(rng):
    shape = shape_of(rng, empty=0)
    x, found = Array(rng, REAL, shape), {**some_axes(rng, len(shape)), "keep": rng.choice([0, 1])}
    choice = rng.random()
    if choice < 0.3:
        return [x], found
    of = shape if choice < 0.6 or "axes" not in found else tuple(shape[d] for d in found["axes"])
    return [x, Array(rng, FLOATS, of if rng.random() < 0.95 else (7,), 0.1, 2)], found | {"weights": 1}


def accumulated(rng):
    shape = shape_of(rng, empty=0)
    x = Array(rng, ALL, shape)
    return [x], ({} if rng.random() < 0.3 else {"axis": an_axis(rng, len(shape))}) | {
        "dtype": dtype(rng, x), "initial": rng.choice([0, 1])}


def cumulative(name):
    function = getattr(jnp, name)
    named = (lambda k: {"include_initial": bool(k["initial"][0])}) if name.startswith("cumulative") else lambda k: {}
    change = with_nan if name.startswith("nan") else lambda x: x
    return lambda a, k: function(change(a[0]), axis=axis(k), dtype=DTYPES[k["dtype"][0]], **named(k))


CALLS = [
    *(Call(f"reduced_{n}", by_name(n), reduced(ALL, ("where", "initial", "dtype", "narrow")), tolerance=2e-3) for n in ("sum", "prod")),
    *(Call(f"reduced_{n}", by_name(n), reduced(ALL, ("where", "initial", "dtype")), tolerance=2e-3) for n in ("nansum", "nanprod")),
    *(Call(f"reduced_{n}", by_name(n), reduced(REAL, ("where", "initial"), needs_initial=True)) for n in "max min nanmax nanmin".split()),
    *(Call(f"reduced_{n}", by_name(n), reduced(ALL, ("where",))) for n in ("any", "all")),
    *(Call(f"reduced_{n}", by_name(n), reduced(ALL, ("where", "dtype")), tolerance=2e-3) for n in ("mean", "nanmean")),
    *(Call(f"reduced_{n}", by_name(n), reduced(ALL, ("where", "dtype", "correction", "mean")), tolerance=3e-3) for n in ("var", "std")),
    *(Call(f"reduced_{n}", by_name(n), whole_corrections(reduced(ALL, ("where", "dtype", "correction", "mean"))), tolerance=3e-3)
      for n in ("nanvar", "nanstd")),
    Call("reduced_count_nonzero", by_name("count_nonzero"), reduced(ALL)),
    Call("reduced_average", lambda a, k: jnp.average(a[0], axes(k), a[1] if len(a) > 1 else None, returned=True,
                                                     keepdims=bool(k["keep"][0])), averaged, tolerance=2e-3),
    *(Call(f"typed_{n}", cumulative(n), accumulated, tolerance=2e-2)
      for n in "cumsum cumprod nancumsum nancumprod cumulative_sum cumulative_prod".split()),
]
