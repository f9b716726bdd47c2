#===- partition_sums.py - unreduced values ---------------------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Values that are unreduced along axes: each device has a partial sum (or maximum, or minimum), and
the program's value is their sum. They are made by constraints and reshards, by reductions and dots over sharded
dimensions, and by collectives, and used by ops of every kind. Without shardings all of it is plain
arithmetic. Scalars, empty tensors and sharding groups are tested here, too."""

import partition_families
import partition_manual
from partition_builder import array, ints, t
from partition_layouts import COMBINERS, lists, refs


def placed(b, x, layout, op=None):
    """x constrained (or resharded) to a layout."""
    op = op or b.rng.choice(["sharding_constraint", "sharding_constraint", "reshard"])
    return b.emit(f"sdy.{op} %{x.name} {layout.text()} : {x.type}", x.shape, x.element, [x], plain=copied(x))


def copied(x):
    return f"stablehlo.reshape %{x.name} : ({x.type}) -> {x.type}"


def operand(b, rank=None):
    """Returns a value of any rank, including scalars, that may be summed."""
    if rank is None and b.rng.random() < 0.25:
        return scalar(b)
    return b.pick(b.rng.choice(["f32", "i32"]), rank)


def scalar(b, element=None):
    element = element or b.rng.choice(["f32", "i32"])
    fits = [v for v in b.values if not v.shape and v.element == element]
    if fits and b.rng.random() < 0.6:
        return b.rng.choice(fits)
    if b.rng.random() < 0.5:
        return b.arg([], element)
    x = b.pick(element)
    init = b.constant(b.rng.choice([0, 0, 2]), element)
    dims = ints(range(len(x.shape)))
    return b.emit(f"stablehlo.reduce(%{x.name} init: %{init.name}) applies stablehlo.add across dimensions = {dims} : "
                  f"({x.type}, {init.type}) -> {t([], element)}", [], element, [x, init])


def move(b):
    """Moves a value between layouts, most of them unreduced, on meshes of any device order."""
    x = operand(b)
    meshes = [n for n in b.p.meshes if b.p.meshes[n].axes]
    for _ in range(b.rng.randint(1, 4)):
        name = b.rng.choice(meshes) if b.rng.random() < 0.4 else "mesh"
        x = placed(b, x, b.layout(x.shape, b.rng.choice([0.3, 0.6]), name, 0.8, must=b.rng.random() < 0.6))
    return x


def unreduced(b, x):
    """Returns x, unreduced along some axis."""
    return placed(b, x, b.layout(x.shape, 0.5, must=True))


def split_axes(b, layout, dims):
    """Returns some axes that shard one of the dimensions, sometimes including unused ones."""
    parts = [p for d in dims for p in layout.dims[d] if b.rng.random() < 0.8]
    return parts + [p for p in layout.left if b.rng.random() < 0.15]


def own(b, r, layout):
    """Usually gives the last op its own sharding."""
    if b.rng.random() < 0.8:
        b.p.ops[-1].shardings = [layout.text()]
    else:
        r = placed(b, r, layout)
    return r


def combiner(b, layout):
    """Returns the op that combines partial values of the layout's kind, sometimes another one, and
    initial values for it."""
    kind = layout.kind if b.rng.random() < 0.85 else b.rng.choice(list(COMBINERS))
    start = {"": [0, 0, 0, 1, -3], "max": [-2147483648, -2147483648, -1, 3], "min": [2147483647, 2147483647, -2, 1]}
    return COMBINERS[kind], b.rng.choice(start[kind])


def reduce(b):
    """Reduces over sharded dimensions; the result stays a partial value."""
    x = operand(b, rank=1)
    dims = sorted(b.rng.sample(range(len(x.shape)), b.rng.randint(1, len(x.shape))))
    source = b.layout(x.shape, 0.85, "mesh", 0.3)
    x = placed(b, x, source)
    shape = [n for d, n in enumerate(x.shape) if d not in dims]
    layout = source.copy()
    layout.dims = [parts for d, parts in enumerate(source.dims) if d not in dims]
    layout.reduce_over(split_axes(b, source, dims) + [p for p in source.unreduced if b.rng.random() < 0.8])
    op, start = combiner(b, layout)
    init = b.constant(start, x.element)
    r = b.emit(f"stablehlo.reduce(%{x.name} init: %{init.name}) applies stablehlo.{op} across dimensions = {ints(dims)} : "
               f"({x.type}, {init.type}) -> {t(shape, x.element)}", shape, x.element, [x, init])
    return own(b, r, layout)


def dot(b):
    """A dot over a sharded contracting dimension; one operand or both may be unreduced already."""
    e, r = b.rng.choice(["f32", "i32"]), b.rng
    batch, m, n, k = ([r.choice([2, 3, 4, 8])] if r.random() < c else [] for c in (0.25, 0.7, 0.7, 1))
    x, y = b.like(batch + m + k, e), b.like(batch + k + n, e)
    source = b.layout(batch + m + n + k, 0.85, "mesh", 0.4)
    cuts = [0, len(batch), len(batch + m), len(batch + m + n), len(batch + m + n + k)]
    B, M, N, K = (source.dims[i:j] for i, j in zip(cuts, cuts[1:]))
    a, c, out = source.copy(), source.copy(), source.copy()
    a.dims, c.dims, out.dims = B + M + K, B + K + N, B + M + N
    which = r.random()
    a.unreduced = source.unreduced if which < 0.4 or which > 0.9 else []
    c.unreduced = source.unreduced if which > 0.5 else []
    x, y = placed(b, x, a), placed(b, y, c)
    inner = [p for d in K for p in d]
    out.reduce_over([p for p in inner + (source.unreduced if which < 0.9 else []) if r.random() < 0.85])
    shape, nb = batch + m + n, len(batch)
    bt = "batching_dims = [0] x [0], " if batch else ""
    z = b.emit(f"stablehlo.dot_general %{x.name}, %{y.name}, {bt}contracting_dims = [{nb + len(m)}] x [{nb}] : "
               f"({x.type}, {y.type}) -> {t(shape, e)}", shape, e, [x, y])
    return own(b, z, out)


# --- collectives that the program names ---------------------------------------------------


def collective(b, x, name, axes, layout):
    return b.emit(f"sdy.{name} {axes} %{x.name} out_sharding={layout.text()} : {x.type}", x.shape, x.element, [x],
                  plain=copied(x))  # fmt: skip


def some(b, parts):
    """Returns at least one of the parts, if there are any, in their order."""
    found = [p for p in parts if b.rng.random() < 0.6]
    return found or ([b.rng.choice(parts)] if parts else [])


def without(parts, taken):
    return [p for p in parts if p not in taken]


def sdy_collective(b):
    """A value of a known layout, and one or two collectives on it."""
    x = operand(b)
    layout = b.layout(x.shape, 0.5, "mesh", 0.9, must=b.rng.random() < 0.7)
    x = placed(b, x, layout, "sharding_constraint")
    for _ in range(b.rng.randint(1, 2)):
        ways = [all_reduce, all_reduce, reduce_scatter, to_unreduced, from_sharded, all_gather, all_slice]
        b.rng.shuffle(ways)
        for way in ways:
            found = way(b, x, layout)
            if found:
                x, layout = found
                break
    return x


def all_reduce(b, x, layout):
    axes = some(b, layout.unreduced)
    if not axes:
        return None
    after = layout.copy()
    after.unreduced = without(layout.unreduced, axes)
    return collective(b, x, "all_reduce", f"{word(layout)}{{{refs(layout.ordered(axes))}}}", after), after


def word(layout):
    """The kind as collectives write it, with a space."""
    return layout.kind and layout.kind + " "


def dealt(b, axes, rank):
    dims = [[] for _ in range(rank)]
    for part in axes:
        dims[b.rng.randrange(rank)].append(part)
    return dims


def reduce_scatter(b, x, layout):
    axes = some(b, layout.unreduced)
    if not axes or not x.shape:
        return None
    after, to = layout.copy(), dealt(b, axes, len(x.shape))
    after.unreduced = without(layout.unreduced, axes)
    after.dims = [old + new for old, new in zip(layout.dims, to)]
    return collective(b, x, "reduce_scatter", word(layout) + lists(to), after), after


def all_slice(b, x, layout):
    axes = some(b, layout.left)
    if not axes or not x.shape:
        return None
    after, to = layout.copy(), dealt(b, axes, len(x.shape))
    after.left = without(layout.left, axes)
    after.dims = [old + new for old, new in zip(layout.dims, to)]
    return collective(b, x, "all_slice", lists(to), after), after


def suffixes(b, layout):
    """Returns, for each dimension, some of its last parts."""
    taken = [parts[len(parts) - b.rng.randint(0, len(parts)):] for parts in layout.dims]
    return taken, [parts[: len(parts) - len(cut)] for parts, cut in zip(layout.dims, taken)]


def all_gather(b, x, layout):
    taken, rest = suffixes(b, layout)
    if not any(taken):
        return None
    after = layout.copy()
    after.dims, after.left = rest, layout.left + sum(taken, [])
    return collective(b, x, "all_gather", lists(taken), after), after


def from_sharded(b, x, layout):
    taken, rest = suffixes(b, layout)
    if not any(taken) or layout.alike(sum(taken, [])) != sum(taken, []):
        return None
    after = layout.copy()
    after.dims, after.unreduced = rest, layout.unreduced + sum(taken, [])
    return collective(b, x, "sharded_to_unreduced", lists(taken), after), after


def to_unreduced(b, x, layout):
    axes = layout.alike(some(b, layout.left))
    if not axes:
        return None
    after = layout.copy()
    after.left, after.unreduced = without(layout.left, axes), layout.unreduced + axes
    return collective(b, x, "replicated_to_unreduced", f"{{{refs(layout.ordered(axes))}}}", after), after


# --- uses of partial sums -----------------------------------------------------------------


def consume(b):
    """Uses an unreduced value in an op of any kind."""
    x = b.rng.choice([reduce, dot, move, sdy_collective, lambda b: unreduced(b, operand(b))])(b)
    b.preferred = x
    try:
        for _ in range(b.rng.randint(1, 2)):
            if not x.shape:
                scalar_op(b)
            else:
                b.rng.choice(READERS)(b)
    finally:
        b.preferred = None


def both(b):
    """Two unreduced values: their sum may stay unreduced, their product must not."""
    x = unreduced(b, operand(b))
    y = b.like(x.shape, x.element)
    y = unreduced(b, y) if b.rng.random() < 0.8 else y
    for _ in range(b.rng.randint(1, 2)):
        name = b.rng.choice(["add", "add", "subtract", "multiply", "maximum", "minimum"])
        x = b.emit(f"stablehlo.{name} %{x.name}, %{y.name} : {x.type}", x.shape, x.element, [x, y])
        if b.rng.random() < 0.5:
            b.p.ops[-1].shardings = [b.layout(x.shape, 0.4, unreduced=0.7).text()]


def several(b):
    """A reduction of two values, with one or both results unreduced."""
    x = b.pick(b.rng.choice(["f32", "i32"]))
    e = b.rng.choice(["f32", "i32"])
    y = b.like(x.shape, e)
    dims = sorted(b.rng.sample(range(len(x.shape)), b.rng.randint(1, len(x.shape))))
    shape = [n for d, n in enumerate(x.shape) if d not in dims]
    source = b.layout(x.shape, 0.85, "mesh", 0.3)
    x, y = placed(b, x, source), placed(b, y, source) if b.rng.random() < 0.7 else y
    first, second = b.rng.choice(["add", "add", "maximum"]), b.rng.choice(["add", "add", "minimum"])
    neutral = {"add": 0, "maximum": -1000000, "minimum": 1000000}
    value = lambda kind: neutral[kind] if b.rng.random() < 0.5 else b.rng.randint(-4, 4)
    i, j = b.constant(value(first), x.element), b.constant(value(second), e)
    S, T = f"tensor<{x.element}>", f"tensor<{e}>"
    u, v = b.new(shape, x.element), b.new(shape, e)
    b.op([u, v], [x, y, i, j],
         f'    %{u.name}, %{v.name} = "stablehlo.reduce"(%{x.name}, %{y.name}, %{i.name}, %{j.name}) '
         f"<{{dimensions = {array(dims)}}}> ({{\n    ^bb0(%p: {S}, %pi: {T}, %q: {S}, %qi: {T}):\n"
         f"      %c = stablehlo.{first} %p, %q : {S}\n      %d = stablehlo.{second} %pi, %qi : {T}\n"
         f"      stablehlo.return %c, %d : {S}, {T}\n    }}) : ({x.type}, {y.type}, {S}, {T}) -> "
         f"({t(shape, x.element)}, {t(shape, e)})\n")  # fmt: skip
    b.values += [u, v]
    if b.rng.random() < 0.8:
        b.p.ops[-1].shardings = []
        for _ in range(2):
            layout = source.copy()
            layout.dims = [parts for d, parts in enumerate(source.dims) if d not in dims]
            layout.reduce_over(split_axes(b, source, dims) if b.rng.random() < 0.6 else [])
            b.p.ops[-1].shardings.append(layout.text())


def scalar_op(b):
    """Scalars: arithmetic, constraints, uses by ops that accept any rank."""
    preferred = b.preferred if b.preferred and not b.preferred.shape else None
    x = preferred or scalar(b)
    y = scalar(b, x.element)
    kind = b.rng.choice(["binary", "unary", "constraint", "broadcast", "index", "select"])
    if kind == "binary":
        name = b.rng.choice(["add", "subtract", "multiply", "maximum"])
        b.emit(f"stablehlo.{name} %{x.name}, %{y.name} : {x.type}", [], x.element, [x, y])
    elif kind == "unary":
        name = b.rng.choice(["tanh", "negate", "abs"] if x.element == "f32" else ["negate", "abs", "not"])
        b.emit(f"stablehlo.{name} %{x.name} : {x.type}", [], x.element, [x])
    elif kind == "constraint":
        placed(b, x, b.layout([], unreduced=0.7))
    elif kind == "broadcast":
        shape = b.shape(1, 2)
        b.emit(f"stablehlo.broadcast_in_dim %{x.name}, dims = [] : ({x.type}) -> {t(shape, x.element)}", shape, x.element, [x])
    elif kind == "select":
        way = "FLOAT" if x.element == "f32" else "SIGNED"
        c = b.emit(f"stablehlo.compare LT, %{x.name}, %{y.name}, {way} : ({x.type}, {y.type}) -> tensor<i1>",
                   [], "i1", [x, y], keep=False)
        z = b.pick(x.element)
        w = b.like(z.shape, z.element)
        b.emit(f"stablehlo.select %{c.name}, %{z.name}, %{w.name} : tensor<i1>, {z.type}", z.shape, z.element, [c, z, w])
    else:
        z = b.pick()
        n = b.constant(max(z.shape[0], 1), "i32")
        x = x if x.element == "i32" else scalar(b, "i32")
        i = b.emit(f"stablehlo.remainder %{x.name}, %{n.name} : tensor<i32>", [], "i32", [x, n], keep=False)
        i = b.emit(f"stablehlo.abs %{i.name} : tensor<i32>", [], "i32", [i], keep=False)
        zero = b.constant(0, "i32")
        sizes = [1] + z.shape[1:]
        starts = ", ".join(["%" + i.name] + ["%" + zero.name] * (len(sizes) - 1))
        b.emit(f"stablehlo.dynamic_slice %{z.name}, {starts}, sizes = {ints(sizes)} : "
               f"({', '.join([z.type] + ['tensor<i32>'] * len(sizes))}) -> {t(sizes, z.element)}",
               sizes, z.element, [z, i, zero])  # fmt: skip


def empty(b):
    """Tensors with a dimension of size 0."""
    e, rank = b.rng.choice(["f32", "i32"]), b.rng.randint(1, 3)
    shape = [b.rng.choice([1, 2, 3, 4, 8]) for _ in range(rank)]
    at = b.rng.randrange(rank)
    shape[at] = 0
    x = b.arg(shape, e)
    b.values.remove(x)  # other ops draw numbers up to the size
    here = lambda v: b.values.remove(v) if v in b.values and 0 in v.shape else None
    if b.rng.random() < 0.7:
        x = placed(b, x, b.layout(shape, unreduced=0.5))
        here(x)
    for _ in range(b.rng.randint(1, 3)):
        kind = b.rng.choice(["reduce", "concatenate", "pad", "add", "dot", "transpose", "move", "update"])
        if kind == "reduce":
            init = b.constant(b.rng.choice([0, 5]), e)
            dims = sorted({at} | set(b.rng.sample(range(rank), b.rng.randint(0, rank - 1))))
            rest = [n for d, n in enumerate(shape) if d not in dims]
            b.emit(f"stablehlo.reduce(%{x.name} init: %{init.name}) applies stablehlo.{b.rng.choice(['add', 'maximum'])} across "
                   f"dimensions = {ints(dims)} : ({x.type}, {init.type}) -> {t(rest, e)}", rest, e, [x, init])  # fmt: skip
        elif kind == "concatenate":
            other = list(shape)
            other[at] = b.rng.choice([1, 3, 4])
            y = b.like(other, e)
            b.emit(f"stablehlo.concatenate %{x.name}, %{y.name}, dim = {at} : ({x.type}, {y.type}) -> {y.type}", other, e, [x, y])
        elif kind == "pad":
            v, out = b.constant(2, e), list(shape)
            low = [b.rng.choice([0, 0, 1]) for _ in shape]
            high = [b.rng.choice([0, 0, 1]) for _ in shape]
            high[at] += 2
            out = [n + l + h for n, l, h in zip(out, low, high)]
            b.emit(f"stablehlo.pad %{x.name}, %{v.name}, low = {ints(low)}, high = {ints(high)}, interior = {ints([0] * rank)} : "
                   f"({x.type}, {v.type}) -> {t(out, e)}", out, e, [x, v])  # fmt: skip
        elif kind == "add":
            x = b.emit(f"stablehlo.add %{x.name}, %{x.name} : {x.type}", shape, e, [x], keep=False)
        elif kind == "dot":
            other = [0, b.rng.choice([2, 4])]
            y = b.arg(other, e)
            b.values.remove(y)
            out = [n for d, n in enumerate(shape) if d != at] + other[1:]
            b.emit(f"stablehlo.dot_general %{x.name}, %{y.name}, contracting_dims = [{at}] x [0] : ({x.type}, {y.type}) -> "
                   f"{t(out, e)}", out, e, [x, y])  # fmt: skip
            if b.rng.random() < 0.5:
                b.p.ops[-1].shardings = [b.layout(out, 0.4, unreduced=0.8).text()]
        elif kind == "transpose":
            turned = shape[::-1]
            b.emit(f"stablehlo.transpose %{x.name}, dims = {ints(range(rank - 1, -1, -1))} : ({x.type}) -> {t(turned, e)}",
                   turned, e, [x], keep=False)  # fmt: skip
            x, shape, at = b.p.ops[-1].outs[0], turned, rank - 1 - at
        elif kind == "move":
            x = placed(b, x, b.layout(shape, unreduced=0.7))
            here(x)
        else:
            other = list(shape)
            other[at] = 4
            y, zero = b.like(other, e), b.constant(0, "i32")
            b.emit(f"stablehlo.dynamic_update_slice %{y.name}, %{x.name}, {', '.join(['%' + zero.name] * rank)} : "
                   f"({', '.join([y.type, x.type] + ['tensor<i32>'] * rank)}) -> {y.type}", other, e, [y, x, zero])  # fmt: skip
    b.extra.append(x)


def group(b):
    """Two values that must have the same sharding."""
    x = b.pick()
    y = b.like(x.shape, x.element)
    y = b.emit(f"stablehlo.add %{x.name}, %{y.name} : {x.type}", x.shape, x.element, [x, y])
    out = b.new(x.shape, x.element)
    # Ids of any size: also from 2^63 - 1 down.
    ids = b.__dict__.setdefault("group_ids", [])
    number = b.rng.choice([b.count, 2**63 - 1 - len(ids)])
    ids.append(number)
    b.op([out], [x, y], f"    sdy.sharding_group %{x.name} group_id={number} : {x.type}\n"
         f"    sdy.sharding_group %{y.name} group_id={number} : {x.type}\n"
         f"    %{out.name} = stablehlo.subtract %{y.name}, %{x.name} : {x.type}\n",
         f"    %{out.name} = stablehlo.subtract %{y.name}, %{x.name} : {x.type}\n")  # fmt: skip
    b.values.append(out)


READERS = [f for name, f in partition_families.FAMILIES.items() if name not in ("long_sort", "rng")]
READERS += [partition_manual.FAMILIES[n] for n in ("call", "one device")]
FAMILIES = {
    "sum move": move, "sum reduce": reduce, "sum dot": dot, "sum collective": sdy_collective, "sum reader": consume,
    "sum pair": both, "sum several": several, "scalar": scalar_op, "empty": empty, "group": group,
}  # fmt: skip
