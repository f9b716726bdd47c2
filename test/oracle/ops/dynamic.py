#===- dynamic.py - shape operands that are known at compile time ----------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//

import numpy as np

from ops.case import dims, op, tensor

# XLA accepts these only after its own shape refinement, so the references are numpy's.
SOME = ["f32", "i32", "i8", "bf16", "i1", "f64"]


def shape_operand(c, values, kind=None):
    kind = kind or c.rng.choice(("i32", "i64"))
    text = "dense<" + (dims(values) if values else "") + ">"
    return c.op(f"stablehlo.constant {text} : tensor<{len(values)}x{kind}>", [len(values)], kind)


@op("stablehlo.dynamic_reshape", SOME)
def dynamic_reshape(c, e):
    x = c.arg(c.shape(), e)
    result = list(x.shape)
    c.rng.shuffle(result)
    s = shape_operand(c, result)
    c.result(c.op(f"stablehlo.dynamic_reshape {x}, {s} : ({x.type}, {s.type}) -> {tensor(result, e)}", result, e),
             c.data[0].reshape(result))  # fmt: skip


@op("stablehlo.dynamic_broadcast_in_dim", SOME)
def dynamic_broadcast_in_dim(c, e):
    result = c.shape(c.rng.choice((1, 2, 3)), largest=8)
    map_ = sorted(c.rng.sample(range(len(result)), c.rng.randint(0, len(result))))
    x = c.arg([1 if c.rng.random() < 0.3 else result[d] for d in map_], e)
    s = shape_operand(c, result)
    spread = [1] * len(result)
    for own, d in enumerate(map_):
        spread[d] = x.shape[own]
    c.result(c.op(f"stablehlo.dynamic_broadcast_in_dim {x}, {s}, dims = {dims(map_)} : ({x.type}, {s.type}) -> {tensor(result, e)}",
                  result, e), np.broadcast_to(c.data[0].reshape(spread), result).copy())  # fmt: skip


@op("stablehlo.dynamic_iota", ["f32", "i32", "ui8", "f64"])
def dynamic_iota(c, e):
    shape = c.shape(c.rng.choice((1, 2, 3)), largest=17)
    d, s = c.rng.randrange(len(shape)), shape_operand(c, shape)
    c.result(c.op(f"stablehlo.dynamic_iota {s}, dim = {d} : ({s.type}) -> {tensor(shape, e)}", shape, e),
             np.indices(shape)[d])  # fmt: skip


@op("stablehlo.dynamic_pad", SOME)
def dynamic_pad(c, e):
    x, value = c.arg(c.shape(c.rng.choice((1, 2, 3)), low=1), e), c.arg((), e)
    low, high, inner = ([c.rng.choice((0, 1, 2)) for _ in x.shape] for _ in "lhi")
    result = [l + s + (s - 1) * i + h for l, s, i, h in zip(low, x.shape, inner, high)]
    padded = np.full(result, c.data[1], c.data[0].dtype)
    padded[tuple(slice(l, l + (s - 1) * (i + 1) + 1, i + 1) for l, s, i in zip(low, x.shape, inner))] = c.data[0]
    kind = c.rng.choice(("i32", "i64"))
    operands = [shape_operand(c, v, kind) for v in (low, high, inner)]
    names = ", ".join(map(str, [x, value, *operands]))
    types = ", ".join(v.type for v in [x, value, *operands])
    c.result(c.op(f"stablehlo.dynamic_pad {names} : ({types}) -> {tensor(result, e)}", result, e), padded)


@op("stablehlo.real_dynamic_slice", SOME)
def real_dynamic_slice(c, e):
    x = c.arg(c.shape(c.rng.choice((1, 2, 3)), low=1), e)
    start = [c.rng.randrange(s) for s in x.shape]
    limit = [c.rng.randint(a, s) for a, s in zip(start, x.shape)]
    strides = [c.rng.choice((1, 1, 2)) for _ in x.shape]
    found = c.data[0][tuple(slice(*v) for v in zip(start, limit, strides))]
    kind = c.rng.choice(("i32", "i64"))
    operands = [shape_operand(c, v, kind) for v in (start, limit, strides)]
    types = ", ".join(v.type for v in [x, *operands])
    c.result(c.op(f"stablehlo.real_dynamic_slice {', '.join(map(str, [x, *operands]))} : ({types}) -> {tensor(found.shape, e)}",
                  found.shape, e), found)  # fmt: skip


@op("stablehlo.dynamic_gather", SOME)
def dynamic_gather(c, e):
    n, d, k = c.rng.choice((3, 9)), c.rng.choice((1, 5)), c.rng.choice((1, 4))
    x = c.arg([n, d], e)
    at = c.arg([k, 1], "i32", data=c.np.integers(-1, n + 1, [k, 1]))
    s = shape_operand(c, [1, d])
    c.result(c.op(f'"stablehlo.dynamic_gather"({x}, {at}, {s}) <{{dimension_numbers = #stablehlo.gather<offset_dims = [1], '
                  f"collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>}}> : ({x.type}, {at.type}, "
                  f"{s.type}) -> {tensor([k, d], e)}", [k, d], e), c.data[0][np.clip(c.data[1][:, 0], 0, n - 1)])  # fmt: skip
