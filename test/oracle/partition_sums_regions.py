#===- partition_sums_regions.py - unreduced values in loops and calls ------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Accumulators that loops carry unreduced, such as gradients or maxima over layers and minibatches: nested
loops, branches and calls around the partial sums, computed trip counts."""

import copy
import re

import partition_sums as sums
from partition_builder import Value, ints, t


class Code:
    """Lines of a region, for the program with shardings and for the one without."""

    def __init__(self, b, depth=2):
        self.b, self.depth = b, depth
        self.sharded = self.plain = ""

    def line(self, text, plain=None):
        indent = "  " * self.depth
        self.sharded += f"{indent}{text}\n"
        self.plain += f"{indent}{text if plain is None else plain}\n"

    def value(self, text, shape, element, own=None):
        """own: the op's own sharding."""
        out = self.b.new(shape, element)
        at = text.rindex(" : ") if own else len(text)
        more = f" {{sdy.sharding = #sdy.sharding_per_value<[{own.text()}]>}}" if own else ""
        self.line(f"%{out.name} = {text[:at]}{more}{text[at:]}", f"%{out.name} = {text}")
        return out

    def placed(self, x, layout):
        out, op = self.b.new(x.shape, x.element), self.b.rng.choice(["sharding_constraint", "reshard"])
        self.line(f"%{out.name} = sdy.{op} %{x.name} {layout.text()} : {x.type}", f"%{out.name} = {sums.copied(x)}")
        return out

    def region(self):
        return Code(self.b, self.depth + 1)

    def take(self, inner):
        self.sharded += inner.sharded
        self.plain += inner.plain


class Accumulation:
    """acc: an unreduced accumulator of the shape of a row of `x`, to which steps add sums over rows."""

    def __init__(self, b):
        self.b, r = b, b.rng
        self.shape = [r.choice([1, 2, 3, 4, 8]) for _ in range(r.choice([0, 0, 1, 1, 2]))]
        self.element = r.choice(["f32", "i32"])
        rows = r.choice([2, 3, 4, 6, 8])
        self.x = b.like([rows, *self.shape], self.element)
        self.source = b.layout(self.x.shape, 0.85, "mesh", 0.2)
        self.x = sums.placed(b, self.x, self.source)
        self.layout = self.source.copy()
        self.layout.dims = self.source.dims[1:]
        self.layout.reduce_over(sums.split_axes(b, self.source, [0]) + self.source.unreduced)
        self.combiner, start = sums.combiner(b, self.layout)
        self.zero, self.one = b.constant(0, "i32"), b.constant(1, "i32")
        self.init = b.constant(0 if self.combiner == "add" else start, self.element)
        self.uses = [self.x, self.zero, self.one, self.init]
        self.functions = []

    @property
    def type(self):
        return t(self.shape, self.element)

    def partial(self, code, x=None):
        """Returns the sum (or maximum, or minimum) over the rows of x, unreduced."""
        x = x or self.x
        return code.value(f"stablehlo.reduce(%{x.name} init: %{self.init.name}) applies stablehlo.{self.combiner} across dimensions = [0] : "
                          f"({x.type}, {self.init.type}) -> {self.type}", self.shape, self.element, own=self.own())

    def own(self):
        return self.layout if self.b.rng.random() < 0.7 else None

    def other(self):
        return self.b.layout(self.shape, 0.5, "mesh", 0.6)

    def add(self, code, acc, x):
        name = self.b.rng.choice(["add", "add", "add", "subtract"] + 4 * [self.combiner])
        return code.value(f"stablehlo.{name} %{acc.name}, %{x.name} : {self.type}", self.shape, self.element,
                          own=self.own() if self.b.rng.random() < 0.3 else None)

    def step(self, code, acc, i, depth):
        """Applies one random step to acc; i: the iteration number."""
        kinds = [self.add_partial, self.add_partial, self.row, self.place, self.place, self.scale, self.nonlinear,
                 self.call, self.number, self.quotient]  # fmt: skip
        kinds += [self.loop, self.case, self.case, self.if_] if depth < 2 else []
        return self.b.rng.choice(kinds)(code, acc, i, depth)

    def steps(self, code, acc, i, depth):
        for _ in range(self.b.rng.randint(1, 3)):
            acc = self.step(code, acc, i, depth)
        if self.b.rng.random() < 0.4:
            acc = code.placed(acc, self.layout)
        return acc

    # the steps

    def number(self, code, acc, i, depth):
        """Adds the iteration number, which is not unreduced."""
        n = i if self.element == "i32" else code.value(
            f"stablehlo.convert %{i.name} : (tensor<i32>) -> tensor<{self.element}>", [], self.element)
        n = code.value(f"stablehlo.broadcast_in_dim %{n.name}, dims = [] : ({n.type}) -> {self.type}", self.shape, self.element)
        return self.add(code, acc, n)

    def place(self, code, acc, i, depth):
        return code.placed(acc, self.layout if self.b.rng.random() < 0.5 else self.other())

    def scale(self, code, acc, i, depth):
        text = self.b.rng.choice([f"negate %{acc.name}", f"add %{acc.name}, %{acc.name}"])
        return code.value(f"stablehlo.{text} : {self.type}", self.shape, self.element)

    def quotient(self, code, acc, i, depth):
        """Divides a sum over rows, as for a mean; integer division drops the remainder."""
        n = self.b.constant(self.b.rng.choice([2, 3]), self.element, self.shape)
        self.uses.append(n)
        p = self.partial(code)
        p = code.value(f"stablehlo.divide %{p.name}, %{n.name} : {self.type}", self.shape, self.element)
        return self.add(code, acc, p)

    def nonlinear(self, code, acc, i, depth):
        p = self.partial(code)
        name = self.b.rng.choice(["maximum", "minimum", "add"])
        return code.value(f"stablehlo.{name} %{acc.name}, %{p.name} : {self.type}", self.shape, self.element)

    def row(self, code, acc, i, depth):
        """A minibatch: some rows of x."""
        rows = self.b.rng.randint(1, self.x.shape[0])
        part = [rows, *self.shape]
        starts = ", ".join(["%" + i.name] + ["%" + self.zero.name] * len(self.shape))
        types = ", ".join([self.x.type] + ["tensor<i32>"] * len(part))
        y = code.value(f"stablehlo.dynamic_slice %{self.x.name}, {starts}, sizes = {ints(part)} : ({types}) -> "
                       f"{t(part, self.element)}", part, self.element)
        return self.add(code, acc, self.partial(code, y))

    def add_partial(self, code, acc, i, depth):
        return self.add(code, acc, self.partial(code))

    def loop(self, code, acc, i, depth):
        return while_loop(self, code, acc, depth + 1)

    def branches(self, code, acc, i, depth, op, operand, count):
        bodies = []
        for k in range(count):
            body = code.region()
            inner = self.steps(body, acc, i, depth + 1) if k == 0 or self.b.rng.random() < 0.4 else acc
            body.line(f"stablehlo.return %{inner.name} : {self.type}")
            bodies.append(body)
        out = self.b.new(self.shape, self.element)
        own = self.own() if self.b.rng.random() < 0.5 else None
        more = f" {{sdy.sharding = #sdy.sharding_per_value<[{own.text()}]>}}" if own else ""
        code.line(f'%{out.name} = "stablehlo.{op}"(%{operand.name}) ({{')
        for k, body in enumerate(bodies):
            if k:
                code.line("}, {")
            code.take(body)
        end = f" : ({operand.type}) -> {self.type}"
        code.line("})" + more + end, "})" + end)
        return out

    def case(self, code, acc, i, depth):
        return self.branches(code, acc, i, depth, "case", i, self.b.rng.randint(2, 3))

    def if_(self, code, acc, i, depth):
        way = self.b.rng.choice(["EQ", "LT", "GE"])
        c = code.value(f"stablehlo.compare {way}, %{i.name}, %{self.one.name}, SIGNED : "
                       f"(tensor<i32>, tensor<i32>) -> tensor<i1>", [], "i1")  # fmt: skip
        return self.branches(code, acc, i, depth, "if", c, 2)

    def call(self, code, acc, i, depth):
        """One function for all calls of the program. Its arguments and its result may be unreduced."""
        name, T = f"g{self.x.name}", self.type
        if not self.functions:
            attr = lambda: f" {{sdy.sharding = #sdy.sharding{self.b.rng.choice([self.layout, self.other()]).text()}}}" if (
                self.b.rng.random() < 0.5) else ""  # fmt: skip
            place = Code(self.b)
            r = place.placed(Value("r", self.shape, self.element), self.layout)
            head = (f"func.func private @{name}(%p: {T}{attr()}, %q: {T}{attr()}) -> ({T}{attr()}) {{\n"
                    f"    %r = stablehlo.add %p, %q : {T}\n")  # fmt: skip
            tail = f"    return %{r.name} : {T}\n  }}"
            self.functions.append((head + place.sharded + tail, head + place.plain + tail))
        p, out = self.partial(code), self.b.new(self.shape, self.element)
        code.line(f"%{out.name} = call @{name}(%{acc.name}, %{p.name}) : ({T}, {T}) -> {T}")
        return out


def while_loop(a, code, acc, depth):
    """Returns `acc` after some iterations; sometimes the loop also carries a value that is not
    unreduced."""
    b, T = a.b, a.type
    trips = b.constant(b.rng.randint(0, 3), "i32") if depth else b.index(0, 3)
    a.uses.append(trips)
    beside = b.rng.random() < 0.4
    i, u, v = b.new([], "i32"), b.new(a.shape, a.element), b.new(a.shape, a.element)
    j, w, z = b.new([], "i32"), b.new(a.shape, a.element), b.new(a.shape, a.element)
    body = code.region()
    after = a.steps(body, w, j, depth)
    k = body.value(f"stablehlo.add %{j.name}, %{a.one.name} : tensor<i32>", [], "i32")
    types = ["tensor<i32>", T] + ([T] if beside else [])
    if beside:
        name = b.rng.choice(["add", "maximum", "minimum"])
        after2 = body.value(f"stablehlo.{name} %{z.name}, %{b.rng.choice([w, after]).name} : {T}", a.shape, a.element)
        if b.rng.random() < 0.2:  # the carried values are swapped
            after, after2 = after2, after
    body.line(f"stablehlo.return %{k.name}, %{after.name}{f', %{after2.name}' if beside else ''} : {', '.join(types)}")
    head = ", ".join(f"%{n.name}" for n in ([i, u, v] if beside else [i, u]))
    inits = ", ".join(f"%{n.name}" for n in ([a.zero, acc, acc] if beside else [a.zero, acc]))
    args = ", ".join(f"%{n.name}: {n.type}" for n in ([j, w, z] if beside else [j, w]))
    code.line(f'{head} = "stablehlo.while"({inits}) ({{')
    code.line(f"^bb0({args}):")
    cond = code.region()
    c = cond.value(f"stablehlo.compare LT, %{j.name}, %{trips.name}, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>", [], "i1")
    cond.line(f"stablehlo.return %{c.name} : tensor<i1>")
    code.take(cond)
    code.line("}, {")
    code.line(f"^bb0({args}):")
    code.take(body)
    own = ""
    if b.rng.random() < 0.4:
        layouts = [f"<@{a.layout.name}, []>", a.layout.text()] + ([a.other().text()] if beside else [])
        own = f" {{sdy.sharding = #sdy.sharding_per_value<[{', '.join(layouts)}]>}}"
    end = f" : ({', '.join(types)}) -> ({', '.join(types)})"
    code.line("})" + own + end, "})" + end)
    return b.rng.choice([u, u, v]) if beside else u


def accumulate(b, top):
    a = Accumulation(b)
    acc = b.like(a.shape, a.element)
    a.uses.append(acc)
    code = Code(b)
    if b.rng.random() < 0.6:
        acc = code.placed(acc, a.layout)
    r = top(a, code, acc)
    if b.rng.random() < 0.6:
        r = code.placed(r, a.other())
    b.op([r], a.uses, code.sharded, code.plain, functions=tuple(a.functions))
    op = b.p.ops[-1]
    op.smaller = lambda: shorter(op)
    b.values.append(r)
    return r


LINE = re.compile(r"^ +%(\w+) = (?:stablehlo|sdy)\.\w+ (%\w+)(?:, (%\w+))?(?: <@.*>| \{sdy.sharding.*\})? : tensor<\w+>\n", re.M)


def shorter(op):
    """Yields the op without one line, whose value is replaced by an operand; or with a line that has
    lost its sharding."""
    found = []
    for line in LINE.finditer(op.sharded):
        name, *operands = line.groups()
        if name == op.outs[0].name or f"stablehlo.return %{name}," in op.sharded:  # the iteration counter
            continue
        for operand in filter(None, operands):
            less = copy.copy(op)
            drop = lambda text: re.sub(rf"%{name}\b", operand, re.sub(rf"^ +%{name} = .*\n", "", text, flags=re.M))
            less.sharded, less.plain = drop(op.sharded), drop(op.plain)
            found.append(less)
    for own in re.finditer(r" \{sdy\.sharding = #sdy\.sharding_per_value.*\}(?= : )", op.sharded):
        less = copy.copy(op)
        less.sharded = op.sharded[: own.start()] + op.sharded[own.end() :]
        found.append(less)
    for less in found:
        less.smaller = lambda less=less: shorter(less)
    return found


def loop(b):
    return accumulate(b, lambda a, code, acc: while_loop(a, code, acc, 0))


def case(b):
    def top(a, code, acc):
        i = b.index(-1, 2)
        a.uses.append(i)
        return b.rng.choice([a.case, a.if_])(code, acc, i, 1)

    return accumulate(b, top)


FAMILIES = {"sum loop": loop, "sum case": case}
