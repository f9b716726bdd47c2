#===- shape.py - shapes and data movement ------------------------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//

import numpy as np

from ops.case import ALL, COMPLEX, F8, FLOAT, INT, dims, is_complex, op, tensor


@op("stablehlo.constant", ALL)
def constant(c, e):
    shape = c.shape()
    data = c.random(shape, e, wild=True)
    if is_complex(e):
        data = c.random(shape, e, wild=False)
    if data.size == 0:
        text = "dense<>" if 0 in shape else "dense<0>"
    elif e in ("i1", "i2", "i4", "ui2", "ui4") or is_complex(e):
        show = lambda v: f"({v.real!r}, {v.imag!r})" if is_complex(e) else str(v).lower()
        show_float = lambda v: f"({float(v.real):.17e}, {float(v.imag):.17e})"

        def nested(a):
            if a.ndim == 0:
                return show_float(a[()]) if is_complex(e) else show(a[()])
            return "[" + ", ".join(nested(b) for b in a) + "]"

        text = f"dense<{nested(data)}>"
    else:
        text = f'dense<"0x{data.tobytes().hex().upper()}">'
    if data.size and c.rng.random() < 0.2:  # a splat
        data = np.full(shape, data.flat[0], data.dtype)
        if not is_complex(e) and e not in ("i1", "i2", "i4", "ui2", "ui4"):
            text = f'dense<"0x{data.tobytes().hex().upper()}">'
        else:
            text = f"dense<{nested(data)}>"
    c.result(c.op(f"stablehlo.constant {text} : {tensor(shape, e)}", shape, e), reference=data)


@op("stablehlo.iota", INT + F8 + FLOAT + COMPLEX)
def iota(c, e):
    shape = c.shape(c.rng.choice((1, 2, 3)))
    d = c.rng.randrange(len(shape))
    c.result(c.op(f"stablehlo.iota dim = {d} : {tensor(shape, e)}", shape, e))


@op("stablehlo.broadcast_in_dim", ALL)
def broadcast_in_dim(c, e):
    result = c.shape(c.rng.choice((1, 2, 3, 4)), largest=17)
    map_ = c.rng.sample(range(len(result)), c.rng.randint(0, len(result)))
    shape = [1 if c.rng.random() < 0.25 else result[d] for d in map_]
    x = c.arg(shape, e)
    c.result(c.op(f"stablehlo.broadcast_in_dim {x}, dims = {dims(map_)} : ({x.type}) -> {tensor(result, e)}", result, e))


@op("stablehlo.broadcast", ALL)
def broadcast(c, e):
    x = c.arg(c.shape(c.rng.choice((0, 1, 2)), largest=17), e)
    sizes = c.shape(c.rng.choice((1, 2)), largest=8)
    c.result(c.op(f"stablehlo.broadcast {x}, sizes = {dims(sizes)} : ({x.type}) -> {tensor((*sizes, *x.shape), e)}",
                  (*sizes, *x.shape), e))  # fmt: skip


@op("stablehlo.reshape", ALL)
def reshape(c, e):
    shape = c.shape()
    rest, result = int(np.prod(shape)), []
    for factor in (1, 2, 3, 5, 7, 8, 16):
        if rest and rest % factor == 0 and c.rng.random() < 0.5 and len(result) < 4:
            result.append(factor)
            rest //= factor
    result.append(rest)
    c.rng.shuffle(result)
    x = c.arg(shape, e)
    c.result(c.op(f"stablehlo.reshape {x} : ({x.type}) -> {tensor(result, e)}", result, e))


@op("stablehlo.transpose", ALL)
def transpose(c, e):
    x = c.arg(c.shape(), e)
    map_ = list(range(len(x.shape)))
    c.rng.shuffle(map_)
    result = [x.shape[d] for d in map_]
    c.result(c.op(f"stablehlo.transpose {x}, dims = {dims(map_)} : ({x.type}) -> {tensor(result, e)}", result, e))


@op("stablehlo.reverse", ALL)
def reverse(c, e):
    x = c.arg(c.shape(), e)
    c.result(c.op(f"stablehlo.reverse {x}, dims = {dims(c.axes(x.shape))} : {x.type}", x.shape, e))


@op("stablehlo.slice", ALL)
def slice_(c, e):
    x = c.arg(c.shape(), e)
    ranges, result = [], []
    for size in x.shape:
        start = c.rng.randint(0, size)
        limit, stride = c.rng.randint(start, size), c.rng.choice((1, 1, 2, 3))
        ranges.append(f"{start}:{limit}:{stride}")
        result.append(-(-(limit - start) // stride))
    c.result(c.op(f"stablehlo.slice {x} [{', '.join(ranges)}] : ({x.type}) -> {tensor(result, e)}", result, e))


def starts(c, shape):
    kind = c.rng.choice(("i32", "i64", "ui32", "i8", "ui8", "i16"))
    low = 0 if kind[0] == "u" else -3
    return [c.arg((), kind, data=c.rng.randint(low, size + 2)) for size in shape]


@op("stablehlo.dynamic_slice", ALL)
def dynamic_slice(c, e):
    x = c.arg(c.shape(low=0), e)
    sizes = [c.rng.randint(0 if c.rng.random() < 0.1 else min(1, s), s) for s in x.shape]
    at = starts(c, x.shape)
    names = "".join(f", {a}" for a in at)
    types = ", ".join([x.type] + [a.type for a in at])
    c.result(c.op(f"stablehlo.dynamic_slice {x}{names}, sizes = {dims(sizes)} : ({types}) -> {tensor(sizes, e)}", sizes, e))


@op("stablehlo.dynamic_update_slice", ALL)
def dynamic_update_slice(c, e):
    x = c.arg(c.shape(), e)
    u = c.arg([c.rng.randint(min(1, s), s) for s in x.shape], e)
    at = starts(c, x.shape)
    names = "".join(f", {a}" for a in at)
    types = ", ".join([x.type, u.type] + [a.type for a in at])
    c.result(c.op(f"stablehlo.dynamic_update_slice {x}, {u}{names} : ({types}) -> {x.type}", x.shape, e))


@op("stablehlo.concatenate", ALL)
def concatenate(c, e):
    shape = c.shape(c.rng.choice((1, 2, 3)))
    d = c.rng.randrange(len(shape))
    parts = []
    # Beyond 64 updates of slices, positions are read from memory.
    for _ in range(70 if c.rng.random() < 0.05 else c.rng.randint(1, 4)):
        own = list(shape)
        own[d] = c.rng.choice((0, 1, 3, 16))
        parts.append(c.arg(own, e))
    result = list(shape)
    result[d] = sum(p.shape[d] for p in parts)
    c.result(c.op(f"stablehlo.concatenate {', '.join(map(str, parts))}, dim = {d} : "
                  f"({', '.join(p.type for p in parts)}) -> {tensor(result, e)}", result, e), np.concatenate(c.data, d))  # fmt: skip


@op("stablehlo.pad", ALL)
def pad(c, e):
    x, value = c.arg(c.shape(low=0), e), c.arg((), e)
    low = [c.rng.choice((0, 0, 1, 2, -1, -2)) for _ in x.shape]
    high = [c.rng.choice((0, 0, 1, 3, -1)) for _ in x.shape]
    inner = [c.rng.choice((0, 0, 0, 1, 2)) for _ in x.shape]
    result = [l + s + max(s - 1, 0) * i + h for l, s, i, h in zip(low, x.shape, inner, high)]
    for d, size in enumerate(result):
        if size < 0:
            low[d] -= size
            result[d] = 0
    c.result(c.op(f"stablehlo.pad {x}, {value}, low = {dims(low)}, high = {dims(high)}, interior = {dims(inner)} : "
                  f"({x.type}, {value.type}) -> {tensor(result, e)}", result, e))  # fmt: skip


@op("stablehlo.get_dimension_size", ["f32", "i8"])
def get_dimension_size(c, e):
    x = c.arg(c.shape(2), e)
    c.result(c.op(f"stablehlo.get_dimension_size {x}, dim = {c.rng.randrange(2)} : ({x.type}) -> tensor<i32>", (), "i32"))


@op("stablehlo.tuple", ["f32", "i32"])
def tuple_(c, e):
    x, y = c.arg(c.shape(), e), c.arg(c.shape(), "f32")
    name = c.op(f"stablehlo.tuple {x}, {y} : tuple<{x.type}, {y.type}>", (), e)
    c.result(c.op(f"stablehlo.get_tuple_element {name}[0] : (tuple<{x.type}, {y.type}>) -> {x.type}", x.shape, e))
    c.result(c.op(f"stablehlo.get_tuple_element {name}[1] : (tuple<{x.type}, {y.type}>) -> {y.type}", y.shape, "f32"))
