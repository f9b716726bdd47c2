#===- simplify.py - simplification keeps results to the bit ---------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Random programs with patterns that the simplifier rewrites (neutral and absorbing constants of every
type, chains of data movement, constant indices, branches and loops with constants, unused and
unchanging loop values), and programs that JAX exports. StableHLO's reference interpreter must
return the same bits before and after `sw-simplify`, and simplifying twice must have the same result
as simplifying once."""

import os
import warnings

import numpy as np

import oracle

warnings.filterwarnings("ignore", "os.fork")  # the child only interprets
args = oracle.arguments(__doc__, cases=250, long_cases=5000)

SIGNED, UNSIGNED = ["i4", "i8", "i16", "i32", "i64"], ["ui4", "ui8", "ui16", "ui32", "ui64"]
FLOATS = ["f32", "f32", "f64", "f16", "bf16", "f8E4M3FN", "f8E5M2", "f8E4M3FNUZ", "f8E4M3B11FNUZ"]
COMPLEX = ["complex<f32>", "complex<f64>"]
PLAIN = ["i1", "i8", "i16", "i32", "i64", "f16", "f32", "f64"]  # element types of arguments
SHAPES = [(), (1,), (3,), (4,), (2, 3), (3, 2), (1, 3), (3, 1), (2, 1, 3), (1, 1), (6,), (0,), (2, 2)]
NUMPY = {"i1": np.bool_, "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64,
         "f16": np.float16, "f32": np.float32, "f64": np.float64}


def tensor(shape, element):
    return f"tensor<{''.join(f'{s}x' for s in shape)}{element}>"


def listed(values):
    return "[" + ", ".join(map(str, values)) + "]"


def width(element):
    digits = "".join(c for c in element if c.isdigit())
    return 16 if element == "bf16" else int(digits[:2] if element[0] != "f" or element[1] != "8" else 8)


def is_int(e):
    return e[0] in "iu" and e != "i1"


def is_float(e):
    return e[0] in "fb"


class Program:
    """Builds a @main; values are (name, shape, element)."""

    def __init__(self, rng):
        self.rng, self.lines, self.count, self.values = rng, [], 0, []
        self.arguments, self.data = [], []
        numbers = np.random.default_rng(rng.seed_value)
        for i in range(4):
            shape, element = rng.choice(SHAPES), rng.choice(PLAIN)
            if element == "i1":
                data = numbers.random(shape) < 0.5
            elif is_int(element):
                low, high = np.iinfo(NUMPY[element]).min, np.iinfo(NUMPY[element]).max
                data = numbers.choice([0, 1, -1, 2, 3, 7, low, high, low + 1], shape)
            else:
                special = [0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.5, 0.1, 3e4, -7e-5, 2.0]
                data = numbers.choice(special, shape)
            self.data.append(np.asarray(data).astype(NUMPY[element]))
            self.arguments.append((f"%arg{i}", shape, element))
            self.values.append(self.arguments[-1])

    def emit(self, text, shape, element, keep=True):
        name = f"%v{self.count}"
        self.count += 1
        self.lines.append(f"{name} = {text}")
        if keep:
            self.values.append((name, tuple(shape), element))
        return (name, tuple(shape), element)

    def pick(self, test=lambda v: True):
        found = [v for v in self.values if test(v)]
        return self.rng.choice(found[-12:] if self.rng.random() < 0.6 else found) if found else None

    # --- constants ------------------------------------------------------------------------

    def number(self, element):
        rng = self.rng
        if element == "i1":
            return rng.choice(["true", "false"])
        if element.startswith("complex"):
            part = element[8:-1]
            return f"({self.number(part)}, {self.number(part)})"
        if is_float(element):
            numbers = ["0.0", "-0.0", "1.0", "1.0", "-1.0", "2.0", "0.5", "4.0", "3.0", "1.3e+00"]
            # No NaN: an op returns one of two NaNs, and constants are moved to the other side.
            numbers += {"f32": ["0x7F800000", "0xFF800000"], "f16": ["0x7C00", "0xFC00"], "bf16": ["0x7F80"],
                        "f64": ["0x7FF0000000000000", "0xFFF0000000000000"]}.get(element, [])
            if element == "f8E4M3FNUZ" or element == "f8E4M3B11FNUZ":
                numbers.remove("-0.0")
            return rng.choice(numbers)
        w = width(element)
        low, high = (0, 2**w - 1) if element[0] == "u" else (-(2 ** (w - 1)), 2 ** (w - 1) - 1)
        numbers = [0, 0, 1, 1, low, high, 2, 3, w - 1] + ([-1] if element[0] == "i" else [])
        return str(max(low, min(high, rng.choice(numbers))))

    def constant(self, shape, element, keep=True):
        n = int(np.prod(shape))

        def nested(dims):
            if not dims:
                return self.number(element)
            return "[" + ", ".join(nested(dims[1:]) for _ in range(dims[0])) + "]"

        if n == 0:
            value = ""
        elif n == 1 or self.rng.random() < 0.6:
            value = self.number(element)
        else:
            value = nested(shape)
        return self.emit(f"stablehlo.constant dense<{value}> : {tensor(shape, element)}", shape, element, keep)

    def like(self, value, test=None):
        """Returns another value of the same type: an existing value, or a constant."""
        if self.rng.random() < 0.5:
            other = self.pick(lambda v: v[1:] == value[1:])
            if other:
                return other
        return self.constant(value[1], value[2], keep=False)

    # --- families -------------------------------------------------------------------------

    def unary(self):
        x = self.pick(lambda v: v[2] not in ("i4", "ui4"))
        e = x[2]
        if e == "i1":
            ops = ["not"]
        elif is_int(e):
            ops = ["not", "negate", "popcnt", "count_leading_zeros"] + (["abs", "sign"] if e[0] == "i" else [])
        elif is_float(e):
            ops = ["negate", "abs", "sign", "floor", "ceil", "round_nearest_even", "round_nearest_afz",
                   "negate", "exponential", "tanh", "sine", "sqrt", "log"]
        else:
            ops = ["negate", "negate", "real", "imag"]
        op = self.rng.choice(ops)
        if op in ("real", "imag"):
            part = e[8:-1]
            return self.emit(f"stablehlo.{op} {x[0]} : ({tensor(x[1], e)}) -> {tensor(x[1], part)}", x[1], part)
        return self.emit(f"stablehlo.{op} {x[0]} : {tensor(*x[1:])}", *x[1:])

    def binary(self):
        x = self.pick()
        y, e, rng = self.like(x), x[2], self.rng
        if e == "i1":
            ops = ["and", "or", "xor", "add", "multiply", "maximum", "minimum"]
        elif is_int(e):
            ops = ["add", "subtract", "multiply", "maximum", "minimum", "and", "or", "xor", "divide",
                   "remainder", "shift_left", "shift_right_logical", "shift_right_arithmetic"]
        elif is_float(e):
            ops = ["add", "subtract", "multiply", "divide", "maximum", "minimum", "add", "remainder"]
        else:
            ops = ["add", "subtract"]
        op = rng.choice(ops)
        if op in ("divide", "remainder") and is_int(e):
            # The interpreter divides by 0 as C does.
            one = self.emit(f"stablehlo.constant dense<1> : {tensor(x[1], e)}", x[1], e, False)
            y = self.emit(f"stablehlo.or {y[0]}, {one[0]} : {tensor(x[1], e)}", x[1], e, False)
        if rng.random() < 0.3 and op not in ("divide", "remainder"):
            x, y = y, x
        return self.emit(f"stablehlo.{op} {x[0]}, {y[0]} : {tensor(*x[1:])}", *x[1:])

    def power(self):
        x = self.pick(lambda v: is_int(v[2]) and width(v[2]) > 4)
        if not x:
            return
        y = self.emit(f"stablehlo.constant dense<{self.rng.choice([0, 1, 2, 3])}> : {tensor(*x[1:])}", *x[1:], False)
        self.emit(f"stablehlo.power {x[0]}, {y[0]} : {tensor(*x[1:])}", *x[1:])

    def compare(self):
        x = self.pick()
        y = x if self.rng.random() < 0.2 else self.like(x)
        if self.rng.random() < 0.3:
            x, y = y, x
        direction = self.rng.choice(["EQ", "NE"] if x[2].startswith("c") else ["EQ", "NE", "LT", "LE", "GT", "GE"])
        t = tensor(*x[1:])
        self.emit(f"stablehlo.compare {direction}, {x[0]}, {y[0]} : ({t}, {t}) -> {tensor(x[1], 'i1')}", x[1], "i1")

    def select(self):
        p = self.pick(lambda v: v[2] == "i1") or self.constant((), "i1")
        if self.rng.random() < 0.3:
            p = self.constant(p[1], "i1", False)
        x = self.pick(lambda v: p[1] in ((), v[1]))
        if not x:
            return
        y = self.like(x)
        if self.rng.random() < 0.5:
            x, y = y, x
        self.emit(f"stablehlo.select {p[0]}, {x[0]}, {y[0]} : {tensor(*p[1:])}, {tensor(*x[1:])}", *x[1:])

    def clamp(self):
        x = self.pick(lambda v: v[2] != "i1" and not v[2].startswith("c"))
        if not x:
            return
        low, high = self.constant((), x[2], False), self.constant((), x[2], False)
        s, t = tensor((), x[2]), tensor(*x[1:])
        self.emit(f"stablehlo.clamp {low[0]}, {x[0]}, {high[0]} : ({s}, {t}, {s}) -> {t}", *x[1:])

    def convert(self):
        x = self.pick()
        to = self.rng.choice(["i1"] + SIGNED + UNSIGNED + FLOATS + COMPLEX)
        self.emit(f"stablehlo.convert {x[0]} : ({tensor(*x[1:])}) -> {tensor(x[1], to)}", x[1], to)

    def bitcast(self):
        groups = [["i8", "ui8"], ["i16", "ui16", "f16", "bf16"], ["i32", "ui32", "f32"], ["i64", "ui64", "f64"]]
        group = self.rng.choice(groups)
        x = self.pick(lambda v: v[2] in group)
        if not x:
            return
        to = self.rng.choice(group)
        self.emit(f"stablehlo.bitcast_convert {x[0]} : ({tensor(*x[1:])}) -> {tensor(x[1], to)}", x[1], to)

    def complex(self):
        x = self.pick(lambda v: v[2] in ("f32", "f64"))
        if x:
            y, to = self.like(x), f"complex<{x[2]}>"
            self.emit(f"stablehlo.complex {x[0]}, {y[0]} : {tensor(x[1], to)}", x[1], to)

    def reshape(self):
        x = self.pick()
        n = int(np.prod(x[1]))
        shapes = [s for s in SHAPES + [(6, 1), (1, 2, 3), (2, 1, 2), (1, 4)] if int(np.prod(s)) == n]
        to = self.rng.choice(shapes or [x[1]])
        self.emit(f"stablehlo.reshape {x[0]} : ({tensor(*x[1:])}) -> {tensor(to, x[2])}", to, x[2])

    def transpose(self):
        x = self.pick(lambda v: len(v[1]) > 1) or self.pick()
        order = list(range(len(x[1])))
        self.rng.shuffle(order)
        to = [x[1][d] for d in order]
        self.emit(f"stablehlo.transpose {x[0]}, dims = {listed(order)} : ({tensor(*x[1:])}) -> {tensor(to, x[2])}", to, x[2])

    def broadcast(self):
        x = self.pick(lambda v: len(v[1]) < 3)
        if not x:
            return
        to = list(x[1]) + [self.rng.choice([1, 2, 3]) for _ in range(self.rng.choice([0, 1, 1, 2]))][: 3 - len(x[1])]
        to = [self.rng.choice([1, 2]) if s == 1 and self.rng.random() < 0.4 else s for s in to]
        dims = list(range(len(x[1])))
        order = list(range(len(to)))
        self.rng.shuffle(order)
        self.emit(
            f"stablehlo.broadcast_in_dim {x[0]}, dims = {listed([order.index(d) for d in dims])} : "
            f"({tensor(*x[1:])}) -> {tensor([to[d] for d in order], x[2])}", [to[d] for d in order], x[2])

    def slice(self):
        x = self.pick(lambda v: len(v[1]) > 0)
        if not x:
            return
        ranges, to = [], []
        for s in x[1]:
            start = self.rng.randint(0, s) if self.rng.random() < 0.5 else 0
            limit = self.rng.randint(start, s) if self.rng.random() < 0.3 else s
            stride = self.rng.choice([1, 1, 1, 2, 3])
            ranges.append(f"{start}:{limit}" + (f":{stride}" if stride > 1 else ""))
            to.append(-(-(limit - start) // stride))
        self.emit(f"stablehlo.slice {x[0]} [{', '.join(ranges)}] : ({tensor(*x[1:])}) -> {tensor(to, x[2])}", to, x[2])

    def pad(self):
        x = self.pick()
        value = self.constant((), x[2], False)
        low, high, interior, to = [], [], [], []
        for s in x[1]:
            l, h, i = self.rng.choice([0, 0, 1, 2, -1]), self.rng.choice([0, 0, 1, -1]), self.rng.choice([0, 0, 0, 1])
            if l + s + max(s - 1, 0) * i + h < 0:
                l = h = 0
            low.append(l), high.append(h), interior.append(i)
            to.append(l + s + max(s - 1, 0) * i + h)
        self.emit(
            f"stablehlo.pad {x[0]}, {value[0]}, low = {listed(low)}, high = {listed(high)}, interior = "
            f"{listed(interior)} : ({tensor(*x[1:])}, {tensor((), x[2])}) -> {tensor(to, x[2])}", to, x[2])

    def concatenate(self):
        x = self.pick(lambda v: len(v[1]) > 0 and max(v[1]) < 9)
        if not x:
            return
        inputs = [x]
        for _ in range(self.rng.choice([0, 1, 1, 2])):
            inputs.append(self.like(x))
        if self.rng.random() < 0.5 and x[1][0] > 1:
            # Two adjacent slices.
            k = self.rng.randint(1, x[1][0] - 1)
            rest = "".join(f", 0:{s}" for s in x[1][1:])
            inputs = [self.emit(f"stablehlo.slice {x[0]} [{a}:{b}{rest}] : ({tensor(*x[1:])}) -> "
                                f"{tensor((b - a,) + x[1][1:], x[2])}", (b - a,) + x[1][1:], x[2], False)
                      for a, b in ((0, k), (k, x[1][0]))]
        d = 0 if self.rng.random() < 0.7 or any(i[1] != x[1] for i in inputs) else self.rng.randrange(len(x[1]))
        to = list(x[1])
        to[d] = sum(i[1][d] for i in inputs)
        types = ", ".join(tensor(*i[1:]) for i in inputs)
        self.emit(f"stablehlo.concatenate {', '.join(i[0] for i in inputs)}, dim = {d} : ({types}) -> {tensor(to, x[2])}", to, x[2])

    def reverse(self):
        x = self.pick()
        dims = [d for d in range(len(x[1])) if self.rng.random() < 0.6]
        self.emit(f"stablehlo.reverse {x[0]}, dims = {listed(dims)} : {tensor(*x[1:])}", *x[1:])

    def iota(self):
        shape = self.rng.choice([s for s in SHAPES if s])
        element = self.rng.choice(["i32", "f32", "ui8", "i64"])
        self.emit(f"stablehlo.iota dim = {self.rng.randrange(len(shape))} : {tensor(shape, element)}", shape, element)

    def index(self):
        if self.rng.random() < 0.3:
            found = self.pick(lambda v: v[1:] == ((), "i32"))
            if found:
                return found
        value = self.rng.choice([0, 0, 1, 2, -1, 100])
        return self.emit(f"stablehlo.constant dense<{value}> : tensor<i32>", (), "i32", False)

    def dynamic_slice(self):
        x = self.pick()
        sizes = [self.rng.choice([s, self.rng.randint(0, s)]) for s in x[1]]
        at = [self.index()[0] for _ in x[1]]
        self.emit(
            f"stablehlo.dynamic_slice {', '.join([x[0]] + at)}, sizes = {listed(sizes)} : "
            f"({', '.join([tensor(*x[1:])] + ['tensor<i32>'] * len(at))}) -> {tensor(sizes, x[2])}", sizes, x[2])

    def dynamic_update_slice(self):
        x = self.pick()
        y = self.pick(lambda v: v[2] == x[2] and len(v[1]) == len(x[1]) and all(a <= b for a, b in zip(v[1], x[1])))
        at = [self.index()[0] for _ in x[1]]
        self.emit(
            f"stablehlo.dynamic_update_slice {', '.join([x[0], y[0]] + at)} : "
            f"({', '.join([tensor(*x[1:]), tensor(*y[1:])] + ['tensor<i32>'] * len(at))}) -> {tensor(*x[1:])}", *x[1:])

    def gather(self):
        x = self.pick(lambda v: len(v[1]) == 2 and min(v[1]) > 0)
        if not x:
            return
        i = self.emit(f"stablehlo.constant dense<{self.rng.choice([0, 1, 5, -2])}> : tensor<1xi32>", (1,), "i32", False)
        self.emit(
            f'"stablehlo.gather"({x[0]}, {i[0]}) <{{dimension_numbers = #stablehlo.gather<offset_dims = [0], '
            f"collapsed_slice_dims = [0], start_index_map = [0]>, slice_sizes = array<i64: 1, {x[1][1]}>}}> : "
            f"({tensor(*x[1:])}, tensor<1xi32>) -> {tensor(x[1][1:], x[2])}", x[1][1:], x[2])

    def dot(self):
        e = self.rng.choice(["i32", "f32"])
        k = self.rng.choice([1, 3])
        b = self.rng.choice([None, 1, 2])
        m, n = self.rng.choice([1, 2]), self.rng.choice([1, 4])

        def operand(dims):
            order = list(range(len(dims)))
            self.rng.shuffle(order)
            source = self.constant([dims[d] for d in order], e, False)
            found = self.pick(lambda v: v[1:] == source[1:])
            source = found or source
            back = [order.index(d) for d in range(len(dims))]
            if self.rng.random() < 0.7:
                t = tensor(dims, e)
                return self.emit(f"stablehlo.transpose {source[0]}, dims = {listed(back)} : ({tensor(*source[1:])}) -> {t}", dims, e, False)
            return self.constant(dims, e, False)

        batch = [] if b is None else [b]
        x, y = operand(batch + [m, k]), operand(batch + [k, n])
        clause = "" if b is None else "batching_dims = [0] x [0], "
        p = len(batch)
        to = batch + [m, n]
        z = self.emit(
            f"stablehlo.dot_general {x[0]}, {y[0]}, {clause}contracting_dims = [{p + 1}] x [{p}] : "
            f"({tensor(*x[1:])}, {tensor(*y[1:])}) -> {tensor(to, e)}", to, e, self.rng.random() < 0.5)
        order = list(range(p)) + [p + 1, p]
        to = [to[d] for d in order]
        self.emit(f"stablehlo.transpose {z[0]}, dims = {listed(order)} : ({tensor(*z[1:])}) -> {tensor(to, e)}", to, e)

    def reduce(self):
        x = self.pick(lambda v: len(v[1]) > 0 and not v[2].startswith("c") and v[2] not in ("i4", "ui4"))
        if not x:
            return
        e = x[2]
        op = self.rng.choice(["and", "or"] if e == "i1" else ["add", "maximum", "minimum"] + (["multiply", "xor"] if is_int(e) else []))
        dims = sorted(self.rng.sample(range(len(x[1])), self.rng.randint(0, len(x[1]))))
        init = self.constant((), e, False)
        to = [s for d, s in enumerate(x[1]) if d not in dims]
        self.emit(
            f"stablehlo.reduce({x[0]} init: {init[0]}) applies stablehlo.{op} across dimensions = {listed(dims)} : "
            f"({tensor(*x[1:])}, {tensor((), e)}) -> {tensor(to, e)}", to, e)

    def sort(self):
        x = self.pick(lambda v: v[2] == "i32" and len(v[1]) == 1)
        if not x:
            return
        y, t = self.like(x), tensor(*x[1:])
        pair = self.emit(
            f'"stablehlo.sort"({x[0]}, {y[0]}) <{{dimension = 0 : i64, is_stable = true}}> ({{\n'
            "^bb0(%a: tensor<i32>, %b: tensor<i32>, %c: tensor<i32>, %d: tensor<i32>):\n"
            "%lt = stablehlo.compare LT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
            f"stablehlo.return %lt : tensor<i1>\n}}) : ({t}, {t}) -> ({t}, {t})", *x[1:], False)
        self.lines[-1] = self.lines[-1].replace(" = ", ":2 = ", 1)
        self.values.append((f"{pair[0]}#{self.rng.randrange(2)}",) + x[1:])

    def nested(self, ops):
        """Adds some ops in a region: their lines, and the values that they may use or make."""
        outer, self.lines = self.lines, []
        known = len(self.values)
        for _ in range(ops):
            self.step(["unary", "binary", "compare", "select", "reshape", "broadcast", "slice"])
        lines, self.lines = self.lines, outer
        return lines, known

    def branches(self):
        n = self.rng.choice([2, 3])
        x, y = self.pick(), self.pick()
        regions = []
        for _ in range(n):
            lines, known = self.nested(self.rng.randrange(4))
            results = [self.pick(lambda v: v[1:] == w[1:]) for w in (x, y)]
            del self.values[known:]
            types = f"{tensor(*x[1:])}, {tensor(*y[1:])}"
            regions.append("{\n" + "\n".join(lines + [f"stablehlo.return {results[0][0]}, {results[1][0]} : {types}"]) + "\n}")
        types = f"({tensor(*x[1:])}, {tensor(*y[1:])})"
        if n == 2:
            p = self.pick(lambda v: v[1:] == ((), "i1")) if self.rng.random() < 0.5 else None
            p = p or self.constant((), "i1", False)
            text = f'"stablehlo.if"({p[0]}) ({", ".join(regions)}) : (tensor<i1>) -> {types}'
        else:
            p = self.index()
            text = f'"stablehlo.case"({p[0]}) ({", ".join(regions)}) : (tensor<i32>) -> {types}'
        pair = self.emit(text, (), "i1", False)
        self.lines[-1] = self.lines[-1].replace(" = ", ":2 = ", 1)
        self.values.append((f"{pair[0]}#0",) + x[1:])
        if self.rng.random() < 0.6:
            self.values.append((f"{pair[0]}#1",) + y[1:])

    def loop(self):
        start = self.emit(f"stablehlo.constant dense<{self.rng.choice([0, 0, 1, 3])}> : tensor<i32>", (), "i32", False)
        carried = [self.pick() for _ in range(self.rng.choice([1, 2, 3]))]
        uid = self.count
        names = [(f"%w{uid}_{i}",) + v[1:] for i, v in enumerate(carried)]
        known = len(self.values)
        self.values += names
        lines, _ = self.nested(self.rng.randrange(5))
        nexts = [name if self.rng.random() < 0.3 else self.pick(lambda v: v[1:] == name[1:]) for name in names]
        del self.values[known:]
        types = ", ".join(["tensor<i32>"] + [tensor(*v[1:]) for v in carried])
        pairs = ", ".join([f"%i{uid} = {start[0]}"] + [f"{n[0]} = {v[0]}" for n, v in zip(names, carried)])
        body = "\n".join(
            lines + [f"%one{uid} = stablehlo.constant dense<1> : tensor<i32>",
                     f"%next{uid} = stablehlo.add %i{uid}, %one{uid} : tensor<i32>",
                     f"stablehlo.return {', '.join([f'%next{uid}'] + [n[0] for n in nexts])} : {types}"])
        cond = (f"%end{uid} = stablehlo.constant dense<3> : tensor<i32>\n"
                f"%p{uid} = stablehlo.compare LT, %i{uid}, %end{uid} : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
                f"stablehlo.return %p{uid} : tensor<i1>")
        made = self.emit(f"stablehlo.while({pairs}) : {types}\ncond {{\n{cond}\n}} do {{\n{body}\n}}", (), "i1", False)
        self.lines[-1] = self.lines[-1].replace(" = ", f":{len(carried) + 1} = ", 1)
        for i, v in enumerate(carried):
            if self.rng.random() < 0.7:
                self.values.append((f"{made[0]}#{i + 1}",) + v[1:])

    FAMILIES = (
        ["unary", "convert", "reshape", "transpose", "broadcast", "slice"] * 2 + ["binary"] * 5 + ["compare", "select"] * 2
        + ["power", "clamp", "bitcast", "complex", "pad", "concatenate", "reverse", "iota", "dynamic_slice",
           "dynamic_update_slice", "gather", "dot", "reduce", "sort", "branches", "loop"])

    def step(self, families=FAMILIES):
        family = self.rng.choice(families)
        if self.rng.random() < 0.15:
            self.constant(self.rng.choice(SHAPES), self.rng.choice(["i1"] + SIGNED + UNSIGNED + FLOATS + COMPLEX))
        getattr(self, family)()

    def text(self):
        results = [v for v in self.values if v[0].startswith("%v")]
        results = self.rng.sample(results, min(10, len(results))) or self.arguments[:1]
        # The interpreter cannot return complex results.
        for name, shape, element in [v for v in results if v[2].startswith("c")]:
            results.remove((name, shape, element))
            for part in ("real", "imag"):
                made = self.emit(f"stablehlo.{part} {name} : ({tensor(shape, element)}) -> "
                                 f"{tensor(shape, element[8:-1])}", shape, element[8:-1])
                results.append(made)
        types = ", ".join(tensor(*v[1:]) for v in results)
        signature = ", ".join(f"{v[0]}: {tensor(*v[1:])}" for v in self.arguments)
        body = "\n".join(self.lines)
        return (f"func.func @main({signature}) -> ({types}) {{\n{body}\n"
                f"return {', '.join(v[0] for v in results)} : {types}\n}}\n")


def attributes(data):
    made = []
    for array in data:
        if array.dtype == np.bool_:
            made.append(oracle.ir.DenseElementsAttr.get(
                np.packbits(array, axis=None, bitorder="little"), type=oracle.ir.IntegerType.get_signless(1),
                shape=array.shape))
        else:
            made.append(oracle.ir.DenseElementsAttr.get(np.array(array, order="C")))
    return made


def evaluate(source, data):
    """Returns the results as text with all bits. In a child process: the interpreter aborts on
    unsupported ops."""
    module = oracle.parse(source)
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
            with module.context, oracle.ir.Location.unknown(), os.fdopen(write, "w") as out:
                for value in oracle.stablehlo.eval_module(module, attributes(data)):
                    print(value, file=out)
            os._exit(0)
        finally:
            os._exit(1)
    os.close(write)
    with os.fdopen(read) as found:
        text = found.read()
    if os.waitpid(child, 0)[1] != 0:
        raise oracle.OracleError("the interpreter gave up")
    return text


def jax_programs():
    """Yields small functions as JAX exports them: (name, text, arguments)."""
    import jax
    import jax.numpy as jnp
    from jax import lax

    oracle.stablehlo.register_stablehlo_passes()
    x = np.linspace(-2, 2, 12, dtype=np.float32).reshape(3, 4)
    i = np.array([2, 0, 1], np.int32)

    def mlp(w, x):
        return jax.grad(lambda w: jnp.sum(jnp.maximum(x @ w, 0) ** 2))(w)

    functions = [
        ("mlp", mlp, (x.T.copy(), x)),
        ("softmax", jax.nn.softmax, (x,)),
        ("masked", lambda x: jnp.where(jnp.tril(jnp.ones((3, 3), bool)), x @ x.T, -1e9), (x,)),
        ("index", lambda x, i: x[i, ::-1] + x[0], (x, i)),
        ("set", lambda x, i: x.at[i[0]].set(0.0).at[1].add(2.0), (x, i)),
        ("scan", lambda x: lax.scan(lambda c, r: (c + r, c * 2), x[0], x), (x,)),
        ("while", lambda x: lax.while_loop(lambda c: c[0] < 3, lambda c: (c[0] + 1, c[1] * 2, c[2]), (0, x, x + 1))[1], (x,)),
        ("cond", lambda x: lax.cond(x[0, 0] > 0, lambda y: y + 1, lambda y: y * 2, x), (x,)),
        ("switch", lambda x: lax.switch(1, [jnp.sin, jnp.negative, jnp.cos], x), (x,)),
        ("sort", lambda x: jnp.sort(x, axis=1)[:, :2], (x,)),
        ("argmax", lambda x: (jnp.argmax(x, 1), jnp.min(x, 0)), (x,)),
        ("one_hot", lambda i: jax.nn.one_hot(i, 4), (i,)),
        ("roll", lambda x: jnp.roll(jnp.pad(x, 1), 2, axis=1), (x,)),
        ("layer_norm", lambda x: (x - x.mean(-1, keepdims=True)) * lax.rsqrt(x.var(-1, keepdims=True) + 1e-5), (x,)),
        ("einsum", lambda x: jnp.einsum("ij,kj->ik", x.astype(jnp.int32), x.astype(jnp.int32)), (x,)),
        ("random", lambda i: jax.random.bits(jax.random.key(7), (3,)).astype(jnp.int32) ^ i, (i,)),
        ("integers", lambda i: (i // 2, i % 3, i**2, jnp.clip(i, 0, 1)), (i,)),
        ("complex", lambda x: jnp.real((x + 1j * x) - 1j), (x,)),
        ("vmap", jax.vmap(lambda r, k: lax.dynamic_slice(r, (k,), (2,))), (x, i)),
        ("bool", lambda x: ~((x > 0) & (x < 1)) | (x == 2), (x,)),
        ("half", lambda x: (x.astype(jnp.bfloat16) * 1 + 0).astype(jnp.float32), (x,)),
    ]
    for name, function, arguments in functions:
        text = jax.jit(function).lower(*arguments).as_text()
        yield name, oracle.run(text, "func.func(chlo-legalize-to-stablehlo)"), arguments


def cases():
    for name, text, data in jax_programs():
        yield f"jax {name}", text, data
    for rng in oracle.generators(args):
        program = Program(rng)
        for _ in range(rng.choice([4, 12, 30])):
            program.step()
        yield rng.name, program.text(), program.data


def operations(text):
    return sum("stablehlo." in line and "stablehlo.return" not in line for line in text.splitlines())


tally = oracle.Tally("simplify")
batch = list(cases())
once = oracle.ours_batch([text for _, text, _ in batch], "--sw-simplify")
good = [s if isinstance(s, str) else "" for s in once]
twice = oracle.ours_batch(good, "--sw-simplify")
before = after = 0
for (name, text, data), simple, again in zip(batch, once, twice):
    if not isinstance(simple, str):
        tally.fail(name, f"{simple}\nprogram:\n{text}")
        continue
    before, after = before + operations(text), after + operations(simple)
    try:
        expected = evaluate(text, data)
    except oracle.OracleError as error:
        tally.skip(name, str(error).splitlines()[0])
        continue
    try:
        found = evaluate(simple, data)
    except oracle.OracleError as error:
        found = str(error)
    if tally.equal(name, expected, found, f"{text}\nsimplified:\n{simple}"):
        tally.equal(f"{name} twice", simple, again, text)
print(f"{before} ops became {after}")

# Simplification must not change propagation: the examples get the same shardings.
for name in oracle.EXAMPLES:
    with open(oracle.example(name)) as file:
        text = file.read()
    simple = oracle.ours(text, "--sw-simplify")
    for what in ("sdy.sharding_constraint", "sdy.manual_computation", "sdy.sharding_group"):
        tally.equal(f"{name} {what}", text.count(what), simple.count(what))
    signatures = [
        [line for line in oracle.ours(source, "--sdy-propagation-pipeline").splitlines() if "func.func" in line]
        for source in (text, simple)
    ]
    tally.equal(f"{name} propagated", *signatures)
tally.finish()
