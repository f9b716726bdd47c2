#===- partition_families.py - ops of random programs -----------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Ops of f32 and i32 that use each other's results. partition_ops.py tests each op separately, with
every type and attribute."""

import math

from partition_builder import array, ints, t
from partition_sorts import long_sort, sort, sort_pairs, top_k
from partition_windows import convolution, cumulative, pool_gradient, pool_windows, wide_convolution, window


def unary(b):
    x = b.pick()
    name = b.rng.choice(["tanh", "negate", "abs", "logistic"] if x.element == "f32"
                        else ["negate", "abs", "not"])
    b.emit(f"stablehlo.{name} %{x.name} : {x.type}", x.shape, x.element, [x])


def function(b):
    """A function of CHLO, which --keep-functions leaves as it is."""
    x = b.pick("f32")
    name = b.rng.choice(["erf", "erfc", "asinh", "atan"])
    b.emit(f"chlo.{name} %{x.name} : {x.type} -> {x.type}", x.shape, x.element, [x])


def binary(b):
    x = b.pick()
    y = b.like(x.shape, x.element)
    name = b.rng.choice(["add", "subtract", "maximum", "minimum", "multiply"])
    b.emit(f"stablehlo.{name} %{x.name}, %{y.name} : {x.type}", x.shape, x.element, [x, y])


def select(b):
    x = b.pick()
    y = b.like(x.shape, x.element)
    kind = "FLOAT" if x.element == "f32" else "SIGNED"
    pred = t(x.shape, "i1")
    c = b.emit(f"stablehlo.compare LT, %{x.name}, %{y.name}, {kind} : ({x.type}, {y.type}) -> {pred}",
               x.shape, "i1", [x, y], keep=False)
    b.emit(f"stablehlo.select %{c.name}, %{x.name}, %{y.name} : {pred}, {x.type}",
           x.shape, x.element, [c, x, y])


def convert(b):
    x = b.pick("i32")
    b.emit(f"stablehlo.convert %{x.name} : ({x.type}) -> {t(x.shape, 'f32')}", x.shape, "f32", [x])


def constraint(b):
    x = b.pick()
    b.emit(f"sdy.sharding_constraint %{x.name} {b.sharding(x.shape)} : {x.type}",
           x.shape, x.element, [x], plain=f"stablehlo.reshape %{x.name} : ({x.type}) -> {x.type}")


def broadcast(b):
    x = b.pick(where=lambda v: math.prod(v.shape) <= 512)
    shape, dims = [], []
    for i, n in enumerate(x.shape):
        if b.rng.random() < 0.4 and math.prod(x.shape) * math.prod(shape) < 512:
            shape.append(b.rng.choice([2, 4, 8]))
        dims.append(len(shape))
        shape.append(b.rng.choice([2, 4]) if n == 1 and b.rng.random() < 0.5 else n)
    b.emit(f"stablehlo.broadcast_in_dim %{x.name}, dims = {ints(dims)} : ({x.type}) -> "
           f"{t(shape, x.element)}", shape, x.element, [x])


def transpose(b):
    x = b.pick(rank=2)
    perm = list(range(len(x.shape)))
    b.rng.shuffle(perm)
    shape = [x.shape[d] for d in perm]
    b.emit(f"stablehlo.transpose %{x.name}, dims = {ints(perm)} : ({x.type}) -> "
           f"{t(shape, x.element)}", shape, x.element, [x])


def reshape(b):
    x = b.pick()
    n, shape = math.prod(x.shape), []
    while n > 1 and len(shape) < 3:
        k = b.rng.choice([k for k in range(2, n + 1) if n % k == 0])
        shape.append(k)
        n //= k
    if n > 1 or not shape:
        shape.append(n)
    if b.rng.random() < 0.2:
        shape.insert(b.rng.randrange(len(shape) + 1), 1)
    b.emit(f"stablehlo.reshape %{x.name} : ({x.type}) -> {t(shape, x.element)}",
           shape, x.element, [x])


def slice_(b):
    x = b.pick()
    ranges, shape = [], []
    for n in x.shape:
        if b.rng.random() < 0.5:
            ranges.append(f"0:{n}")
            shape.append(n)
            continue
        lo = b.rng.randint(0, n - 1)
        hi = b.rng.randint(lo + 1, n)
        step = b.rng.choice([1, 1, 2])
        ranges.append(f"{lo}:{hi}:{step}" if step > 1 else f"{lo}:{hi}")
        shape.append(-(-(hi - lo) // step))
    b.emit(f"stablehlo.slice %{x.name} [{', '.join(ranges)}] : ({x.type}) -> "
           f"{t(shape, x.element)}", shape, x.element, [x])


def pad(b):
    x = b.pick(where=lambda v: math.prod(v.shape) <= 1024)
    lo, hi, mid, shape = [], [], [], []
    for n in x.shape:
        if b.rng.random() < 0.5:
            l = h = m = 0
            if b.rng.random() < 0.3:
                l, h = 1, -1
        elif b.rng.random() < 0.2:
            # As many rows on both sides as between two.
            l = h = m = b.rng.randint(1, 3)
        else:
            l, h, m = b.rng.randint(-1, 3), b.rng.randint(0, 4), b.rng.choice([0, 0, 1])
        size = n + l + h + max(n - 1, 0) * m
        if size < 1:
            l, h, m, size = 0, 0, 0, n
        lo.append(l), hi.append(h), mid.append(m), shape.append(size)
    v = b.constant(b.rng.randint(-2, 2), x.element)
    b.emit(f"stablehlo.pad %{x.name}, %{v.name}, low = {ints(lo)}, high = {ints(hi)}, "
           f"interior = {ints(mid)} : ({x.type}, {v.type}) -> {t(shape, x.element)}",
           shape, x.element, [x, v])


def reverse(b):
    x = b.pick()
    dims = sorted(b.rng.sample(range(len(x.shape)), b.rng.randint(1, len(x.shape))))
    b.emit(f"stablehlo.reverse %{x.name}, dims = {ints(dims)} : {x.type}", x.shape, x.element, [x])


def concatenate(b):
    x = b.pick(where=lambda v: math.prod(v.shape) <= 1024)
    dim = b.rng.randrange(len(x.shape))
    parts = [x]
    for _ in range(b.rng.randint(1, 2)):
        shape = list(x.shape)
        shape[dim] = b.rng.choice([shape[dim], 4, 3])
        parts.append(b.like(shape, x.element))
    shape = list(x.shape)
    shape[dim] = sum(p.shape[dim] for p in parts)
    b.emit(f"stablehlo.concatenate {', '.join('%' + p.name for p in parts)}, dim = {dim} : "
           f"({', '.join(p.type for p in parts)}) -> {t(shape, x.element)}",
           shape, x.element, parts)


def roll(b):
    """Slices of one value, concatenated: rolled, shifted, or with rows left out."""
    x = b.pick(where=lambda v: math.prod(v.shape) <= 1024)
    long = [d for d, n in enumerate(x.shape) if n >= 2]
    if not long:
        return reverse(b)
    dim = b.rng.choice(long)
    n = x.shape[dim]
    parts = []
    cut = b.rng.randrange(1, n)
    for begin, end in b.rng.choice([[(cut, n), (0, cut)], [(0, cut), (0, n)], [(cut, n), (cut, n), (0, 1)]]):
        shape = list(x.shape)
        shape[dim] = end - begin
        ranges = ", ".join(f"{begin}:{end}" if d == dim else f"0:{m}" for d, m in enumerate(x.shape))
        parts.append(b.emit(f"stablehlo.slice %{x.name} [{ranges}] : ({x.type}) -> {t(shape, x.element)}",
                            shape, x.element, [x]))
    shape = list(x.shape)
    shape[dim] = sum(p.shape[dim] for p in parts)
    b.emit(f"stablehlo.concatenate {', '.join('%' + p.name for p in parts)}, dim = {dim} : "
           f"({', '.join(p.type for p in parts)}) -> {t(shape, x.element)}",
           shape, x.element, parts)


def iota(b):
    x = b.pick()
    i = b.emit(f"stablehlo.iota dim = {b.rng.randrange(len(x.shape))} : {x.type}",
               x.shape, x.element, [])
    b.emit(f"stablehlo.add %{x.name}, %{i.name} : {x.type}", x.shape, x.element, [x, i])


def dense(b):
    x = b.pick("i32", where=lambda v: math.prod(v.shape) <= 256)

    def literal(shape):
        if not shape:
            return str(b.rng.randint(-9, 9))
        return "[" + ", ".join(literal(shape[1:]) for _ in range(shape[0])) + "]"

    c = b.emit(f"stablehlo.constant dense<{literal(x.shape)}> : {x.type}", x.shape, "i32", [])
    b.emit(f"stablehlo.add %{x.name}, %{c.name} : {x.type}", x.shape, "i32", [x, c])


def reduce(b):
    x = b.pick()
    dims = sorted(b.rng.sample(range(len(x.shape)), b.rng.randint(1, len(x.shape))))
    shape = [n for d, n in enumerate(x.shape) if d not in dims]
    kinds = ["add", "maximum", "minimum"] + (["multiply"] if x.element == "i32" else [])
    kind = b.rng.choice(kinds)
    init = b.constant(b.rng.choice([0, 1, 3, -2]), x.element)
    r = b.emit(f"stablehlo.reduce(%{x.name} init: %{init.name}) applies stablehlo.{kind} across "
               f"dimensions = {ints(dims)} : ({x.type}, {init.type}) -> {t(shape, x.element)}",
               shape, x.element, [x, init], keep=bool(shape))
    if not shape:
        b.emit(f"stablehlo.broadcast_in_dim %{r.name}, dims = [] : ({r.type}) -> {x.type}",
               x.shape, x.element, [r])


def argmax(b):
    x = b.pick()
    dim = b.rng.randrange(len(x.shape))
    shape = [n for d, n in enumerate(x.shape) if d != dim]
    if not shape:
        return reduce(b)
    it = t(x.shape, "i32")
    i = b.emit(f"stablehlo.iota dim = {dim} : {it}", x.shape, "i32", [], keep=False)
    e = x.element
    low = b.constant(-1e9, e)
    zero = b.constant(0, "i32")
    out, idx = b.new(shape, e), b.new(shape, "i32")
    kind = "FLOAT" if e == "f32" else "SIGNED"
    s, si = f"tensor<{e}>", "tensor<i32>"
    text = (
        f"    %{out.name}, %{idx.name} = \"stablehlo.reduce\"(%{x.name}, %{i.name}, %{low.name}, %{zero.name})"
        f" <{{dimensions = array<i64: {dim}>}}> ({{\n"
        f"    ^bb0(%p: {s}, %pi: {si}, %q: {s}, %qi: {si}):\n"
        f"      %gt = stablehlo.compare GT, %p, %q, {kind} : ({s}, {s}) -> tensor<i1>\n"
        f"      %eq = stablehlo.compare EQ, %p, %q, {kind} : ({s}, {s}) -> tensor<i1>\n"
        f"      %lt = stablehlo.compare LT, %pi, %qi, SIGNED : ({si}, {si}) -> tensor<i1>\n"
        f"      %both = stablehlo.and %eq, %lt : tensor<i1>\n"
        f"      %first = stablehlo.or %gt, %both : tensor<i1>\n"
        f"      %m = stablehlo.select %gt, %p, %q : tensor<i1>, {s}\n"
        f"      %mi = stablehlo.select %first, %pi, %qi : tensor<i1>, {si}\n"
        f"      stablehlo.return %m, %mi : {s}, {si}\n"
        f"    }}) : ({x.type}, {it}, {s}, {si}) -> ({t(shape, e)}, {t(shape, 'i32')})\n"
    )
    b.op([out, idx], [x, i, low, zero], text)
    b.values += [out, idx]


def dot(b):
    e = b.rng.choice(["f32", "f32", "i32"])
    size = lambda: b.rng.choice([2, 3, 4, 8, 8, 16])
    batch = [size() for _ in range(b.rng.choice([0, 0, 1]))]
    lhs_free = [size() for _ in range(b.rng.randint(0, 2))]
    rhs_free = [size() for _ in range(b.rng.randint(0, 2))]
    inner = [size() for _ in range(b.rng.choice([1, 1, 2]))]

    def operand(parts):
        dims = [(kind, i, n) for kind, sizes in parts for i, n in enumerate(sizes)]
        b.rng.shuffle(dims)
        at = lambda kind: [
            next(d for d, (k, j, _) in enumerate(dims) if k == kind and j == i)
            for i in range(len(dict(parts)[kind]))
        ]
        free = [d for d, (k, _, _) in enumerate(dims) if k == "f"]
        return [n for _, _, n in dims], at("b"), at("c"), [dims[d][2] for d in free]

    ls, lb, lc, lf = operand([("b", batch), ("f", lhs_free), ("c", inner)])
    rs, rb, rc, rf = operand([("b", batch), ("f", rhs_free), ("c", inner)])
    x, y = b.like(ls, e), b.like(rs, e)
    shape = batch + lf + rf
    if not shape or math.prod(shape) > 4096:
        return
    bt = f"batching_dims = {ints(lb)} x {ints(rb)}, " if batch else ""
    b.emit(f"stablehlo.dot_general %{x.name}, %{y.name}, {bt}contracting_dims = {ints(lc)} x {ints(rc)} : "
           f"({x.type}, {y.type}) -> {t(shape, e)}", shape, e, [x, y])


def dynamic_slice(b):
    x = b.pick()
    sizes = [n if b.rng.random() < 0.5 else b.rng.randint(min(1, n), n) for n in x.shape]
    # In range: XLA folds a slice of a slice without clamping the inner one.
    starts = [b.index(0, n - k) for n, k in zip(x.shape, sizes)]
    b.emit(f"stablehlo.dynamic_slice %{x.name}, {', '.join('%' + s.name for s in starts)}, "
           f"sizes = {ints(sizes)} : ({', '.join([x.type] + ['tensor<i32>'] * len(starts))}) -> "
           f"{t(sizes, x.element)}", sizes, x.element, [x] + starts)


def dynamic_update_slice(b):
    x = b.pick()
    sizes = [min(n, n if b.rng.random() < 0.5 else b.rng.choice([1, b.rng.randint(1, max(n, 1))])) for n in x.shape]
    u = b.like(sizes, x.element)
    starts = [b.index(-1, n) for n in x.shape]
    b.emit(f"stablehlo.dynamic_update_slice %{x.name}, %{u.name}, "
           f"{', '.join('%' + s.name for s in starts)} : "
           f"({', '.join([x.type, u.type] + ['tensor<i32>'] * len(starts))}) -> {x.type}",
           x.shape, x.element, [x, u] + starts)


def indices(b, shape, low, high):
    """Returns i32 indices of a shape, most of them in range."""
    x = b.like(shape, "i32")
    n = b.constant(high - low, "i32")
    nt = t(shape, "i32")
    nb = b.emit(f"stablehlo.broadcast_in_dim %{n.name}, dims = [] : (tensor<i32>) -> {nt}",
                shape, "i32", [n], keep=False)
    r = b.emit(f"stablehlo.remainder %{x.name}, %{nb.name} : {nt}", shape, "i32", [x, nb], keep=False)
    if b.rng.random() < 0.3:
        return r
    return b.emit(f"stablehlo.abs %{r.name} : {nt}", shape, "i32", [r], keep=False)


def index_vectors(b, k, batch_size, high):
    """Returns indices of k components: the indices (scalars have no index dimension), the shape of the
    list, and its batch dimension (of batch_size, or None)."""
    listed = [b.rng.choice([2, 4, 8])] if batch_size is not None or b.rng.random() < 0.85 else []
    if batch_size is not None:
        listed = [batch_size] + listed
    if k == 1 and b.rng.random() < 0.5:
        return indices(b, listed, 0, high), listed, len(listed), 0
    place = b.rng.randint(0, len(listed)) if b.rng.random() < 0.3 else len(listed)
    return indices(b, listed[:place] + [k] + listed[place:], 0, high), listed, place, int(place == 0)


def result_of(b, listed, window):
    """Returns a shape with the dimensions of both, and the positions of the window's dimensions."""
    rank = len(listed) + len(window)
    places = sorted(b.rng.sample(range(rank), len(window)))
    wi, li = iter(window), iter(listed)
    return [next(wi) if d in places else next(li) for d in range(rank)], places


def gather(b):
    """Gathers rows, or rows of a batch, of an operand; also of dimensions that are not indexed."""
    e = b.rng.choice(["f32", "i32"])
    batch = b.rng.random() < 0.4
    x = b.pick(e, 2 + batch)
    rank = len(x.shape)
    dims = b.rng.sample(range(rank), rank)
    batching = dims[:1] if batch else []
    k = b.rng.randint(1, min(2, rank - len(batching)))
    indexed = dims[len(batching): len(batching) + k]
    at, listed, place, batch_dim = index_vectors(b, k, x.shape[batching[0]] if batch else None, 6)
    sizes, collapsed = [], []
    for d, n in enumerate(x.shape):
        choice = b.rng.random()
        if d in batching:
            sizes.append(1)
        elif choice < (0.7 if d in indexed else 0.2) and n > 0:
            sizes.append(1)
            if b.rng.random() < 0.7:
                collapsed.append(d)
        elif choice < 0.3 or d in indexed:
            sizes.append(b.rng.randint(min(1, n), n))
        else:
            sizes.append(n)
    shape, offsets = result_of(b, listed, [s for d, s in enumerate(sizes) if d not in collapsed and d not in batching])
    if math.prod(shape) > 4096 or not shape:
        return
    batches = f"operand_batching_dims = {ints(batching)}, start_indices_batching_dims = [{batch_dim}], " if batch else ""
    b.emit(f"\"stablehlo.gather\"(%{x.name}, %{at.name}) <{{dimension_numbers = #stablehlo.gather<"
           f"offset_dims = {ints(offsets)}, collapsed_slice_dims = {ints(sorted(collapsed))}, {batches}"
           f"start_index_map = {ints(indexed)}, index_vector_dim = {place}>, "
           f"slice_sizes = {array(sizes)}, indices_are_sorted = false}}> : ({x.type}, {at.type}) -> {t(shape, e)}",
           shape, e, [x, at])


def scatter(b):
    """Updates rows, or windows, also in dimensions that are not indexed."""
    e = b.rng.choice(["f32", "i32", "i32"])
    batch = b.rng.random() < 0.3
    x = b.pick(e, 1 + batch)
    rank = len(x.shape)
    dims = b.rng.sample(range(rank), rank)
    batching = dims[:1] if batch else []
    k = b.rng.randint(1, min(2, rank - len(batching)))
    indexed = dims[len(batching): len(batching) + k]
    at, listed, place, batch_dim = index_vectors(b, k, x.shape[batching[0]] if batch else None, 9)
    window, inserted = [], []
    for d, n in enumerate(x.shape):
        choice = b.rng.random()
        if d in batching:
            continue
        if choice < (0.65 if d in indexed else 0.1) and n > 0:
            inserted.append(d)
        elif choice < (0.8 if d in indexed else 0.2):
            window.append(min(1, n))
        elif choice < (0.9 if d in indexed else 0.3):
            window.append(b.rng.randint(min(1, n), n))
        else:
            window.append(n)
    shape, places = result_of(b, listed, window)
    if math.prod(shape) > 4096:
        return
    u = b.like(shape, e)
    kind = b.rng.choice(["add", "add", "maximum", "minimum"] + (["multiply"] if e == "i32" else []))
    batches = f"input_batching_dims = {ints(batching)}, scatter_indices_batching_dims = [{batch_dim}], " if batch else ""
    s = f"tensor<{e}>"
    b.emit(f"\"stablehlo.scatter\"(%{x.name}, %{at.name}, %{u.name}) <{{indices_are_sorted = false, "
           f"scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = {ints(places)}, "
           f"inserted_window_dims = {ints(sorted(inserted))}, {batches}"
           f"scatter_dims_to_operand_dims = {ints(indexed)}, index_vector_dim = {place}>, "
           f"unique_indices = false}}> ({{\n    ^bb0(%p: {s}, %q: {s}):\n"
           f"      %c = stablehlo.{kind} %p, %q : {s}\n      stablehlo.return %c : {s}\n    }}) : "
           f"({x.type}, {at.type}, {u.type}) -> {x.type}", x.shape, e, [x, at, u])


def while_(b):
    x = b.pick()
    y = b.like(x.shape, x.element)
    zero, trips, one = b.constant(0, "i32"), b.constant(b.rng.randint(0, 3), "i32"), b.constant(1, "i32")
    i, u, v = b.new([], "i32"), b.new(x.shape, x.element), b.new(x.shape, x.element)
    T, pre = x.type, f"w{i.name}"
    swap = b.rng.random() < 0.5
    kind = b.rng.choice(["add", "maximum", "subtract"])
    first, second = ("%v", "%n") if swap else ("%n", "%v")
    text = (
        f"    %{i.name}, %{u.name}, %{v.name} = \"stablehlo.while\"(%{zero.name}, %{x.name}, %{y.name}) ({{\n"
        f"    ^bb0(%i: tensor<i32>, %u: {T}, %v: {T}):\n"
        f"      %c = stablehlo.compare LT, %i, %{trips.name}, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
        f"      stablehlo.return %c : tensor<i1>\n    }}, {{\n"
        f"    ^bb0(%i: tensor<i32>, %u: {T}, %v: {T}):\n"
        f"      %n = stablehlo.{kind} %u, %v : {T}\n"
        f"      %j = stablehlo.add %i, %{one.name} : tensor<i32>\n"
        f"      stablehlo.return %j, {first}, {second} : tensor<i32>, {T}, {T}\n"
        f"    }}) : (tensor<i32>, {T}, {T}) -> (tensor<i32>, {T}, {T})\n"
    )
    b.op([i, u, v], [x, y, zero, trips, one], text)
    b.values += [u, v]


def scan(b):
    """A loop that reads a row of x and writes a row of y, as jax.lax.scan does."""
    x = b.pick(rank=2)
    n, row = x.shape[0], x.shape[1:]
    acc = b.like(row, x.element)
    R, T, one_row = t(row, x.element), x.type, t([1] + row, x.element)
    zero, trips, one = b.constant(0, "i32"), b.constant(n, "i32"), b.constant(1, "i32")
    init = b.constant(0, x.element, x.shape)
    i, a, y = b.new([], "i32"), b.new(row, x.element), b.new(x.shape, x.element)
    z = ", %z" * len(row)
    zi = ", tensor<i32>" * len(row)
    text = (
        f"    %{i.name}, %{a.name}, %{y.name} = \"stablehlo.while\"(%{zero.name}, %{acc.name}, %{init.name}) ({{\n"
        f"    ^bb0(%i: tensor<i32>, %a: {R}, %y: {T}):\n"
        f"      %c = stablehlo.compare LT, %i, %{trips.name}, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
        f"      stablehlo.return %c : tensor<i1>\n    }}, {{\n"
        f"    ^bb0(%i: tensor<i32>, %a: {R}, %y: {T}):\n"
        f"      %z = stablehlo.constant dense<0> : tensor<i32>\n"
        f"      %s = stablehlo.dynamic_slice %{x.name}, %i{z}, sizes = {ints([1] + row)} : ({T}, tensor<i32>{zi}) -> {one_row}\n"
        f"      %r = stablehlo.reshape %s : ({one_row}) -> {R}\n"
        f"      %n = stablehlo.add %a, %r : {R}\n"
        f"      %m = stablehlo.minimum %n, %a : {R}\n"
        f"      %o = stablehlo.reshape %m : ({R}) -> {one_row}\n"
        f"      %w = stablehlo.dynamic_update_slice %y, %o, %i{z} : ({T}, {one_row}, tensor<i32>{zi}) -> {T}\n"
        f"      %j = stablehlo.add %i, %{one.name} : tensor<i32>\n"
        f"      stablehlo.return %j, %n, %w : tensor<i32>, {R}, {T}\n"
        f"    }}) : (tensor<i32>, {R}, {T}) -> (tensor<i32>, {R}, {T})\n"
    )
    b.op([i, a, y], [x, acc, zero, trips, one, init], text)
    b.values += [a, y]


def case(b):
    x = b.pick()
    y = b.like(x.shape, x.element)
    i = b.index(0, 1)
    out, T = b.new(x.shape, x.element), x.type
    text = (
        f"    %{out.name} = \"stablehlo.case\"(%{i.name}) ({{\n"
        f"      %k = stablehlo.add %{x.name}, %{y.name} : {T}\n      stablehlo.return %k : {T}\n    }}, {{\n"
        f"      stablehlo.return %{y.name} : {T}\n    }}) : (tensor<i32>) -> {T}\n"
    )
    b.op([out], [x, y, i], text)
    b.values.append(out)


def barrier(b):
    x, y = b.pick(), b.pick()
    u, v = b.new(x.shape, x.element), b.new(y.shape, y.element)
    b.op([u, v], [x, y],
         f"    %{u.name}, %{v.name} = stablehlo.optimization_barrier %{x.name}, %{y.name} : {x.type}, {y.type}\n")
    b.values += [u, v]


def rng_bits(b):
    state = b.emit("stablehlo.constant dense<[1, 2]> : tensor<2xui64>", [2], "ui64", [], keep=False)
    shape = b.shape(1, 2)
    s2, bits = b.new([2], "ui64"), b.new(shape, "ui32")
    b.op([s2, bits], [state],
         f"    %{s2.name}, %{bits.name} = stablehlo.rng_bit_generator %{state.name}, algorithm = THREE_FRY : "
         f"(tensor<2xui64>) -> (tensor<2xui64>, {t(shape, 'ui32')})\n")
    b.emit(f"stablehlo.convert %{bits.name} : ({t(shape, 'ui32')}) -> {t(shape, 'i32')}", shape, "i32", [bits])


FAMILIES = {
    "unary": unary, "binary": binary, "select": select, "convert": convert,
    "constraint": constraint, "broadcast": broadcast, "transpose": transpose,
    "reshape": reshape, "slice": slice_, "pad": pad, "reverse": reverse, "roll": roll,
    "concatenate": concatenate, "iota": iota, "dense": dense, "reduce": reduce,
    "argmax": argmax, "dot": dot, "dynamic_slice": dynamic_slice,
    "dynamic_update_slice": dynamic_update_slice, "gather": gather, "scatter": scatter,
    "sort": sort, "sort_pairs": sort_pairs, "long_sort": long_sort, "top_k": top_k,
    "window": window, "cumulative": cumulative, "pool_gradient": pool_gradient, "pool_windows": pool_windows, "convolution": convolution,
    "wide_convolution": wide_convolution, "while": while_,
    "scan": scan, "case": case, "barrier": barrier, "rng": rng_bits,
}
# Ops that the region form keeps and other forms expand.
KEPT = {"function": function}
