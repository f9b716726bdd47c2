#===- high_rank.py - many dimensions, and arrays without elements ------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//

import numpy as np

from ops.case import dims, identity, is_float, op, tensor

TYPES = ("f32", "bf16", "i8", "i32", "complex<f32>")


def shape(c):
    r = c.rng
    rank = r.choice((6, 8, 12, 16))
    sizes = [r.choice((1, 1, 2)) for _ in range(rank)]
    if r.random() < 0.3:
        sizes[r.randrange(rank)] = 0
    return tuple(sizes)


@op("stablehlo.transpose high", TYPES)
def transpose(c, e):
    x = c.arg(shape(c), e)
    order = c.rng.sample(range(len(x.shape)), len(x.shape))
    to = [x.shape[d] for d in order]
    c.result(c.op(f"stablehlo.transpose {x}, dims = {dims(order)} : ({x.type}) -> {tensor(to, e)}", to, e))


@op("stablehlo.reduce high", TYPES)
def reduce(c, e):
    x = c.arg(shape(c), e)
    axes = c.axes(x.shape)
    kept = [s for d, s in enumerate(x.shape) if d not in axes]
    init = c.constant(identity("add", e), (), e)
    # Terms cancel, and the order of addition is not specified.
    scale = np.sum(np.abs(c.data[0].astype(np.float64)), axis=tuple(axes)) if is_float(e) else None
    c.result(c.op(f"stablehlo.reduce({x} init: {init}) applies stablehlo.add across dimensions = {dims(axes)} : "
                  f"({x.type}, {init.type}) -> {tensor(kept, e)}", kept, e), scale=scale, ulps=64)  # fmt: skip


@op("stablehlo.pad high", TYPES)
def pad(c, e):
    x = c.arg(shape(c), e)
    low = [c.rng.randrange(2) for _ in x.shape]
    none = dims([0] * len(low))
    value = c.constant(identity("multiply", e), (), e)
    to = [s + n for s, n in zip(x.shape, low)]
    c.result(c.op(f"stablehlo.pad {x}, {value}, low = {dims(low)}, high = {none}, interior = {none} : "
                  f"({x.type}, {value.type}) -> {tensor(to, e)}", to, e))  # fmt: skip


@op("stablehlo.concatenate high", TYPES)
def concatenate(c, e):
    x = c.arg(shape(c), e)
    y = c.arg(x.shape, e)
    d = c.rng.randrange(len(x.shape))
    to = [2 * s if k == d else s for k, s in enumerate(x.shape)]
    c.result(c.op(f"stablehlo.concatenate {x}, {y}, dim = {d} : ({x.type}, {y.type}) -> {tensor(to, e)}", to, e))


@op("stablehlo.reshape high", TYPES)
def reshape(c, e):
    x = c.arg(shape(c), e)
    y = c.op(f"stablehlo.add {x}, {x} : {x.type}", x.shape, e)
    to = [1, int(np.prod(x.shape))]
    c.result(c.op(f"stablehlo.reshape {y} : ({y.type}) -> {tensor(to, e)}", to, e))
