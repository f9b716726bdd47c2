#===- partition_windows.py - windows of random programs -------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Windows that slide: sums, poolings and their gradients, convolutions, prefix operations."""

import math

from partition_builder import array, t


def window(b):
    """Cumulative sum, or a pooling."""
    x = b.pick()
    dim = b.rng.randrange(len(x.shape))
    n = x.shape[dim]
    rank = len(x.shape)
    win, stride, padding = [1] * rank, [1] * rank, [[0, 0] for _ in x.shape]
    base, dilation = [1] * rank, [1] * rank
    shape = list(x.shape)
    if b.rng.random() < 0.5:
        win[dim], padding[dim] = n, [n - 1, 0]
    else:
        low, high = b.rng.randint(0, 2), b.rng.randint(0, 2)
        holes, spread = b.rng.choice([1, 1, 2]), b.rng.choice([1, 1, 2])
        win[dim] = b.rng.randint(1, min(3, n))
        stride[dim] = b.rng.randint(1, 2)
        padding[dim], base[dim], dilation[dim] = [low, high], holes, spread
        reach = (n - 1) * holes + 1 + low + high - ((win[dim] - 1) * spread + 1)
        if reach < 0:
            padding[dim], base[dim], dilation[dim] = [0, 0], 1, 1
            reach = n - win[dim]
        shape[dim] = reach // stride[dim] + 1
    zero = b.constant(0, x.element)
    s = f"tensor<{x.element}>"
    b.emit(f"\"stablehlo.reduce_window\"(%{x.name}, %{zero.name}) <{{padding = dense<{padding}> : "
           f"tensor<{rank}x2xi64>, window_dimensions = {array(win)}, window_strides = {array(stride)}, "
           f"base_dilations = {array(base)}, window_dilations = {array(dilation)}}}> ({{\n"
           f"    ^bb0(%p: {s}, %q: {s}):\n      %c = stablehlo.add %p, %q : {s}\n"
           f"      stablehlo.return %c : {s}\n    }}) : ({x.type}, {s}) -> {t(shape, x.element)}",
           shape, x.element, [x, zero])


def cumulative(b):
    """Cumulative sums, products, extremes along a dimension, in both directions; with a reducer of two
    operands, or one that is not a single op."""
    x = b.pick()
    dim = b.rng.randrange(len(x.shape))
    n, rank = x.shape[dim], len(x.shape)
    win = [n if d == dim else 1 for d in range(rank)]
    padding = [[0, 0] for _ in win]
    padding[dim] = [n - 1, 0] if b.rng.random() < 0.5 else [0, n - 1]
    attrs = (f"padding = dense<{padding}> : tensor<{rank}x2xi64>, window_dimensions = {array(win)}")
    e = x.element
    s, T = f"tensor<{e}>", x.type
    least = "0xFF800000" if e == "f32" else "-2147483648"
    kind = b.rng.choice(["add", "add", "maximum", "minimum", "pair", "other"])
    if kind == "pair":
        # The position of the maximum.
        i, I = b.emit(f"stablehlo.iota dim = {dim} : {t(x.shape, 'i32')}", x.shape, "i32", [], keep=False), t(x.shape, "i32")
        low = b.emit(f"stablehlo.constant dense<{least}> : {s}", [], e, [], keep=False)
        last = b.constant(2147483647, "i32")
        u, v = b.new(x.shape, e), b.new(x.shape, "i32")
        cmp = "FLOAT" if e == "f32" else "SIGNED"
        j = "tensor<i32>"
        b.op([u, v], [x, i, low, last],
             f"    %{u.name}, %{v.name} = \"stablehlo.reduce_window\"(%{x.name}, %{i.name}, %{low.name}, %{last.name}) "
             f"<{{{attrs}}}> ({{\n    ^bb0(%p: {s}, %i: {j}, %q: {s}, %j: {j}):\n"
             f"      %g = stablehlo.compare GT, %p, %q, {cmp} : ({s}, {s}) -> tensor<i1>\n"
             f"      %e = stablehlo.compare EQ, %p, %q, {cmp} : ({s}, {s}) -> tensor<i1>\n"
             f"      %l = stablehlo.compare LT, %i, %j, SIGNED : ({j}, {j}) -> tensor<i1>\n"
             f"      %a = stablehlo.and %e, %l : tensor<i1>\n"
             f"      %o = stablehlo.or %g, %a : tensor<i1>\n"
             f"      %r = stablehlo.select %o, %p, %q : tensor<i1>, {s}\n"
             f"      %k = stablehlo.select %o, %i, %j : tensor<i1>, {j}\n"
             f"      stablehlo.return %r, %k : {s}, {j}\n    }}) : ({T}, {I}, {s}, {j}) -> ({T}, {I})\n")
        b.values += [u, v]
        return
    if kind == "other":
        init = b.constant(0, e)
        body = (f"      %m = stablehlo.add %p, %q : {s}\n      %z = stablehlo.negate %m : {s}\n"
                f"      %c = stablehlo.negate %z : {s}\n")
    else:
        if kind == "add":
            init = b.constant(0, e)
        elif kind == "maximum":
            init = b.emit(f"stablehlo.constant dense<{least}> : {s}", [], e, [], keep=False)
        else:
            most = "0x7F800000" if e == "f32" else "2147483647"
            init = b.emit(f"stablehlo.constant dense<{most}> : {s}", [], e, [], keep=False)
        body = f"      %c = stablehlo.{kind} %p, %q : {s}\n"
    b.emit(f"\"stablehlo.reduce_window\"(%{x.name}, %{init.name}) <{{{attrs}}}> ({{\n"
           f"    ^bb0(%p: {s}, %q: {s}):\n{body}      stablehlo.return %c : {s}\n    }}) : ({T}, {s}) -> {T}",
           x.shape, e, [x, init])


def pool_gradient(b):
    x = b.pick(where=lambda v: math.prod(v.shape) <= 1024)
    even = [d for d, n in enumerate(x.shape) if n % 2 == 0]
    if not even:
        return window(b)
    dim = b.rng.choice(even)
    shape, win = list(x.shape), [1] * len(x.shape)
    shape[dim], win[dim] = x.shape[dim] // 2, b.rng.choice([2, 2, 1])
    stride = [2 if d == dim else 1 for d in range(len(x.shape))]
    if (x.shape[dim] - win[dim]) // 2 + 1 != shape[dim]:
        return window(b)
    y, zero, s = b.like(shape, x.element), b.constant(0, x.element), f"tensor<{x.element}>"
    kind = "FLOAT" if x.element.startswith(("f", "bf")) else "SIGNED"
    b.emit(f"\"stablehlo.select_and_scatter\"(%{x.name}, %{y.name}, %{zero.name}) <{{window_dimensions = "
           f"{array(win)}, window_strides = {array(stride)}}}> ({{\n"
           f"    ^bb0(%p: {s}, %q: {s}):\n      %c = stablehlo.compare GE, %p, %q, {kind} : ({s}, {s}) -> tensor<i1>\n"
           f"      stablehlo.return %c : tensor<i1>\n    }}, {{\n"
           f"    ^bb0(%p: {s}, %q: {s}):\n      %c = stablehlo.add %p, %q : {s}\n"
           f"      stablehlo.return %c : {s}\n    }}) : ({x.type}, {y.type}, {s}) -> {x.type}",
           x.shape, x.element, [x, y, zero])


def wide_convolution(b):
    """Like the gradient of a kernel: the kernel is about as long as the input."""
    batch, features, out = b.rng.choice([1, 2, 4]), b.rng.choice([1, 2, 4]), b.rng.choice([1, 2, 4])
    width = b.rng.choice([7, 8, 12, 16])
    k, spread = b.rng.choice([width, width, width - 1, width - 3, max(2, width // 2)]), 1
    if b.rng.random() < 0.3:
        spread, k = 2, (width + 1) // 2
    stride = b.rng.choice([1, 1, 2])
    low, high = b.rng.randint(0, 2), b.rng.randint(0, 2)
    reach = width + low + high - ((k - 1) * spread + 1)
    if reach < 0:
        low, reach = low - reach, 0
    x, w = b.like([batch, width, features], "f32"), b.like([k, features, out], "f32")
    shape = [batch, reach // stride + 1, out]
    b.emit(f"stablehlo.convolution(%{x.name}, %{w.name}) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], "
           f"window = {{stride = [{stride}], pad = [[{low}, {high}]], lhs_dilate = [1], "
           f"rhs_dilate = [{spread}]}} {{batch_group_count = 1 : i64, feature_group_count = 1 : i64}} : "
           f"({x.type}, {w.type}) -> {t(shape, 'f32')}", shape, "f32", [x, w])


def pool_windows(b):
    """The gradient of a pooling with windows that overlap, leave gaps or extend beyond the ends."""
    x = b.pick(where=lambda v: math.prod(v.shape) <= 1024)
    rank = len(x.shape)
    dims = b.rng.sample(range(rank), min(rank, b.rng.choice([1, 1, 2])))
    win, stride, pad, shape = [1] * rank, [1] * rank, [[0, 0] for _ in range(rank)], list(x.shape)
    for d in dims:
        n = x.shape[d]
        w = b.rng.randint(1, min(3, n))
        s, lo, hi = b.rng.choice([1, 2, 2]), b.rng.randint(0, w - 1), b.rng.randint(0, w - 1)
        win[d], stride[d], pad[d] = w, s, [lo, hi]
        shape[d] = (n + lo + hi - w) // s + 1
    y, zero, s = b.like(shape, x.element), b.constant(0, x.element), f"tensor<{x.element}>"
    kind = "FLOAT" if x.element.startswith(("f", "bf")) else "SIGNED"
    way = b.rng.choice(["GE", "GE", "GT", "LE"])
    b.emit(f"\"stablehlo.select_and_scatter\"(%{x.name}, %{y.name}, %{zero.name}) <{{padding = dense<{pad}> : "
           f"tensor<{rank}x2xi64>, window_dimensions = {array(win)}, window_strides = {array(stride)}}}> ({{\n"
           f"    ^bb0(%p: {s}, %q: {s}):\n      %c = stablehlo.compare {way}, %p, %q, {kind} : ({s}, {s}) -> tensor<i1>\n"
           f"      stablehlo.return %c : tensor<i1>\n    }}, {{\n"
           f"    ^bb0(%p: {s}, %q: {s}):\n      %c = stablehlo.add %p, %q : {s}\n"
           f"      stablehlo.return %c : {s}\n    }}) : ({x.type}, {y.type}, {s}) -> {x.type}",
           x.shape, x.element, [x, y, zero])


def convolution(b):
    groups = b.rng.choice([1, 1, 2, 4])
    batch_groups = b.rng.choice([1, 1, 2]) if groups == 1 else 1
    batch = b.rng.choice([2, 4, 8]) * batch_groups
    features, out = groups * b.rng.choice([1, 2, 4]), groups * batch_groups * b.rng.choice([1, 2, 4])
    width, k = b.rng.choice([4, 7, 8, 12]), b.rng.choice([1, 2, 3])
    stride, holes, spread = b.rng.choice([1, 1, 2]), b.rng.choice([1, 1, 2]), b.rng.choice([1, 1, 2])
    low, high = (k // 2, k // 2) if b.rng.random() < 0.5 else (b.rng.randint(0, 2), b.rng.randint(0, 2))
    x, w = b.like([batch, width, features], "f32"), b.like([k, features // groups, out], "f32")
    reach = (width - 1) * holes + 1 + low + high - ((k - 1) * spread + 1)
    shape = [batch // batch_groups, reach // stride + 1, out]
    b.emit(f"stablehlo.convolution(%{x.name}, %{w.name}) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], "
           f"window = {{stride = [{stride}], pad = [[{low}, {high}]], lhs_dilate = [{holes}], "
           f"rhs_dilate = [{spread}]}} {{batch_group_count = {batch_groups} : i64, "
           f"feature_group_count = {groups} : i64}} : ({x.type}, {w.type}) -> {t(shape, 'f32')}",
           shape, "f32", [x, w])
