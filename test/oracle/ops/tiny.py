#===- tiny.py - floats of 4 and 6 bits, and powers of two --------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""XLA does not support all of these types, so references are numpy's. Arithmetic is that of f32,
rounded once to the nearest number of the type (ties to even codes; f8E8M0FNU has no sign and no
zero)."""

import numpy as np

from ops.case import TINY, dims, dtype, op, tensor

SIGNED = [e for e in TINY if e != "f8E8M0FNU"]
BITS = {"f4E2M1FN": 4, "f6E2M3FN": 6, "f6E3M2FN": 6, "f8E8M0FNU": 8}


def codes(c, shape, e):
    """Returns any numbers of the type except NaN."""
    bits = c.np.integers(0, 2 ** BITS[e] - (e == "f8E8M0FNU"), shape, np.uint8)
    return bits.view(dtype(e))


def rounded(x, e):
    """Rounds float32 to the type; numbers that exceed the largest one become the largest."""
    table = np.arange(2 ** BITS[e], dtype=np.uint8).view(dtype(e)).astype(np.float64)
    order = np.argsort(np.where(np.isnan(table), np.inf, table), kind="stable")
    values = table[order]
    values = values[~np.isnan(values)]
    x = np.asarray(x, np.float64)
    at = np.clip(np.searchsorted(values, x), 1, len(values) - 1)
    low, high = values[at - 1], values[at]
    down = np.abs(x - low) < np.abs(high - x)
    tie = np.abs(x - low) == np.abs(high - x)
    # Exactly one of two neighbours has an even code.
    even = (np.array(low).astype(dtype(e)).view(np.uint8) & 1) == 0
    return np.where(down | (tie & even), low, high)


def signed_zero(x, like):
    return np.where(x == 0, np.copysign(0.0, like), x)


@op("stablehlo.negate tiny", SIGNED)
def negate(c, e):
    shape = c.shape()
    x = c.arg(shape, e, data=codes(c, shape, e))
    c.result(c.op(f"stablehlo.negate {x} : {x.type}", shape, e), -c.data[0].astype(np.float64), ulps=0)


@op("stablehlo.abs tiny", SIGNED)
def abs_(c, e):
    shape = c.shape()
    x = c.arg(shape, e, data=codes(c, shape, e))
    c.result(c.op(f"stablehlo.abs {x} : {x.type}", shape, e), np.abs(c.data[0].astype(np.float64)), ulps=0)


def binary(name, function, elements=SIGNED):
    @op(f"stablehlo.{name} tiny", elements)
    def generate(c, e):
        shape = c.shape()
        x, y = (c.arg(shape, e, data=codes(c, shape, e)) for _ in "xy")
        a, b = (d.astype(np.float32) for d in c.data)
        with np.errstate(all="ignore"):
            exact = function(a, b)
        wanted = rounded(np.where(np.isnan(exact), 0, exact), e)
        v = c.op(f"stablehlo.{name} {x}, {y} : {x.type}", shape, e)
        w = c.op(f"stablehlo.convert {v} : ({v.type}) -> {tensor(shape, 'f32')}", shape, "f32")

        # Compared as numbers: the sign of a rounded zero is ignored.
        def check(found):
            ok = (found[0] == wanted) | np.isnan(exact)
            return None if ok.all() else f"{a[~ok][0]} {name} {b[~ok][0]} = {found[0][~ok][0]}, expected {wanted[~ok][0]}"

        c.result(w)
        c.check(check)


binary("add", np.add)
binary("subtract", np.subtract)
binary("multiply", np.multiply)
binary("maximum", np.maximum, TINY)
binary("minimum", np.minimum, TINY)
binary("divide", lambda a, b: np.where(b == 0, np.nan, a / np.where(b == 0, 1, b)))


@op("stablehlo.compare tiny", TINY)
def compare_(c, e):
    shape = c.shape()
    x, y = (c.arg(shape, e, data=codes(c, shape, e)) for _ in "xy")
    direction, function = c.rng.choice([("LT", np.less), ("GE", np.greater_equal), ("EQ", np.equal), ("NE", np.not_equal)])
    c.result(c.op(f"stablehlo.compare {direction}, {x}, {y} : ({x.type}, {x.type}) -> {tensor(shape, 'i1')}", shape, "i1"),
             function(*(d.astype(np.float32) for d in c.data)))  # fmt: skip


@op("stablehlo.convert tiny", TINY)
def convert(c, e):
    """Conversion to a wide type is exact, from one it rounds."""
    shape, other = c.shape(), c.rng.choice(("f32", "f64", "bf16", "f16"))
    if c.rng.random() < 0.5:
        if e == "f8E8M0FNU" and other == "f16":
            other = "f32"
        x = c.arg(shape, e, data=codes(c, shape, e))
        c.result(c.op(f"stablehlo.convert {x} : ({x.type}) -> {tensor(shape, other)}", shape, other),
                 c.data[0].astype(np.float64), ulps=0)  # fmt: skip
        return
    data = np.exp2(c.np.uniform(-6, 6, shape)) * c.np.choice([1.0] if e == "f8E8M0FNU" else [1.0, -1.0], shape)
    x = c.arg(shape, other, data=data)
    c.result(c.op(f"stablehlo.convert {x} : ({x.type}) -> {tensor(shape, e)}", shape, e),
             signed_zero(rounded(c.data[0].astype(np.float64), e), c.data[0].astype(np.float64)), ulps=0)  # fmt: skip


def movement(name, text):
    """text(c, x) returns (the op, the function on numpy arrays, result shape)"""

    @op(f"stablehlo.{name} tiny", TINY)
    def generate(c, e):
        shape = c.shape(c.rng.choice((1, 2, 3)), low=1)
        x = c.arg(shape, e, data=codes(c, shape, e))
        source, reference = text(c, x, c.data[0])
        c.result(c.op(source.replace("RESULT", tensor(reference.shape, e)), reference.shape, e), reference, ulps=0)


def transpose(c, x, data):
    order = c.rng.sample(range(len(x.shape)), len(x.shape))
    return f"stablehlo.transpose {x}, dims = {dims(order)} : ({x.type}) -> RESULT", np.transpose(data, order)


def reverse(c, x, data):
    axes = c.axes(x.shape, 1)
    return f"stablehlo.reverse {x}, dims = {dims(axes)} : {x.type}", np.flip(data, axes)


def concatenate(c, x, data):
    return f"stablehlo.concatenate {x}, {x}, dim = 0 : ({x.type}, {x.type}) -> RESULT", np.concatenate([data, data])


def reshape(c, x, data):
    return f"stablehlo.reshape {x} : ({x.type}) -> RESULT", data.reshape(-1)


def slice_(c, x, data):
    starts = [c.rng.randrange(s) for s in x.shape]
    limits = [c.rng.randint(a, s) for a, s in zip(starts, x.shape)]
    ranges = ", ".join(f"{a}:{b}:1" for a, b in zip(starts, limits))
    return f"stablehlo.slice {x} [{ranges}] : ({x.type}) -> RESULT", data[tuple(map(slice, starts, limits))]


def broadcast_in_dim(c, x, data):
    axes = [d + 1 for d in range(len(x.shape))]
    return (f"stablehlo.broadcast_in_dim {x}, dims = {dims(axes)} : ({x.type}) -> RESULT",
            np.broadcast_to(data, (3, *x.shape)).copy())  # fmt: skip


def pad(c, x, data):
    value = c.arg((), x.element, data=codes(c, (), x.element))
    low, none = [c.rng.randint(0, 2) for _ in x.shape], dims([0] * len(x.shape))
    wide = np.full([s + n for s, n in zip(x.shape, low)], c.data[1], data.dtype)
    wide[tuple(slice(n, None) for n in low)] = data
    return (f"stablehlo.pad {x}, {value}, low = {dims(low)}, high = {none}, interior = {none} : "
            f"({x.type}, {value.type}) -> RESULT", wide)  # fmt: skip


def select(c, x, data):
    p, y = c.arg(x.shape, "i1"), c.arg(x.shape, x.element, data=codes(c, x.shape, x.element))
    return f"stablehlo.select {p}, {x}, {y} : {p.type}, {x.type}", np.where(c.data[1], data, c.data[2])


def gather(c, x, data):
    """Gathers rows by number."""
    count, rank = c.rng.choice((1, 3)), len(x.shape)
    at = c.arg([count, 1], "i32", data=c.np.integers(-1, x.shape[0] + 1, [count, 1]))
    sizes = ", ".join(map(str, [1, *x.shape[1:]]))
    return (f'"stablehlo.gather"({x}, {at}) <{{dimension_numbers = #stablehlo.gather<offset_dims = {dims(range(1, rank))}, '
            f"collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: {sizes}>}}> : "
            f"({x.type}, {at.type}) -> RESULT", data[np.clip(c.data[1][:, 0], 0, x.shape[0] - 1)])  # fmt: skip


for name, text in [("transpose", transpose), ("reverse", reverse), ("concatenate", concatenate), ("reshape", reshape),
                   ("slice", slice_), ("broadcast_in_dim", broadcast_in_dim), ("pad", pad), ("select", select),
                   ("gather", gather)]:  # fmt: skip
    movement(name, text)


@op("stablehlo.constant tiny", TINY)
def constant(c, e):
    """As hexadecimal bytes, one per element in MLIR's textual form of these types."""
    shape = c.shape(low=1)
    data = codes(c, shape, e)
    text = f"{float(data.flat[0]):e}" if c.rng.random() < 0.5 else None
    if text:
        data = np.full(shape, data.flat[0], data.dtype)
        c.result(c.op(f"stablehlo.constant dense<{text}> : {tensor(shape, e)}", shape, e), data, ulps=0)
        return

    def nested(a):
        return f"{float(a):e}" if a.ndim == 0 else "[" + ", ".join(nested(b) for b in a) + "]"

    c.result(c.op(f"stablehlo.constant dense<{nested(data)}> : {tensor(shape, e)}", shape, e), data, ulps=0)


@op("stablehlo.reduce tiny", SIGNED)
def reduce(c, e):
    """Sums of few numbers are exact in f32, and rounded once."""
    shape = c.shape(c.rng.choice((1, 2)), largest=8, low=1)
    x = c.arg(shape, e, data=codes(c, shape, e))
    init = c.constant("0.0", (), e)
    v = c.op(f"stablehlo.reduce({x} init: {init}) applies stablehlo.add across dimensions = [0] : ({x.type}, {init.type}) -> "
             f"{tensor(shape[1:], e)}", shape[1:], e)  # fmt: skip
    w = c.op(f"stablehlo.convert {v} : ({v.type}) -> {tensor(v.shape, 'f64')}", v.shape, "f64")
    c.result(w, rounded(np.sum(c.data[0].astype(np.float64), 0), e) + 0.0, ulps=1)


@op("stablehlo.dot_general tiny", SIGNED)
def dot_general(c, e):
    m, k, n = (c.rng.choice((1, 3, 8, 17)) for _ in "mkn")
    x, y = c.arg([m, k], e, data=codes(c, [m, k], e)), c.arg([k, n], e, data=codes(c, [k, n], e))
    a, b = (d.astype(np.float64) for d in c.data)
    c.result(c.op(f"stablehlo.dot_general {x}, {y}, contracting_dims = [1] x [0] : ({x.type}, {y.type}) -> {tensor([m, n], 'f32')}",
                  [m, n], "f32"), a @ b, np.abs(a) @ np.abs(b), 4)  # fmt: skip


@op("stablehlo.sort tiny", SIGNED)
def sort(c, e):
    shape = c.shape(c.rng.choice((1, 2)), low=1)
    x, s = c.arg(shape, e, data=codes(c, shape, e)), tensor((), e)
    v = c.op(f"""\"stablehlo.sort\"({x}) <{{dimension = 0 : i64, is_stable = true}}> ({{
   ^bb0(%a: {s}, %b: {s}):
    %l = stablehlo.compare LT, %a, %b : ({s}, {s}) -> tensor<i1>
    stablehlo.return %l : tensor<i1>
   }}) : ({x.type}) -> {x.type}""", shape, e)
    w = c.op(f"stablehlo.convert {v} : ({v.type}) -> {tensor(shape, 'f32')}", shape, "f32")
    c.result(w, np.sort(c.data[0].astype(np.float32) + 0.0, 0, kind="stable"), ulps=1)


@op("stablehlo.bitcast_convert tiny", ["f4E2M1FN", "f8E8M0FNU"])
def bitcast_convert(c, e):
    shape, bits = c.shape(), {"f4E2M1FN": "ui4", "f8E8M0FNU": "ui8"}[e]
    x = c.arg(shape, e, data=codes(c, shape, e))
    c.result(c.op(f"stablehlo.bitcast_convert {x} : ({x.type}) -> {tensor(shape, bits)}", shape, bits),
             c.data[0].view(np.uint8), ulps=0)  # fmt: skip
