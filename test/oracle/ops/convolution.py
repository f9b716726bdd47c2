#===- convolution.py - convolution with every option -----------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//

import numpy as np

from ops.case import COMPLEX, FLOAT, dims, is_float, op, tensor


def dilated(size, by):
    return (size - 1) * by + 1 if size else 0


def window_size(base, window, stride):
    return 0 if base < window or base <= 0 else (base - window) // stride + 1


@op("stablehlo.convolution", [*FLOAT, *COMPLEX, "i8", "i32", "ui8"])
def convolution(c, e):
    r = c.rng
    rank = r.choice((0, 1, 1, 2, 2, 2, 3))
    choose = lambda *values: [r.choice(values) for _ in range(rank)]
    groups = r.choice((1, 1, 2, 3))
    batch_groups = r.choice((1, 1, 1, 2)) if groups == 1 else 1
    sizes, window = choose(1, 3, 5, 8, 11), choose(1, 2, 3)
    if r.random() < 0.05 and rank:
        sizes[0] = 0
    strides, low, high = choose(1, 1, 2), choose(0, 0, 1, 2, -1), choose(0, 0, 1, 3, -1)
    lhs_dilation, rhs_dilation, reverse = choose(1, 1, 2), choose(1, 1, 2), choose(False, False, True)
    out = []
    for d in range(rank):
        base = low[d] + dilated(sizes[d], lhs_dilation[d]) + high[d]
        if base < 0:
            low[d], high[d] = 0, 0
            base = dilated(sizes[d], lhs_dilation[d])
        out.append(window_size(base, dilated(window[d], rhs_dilation[d]), strides[d]))
    per_group, features = r.choice((1, 2, 5)), r.choice((1, 2, 4)) * groups * batch_groups
    batch = r.choice((1, 2, 3)) * batch_groups
    # Letters in random order: b f and digits, i o and digits.
    layout = lambda first, second: r.sample([first, second, *map(str, range(rank))], rank + 2)
    orders = [layout("b", "f"), layout("i", "o"), layout("b", "f")]
    if r.random() < 0.4:
        digits = [*map(str, range(rank))]
        orders = r.choice([
            [["b", *digits, "f"], [*digits, "i", "o"], ["b", *digits, "f"]],
            [["b", "f", *digits], ["o", "i", *digits], ["b", "f", *digits]],
        ])  # fmt: skip
    extents = [
        {"b": batch, "f": per_group * groups, **{str(d): sizes[d] for d in range(rank)}},
        {"i": per_group, "o": features, **{str(d): window[d] for d in range(rank)}},
        {"b": batch // batch_groups, "f": features, **{str(d): out[d] for d in range(rank)}},
    ]
    shapes = [[extent[l] for l in order] for extent, order in zip(extents, orders)]
    x, w = c.arg(shapes[0], e), c.arg(shapes[1], e)
    spell = lambda order: "[" + ", ".join(order) + "]"
    keys = []
    if r.random() < 0.9 or strides != [1] * rank:
        keys.append(f"stride = {dims(strides)}")
    keys.append("pad = [" + ", ".join(f"[{a}, {b}]" for a, b in zip(low, high)) + "]")
    keys += [f"lhs_dilate = {dims(lhs_dilation)}", f"rhs_dilate = {dims(rhs_dilation)}"]
    keys.append("reverse = [" + ", ".join(str(v).lower() for v in reverse) + "]")
    result = {"i8": "i32", "ui8": "ui8"}.get(e, e) if r.random() < 0.3 else e
    text = (f"stablehlo.convolution({x}, {w}) dim_numbers = {spell(orders[0])}x{spell(orders[1])}->{spell(orders[2])}, "
            f"window = {{{', '.join(keys) if rank else ''}}} {{batch_group_count = {batch_groups} : i64, "
            f"feature_group_count = {groups} : i64}} : ({x.type}, {w.type}) -> {tensor(shapes[2], result)}")  # fmt: skip
    scale = None
    if is_float(e) or e in COMPLEX:
        largest = lambda a: float(np.max(np.abs(a.astype(np.complex128)), initial=0))
        terms = per_group * max(1, int(np.prod(window)))
        scale = np.full(shapes[2], largest(c.data[0]) * largest(c.data[1]) * np.sqrt(terms))
    # Narrow floats: XLA may round intermediate sums.
    ulps = 4 if e in ("f16", "bf16") else 16 if scale is not None else None
    c.result(c.op(text, shapes[2], result), scale=scale, ulps=ulps)
