#===- partition_sums_manual.py - manual computations on partial sums ------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Manual computations of several operands and results that are unreduced along manual axes. Inside, a
device has its partial sum; for an unreduced result it returns a partial sum. Also nested
computations, and loops whose trip counts differ between devices."""

import math

import numpy as np

import partition_manual as manual
import partition_sums as sums
from partition_builder import Op, t
from partition_layouts import COMBINERS, refs


# By kind and element: the initial value of a reduction.
NEUTRAL = {"": {"f32": "0.0", "i32": "0"}, "max": {"f32": "0xFF800000", "i32": "-2147483648"},
           "min": {"f32": "0x7F800000", "i32": "2147483647"}}  # fmt: skip


class Side:
    """The layout of one operand or result: manual axes by dimension, manual axes along which it is
    unreduced, and free axes after the manual ones."""

    def __init__(self, lists, unreduced):
        self.lists, self.unreduced = [list(l) for l in lists], list(unreduced)


class Manual:
    """Some axes of @mesh, or of the axes that an outer manual computation leaves free. linear: the
    body must be linear, because the outer value is a partial sum. kind: of all unreduced values."""

    def __init__(self, b, names=None, linear=False, kind=None):
        self.b, self.mesh = b, b.p.mesh
        self.nested, self.linear = names is not None, linear
        order = [n for n, _ in self.mesh.axes]
        names = names or order
        self.axes = sorted(b.rng.sample(names, b.rng.randint(1, len(names))), key=order.index)
        self.free = [n for n in names if n not in self.axes]
        self.order = order
        self.kind = kind if kind is not None else b.p.kinds.get(b.rng.choice(self.axes), "")

    @property
    def combiner(self):
        return COMBINERS[self.kind]

    def may_reduce(self, axis):
        """True if values may be unreduced along the axis."""
        return self.b.p.kinds.get(axis, "") == self.kind

    def count(self, axes):
        return math.prod(self.mesh.size(a) for a in axes)

    def side(self, rank, chance=0.5):
        r, side = self.b.rng, Side([[] for _ in range(rank)], [])
        for a in r.sample(self.axes, len(self.axes)):
            if r.random() < chance and self.may_reduce(a):
                side.unreduced.append(a)
            elif rank and r.random() < 0.6:
                side.lists[r.randrange(rank)].append(a)
        return side

    def shape(self, side):
        return [self.b.rng.choice([1, 2, 3, 4]) * self.count(l) for l in side.lists]

    def local(self, shape, side):
        return [n // self.count(l) for n, l in zip(shape, side.lists)]

    def text(self, side):
        dims, summed = [list(l) for l in side.lists], list(side.unreduced)
        for a in self.free:
            k = self.b.rng.random()
            if k < 0.25 and dims:
                self.b.rng.choice(dims).append(a)
            elif k < 0.4 and self.may_reduce(a):
                summed.append(a)
        summed.sort(key=self.order.index)
        tail = f", unreduced={self.kind}{{" + ", ".join(f'"{a}"' for a in summed) + "}" if summed else ""
        return "<@mesh, [" + ", ".join("{" + ", ".join(f'"{a}"' for a in d) + "}" for d in dims) + "]" + tail + ">"

    def left(self, side):
        """Returns the manual axes along which devices hold the same data."""
        used = {a for l in side.lists for a in l} | set(side.unreduced)
        return [a for a in self.axes if a not in used]

    def groups(self, axes):
        names = self.order
        ids = np.array(self.mesh.ids or range(self.mesh.devices)).reshape([s for _, s in self.mesh.axes])
        at = [names.index(a) for a in axes]
        rest = [i for i in range(len(names)) if i not in at]
        return ids.transpose(rest + at).reshape(-1, self.count(axes))

    def grouped(self, axes):
        g = self.groups(axes)
        return (f"{manual.CHANNELS.format(self.b.rng.choice([1, 1, 5, self.b.count + 1]))}, replica_groups = dense<{g.tolist()}> : "
                f"tensor<{g.shape[0]}x{g.shape[1]}xi64>, use_global_device_ids")


class Lines:
    """One body; every value in it has its own name."""

    def __init__(self, b):
        self.b, self.lines = b, []

    def value(self, text, shape, element):
        out = self.b.new(shape, element)
        self.lines.append(f"%{out.name} = {text}")
        return out


def chain(b, m, body, x, side, shape):
    """Some steps on the local value x of one operand. Yields the local value, its side and global
    shape, and the plain ops: (text with {x} for the operand, shape)."""
    plain = []
    for _ in range(b.rng.randint(1, 3)):
        steps = [linear, linear, all_reduce, scatter, fold, times, loop, nested, nonlinear, constraint]
        b.rng.shuffle(steps)
        for step in steps:
            found = step(b, m, body, x, side, shape)
            if found:
                x, side, shape, more = found
                plain += more
                break
    return x, side, shape, plain


def linear(b, m, body, x, side, shape):
    text = b.rng.choice(["negate {x}", "add {x}, {x}"] if not m.kind else ["maximum {x}, {x}", "minimum {x}, {x}"])
    y = body.value(f"stablehlo.{text.replace('{x}', '%' + x.name)} : {x.type}", x.shape, x.element)
    return y, side, shape, [(f"stablehlo.{text} : {t(shape, x.element)}", shape)]


def all_reduce(b, m, body, x, side, shape):
    axes = [a for a in side.unreduced if b.rng.random() < 0.7]
    if not axes:
        return None
    y = body.value(f'"stablehlo.all_reduce"(%{x.name}) <{{{m.grouped(axes)}}}> {manual.reducer(m.combiner, x.element)} : '
                   f"({x.type}) -> {x.type}", x.shape, x.element)  # fmt: skip
    return y, Side(side.lists, [a for a in side.unreduced if a not in axes]), shape, []


def scatter(b, m, body, x, side, shape):
    axes = [a for a in side.unreduced if b.rng.random() < 0.7]
    fits = [d for d, n in enumerate(x.shape) if axes and n % m.count(axes) == 0]
    if not fits:
        return None
    d = b.rng.choice(fits)
    local = list(x.shape)
    local[d] //= m.count(axes)
    y = body.value(f'"stablehlo.reduce_scatter"(%{x.name}) <{{scatter_dimension = {d} : i64, {m.grouped(axes)}}}> '
                   f'{manual.reducer(m.combiner, x.element)} : ({x.type}) -> {t(local, x.element)}', local, x.element)  # fmt: skip
    after = Side(side.lists, [a for a in side.unreduced if a not in axes])
    after.lists[d] += axes
    return y, after, shape, []


def fold(b, m, body, x, side, shape):
    """Reduces a dimension, without collectives."""
    fits = [d for d in range(len(shape)) if all(m.may_reduce(a) for a in side.lists[d])]
    if not fits:
        return None
    d = b.rng.choice(fits)
    local, rest = x.shape[:d] + x.shape[d + 1 :], shape[:d] + shape[d + 1 :]
    zero = body.value(f"stablehlo.constant dense<{NEUTRAL[m.kind][x.element]}> : tensor<{x.element}>", [], x.element)
    y = body.value(f"stablehlo.reduce(%{x.name} init: %{zero.name}) applies stablehlo.{m.combiner} across dimensions = [{d}] : "
                   f"({x.type}, {zero.type}) -> {t(local, x.element)}", local, x.element)
    after = Side(side.lists[:d] + side.lists[d + 1 :], side.unreduced + side.lists[d])
    return y, after, rest, [(f"stablehlo.reduce({{x}} init: %w_zero_{x.element}) applies stablehlo.{m.combiner} across dimensions = [{d}] : "
                             f"({t(shape, x.element)}, tensor<{x.element}>) -> {t(rest, x.element)}", rest)]


def times(b, m, body, x, side, shape):
    """For a result that is unreduced along an axis, each device's value counts, even if all return the
    same."""
    axes = [a for a in m.left(side) if b.rng.random() < 0.7 and m.may_reduce(a)]
    if not axes:
        return None
    if m.kind:
        return x, Side(side.lists, side.unreduced + axes), shape, []
    n, T = m.count(axes), t(shape, x.element)
    literal = str(n) if x.element == "i32" else f"{n}.0"
    return x, Side(side.lists, side.unreduced + axes), shape, [
        (f"stablehlo.multiply {{x}}, %w_times : {T}", shape, f"%w_times = stablehlo.constant dense<{literal}> : {T}")]


def nonlinear(b, m, body, x, side, shape):
    if m.linear or any(m.mesh.size(a) > 1 for a in side.unreduced):
        return None
    text = b.rng.choice(["tanh {x}", "abs {x}"] if x.element == "f32" else ["abs {x}", "maximum {x}, {x}"])
    y = body.value(f"stablehlo.{text.replace('{x}', '%' + x.name)} : {x.type}", x.shape, x.element)
    return y, side, shape, [(f"stablehlo.{text} : {t(shape, x.element)}", shape)]


def constraint(b, m, body, x, side, shape):
    """Adds a constraint along the free axes."""
    if not m.free:
        return None
    dims, summed, kind = [[] for _ in x.shape], [], b.p.kinds.get(b.rng.choice(m.free), "")
    for a in m.free:
        k = b.rng.random()
        if k < 0.4 and dims:
            b.rng.choice(dims).append((a, 1, m.mesh.size(a), m.mesh.size(a)))
        elif k < 0.8 and b.p.kinds.get(a, "") == kind:
            summed.append((a, 1, m.mesh.size(a), m.mesh.size(a)))
    tail = f", unreduced={kind}{{{refs(summed)}}}" if summed else ""
    y = body.value(f"sdy.sharding_constraint %{x.name} <@mesh, [{', '.join('{' + refs(d) + '}' for d in dims)}]{tail}> : {x.type}",
                   x.shape, x.element)
    return y, side, shape, []


def loop(b, m, body, x, side, shape):
    """Computes x + trips * x, one addition per trip. The trip count is the device's index along an
    axis that shards the value. Devices that hold partial sums of the same part have the same trip
    count."""
    split = [(d, a) for d, l in enumerate(side.lists) for a in l[:1] if m.count(l) > 1]
    T = x.type
    i, u, j, v = (b.new([], "i32"), b.new(x.shape, x.element), b.new([], "i32"), b.new(x.shape, x.element))
    plain, trips = [], None
    G = t(shape, x.element)
    step = m.combiner
    if split and b.rng.random() < 0.8:
        d, a = b.rng.choice(split)
        n = m.mesh.size(a)
        table = [0] * m.mesh.devices
        for g in m.groups([a]):
            for k, device in enumerate(g):
                table[int(device)] = k % 4
        table_value = body.value(f"stablehlo.constant dense<{table}> : tensor<{m.mesh.devices}xi32>", [m.mesh.devices], "i32")
        here = body.value("stablehlo.partition_id : tensor<ui32>", [], "ui32")
        one = body.value(f"stablehlo.dynamic_slice %{table_value.name}, %{here.name}, sizes = [1] : "
                         f"(tensor<{m.mesh.devices}xi32>, tensor<ui32>) -> tensor<1xi32>", [1], "i32")
        trips = body.value(f"stablehlo.reshape %{one.name} : (tensor<1xi32>) -> tensor<i32>", [], "i32")
        counts = [str(1 + (k * n // shape[d]) % 4) for k in range(shape[d])]  # the trip count of each row
        e = "i32" if x.element == "i32" else "f32"
        counts = [c if e == "i32" else c + ".0" for c in counts]
        plain.append((f"stablehlo.multiply {{x}}, %w_rows : {G}", shape,
                      f"%w_count = stablehlo.constant dense<[{', '.join(counts)}]> : tensor<{shape[d]}x{e}>",
                      f"%w_rows = stablehlo.broadcast_in_dim %w_count, dims = [{d}] : (tensor<{shape[d]}x{e}>) -> {G}"))
    else:
        n = b.rng.randint(0, 3)
        trips = body.value(f"stablehlo.constant dense<{n}> : tensor<i32>", [], "i32")
        literal = str(1 + n) if x.element == "i32" else f"{1 + n}.0"
        plain.append((f"stablehlo.multiply {{x}}, %w_times : {G}", shape, f"%w_times = stablehlo.constant dense<{literal}> : {G}"))
    zero = body.value("stablehlo.constant dense<0> : tensor<i32>", [], "i32")
    one = body.value("stablehlo.constant dense<1> : tensor<i32>", [], "i32")
    inner = f"%{b.new([], 'i1').name}"
    k, w = f"%{b.new([], 'i32').name}", f"%{b.new([], 'i32').name}"
    body.lines += [
        f'%{i.name}, %{u.name} = "stablehlo.while"(%{zero.name}, %{x.name}) ({{',
        f"^bb0(%{j.name}: tensor<i32>, %{v.name}: {T}):",
        f"  {inner} = stablehlo.compare LT, %{j.name}, %{trips.name}, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>",
        f"  stablehlo.return {inner} : tensor<i1>",
        "}, {",
        f"^bb0(%{j.name}: tensor<i32>, %{v.name}: {T}):",
        f"  {k} = stablehlo.add %{j.name}, %{one.name} : tensor<i32>",
        f"  {w} = stablehlo.{step} %{v.name}, %{x.name} : {T}",
        f"  stablehlo.return {k}, {w} : tensor<i32>, {T}",
        f"}}) : (tensor<i32>, {T}) -> (tensor<i32>, {T})",
    ]
    return u, side, shape, [] if m.kind else plain


def nested(b, m, body, x, side, shape):
    """A manual computation on the axes that are free here."""
    if not m.free or m.nested:
        return None
    inner = Manual(b, m.free, bool(side.unreduced), m.kind if m.linear or side.unreduced else None)
    before = inner.side(len(x.shape))
    for d, l in enumerate(before.lists):
        while l and x.shape[d] % inner.count(l):
            l.pop()
    local = inner.local(x.shape, before)
    code, arg = Lines(b), b.new(local, x.element)
    y, after, inside, plain = chain(b, inner, code, arg, before, list(x.shape))
    if inside != list(x.shape) or any(len(p) > 2 and "%w_rows" in p[0] for p in plain):
        return None  # only ops that are equal on the local and on the outer value
    out = b.new(x.shape, x.element)
    body.lines += [
        f"%{out.name} = sdy.manual_computation(%{x.name}) in_shardings=[{inner.text(before)}] out_shardings=[{inner.text(after)}] "
        f"manual_axes={{{', '.join(chr(34) + a + chr(34) for a in inner.axes)}}} (%{arg.name}: {arg.type}) {{",
        *("  " + line for line in code.lines),
        f"  sdy.return %{y.name} : {y.type}",
        f"}} : ({x.type}) -> {x.type}",
    ]
    G = (x.type, t(shape, x.element))
    return out, side, shape, [(p[0].replace(*G), shape, *(q.replace(*G) for q in p[2:])) for p in plain]


def computation(b):
    """A computation of one to three operands, each with its own chain of steps."""
    m, parts = Manual(b), []
    for _ in range(b.rng.choice([1, 1, 2, 3])):
        side = m.side(b.rng.randint(0, 3))
        shape, e = m.shape(side), b.rng.choice(["f32", "i32"])
        x = b.like(shape, e) if shape else sums.scalar(b, e)
        arg, body, before = b.new(m.local(shape, side), e), Lines(b), m.text(side)
        y, after, shape, steps = chain(b, m, body, arg, side, shape)
        out = b.new(shape, e)
        parts.append((x, arg, before, body.lines, y, out, m.text(after), plainly(x, out, steps, m.kind)))
    b.p.ops.append(assembled(m, parts))
    b.values += b.p.ops[-1].outs


def assembled(m, parts):
    """Returns the op with independent parts; its smaller variants have fewer parts."""
    operands, args, ins, bodies, returned, results, outs, plain = zip(*parts)
    names = lambda values: ", ".join("%" + v.name for v in values)
    types = lambda values: ", ".join(v.type for v in values)
    axes = ", ".join(f'"{a}"' for a in m.axes)
    text = (
        f"    {names(results)} = sdy.manual_computation({names(operands)}) in_shardings=[{', '.join(ins)}] "
        f"out_shardings=[{', '.join(outs)}] manual_axes={{{axes}}} ({', '.join(f'%{a.name}: {a.type}' for a in args)}) {{\n"
        + "".join(f"      {line}\n" for lines in bodies for line in lines)
        + f"      sdy.return {names(returned)} : {types(returned)}\n"
        f"    }} : ({types(operands)}) -> ({types(results)})\n"
    )
    op = Op(list(results), list(operands), text, "".join(plain))
    if len(parts) > 1:
        op.smaller = lambda: [assembled(m, parts[:i] + parts[i + 1 :]) for i in range(len(parts))]
    return op


def plainly(x, out, steps, kind):
    """Returns the equivalent ops on the global value."""
    prefix, name, e = f"%{out.name}_", x.name, x.element
    zero = NEUTRAL[kind][e]
    text = f"    {prefix}zero = stablehlo.constant dense<{zero}> : tensor<{e}>\n"
    for k, (step, _, *before) in enumerate(steps):
        here = f"{prefix}{k}"
        fixed = lambda s: s.replace(f"%w_zero_{e}", prefix + "zero").replace("%w_", f"{here}_").replace("{x}", "%" + name)
        text += "".join(f"    {fixed(line)}\n" for line in before)
        text += f"    {here} = {fixed(step)}\n"
        name = here[1:]
    return text + f"    %{out.name} = stablehlo.reshape %{name} : ({out.type}) -> {out.type}\n"


FAMILIES = {"sum manual": computation}
