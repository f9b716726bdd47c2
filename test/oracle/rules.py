#===- rules.py - our sharding rules against those of Shardy ---------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Random ops of every family: the rules that `sdy-populate-op-sharding-rules` writes must
be those of jaxlib, as text, with and without conservative propagation.

    rules.py [--cases N] [--seed S] [--family NAME] [--long]
"""

import argparse
import math
import re

import oracle

BATCH = 150  # functions in one module


def shape(rng, low=0, high=4, sizes=(1, 2, 3, 4, 5, 6, 7, 8, 12, 16)):
    return [rng.choice(sizes) for _ in range(rng.randint(low, high))]


def t(dims, element="f32"):
    return "tensor<" + "".join(f"{d}x" for d in dims) + element + ">"


def i64s(values):
    return "array<i64" + (": " + ", ".join(map(str, values)) if values else "") + ">"


def ints(values):
    return "[" + ", ".join(map(str, values)) + "]"


def pairs(values, width=2):
    rows = ", ".join(ints(v) for v in values)
    return f"dense<[{rows}]> : tensor<{len(values)}x{width}xi64>"


def subset(rng, items, count=None):
    items = list(items)
    count = rng.randint(0, len(items)) if count is None else count
    return sorted(rng.sample(items, count))


def op(name, operands, results, props="", regions=""):
    """Returns a function with one op in generic form over its arguments."""
    args = ", ".join(f"%a{i}: {ty}" for i, ty in enumerate(operands))
    uses = ", ".join(f"%a{i}" for i in range(len(operands)))
    count = f":{len(results)}" if len(results) > 1 else ""
    result = f"%r{count} = " if results else ""
    props = f" <{{{props}}}>" if props else ""
    return (
        f"({args}) {{\n  {result}\"{name}\"({uses}){props}{regions} : "
        f"({', '.join(operands)}) -> ({', '.join(results)})\n  return\n}}\n"
    )


def reducer(names, elements):
    """Returns a region that combines pairs by the named ops."""
    n = len(elements)
    args = ", ".join(f"%x{i}: {t([], e)}" for i, e in enumerate(elements + elements))
    body = "".join(
        f"    %c{i} = stablehlo.{name} %x{i}, %x{n + i} : {t([], e)}\n"
        for i, (name, e) in enumerate(zip(names, elements))
    )
    values = ", ".join(f"%c{i}" for i in range(n))
    types = ", ".join(t([], e) for e in elements)
    return f" ({{\n  ^bb0({args}):\n{body}    stablehlo.return {values} : {types}\n  }})"


# --- elementwise --------------------------------------------------------------------------

FLOAT_UNARY = """abs cbrt ceil cosine exponential exponential_minus_one floor log log_plus_one
logistic negate round_nearest_afz round_nearest_even rsqrt sign sine sqrt tan tanh""".split()
INT_UNARY = "abs count_leading_zeros negate not popcnt sign".split()
FLOAT_BINARY = "add atan2 divide maximum minimum multiply power remainder subtract".split()
INT_BINARY = """add and divide maximum minimum multiply or power remainder shift_left
shift_right_arithmetic shift_right_logical subtract xor""".split()


def elementwise(rng):
    s = shape(rng, sizes=(0, 1, 2, 3, 4, 8))
    f, i, b, c = t(s), t(s, "i32"), t(s, "i1"), t(s, "complex<f32>")
    kind = rng.randrange(9)
    if kind == 0:
        return op("stablehlo." + rng.choice(FLOAT_UNARY), [f], [f])
    if kind == 1:
        return op("stablehlo." + rng.choice(INT_UNARY), [i], [i])
    if kind == 2:
        return op("stablehlo." + rng.choice(FLOAT_BINARY), [f, f], [f])
    if kind == 3:
        return op("stablehlo." + rng.choice(INT_BINARY), [i, i], [i])
    if kind == 4:
        return op("stablehlo.select", [rng.choice([b, t([], "i1")]), f, f], [f])
    if kind == 5:
        bounds = [rng.choice([f, t([])]) for _ in range(2)]
        return op("stablehlo.clamp", [bounds[0], f, bounds[1]], [f])
    if kind == 6:
        direction = "comparison_direction = #stablehlo<comparison_direction LT>"
        return op("stablehlo.compare", [f, f], [b], direction)
    if kind == 7:
        name, a, r = rng.choice(
            [("complex", [f, f], c), ("real", [c], f), ("imag", [c], f), ("is_finite", [f], b),
             ("convert", [f], i)]
        )
        return op("stablehlo." + name, a, [r])
    return op("stablehlo.reduce_precision", [f], [f], "exponent_bits = 5 : i32, mantissa_bits = 3 : i32")


# --- shape --------------------------------------------------------------------------------


def broadcast_in_dim(rng):
    out = shape(rng, 0, 5)
    dims = subset(rng, range(len(out)))
    rng.shuffle(dims)
    sizes = [rng.choice([1, out[d]]) for d in dims]
    return op("stablehlo.broadcast_in_dim", [t(sizes)], [t(out)],
              f"broadcast_dimensions = {i64s(dims)}")


def transpose(rng):
    s = shape(rng)
    perm = list(range(len(s)))
    rng.shuffle(perm)
    return op("stablehlo.transpose", [t(s)], [t([s[p] for p in perm])],
              f"permutation = {i64s(perm)}")


def split_product(rng, factors):
    """Returns a random shape whose product is that of the factors, with additional ones."""
    dims = []
    for f in factors:
        if dims and rng.random() < 0.5:
            dims[-1] *= f
        else:
            dims.append(f)
    for _ in range(rng.choice([0, 0, 0, 1, 2])):
        dims.insert(rng.randint(0, len(dims)), 1)
    return dims


def reshape(rng):
    factors = [rng.choice([2, 2, 2, 3, 3, 4, 5, 6, 7]) for _ in range(rng.randint(0, 6))]
    a = split_product(rng, factors)
    if rng.random() < 0.5:
        rng.shuffle(factors)
    b = split_product(rng, factors)
    if rng.random() < 0.05 and a and b:
        a[rng.randrange(len(a))] = b[rng.randrange(len(b))] = 0
    return op("stablehlo.reshape", [t(a)], [t(b)])


def bitcast_convert(rng):
    s = shape(rng, 0, 3)
    wide, narrow, ratio = rng.choice([("ui64", "ui32", 2), ("f32", "ui8", 4), ("i32", "f32", 1)])
    a, b = t(s, wide), t(s + ([ratio] if ratio > 1 else []), narrow)
    if rng.random() < 0.5:
        a, b = b, a
    return op("stablehlo.bitcast_convert", [a], [b])


def concatenate(rng):
    s = shape(rng, 1, 4)
    d = rng.randrange(len(s))
    count = rng.randint(1, 3)
    shared = rng.random() < 0.5
    args, body, values, types, total = [], "", [], [], 0
    for i in range(count):
        size = s[d] if shared and i else rng.choice([1, 2, 3, 4])
        size = s[d] if shared else size
        piece = [*s[:d], size, *s[d + 1 :]]
        name = "%a0" if shared else f"%a{i}"
        if not shared or i == 0:
            args.append(f"{name}: {t(piece)}")
        if rng.random() < 0.6:
            cut = rng.randint(1, size)
            sliced = [*s[:d], cut, *s[d + 1 :]]
            limits = ", ".join(f"0:{x}" for x in sliced)
            body += f"  %s{i} = stablehlo.slice {name} [{limits}] : ({t(piece)}) -> {t(sliced)}\n"
            name, piece = f"%s{i}", sliced
        values.append(name)
        types.append(t(piece))
        total += piece[d]
    out = t([*s[:d], total, *s[d + 1 :]])
    return (
        f"({', '.join(args)}) {{\n{body}  %r = stablehlo.concatenate {', '.join(values)}, dim = {d} : "
        f"({', '.join(types)}) -> {out}\n  return\n}}\n"
    )


def pad(rng):
    s = shape(rng)
    low = [rng.choice([0, 0, 1, 2, -1]) for _ in s]
    high = [rng.choice([0, 0, 1, -1]) for _ in s]
    inner = [rng.choice([0, 0, 1]) for _ in s]
    out = [l + d + max(d - 1, 0) * i + h for d, l, h, i in zip(s, low, high, inner)]
    if min(out, default=0) < 0:
        return pad(rng)
    return op("stablehlo.pad", [t(s), t([])], [t(out)],
              f"edge_padding_low = {i64s(low)}, edge_padding_high = {i64s(high)}, "
              f"interior_padding = {i64s(inner)}")


def slice_(rng):
    s = shape(rng)
    start = [rng.choice([0, 0, rng.randint(0, d)]) for d in s]
    limit = [rng.choice([d, d, rng.randint(b, d)]) for b, d in zip(start, s)]
    stride = [rng.choice([1, 1, 2]) for _ in s]
    out = [-(-(e - b) // k) for b, e, k in zip(start, limit, stride)]
    return op("stablehlo.slice", [t(s)], [t(out)],
              f"start_indices = {i64s(start)}, limit_indices = {i64s(limit)}, strides = {i64s(stride)}")


def dynamic_slice(rng):
    s = shape(rng)
    out = [rng.choice([d, rng.randint(0, d)]) for d in s]
    return op("stablehlo.dynamic_slice", [t(s)] + [t([], "i32")] * len(s), [t(out)],
              f"slice_sizes = {i64s(out)}")


def dynamic_update_slice(rng):
    s = shape(rng)
    u = [rng.choice([d, rng.randint(0, d)]) for d in s]
    body, names, args = "", [], [f"%x: {t(s)}", f"%u: {t(u)}"]
    constant = rng.choice([0, 1, 0.5])
    for i in range(len(s)):
        name = f"%i{i}"
        if rng.random() < constant:
            what = rng.choice(["stablehlo.constant", "sdy.constant"])
            body += f"  {name} = {what} dense<{i}> : tensor<i32>\n"
        else:
            args.append(f"{name}: tensor<i32>")
        names.append(name)
    operands = ", ".join(["%x", "%u", *names])
    types = ", ".join([t(s), t(u)] + ["tensor<i32>"] * len(s))
    return (f"({', '.join(args)}) {{\n{body}  %r = stablehlo.dynamic_update_slice {operands} : "
            f"({types}) -> {t(s)}\n  return\n}}\n")


def reverse(rng):
    s = shape(rng)
    return op("stablehlo.reverse", [t(s)], [t(s)],
              f"dimensions = {i64s(subset(rng, range(len(s))))}")


# --- contractions -------------------------------------------------------------------------


def dot_general(rng):
    batch, free_l = shape(rng, 0, 2), shape(rng, 0, 2)
    free_r, contract = shape(rng, 0, 2), shape(rng, 0, 2)
    left = [("b", i) for i in range(len(batch))] + [("c", i) for i in range(len(contract))]
    right = left + [("r", i) for i in range(len(free_r))]
    left = left + [("l", i) for i in range(len(free_l))]
    rng.shuffle(left), rng.shuffle(right)
    size = {"b": batch, "c": contract, "l": free_l, "r": free_r}
    where = lambda side, kind, order: [side.index((kind, i)) for i in order]
    nb, nc = list(range(len(batch))), list(range(len(contract)))
    rng.shuffle(nb), rng.shuffle(nc)
    out = [batch[i] for i in nb]
    out += [size[k][i] for k, i in left if k == "l"] + [size[k][i] for k, i in right if k == "r"]
    numbers = (
        f"lhs_batching_dimensions = {ints(where(left, 'b', nb))}, "
        f"rhs_batching_dimensions = {ints(where(right, 'b', nb))}, "
        f"lhs_contracting_dimensions = {ints(where(left, 'c', nc))}, "
        f"rhs_contracting_dimensions = {ints(where(right, 'c', nc))}"
    )
    return op("stablehlo.dot_general", [t([size[k][i] for k, i in left]), t([size[k][i] for k, i in right])],
              [t(out)], f"dot_dimension_numbers = #stablehlo.dot<{numbers}>")


def dot(rng):
    k = rng.choice([1, 2, 4])
    m, n = shape(rng, 0, 1), shape(rng, 0, 1)
    return op("stablehlo.dot", [t([*m, k]), t([k, *n])], [t([*m, *n])])


def convolution(rng):
    spatial = rng.randint(0, 3)
    bg, fg = rng.choice([(1, 1), (1, 1), (1, 1), (2, 1), (4, 1), (1, 2), (1, 3)])
    batch = bg * rng.choice([1, 2, 3])
    in_per_group = rng.choice([1, 2, 3])
    out_features = bg * fg * rng.choice([1, 2, 5])
    ins = [rng.choice([1, 4, 7, 8, 12]) for _ in range(spatial)]
    kernel = [rng.choice([1, 2, 3, 5]) for _ in range(spatial)]
    stride = [rng.choice([1, 1, 2]) for _ in range(spatial)]
    padding = [[rng.choice([0, 1, 2]), rng.choice([0, 1])] for _ in range(spatial)]
    dilation = [rng.choice([1, 1, 2]) for _ in range(spatial)]
    outs = []
    for d, k, s, (low, high), dil in zip(ins, kernel, stride, padding, dilation):
        d = (d - 1) * dil + 1
        room = low + d + high
        outs.append(0 if room < k else (room - k) // s + 1)

    def layout(special):
        order = list(special) + list(range(spatial))
        rng.shuffle(order)
        return order

    i, k, o = layout("bf"), layout("io"), layout("bf")
    sizes = lambda order, sp, **named: [named[d] if isinstance(d, str) else sp[d] for d in order]
    x = sizes(i, ins, b=batch, f=in_per_group * fg)
    w = sizes(k, kernel, i=in_per_group, o=out_features)
    y = sizes(o, outs, b=batch // bg, f=out_features)
    props = (
        f"dimension_numbers = #stablehlo.conv<{ints(i)}x{ints(k)}->{ints(o)}>, "
        f"window_strides = {i64s(stride)}, lhs_dilation = {i64s(dilation)}, "
        f"feature_group_count = {fg} : i64, batch_group_count = {bg} : i64"
    )
    if spatial:
        props += f", padding = {pairs(padding)}"
    return op("stablehlo.convolution", [t(x), t(w)], [t(y)], props)


# --- gather and scatter -------------------------------------------------------------------


def gather_numbers(rng):
    """Returns shapes and dimension numbers of a gather; scatter uses them in the other direction."""
    rank = rng.randint(1, 4)
    operand = [rng.choice([1, 2, 3, 4, 5]) for _ in range(rank)]
    dims = list(range(rank))
    batching = subset(rng, dims, rng.choice([0, 0, min(1, rank), min(2, rank)]))
    rest = [d for d in dims if d not in batching]
    collapsed = subset(rng, rest)
    window = [d for d in rest if d not in collapsed]
    indexed = subset(rng, rest)
    rng.shuffle(indexed)
    slices = [1 if d in batching or d in collapsed else rng.choice([operand[d], rng.randint(1, operand[d])])
              for d in dims]
    # Batch dimensions of the indices: one for each batching dimension, and others.
    parts = [("b", d) for d in batching] + [("f", rng.choice([1, 2, 3])) for _ in range(rng.randint(0, 2))]
    rng.shuffle(parts)
    batch_sizes = [operand[x] if k == "b" else x for k, x in parts]
    vector_dim = rng.randint(0, len(parts))
    implicit = len(indexed) == 1 and rng.random() < 0.3
    if implicit:
        vector_dim = len(parts)
        indices = batch_sizes
    else:
        indices = batch_sizes[:vector_dim] + [len(indexed)] + batch_sizes[vector_dim:]
    position = lambda p: p if p < vector_dim else p + 1
    index_batching = [position(parts.index(("b", d))) for d in batching]
    total = len(parts) + len(window)
    offset = subset(rng, range(total), len(window))
    result, w, b = [], iter(slices[d] for d in window), iter(batch_sizes)
    for r in range(total):
        result.append(next(w) if r in offset else next(b))
    return operand, indices, result, slices, offset, collapsed, batching, index_batching, indexed, vector_dim


def gather(rng):
    operand, indices, result, slices, offset, collapsed, batching, ib, indexed, v = gather_numbers(rng)
    numbers = (
        f"offset_dims = {ints(offset)}, collapsed_slice_dims = {ints(collapsed)}, "
        f"operand_batching_dims = {ints(batching)}, start_indices_batching_dims = {ints(ib)}, "
        f"start_index_map = {ints(indexed)}, index_vector_dim = {v}"
    )
    return op("stablehlo.gather", [t(operand), t(indices, "i32")], [t(result)],
              f"dimension_numbers = #stablehlo.gather<{numbers}>, slice_sizes = {i64s(slices)}")


def scatter(rng):
    operand, indices, updates, _, offset, collapsed, batching, ib, indexed, v = gather_numbers(rng)
    numbers = (
        f"update_window_dims = {ints(offset)}, inserted_window_dims = {ints(collapsed)}, "
        f"input_batching_dims = {ints(batching)}, scatter_indices_batching_dims = {ints(ib)}, "
        f"scatter_dims_to_operand_dims = {ints(indexed)}, index_vector_dim = {v}"
    )
    n = rng.choice([1, 1, 2])
    e = rng.choice(["f32", "i32", "i1"])
    names = ["add", "multiply", "maximum", "minimum", "xor", "and", "or", "subtract"]
    if e == "f32":
        names = ["add", "multiply", "maximum", "minimum", "subtract", "divide"]
    elif e == "i1":
        names.remove("subtract")
    name = rng.choice(names)
    combine = [name] * n if rng.random() < 0.8 else [rng.choice(names) for _ in range(n)]
    body = reducer(combine, [e] * n)
    if rng.random() < 0.3:
        body = re.sub(r"%x(\d), %x(\d)", r"%x\2, %x\1", body)
    if rng.random() < 0.2:
        body = re.sub(r"return (%c\d(, )?)+ :", lambda m: "return " + ", ".join(
            f"%x{n + i}" for i in range(n)) + " :", body)
    return op("stablehlo.scatter", [t(operand, e)] * n + [t(indices, "i32")] + [t(updates, e)] * n,
              [t(operand, e)] * n, f"scatter_dimension_numbers = #stablehlo.scatter<{numbers}>", body)


# --- reductions ---------------------------------------------------------------------------


def reduce(rng):
    s, n = shape(rng), rng.choice([1, 1, 2, 3])
    dims = subset(rng, range(len(s)))
    out = [d for i, d in enumerate(s) if i not in dims]
    e = rng.choice(["f32", "i32"])
    names = [rng.choice(["add", "multiply", "maximum"] + (["xor", "and"] if e == "i32" else []))
             for _ in range(n)]
    return op("stablehlo.reduce", [t(s, e)] * n + [t([], e)] * n, [t(out, e)] * n,
              f"dimensions = {i64s(dims)}", reducer(names, [e] * n))


def window_of(rng, s, dilate=True):
    window = [rng.choice([1, 1, rng.randint(1, min(d, 3)) if d else 1]) for d in s]
    stride = [rng.choice([1, 1, 2]) for _ in s]
    padding = [[rng.choice([0, 0, 1]), rng.choice([0, 0, 1])] for _ in s]
    base = [rng.choice([1, 1, 1, 2]) if dilate else 1 for _ in s]
    out = []
    for d, w, k, (low, high), b in zip(s, window, stride, padding, base):
        room = low + (0 if d == 0 else (d - 1) * b + 1) + high
        out.append(0 if room < w else (room - w) // k + 1)
    props = [f"window_dimensions = {i64s(window)}"]
    if any(k != 1 for k in stride) or rng.random() < 0.5:
        props.append(f"window_strides = {i64s(stride)}")
    if s and (any(p != [0, 0] for p in padding) or rng.random() < 0.5):
        props.append(f"padding = {pairs(padding)}")
    if dilate and any(b != 1 for b in base):
        props.append(f"base_dilations = {i64s(base)}")
    return out, ", ".join(props)


def reduce_window(rng):
    s, n = shape(rng, 1), rng.choice([1, 1, 2])
    out, props = window_of(rng, s)
    return op("stablehlo.reduce_window", [t(s)] * n + [t([])] * n, [t(out)] * n, props,
              reducer(["add"] * n, ["f32"] * n))


def select_and_scatter(rng):
    s = shape(rng, 1)
    source, props = window_of(rng, s, dilate=False)
    select = """ ({
  ^bb0(%x0: tensor<f32>, %x1: tensor<f32>):
    %c = stablehlo.compare GE, %x0, %x1 : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  },"""
    return op("stablehlo.select_and_scatter", [t(s), t(source), t([])], [t(s)], props,
              select + reducer(["add"], ["f32"]).lstrip().removeprefix("("))


def sort(rng):
    s, n = shape(rng, 1, sizes=(1, 1, 2, 4, 8)), rng.choice([1, 2])
    args = ", ".join(f"%x{i}: tensor<f32>" for i in range(2 * n))
    body = f""" ({{
  ^bb0({args}):
    %c = stablehlo.compare LT, %x0, %x1 : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }})"""
    # Upstream does not handle dimensions that are counted from the end; ours does.
    d = rng.randrange(len(s))
    return op("stablehlo.sort", [t(s)] * n, [t(s)] * n, f"dimension = {d} : i64", body)


def batch_norm_inference(rng):
    s = shape(rng, 1)
    f = rng.randrange(len(s))
    return op("stablehlo.batch_norm_inference", [t(s)] + [t([s[f]])] * 4, [t(s)],
              f"epsilon = 1.0e-3 : f32, feature_index = {f} : i64")


def collective(rng):
    s = shape(rng, 1)
    d = rng.randrange(len(s))
    groups = "replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>"
    kind = rng.randrange(6)
    if kind == 0:
        n = rng.choice([1, 2])
        out = [*s[:d], s[d] * 2, *s[d + 1 :]]
        return op("stablehlo.all_gather", [t(s)] * n, [t(out)] * n, f"all_gather_dim = {d} : i64, {groups}")
    if kind == 1:
        big = [*s[:d], s[d] * 2, *s[d + 1 :]]
        return op("stablehlo.reduce_scatter", [t(big)], [t(s)], f"scatter_dimension = {d} : i64, {groups}",
                  reducer(["add"], ["f32"]))
    if kind == 2:
        c = rng.randrange(len(s))
        a = [*s[:d], s[d] * 2, *s[d + 1 :]]
        b = list(a)
        b[d] //= 2
        b[c] *= 2
        return op("stablehlo.all_to_all", [t(a)], [t(b)],
                  f"split_dimension = {d} : i64, concat_dimension = {c} : i64, split_count = 2 : i64, {groups}")
    if kind == 3:
        other = shape(rng, 0, len(s)) if rng.random() < 0.2 else s
        return op("stablehlo.all_reduce", [t(s), t(other)], [t(s), t(other)], groups, reducer(["add"], ["f32"]))
    if kind == 4:
        return op("stablehlo.collective_permute", [t(s)], [t(s)], f"source_target_pairs = {pairs([[0, 1], [1, 0]])}")
    return op("stablehlo.collective_broadcast", [t(s)], [t(s)], groups)


# --- linear algebra, fft, random ----------------------------------------------------------


def linalg(rng):
    batch = shape(rng, 0, 2)
    n, m = rng.choice([1, 2, 4]), rng.choice([1, 3, 5])
    kind = rng.randrange(4)
    if kind == 0:
        s = t([*batch, n, n])
        return op("stablehlo.cholesky", [s], [s], "lower = true")
    if kind == 1:
        left = rng.random() < 0.5
        b = t([*batch, n, m] if left else [*batch, m, n])
        how = rng.choice(["NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"])
        return op("stablehlo.triangular_solve", [t([*batch, n, n]), b], [b],
                  f"left_side = {str(left).lower()}, lower = true, unit_diagonal = false, "
                  f"transpose_a = #stablehlo<transpose {how}>")
    if kind == 2:
        out = shape(rng, 0, 3)
        state = rng.choice([2, 3])
        return op("stablehlo.rng_bit_generator", [t([state], "ui64")], [t([state], "ui64"), t(out, "ui32")],
                  "rng_algorithm = #stablehlo<rng_algorithm PHILOX>")
    count = rng.randint(1, 3)
    lengths = [rng.choice([1, 2, 4, 6]) for _ in range(count)]
    full, half = [*batch, *lengths], [*batch, *lengths[:-1], lengths[-1] // 2 + 1]
    how = rng.choice(["FFT", "IFFT", "RFFT", "IRFFT"])
    a, b = {"RFFT": (t(full), t(half, "complex<f32>")), "IRFFT": (t(half, "complex<f32>"), t(full))}.get(
        how, (t(full, "complex<f32>"),) * 2)
    return op("stablehlo.fft", [a], [b], f"fft_type = #stablehlo<fft_type {how}>, fft_length = {i64s(lengths)}")


# --- custom calls -------------------------------------------------------------------------

POINTWISE_CALLS = """annotate_device_placement Cholesky CompactWyHelper InspectSharding
InvertDiagBlocksLowerTriangular InvertDiagBlocksUpperTriangular LayoutConstraint mhlo.erf
MoveToDevice MoveToHost X64SplitHigh X64SplitLow X64Combine xla.megascale.provide_metadata
_SPMDInternalOp_MultiPad _SPMDInternalOp_RotateRight _SPMDInternalOp_MultiRotate
_SPMDInternalOp_MultiSlice _SPMDInternalOp_Wrap""".split()
UNKNOWN_CALLS = "sdy_testonly tpu_custom_call Sharding TopK lapack_spotrf_ffi my_call".split()


def custom_call(rng):
    batch = shape(rng, 0, 2)
    n, m = rng.choice([2, 4]), rng.choice([3, 5])
    matrix = [*batch, n, m]
    call = lambda name, a, r: op("stablehlo.custom_call", a, r, f'call_target_name = "{name}"')
    kind = rng.randrange(7)
    if kind == 0:
        s = t(shape(rng))
        return call(rng.choice(POINTWISE_CALLS), [s] * rng.choice([1, 2]), [s])
    if kind == 1:
        s = t(shape(rng))
        return call(rng.choice(UNKNOWN_CALLS), [s], [s])
    if kind == 2:
        s = t([*batch, n, n])
        return call("Eigh", [s], [s, t([*batch, n])])
    if kind == 3:
        taus = t([*batch, min(n, m)])
        return call(rng.choice(["Qr", "QrDecompositionBlock"]), [t(matrix)], [t(matrix), taus])
    if kind == 4:
        return call("ProductOfElementaryHouseholderReflectors", [t(matrix), t([*batch, min(n, m)])], [t(matrix)])
    k = rng.randint(1, m)
    s, out = [*batch, m], [*batch, k]
    if kind == 5:
        return call(rng.choice(["mhlo.topk", "TopK"]), [t(s)], [t(out), t(out, "i32")])
    return call(rng.choice(["ApproxTopK", "PartialReduce"]), [t(s), t(s, "i32"), t([]), t([], "i32")],
                [t(out), t(out, "i32")])


def no_rule(rng):
    s = shape(rng, 1)
    x = t(s)
    kind = rng.randrange(6)
    if kind == 0:
        return op("stablehlo.optimization_barrier", [x, x], [x, x])
    if kind == 1:
        return op("stablehlo.broadcast", [x], [t([2, *s])], "broadcast_sizes = array<i64: 2>")
    if kind == 2:
        body = reducer(["add"], ["f32"])
        return op("stablehlo.map", [x, x], [x], f"dimensions = {i64s(range(len(s)))}", body)
    if kind == 3:
        c = t([s[0]])
        return op("stablehlo.batch_norm_training", [x, c, c], [x, c, c],
                  "epsilon = 1.0e-3 : f32, feature_index = 0 : i64")
    if kind == 4:
        branch = f"""{{
    %n = stablehlo.negate %a1 : {x}
    stablehlo.return %n : {x}
  }}"""
        return (f"(%a0: tensor<i32>, %a1: {x}) {{\n  %r = \"stablehlo.case\"(%a0) ({branch}, {branch}) : "
                f"(tensor<i32>) -> {x}\n  return\n}}\n")
    return f"""(%a0: {x}, %a1: tensor<i1>) {{
  %r = stablehlo.while(%i = %a0) : {x}
  cond {{
    stablehlo.return %a1 : tensor<i1>
  }} do {{
    %n = stablehlo.negate %i : {x}
    stablehlo.return %n : {x}
  }}
  return
}}
"""


CHLO_UNARY = """acos acosh asin asinh atan atanh bessel_i1e conj cosh digamma erf erf_inv erfc lgamma
sinh square tan""".split()
CHLO_BINARY = """broadcast_add broadcast_atan2 broadcast_divide broadcast_maximum broadcast_minimum
broadcast_multiply broadcast_power broadcast_remainder broadcast_subtract broadcast_zeta
broadcast_polygamma broadcast_next_after next_after polygamma zeta""".split()


def chlo(rng):
    """Shardy has no rule for any of these ops."""
    s = shape(rng, 1)
    f, b = t(s), t(s, "i1")
    kind = rng.randrange(6)
    if kind == 0:
        return op("chlo." + rng.choice(CHLO_UNARY), [f], [f])
    if kind == 1:
        return op("chlo." + rng.choice(CHLO_BINARY), [f, f], [f])
    if kind == 2:
        return op("chlo." + rng.choice(["is_inf", "is_neg_inf", "is_pos_inf"]), [f], [b])
    if kind == 3:
        k = rng.randint(1, s[-1])
        out = [*s[:-1], k]
        return op("chlo.top_k", [f], [t(out), t(out, "i32")], f"k = {k} : i64")
    if kind == 4:
        return op("chlo.broadcast_select", [b, f, f], [f])
    name = rng.choice(["and", "or", "xor", "shift_left", "shift_right_arithmetic", "shift_right_logical"])
    i = t(s, "i32")
    return op("chlo.broadcast_" + name, [i, i], [i])


def sdy(rng):
    """sdy ops: constraints and reshards are identities, the others have no rule."""
    s = shape(rng, 1)
    x = t(s)
    sharding = f"#sdy.sharding<mesh<[\"a\"=2]>, [{', '.join(['{}'] * len(s))}]>"
    kind = rng.randrange(4)
    if kind == 0:
        return op("sdy.sharding_constraint", [x], [x], f"sharding = {sharding}")
    if kind == 1:
        return op("sdy.reshard", [x], [x], f"sharding = {sharding}")
    if kind == 2:
        return op("sdy.propagation_barrier", [x], [x], "allowed_direction = 1 : i32")
    return (f"(%a0: {x}) {{\n  %r = sdy.named_computation<\"f\">(%a0) (%u: {x}) {{\n"
            f"    %n = stablehlo.negate %u : {x}\n    sdy.return %n : {x}\n  }} : ({x}) -> {x}\n  return\n}}\n")


def superseded(rng):
    """Ops that only old or dynamic programs have; their shapes are static here."""
    s = shape(rng, 1, 3)
    x, rank = t(s), len(s)
    i = t([rank], "i32")
    n, m, k = rng.choice([2, 4]), rng.choice([3, 4]), rng.choice([2, 5])
    kind = rng.randrange(8)
    if kind == 0:
        return op("stablehlo.einsum", [t([n, k]), t([k, m])], [t([n, m])], 'einsum_config = "ab,bc->ac"')
    if kind == 1:
        return op("stablehlo.get_dimension_size", [x], [t([], "i32")], f"dimension = {rng.randrange(rank)} : i64")
    if kind == 2:
        return op("stablehlo.dynamic_reshape", [x, i], [x])
    if kind == 3:
        return op("stablehlo.dynamic_broadcast_in_dim", [x, i], [x],
                  f"broadcast_dimensions = {i64s(range(rank))}")
    if kind == 4:
        return op("stablehlo.real_dynamic_slice", [x, i, i, i], [x])
    if kind == 5:
        return op("stablehlo.dynamic_iota", [i], [x], f"iota_dimension = {rng.randrange(rank)} : i64")
    if kind == 6:
        return op("stablehlo.rng", [t([]), t([]), t([rank], "i64")], [x],
                  "rng_distribution = #stablehlo<rng_distribution UNIFORM>")
    c = t([s[0]])
    return op("stablehlo.batch_norm_grad", [x, c, c, c, x], [x, c, c],
              "epsilon = 1.0e-3 : f32, feature_index = 0 : i64")


# name -> (generator, weight for the choice of a family)
FAMILIES = {
    "elementwise": (elementwise, 2), "broadcast_in_dim": (broadcast_in_dim, 2), "transpose": (transpose, 1),
    "reshape": (reshape, 8), "bitcast_convert": (bitcast_convert, 1), "concatenate": (concatenate, 2),
    "pad": (pad, 1), "slice": (slice_, 1), "dynamic_slice": (dynamic_slice, 1),
    "dynamic_update_slice": (dynamic_update_slice, 1), "reverse": (reverse, 1),
    "dot_general": (dot_general, 3), "dot": (dot, 1), "convolution": (convolution, 3),
    "gather": (gather, 3), "scatter": (scatter, 4), "reduce": (reduce, 2),
    "reduce_window": (reduce_window, 2), "select_and_scatter": (select_and_scatter, 1), "sort": (sort, 1),
    "batch_norm_inference": (batch_norm_inference, 1), "collective": (collective, 2),
    "linalg": (linalg, 2), "custom_call": (custom_call, 2), "no_rule": (no_rule, 1),
    "chlo": (chlo, 1), "sdy": (sdy, 1), "superseded": (superseded, 1),
}


def rules_by_function(text):
    """Returns the rules in a module printed in generic form, by function."""
    found = {}
    for part in re.split(r'(?="func\.func"\()', text)[1:]:
        name = re.search(r'sym_name = "(\w+)"', part).group(1)
        found[name] = re.findall(r"sdy\.sharding_rule = (#sdy\.op_sharding_rule<.*?>)(?=[,}] ?)", part)
    return found


def theirs(source, conservative):
    module = oracle.parse(source)
    options = "{conservative-propagation=true}" if conservative else ""
    pipeline = f"builtin.module(func.func(sdy-populate-op-sharding-rules{options}))"
    try:
        with module.context:
            oracle.passmanager.PassManager.parse(pipeline).run(module.operation)
    except oracle.ir.MLIRError as error:
        raise oracle.OracleError(str(error)) from None
    return rules_by_function(module.operation.get_asm(print_generic_op_form=True))


def ours(source, conservative):
    options = "{conservative-propagation=true}" if conservative else ""
    pipeline = oracle.as_oracle(f"builtin.module(func.func(sdy-populate-op-sharding-rules{options}))")
    return rules_by_function(
        oracle.ours(source, f"--pass-pipeline={pipeline}", "--mlir-print-op-generic"))


def compare(tally, cases, conservative):
    """cases: (name, function without its head). All in one module; one by one after a failure."""
    source = "".join(f"func.func @f{i}{text}" for i, (_, text) in enumerate(cases))
    try:
        expected = theirs(source, conservative)
    except oracle.OracleError as error:
        if len(cases) == 1:
            # A rule that the oracle itself refuses, or an error of the generator.
            tally.skip(cases[0][0], str(error).splitlines()[1:2])
        else:
            for case in cases:
                compare(tally, [case], conservative)
        return
    try:
        found = ours(source, conservative)
    except oracle.OurError as error:
        if len(cases) == 1:
            tally.fail(cases[0][0], f"{error}\nprogram:\n{source}")
        else:
            for case in cases:
                compare(tally, [case], conservative)
        return
    for i, (name, text) in enumerate(cases):
        tally.equal(name + (" conservative" if conservative else ""), expected.get(f"f{i}"),
                    found.get(f"f{i}"), text)


def examples(tally):
    """Checks the programs that JAX exported, after the oracle has expanded their CHLO."""
    oracle.stablehlo.register_stablehlo_passes()
    for name in oracle.EXAMPLES:
        with open(oracle.example(name)) as file:
            source = oracle.run(file.read(), "func.func(chlo-legalize-to-stablehlo)")
        tally.equal(f"example {name}", theirs(source, False), ours(source, False))


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--family", choices=sorted(FAMILIES), help="only this family")
    args = oracle.arguments(__doc__, cases=1500, long_cases=30000, parser=parser)
    names = [args.family] if args.family else list(FAMILIES)
    weights = [FAMILIES[name][1] for name in names]
    tally = oracle.Tally("rules")
    batch = []
    for rng in oracle.generators(args):
        family = rng.choices(names, weights)[0]
        case = f"{family} {rng.name}" + (f" --family {family}" if args.family else "")
        batch.append((case, FAMILIES[family][0](rng)))
        if len(batch) == BATCH:
            compare(tally, batch, False), compare(tally, batch, True)
            batch = []
    if batch:
        compare(tally, batch, False), compare(tally, batch, True)
    if not args.family:
        examples(tally)
    tally.finish()


if __name__ == "__main__":
    main()
