#===- cpu.py - kernels against XLA on CPU ----------------------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Random programs of one device, run by `shardwright run` and by XLA's CPU client:
integers must be equal, floats within a few ulp of the type.

Families: unary, binary, convert, compare, movement, reduce, softmax-like rows, columns,
gather, scatter, dynamic slices, dots, control flow, sort, windows, and chains of them all.
`--family NAME` runs one; `--keep DIR` keeps what failed.
"""

import argparse
import os
import subprocess
import sys
import tempfile

import numpy as np

import oracle

INTS = ["i8", "i16", "i32", "i64", "ui8", "ui16", "ui32", "ui64"]
FLOATS = ["f32", "f32", "f32", "f64", "f16", "bf16"]


def dtype(element):
    import ml_dtypes

    return np.dtype(
        {"i1": np.bool_, "f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32,
         "f64": np.float64}.get(element)
        or (f"uint{element[2:]}" if element.startswith("ui") else f"int{element[1:]}")
    )


def t(shape, element):
    return f"tensor<{''.join(f'{s}x' for s in shape)}{element}>"


def dims(values):
    return "[" + ", ".join(str(v) for v in values) + "]"


class Program:
    """Grows a @main; values are (name, shape, element)."""

    def __init__(self, rng):
        self.rng, self.lines, self.args, self.data, self.count = rng, [], [], [], 0
        self.np = np.random.default_rng(rng.seed_value)

    def values(self, shape, element, wild):
        n = int(np.prod(shape))
        if element == "i1":
            return self.np.random(shape) < 0.5
        d = dtype(element)
        if element[0] in "iu":
            low, high = np.iinfo(d).min, np.iinfo(d).max
            x = self.np.integers(low, high, n, d, endpoint=True)
            small = self.np.integers(max(low, -3), 9, n).astype(d)
            x = np.where(self.np.random(n) < (0.5 if wild else 1), small, x)
            if wild and n:
                x[self.np.integers(0, n, n // 8 + 1)] = self.np.choice([low, high, 0, 1])
            return x.reshape(shape).astype(d)
        x = self.np.standard_normal(n)
        if wild:
            x *= 10.0 ** self.np.integers(-6, 3, n)
            special = [0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0, 0.5, -0.5, 3e-38, 88.7, -104]
            x = np.where(self.np.random(n) < 0.15, self.np.choice(special, n), x)
        return x.reshape(shape).astype(np.float32 if element != "f64" else np.float64).astype(d)

    def arg(self, shape, element, wild=False, data=None):
        name = f"%arg{len(self.args)}"
        self.args.append((name, tuple(shape), element))
        self.data.append(self.values(shape, element, wild) if data is None
                         else np.asarray(data, dtype(element)))
        return self.args[-1]

    def op(self, text, shape, element):
        name = f"%v{self.count}"
        self.count += 1
        self.lines.append(f"{name} = {text}")
        return (name, tuple(shape), element)

    def text(self, results):
        args = ", ".join(f"{n}: {t(s, e)}" for n, s, e in self.args)
        types = ", ".join(t(s, e) for _, s, e in results)
        body = "\n  ".join(self.lines)
        names = ", ".join(n for n, _, _ in results)
        return (f"func.func @main({args}) -> ({types}) {{\n  {body}\n"
                f"  return {names} : {types}\n}}\n")

    # -- building blocks --

    def unary(self, name, x, element=None):
        element = element or x[2]
        form = t(x[1], x[2]) if element == x[2] and name != "is_finite" else \
            f"({t(x[1], x[2])}) -> {t(x[1], element)}"
        return self.op(f"stablehlo.{name} {x[0]} : {form}", x[1], element)

    def binary(self, name, x, y):
        return self.op(f"stablehlo.{name} {x[0]}, {y[0]} : {t(x[1], x[2])}", x[1], x[2])

    def constant(self, value, shape, element):
        return self.op(f"stablehlo.constant dense<{value}> : {t(shape, element)}", shape, element)

    def broadcast(self, x, shape, at):
        return self.op(f"stablehlo.broadcast_in_dim {x[0]}, dims = {dims(at)} : "
                       f"({t(x[1], x[2])}) -> {t(shape, x[2])}", shape, x[2])

    def reshape(self, x, shape):
        return self.op(f"stablehlo.reshape {x[0]} : ({t(x[1], x[2])}) -> {t(shape, x[2])}",
                       shape, x[2])

    def transpose(self, x, perm):
        shape = [x[1][p] for p in perm]
        return self.op(f"stablehlo.transpose {x[0]}, dims = {dims(perm)} : "
                       f"({t(x[1], x[2])}) -> {t(shape, x[2])}", shape, x[2])

    def reduce(self, name, x, axes, init=None):
        e = x[2]
        if init is None:
            init = {"add": 0, "multiply": 1, "and": -1, "or": 0, "xor": 0}.get(name)
            if init is None or e == "i1":
                init = {"maximum": lowest(e), "minimum": highest(e)}.get(name, init)
            if e == "i1":
                init = "true" if name in ("and", "multiply", "minimum") else "false"
            elif e[0] in "fb" and not isinstance(init, str):
                init = f"{float(init):e}"
            elif e[0] == "u" and init == -1:
                init = highest(e)
        c = self.constant(init, (), e)
        shape = [s for i, s in enumerate(x[1]) if i not in axes]
        return self.op(f"stablehlo.reduce({x[0]} init: {c[0]}) applies stablehlo.{name} across "
                       f"dimensions = {dims(sorted(axes))} : ({t(x[1], e)}, {t((), e)}) -> "
                       f"{t(shape, e)}", shape, e)

    def shape(self, rank=None, limit=40, small=False):
        r = self.rng
        rank = r.choice([1, 2, 2, 3, 3, 4]) if rank is None else rank
        sizes = [1, 2, 3, 5] if small else [1, 2, 3, 4, 5, 7, 8, 16, 17, 31, 32, 33, limit]
        return [r.choice(sizes) if rank < 4 else r.choice(sizes[:8]) for _ in range(rank)]


def lowest(e):
    if e[0] == "i":
        return -(2 ** (int(e[1:]) - 1))
    if e[0] == "u":
        return 0
    return {"f32": "0xFF800000", "f64": "0xFFF0000000000000", "f16": "0xFC00", "bf16": "0xFF80"}[e]


def highest(e):
    if e[0] == "i":
        return 2 ** (int(e[1:]) - 1) - 1
    if e[0] == "u":
        return 2 ** int(e[2:]) - 1
    return {"f32": "0x7F800000", "f64": "0x7FF0000000000000", "f16": "0x7C00", "bf16": "0x7F80"}[e]


UNARY_FLOAT = ["abs", "negate", "sign", "ceil", "floor", "round_nearest_afz", "round_nearest_even",
               "cbrt", "cosine", "exponential", "exponential_minus_one", "log", "log_plus_one",
               "logistic", "rsqrt", "sine", "sqrt", "tan", "tanh"]
UNARY_INT = ["negate", "not", "popcnt", "count_leading_zeros"]
BINARY_FLOAT = ["add", "multiply", "subtract", "divide", "remainder", "power", "maximum",
                "minimum", "atan2"]
BINARY_INT = ["add", "multiply", "subtract", "divide", "remainder", "power", "maximum", "minimum",
              "and", "or", "xor", "shift_left", "shift_right_arithmetic", "shift_right_logical"]


def unary(p):
    r, shape = p.rng, p.shape()
    if r.random() < 0.7:
        e = r.choice(FLOATS)
        x = p.arg(shape, e, wild=True)
        if r.random() < 0.1:
            return [p.unary("is_finite", x, "i1")]
        return [p.unary(r.choice(UNARY_FLOAT), x)]
    e = r.choice(INTS)
    names = UNARY_INT + (["abs", "sign"] if e[0] == "i" else [])
    return [p.unary(r.choice(names), p.arg(shape, e, wild=True))]


def binary(p):
    r, shape = p.rng, p.shape()
    if r.random() < 0.1:
        x, y = p.arg(shape, "i1"), p.arg(shape, "i1")
        return [p.binary(r.choice(["add", "multiply", "and", "or", "xor", "maximum", "minimum"]),
                         x, y)]
    e, names = (r.choice(FLOATS), BINARY_FLOAT) if r.random() < 0.5 else (r.choice(INTS), BINARY_INT)
    name = r.choice(names)
    if name == "power" and e[0] in "iu":  # XLA looks at six bits of the exponent only
        y = p.arg(shape, e, data=p.np.integers(0 if e[0] == "u" else -9, 60, shape))
        return [p.binary(name, p.arg(shape, e, True), y)]
    return [p.binary(name, p.arg(shape, e, True), p.arg(shape, e, True))]


def convert(p):
    r = p.rng
    a, b = r.choice(INTS + FLOATS + ["i1"]), r.choice(INTS + FLOATS + ["i1"])
    x = p.arg(p.shape(), a, wild=True)
    if a == b:
        return [p.unary("abs" if a[0] in "fb" else "not", x)]
    return [p.unary("convert", x, b)]


def compare(p):
    r = p.rng
    e, shape = r.choice(INTS + FLOATS * 2), p.shape()
    x, y = p.arg(shape, e, True), p.arg(shape, e, True)
    total = ", TOTALORDER" if e[0] in "fb" and r.random() < 0.4 else ""
    c = p.op(f"stablehlo.compare {r.choice(['EQ', 'NE', 'GE', 'GT', 'LE', 'LT'])}, {x[0]}, {y[0]}"
             f"{total} : ({t(shape, e)}, {t(shape, e)}) -> {t(shape, 'i1')}", shape, "i1")
    s = p.op(f"stablehlo.select {c[0]}, {x[0]}, {y[0]} : {t(shape, 'i1')}, {t(shape, e)}", shape, e)
    lo, hi = p.arg((), e), p.arg((), e)
    k = p.op(f"stablehlo.clamp {lo[0]}, {s[0]}, {hi[0]} : ({t((), e)}, {t(shape, e)}, {t((), e)}) "
             f"-> {t(shape, e)}", shape, e)
    return [c, s, k]


def move(p, x, big=400000):
    """One random op that moves elements."""
    r, (name, shape, e) = p.rng, x
    kind = r.choice(["broadcast", "reshape", "transpose", "slice", "reverse", "pad", "concat"])
    if kind == "broadcast" and np.prod(shape) < big // 8:
        extra = r.choice([1, 2, 3, 8])
        at = r.randrange(len(shape) + 1)
        out = list(shape[:at]) + [extra] + list(shape[at:])
        return p.broadcast(x, out, [i + (i >= at) for i in range(len(shape))])
    if kind == "reshape":
        n, out = int(np.prod(shape)), []
        for f in (2, 3, 4, 5, 8, 17):
            if n % f == 0 and len(out) < 3 and r.random() < 0.5:
                out.append(f)
                n //= f
        out.append(n)
        r.shuffle(out)
        return p.reshape(x, out)
    if kind == "transpose" and len(shape) > 1:
        perm = list(range(len(shape)))
        r.shuffle(perm)
        return p.transpose(x, perm)
    if kind == "slice" and shape:
        starts = [r.randrange(s) for s in shape]
        strides = [r.choice([1, 1, 1, 2]) for _ in shape]
        limits = [r.randint(b + 1, s) for b, s in zip(starts, shape)]
        out = [-(-(l - b) // k) for b, l, k in zip(starts, limits, strides)]
        ranges = ", ".join(f"{b}:{l}:{k}" for b, l, k in zip(starts, limits, strides))
        return p.op(f"stablehlo.slice {name} [{ranges}] : ({t(shape, e)}) -> {t(out, e)}", out, e)
    if kind == "reverse" and shape:
        axes = [d for d in range(len(shape)) if r.random() < 0.5]
        return p.op(f"stablehlo.reverse {name}, dims = {dims(axes)} : {t(shape, e)}", shape, e)
    if kind == "pad" and shape:
        low = [r.choice([0, 0, 1, 2, -1]) for _ in shape]
        high = [r.choice([0, 0, 1, 3]) for _ in shape]
        inner = [r.choice([0, 0, 0, 1]) for _ in shape]
        out = [l + s + max(s - 1, 0) * i + h for l, s, i, h in zip(low, shape, inner, high)]
        if min(out) > 0:
            c = p.constant("1" if e[0] in "iu" else "1.5", (), e) if e != "i1" else \
                p.constant("true", (), e)
            return p.op(f"stablehlo.pad {name}, {c[0]}, low = {dims(low)}, high = {dims(high)}, "
                        f"interior = {dims(inner)} : ({t(shape, e)}, {t((), e)}) -> {t(out, e)}",
                        out, e)
    if kind == "concat" and shape:
        d = r.randrange(len(shape))
        other = list(shape)
        other[d] = r.choice([1, 3, 16])
        y = p.arg(other, e)
        out = list(shape)
        out[d] += other[d]
        a, b = (x, y) if r.random() < 0.5 else (y, x)
        return p.op(f"stablehlo.concatenate {a[0]}, {b[0]}, dim = {d} : "
                    f"({t(a[1], e)}, {t(b[1], e)}) -> {t(out, e)}", out, e)
    return x


def movement(p):
    x = p.arg(p.shape(), p.rng.choice(INTS + FLOATS + ["i1"]))
    for _ in range(p.rng.randint(1, 4)):
        x = move(p, x)
    x = p.unary("not" if x[2][0] == "i" or x[2][0] == "u" else "negate", x)
    return [x]


def reduce_(p):
    r, shape = p.rng, p.shape()
    axes = [d for d in range(len(shape)) if r.random() < 0.5] or [len(shape) - 1]
    e = r.choice(["f32"] * 4 + INTS + ["f64", "bf16", "f16", "i1"])
    names = ["maximum", "minimum"] if e in ("bf16", "f16") else ["add", "maximum", "minimum"]
    if e[0] in "iu":
        names += ["and", "or", "xor", "multiply"] if e != "i1" else ["and", "or"]
    # XLA drops NaN from reductions of 16-bit floats.
    x = p.arg(shape, e, wild=e[0] in "iu" or (e in ("f32", "f64") and r.random() < 0.2))
    if e[0] in "fb" and r.random() < 0.5:
        x = p.unary("negate", x)
    return [p.reduce(r.choice(names), x, axes)]


def argmax(p):
    r, shape = p.rng, p.shape()
    axis = r.randrange(len(shape))
    x = p.arg(shape, "f32")
    i = p.op(f"stablehlo.iota dim = {axis} : {t(shape, 'i32')}", shape, "i32")
    c, z = p.constant("0xFF800000", (), "f32"), p.constant("0", (), "i32")
    out = [s for d, s in enumerate(shape) if d != axis]
    f, n = t((), "f32"), t((), "i32")
    p.lines.append(f"""%m:2 = stablehlo.reduce({x[0]} init: {c[0]}), ({i[0]} init: {z[0]}) across dimensions = [{axis}] : ({t(shape, 'f32')}, {t(shape, 'i32')}, {f}, {n}) -> ({t(out, 'f32')}, {t(out, 'i32')})
   reducer(%a: {f}, %b: {f}) (%i: {n}, %j: {n}) {{
    %g = stablehlo.compare GT, %a, %b : ({f}, {f}) -> tensor<i1>
    %q = stablehlo.compare EQ, %a, %b : ({f}, {f}) -> tensor<i1>
    %l = stablehlo.compare LT, %i, %j : ({n}, {n}) -> tensor<i1>
    %k = stablehlo.and %q, %l : tensor<i1>
    %o = stablehlo.or %g, %k : tensor<i1>
    %r = stablehlo.select %g, %a, %b : tensor<i1>, {f}
    %s = stablehlo.select %o, %i, %j : tensor<i1>, {n}
    stablehlo.return %r, %s : {f}, {n}
  }}""")
    return [("%m#0", out, "f32"), ("%m#1", out, "i32")]


def rows(p):
    """Softmax, layer norm and the like, with several outputs."""
    r = p.rng
    shape = p.shape(r.choice([2, 3]), limit=r.choice([64, 100, 129]))
    x = p.arg(shape, "f32")
    last = len(shape) - 1
    outer = list(range(last))
    results = []
    if r.random() < 0.5:
        x = p.binary("add", x, p.broadcast(p.arg([shape[-1]], "f32"), shape, [last]))
        if r.random() < 0.4:
            results.append(x)
    m = p.reduce(r.choice(["maximum", "add"]), x, [last])
    if r.random() < 0.5:
        m1 = p.reshape(m, list(shape[:-1]) + [1])
        m = p.broadcast(m1, shape, outer + [last])
    else:
        m = p.broadcast(m, shape, outer)
    d = p.binary("subtract", x, m)
    y = p.unary(r.choice(["tanh", "negate", "logistic"]), d) if r.random() < 0.7 else \
        p.binary("multiply", d, d)
    s = p.reduce("add", y, [last])
    if r.random() < 0.3:
        results.append(s)
    s = p.unary("logistic", p.binary("multiply", s, p.broadcast(p.constant("1.0e-2", (), "f32"),
                                                                shape[:-1], [])))
    z = p.binary("multiply", y, p.broadcast(s, shape, outer))
    if r.random() < 0.5:
        z = p.binary("multiply", z, p.broadcast(p.arg([shape[-1]], "f32"), shape, [last]))
    results.append(z)
    return results


def columns(p):
    r = p.rng
    shape = p.shape(r.choice([2, 3]), limit=100)
    axes = r.choice([[0], [0, 1]]) if len(shape) == 3 else [0]
    x, y = p.arg(shape, "f32"), p.arg(shape, "f32")
    xy = p.binary("multiply", x, y)
    a, b = p.reduce("add", xy, axes), p.reduce("add", y, axes)
    if r.random() < 0.5:
        a = p.binary("multiply", a, p.broadcast(p.constant("0.5", (), "f32"), a[1], []))
    return [a, b] + ([xy] if r.random() < 0.3 else [])


def gather(p):
    r = p.rng
    e = r.choice(["f32", "i32", "bf16", "ui8"])
    n, d, k = r.choice([3, 17, 50]), r.choice([1, 5, 16, 33]), p.shape(r.choice([1, 2]))
    table = p.arg([n, d], e)
    ids = p.arg(k, r.choice(["i32", "i64", "ui8"]), data=p.np.integers(0 if r.random() < .5 else 0, n + 3, k))
    i1 = p.reshape(ids, k + [1])
    if r.random() < 0.6:  # rows
        out = k + [d]
        g = p.op(f'"stablehlo.gather"({table[0]}, {i1[0]}) <{{dimension_numbers = #stablehlo.gather<'
                 f"offset_dims = [{len(k)}], collapsed_slice_dims = [0], start_index_map = [0], "
                 f"index_vector_dim = {len(k)}>, slice_sizes = array<i64: 1, {d}>}}> : "
                 f"({t([n, d], e)}, {t(k + [1], ids[2])}) -> {t(out, e)}", out, e)
    else:  # elements
        j = p.arg(k + [1], ids[2], data=p.np.integers(0, d + 2, k + [1]))
        ij = p.op(f"stablehlo.concatenate {i1[0]}, {j[0]}, dim = {len(k)} : ({t(k + [1], ids[2])}, "
                  f"{t(k + [1], ids[2])}) -> {t(k + [2], ids[2])}", k + [2], ids[2])
        g = p.op(f'"stablehlo.gather"({table[0]}, {ij[0]}) <{{dimension_numbers = #stablehlo.gather<'
                 f"collapsed_slice_dims = [0, 1], start_index_map = [0, 1], "
                 f"index_vector_dim = {len(k)}>, slice_sizes = array<i64: 1, 1>}}> : "
                 f"({t([n, d], e)}, {t(k + [2], ids[2])}) -> {t(k, e)}", k, e)
    return [p.binary("add", g, g)]


def scatter(p):
    r = p.rng
    e = r.choice(["f32", "i32", "ui8"])
    n, d, k = r.choice([3, 17, 50]), r.choice([1, 5, 16, 33]), r.choice([1, 8, 40])
    x = p.arg([n, d], e)
    ids = p.arg([k, 1], "i32", data=p.np.integers(-2, n + 2, [k, 1]))
    u = p.arg([k, d], e)
    s = t((), e)
    name = r.choice(["add", "maximum", None])
    body = f"%q = stablehlo.{name} %a, %b : {s}\n    stablehlo.return %q : {s}" if name else \
        f"stablehlo.return %b : {s}"
    return [p.op(f'"stablehlo.scatter"({x[0]}, {ids[0]}, {u[0]}) <{{scatter_dimension_numbers = '
                 f"#stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], "
                 f"scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}}> ({{\n"
                 f"   ^bb0(%a: {s}, %b: {s}):\n    {body}\n  }}) : ({t([n, d], e)}, "
                 f"{t([k, 1], 'i32')}, {t([k, d], e)}) -> {t([n, d], e)}", [n, d], e)]


def dynamic(p):
    r, shape = p.rng, p.shape()
    e = r.choice(["f32", "i32", "f64", "i1"])
    x = p.arg(shape, e)
    sizes = [r.randint(1, s) for s in shape]
    it = r.choice(["i32", "i64", "ui32"])
    at = [p.arg((), it, data=r.randint(0 if it[0] == "u" else -3, s + 2)) for s in shape]
    names = ", ".join(a[0] for a in at)
    types = ", ".join(t((), it) for _ in at)
    s = p.op(f"stablehlo.dynamic_slice {x[0]}, {names}, sizes = {dims(sizes)} : "
             f"({t(shape, e)}, {types}) -> {t(sizes, e)}", sizes, e)
    u = p.unary("not", s) if e[0] == "i" else p.unary("negate", s)
    w = p.op(f"stablehlo.dynamic_update_slice {x[0]}, {u[0]}, {names} : ({t(shape, e)}, "
             f"{t(sizes, e)}, {types}) -> {t(shape, e)}", shape, e)
    return [s, w]


def dot(p):
    r = p.rng
    e = r.choice(["f32"] * 4 + ["f64", "i32"])
    b, m, n, k = ([r.choice([1, 2, 3, 5, 8, 17]) for _ in range(r.randint(0, 2))] for _ in range(4))
    lhs = [("b", i) for i in range(len(b))] + [("m", i) for i in range(len(m))] + \
        [("k", i) for i in range(len(k))]
    rhs = [("b", i) for i in range(len(b))] + [("k", i) for i in range(len(k))] + \
        [("n", i) for i in range(len(n))]
    sizes = {"b": b, "m": m, "n": n, "k": k}
    r.shuffle(lhs)
    r.shuffle(rhs)

    def operand(axes):
        shape = [sizes[c][i] for c, i in axes]
        x = p.arg(shape, e)
        if r.random() < 0.5 and len(shape) > 1:
            perm = list(range(len(shape)))
            r.shuffle(perm)
            inverse = [perm.index(i) for i in range(len(perm))]
            x = p.transpose(p.transpose(x, perm), inverse) if r.random() < .3 else x
        return x

    def where(axes, c, size):
        return [axes.index((c, i)) for i in range(len(size))]

    x, y = operand(lhs), operand(rhs)
    free_l = [sizes[c][i] for c, i in lhs if c == "m"]
    free_r = [sizes[c][i] for c, i in rhs if c == "n"]
    out = b + free_l + free_r
    batch = f"batching_dims = {dims(where(lhs, 'b', b))} x {dims(where(rhs, 'b', b))}, " if b else ""
    z = p.op(f"stablehlo.dot_general {x[0]}, {y[0]}, {batch}contracting_dims = "
             f"{dims(where(lhs, 'k', k))} x {dims(where(rhs, 'k', k))} : "
             f"({t(x[1], e)}, {t(y[1], e)}) -> {t(out, e)}", out, e)
    if r.random() < 0.5 and len(out) > 1:
        perm = list(range(len(out)))
        r.shuffle(perm)
        z = p.transpose(z, perm)
    return [z]


def control(p):
    r, shape = p.rng, p.shape(small=True)
    x, y = p.arg(shape, "f32"), p.arg(shape, "f32")
    i = p.arg((), "i32", data=r.randint(-1, 4))
    T = t(shape, "f32")
    c = p.op(f'"stablehlo.case"({i[0]}) ({{\n    %a = stablehlo.add {x[0]}, {y[0]} : {T}\n'
             f"    stablehlo.return %a : {T}\n  }}, {{\n    stablehlo.return {y[0]} : {T}\n  }}, {{\n"
             f"    %b = stablehlo.multiply {x[0]}, {y[0]} : {T}\n    stablehlo.return %b : {T}\n  }}) "
             f": (tensor<i32>) -> {T}", shape, "f32")
    n = r.randint(0, 5)
    z, one, stop = p.constant("0", (), "i32"), p.constant("1", (), "i32"), p.constant(n, (), "i32")
    body = r.choice([
        f"%p = stablehlo.add %a, {y[0]} : {T}\n     %q = stablehlo.subtract %b, %p : {T}",
        f"%p = stablehlo.tanh %b : {T}\n     %q = stablehlo.add %a, {x[0]} : {T}",
    ])
    swap = r.choice(["%p, %q", "%q, %p", "%b, %p", "%b, %a", "%a, %q"])
    p.lines.append(f"""%w:3 = stablehlo.while(%k = {z[0]}, %a = {c[0]}, %b = {x[0]}) : tensor<i32>, {T}, {T}
    cond {{
     %g = stablehlo.compare LT, %k, {stop[0]} : (tensor<i32>, tensor<i32>) -> tensor<i1>
     stablehlo.return %g : tensor<i1>
    }} do {{
     %n = stablehlo.add %k, {one[0]} : tensor<i32>
     {body}
     stablehlo.return %n, {swap} : tensor<i32>, {T}, {T}
    }}""")
    return [("%w#0", (), "i32"), ("%w#1", shape, "f32"), ("%w#2", shape, "f32"), c]


def scan(p):
    """A loop that fills rows of an array, as lax.scan does."""
    r = p.rng
    n, d = r.choice([1, 3, 6]), r.choice([1, 4, 17])
    xs, init = p.arg([n, d], "f32"), p.arg([d], "f32")
    z, one, stop = p.constant("0", (), "i32"), p.constant("1", (), "i32"), p.constant(n, (), "i32")
    ys = p.constant("0.0", (n, d), "f32")
    X, R, O = t([n, d], "f32"), t([1, d], "f32"), t([d], "f32")
    p.lines.append(f"""%w:4 = stablehlo.while(%k = {z[0]}, %x = {xs[0]}, %c = {init[0]}, %y = {ys[0]}) : tensor<i32>, {X}, {O}, {X}
    cond {{
     %g = stablehlo.compare LT, %k, {stop[0]} : (tensor<i32>, tensor<i32>) -> tensor<i1>
     stablehlo.return %g : tensor<i1>
    }} do {{
     %s = stablehlo.dynamic_slice %x, %k, {z[0]}, sizes = [1, {d}] : ({X}, tensor<i32>, tensor<i32>) -> {R}
     %f = stablehlo.reshape %s : ({R}) -> {O}
     %h = stablehlo.add %f, %c : {O}
     %e = stablehlo.tanh %h : {O}
     %u = stablehlo.reshape %h : ({O}) -> {R}
     %o = stablehlo.dynamic_update_slice %y, %u, %k, {z[0]} : ({X}, {R}, tensor<i32>, tensor<i32>) -> {X}
     %n = stablehlo.add %k, {one[0]} : tensor<i32>
     stablehlo.return %n, %x, %e, %o : tensor<i32>, {X}, {O}, {X}
    }}""")
    return [("%w#2", [d], "f32"), ("%w#3", [n, d], "f32")]


def loop(p):
    """A loop over several values of one shape, its body a random graph of them."""
    r = p.rng
    side = r.choice([1, 3, 16, 17])
    shape = [side, side]
    T = t(shape, "f32")
    inits = [p.arg(shape, "f32") for _ in range(3)]
    if r.random() < 0.3:
        inits[2] = p.unary("negate", inits[0])
    outside = p.arg(shape, "f32")
    z, one = p.constant("0", (), "i32"), p.constant("1", (), "i32")
    stop = p.constant(r.randint(0, 4), (), "i32")
    before, p.lines = p.lines, []
    live = [(f"%{n}", shape, "f32") for n in "abc"] + [outside]
    for _ in range(r.randint(1, 7)):
        x, y, what = r.choice(live), r.choice(live), r.random()
        if what < 0.3:
            v = p.binary(r.choice(["add", "subtract", "maximum"]), x, y)
        elif what < 0.5:
            v = p.unary(r.choice(["tanh", "negate", "logistic"]), x)
        elif what < 0.65:
            v = p.transpose(x, [1, 0])
        elif what < 0.8:
            axis = r.choice([0, 1])
            v = p.unary("tanh", p.reduce("add", x, [axis]))
            v = p.binary("multiply", y, p.broadcast(v, shape, [1 - axis]))
        elif what < 0.9:
            row = p.reshape(p.op(f"stablehlo.slice {x[0]} [0:1, 0:{side}] : ({T}) -> "
                                 f"{t([1, side], 'f32')}", [1, side], "f32"), [1, side])
            v = p.op(f"stablehlo.dynamic_update_slice {y[0]}, {row[0]}, %k, {z[0]} : "
                     f"({T}, {t([1, side], 'f32')}, tensor<i32>, tensor<i32>) -> {T}", shape, "f32")
        else:
            v = p.op(f"stablehlo.reverse {x[0]}, dims = [{r.choice([0, 1])}] : {T}", shape, "f32")
        live.append(v)
    out = ", ".join(r.choice(live[-4:] + live[:3])[0] for _ in range(3))
    body, p.lines = "\n     ".join(p.lines), before
    names = ", ".join(f"%{n} = {i[0]}" for n, i in zip("abc", inits))
    p.lines.append(f"""%w:4 = stablehlo.while(%k = {z[0]}, {names}) : tensor<i32>, {T}, {T}, {T}
    cond {{
     %g = stablehlo.compare LT, %k, {stop[0]} : (tensor<i32>, tensor<i32>) -> tensor<i1>
     stablehlo.return %g : tensor<i1>
    }} do {{
     {body}
     %n = stablehlo.add %k, {one[0]} : tensor<i32>
     stablehlo.return %n, {out} : tensor<i32>, {T}, {T}, {T}
    }}""")
    results = [(f"%w#{i}", shape, "f32") for i in (1, 2, 3)]
    last = p.binary("add", results[0], inits[0])
    return r.sample(results + [last], 3)


def sort(p):
    r, shape = p.rng, p.shape()
    d = r.randrange(len(shape))
    e = r.choice(["f32", "i32", "ui8"])
    x = p.arg(shape, e, wild=e != "f32")
    i = p.op(f"stablehlo.iota dim = {d} : {t(shape, 'i32')}", shape, "i32")
    T, I, s = t(shape, e), t(shape, "i32"), t((), e)
    order = ", TOTALORDER" if e == "f32" else ""
    p.lines.append(f"""%s:2 = "stablehlo.sort"({x[0]}, {i[0]}) <{{dimension = {d} : i64, is_stable = true}}> ({{
   ^bb0(%a: {s}, %b: {s}, %c: tensor<i32>, %d: tensor<i32>):
    %l = stablehlo.compare {r.choice(['LT', 'GT'])}, %a, %b{order} : ({s}, {s}) -> tensor<i1>
    stablehlo.return %l : tensor<i1>
   }}) : ({T}, {I}) -> ({T}, {I})""")
    return [("%s#0", shape, e), ("%s#1", shape, "i32")]


def window(p):
    r = p.rng
    shape = p.shape(r.choice([1, 2, 3]))
    w = [r.choice([1, 2, 3]) for _ in shape]
    st = [r.choice([1, 1, 2]) for _ in shape]
    bd, wd = [r.choice([1, 1, 2]) for _ in shape], [r.choice([1, 1, 2]) for _ in shape]
    pad = [[r.choice([0, 0, 1]), r.choice([0, 1])] for _ in shape]
    out = []
    for s, k, q, b, d, (lo, hi) in zip(shape, w, st, bd, wd, pad):
        base, win = (s - 1) * b + 1 + lo + hi, (k - 1) * d + 1
        out.append(0 if base < win else (base - win) // q + 1)
    if min(out) < 1:
        return reduce_(p)
    x = p.arg(shape, "f32")
    name = r.choice(["add", "maximum"])
    c = p.constant("0.0" if name == "add" else "0xFF800000", (), "f32")
    A = lambda v: "array<i64: " + ", ".join(map(str, v)) + ">"
    return [p.op(f'"stablehlo.reduce_window"({x[0]}, {c[0]}) <{{base_dilations = {A(bd)}, padding = '
                 f"dense<{pad}> : tensor<{len(shape)}x2xi64>, window_dilations = {A(wd)}, "
                 f"window_dimensions = {A(w)}, window_strides = {A(st)}}}> ({{\n"
                 f"   ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n    %q = stablehlo.{name} %a, %b : "
                 f"tensor<f32>\n    stablehlo.return %q : tensor<f32>\n  }}) : ({t(shape, 'f32')}, "
                 f"tensor<f32>) -> {t(out, 'f32')}", out, "f32")]


def bitcast(p):
    r = p.rng
    a, b = r.choice([("f32", "i32"), ("i32", "ui8"), ("ui8", "i32"), ("f64", "i32"), ("bf16", "ui16"),
                     ("f16", "i8"), ("i16", "f32")])
    wa, wb = dtype(a).itemsize, dtype(b).itemsize
    shape = p.shape()
    src, out = list(shape), list(shape)
    if wa > wb:
        out.append(wa // wb)
    elif wa < wb:
        src.append(wb // wa)
    x = p.arg(src, a, wild=a[0] in "iu" and b[0] in "iu")
    y = p.op(f"stablehlo.bitcast_convert {x[0]} : ({t(src, a)}) -> {t(out, b)}", out, b)
    return [y]


def chain(p):
    """A random graph of f32 values: elementwise, movement, reductions, dots."""
    r = p.rng
    live = [p.arg(p.shape(r.choice([1, 2, 3])), "f32") for _ in range(2)]
    for _ in range(r.randint(4, 25)):
        x = r.choice(live[-6:])
        what = r.random()
        if what < 0.25:
            y = p.unary(r.choice(["negate", "tanh", "abs", "logistic"]), x)
        elif what < 0.5:
            same = [v for v in live if v[1] == x[1]]
            y = p.binary(r.choice(["add", "multiply", "subtract", "maximum"]), x, r.choice(same))
        elif what < 0.75:
            y = move(p, x, 30000)
        elif what < 0.9 and x[1]:
            axes = [d for d in range(len(x[1])) if r.random() < 0.4] or [r.randrange(len(x[1]))]
            z = p.reduce(r.choice(["maximum", "add"]), x, axes)
            z = p.unary("tanh", z)
            kept = [d for d in range(len(x[1])) if d not in axes]
            y = p.broadcast(z, x[1], kept) if r.random() < 0.7 else z
        else:
            y = p.unary("tanh", x)
        if y[1] and np.prod(y[1]) <= 60000:
            live.append(y)
    n = len(live)
    return r.sample(live[2:] or live, min(n - 2, r.randint(1, 4)) or 1)


FAMILIES = {f.__name__.rstrip("_"): f for f in
            (unary, binary, convert, compare, movement, reduce_, argmax, rows, columns, gather,
             scatter, dynamic, dot, control, scan, loop, sort, window, bitcast, chain)}


def xla(text, args):
    import jax
    from jax._src.interpreters import mlir as jm
    from jaxlib import xla_client as xc

    jax.config.update("jax_enable_x64", True)
    device = jax.devices()[0]
    with jm.make_ir_context(), oracle.ir.Location.unknown():
        code = jm.module_to_bytecode(oracle.ir.Module.parse(text))
    exe = device.client.compile_and_load(code, xc.DeviceList((device,)), xc.CompileOptions())
    return [np.asarray(o) for o in exe.execute([jax.device_put(a, device) for a in args])]


def bits(a):
    return a.view(np.uint16) if a.dtype.name == "bfloat16" else a


def ours(text, args, results, folder):
    module, inputs, outputs = (os.path.join(folder, n) for n in ("m.mlir", "in.npz", "out.npz"))
    with open(module, "w") as f:
        f.write(text)
    np.savez(inputs, **{f"arg{i}": bits(a) for i, a in enumerate(args)})
    if os.path.exists(outputs):
        os.remove(outputs)
    run = subprocess.run([oracle.TOOL, "run", module, inputs, "--out", outputs, "--devices", "1"],
                         capture_output=True, text=True)
    if run.returncode:
        return f"exit code {run.returncode}\n{run.stdout}{run.stderr}"
    with np.load(outputs) as z:
        got = [z[f"out{i}"] for i in range(len(results))]
    return [g.view(dtype(e)) if e == "bf16" else g for g, (_, _, e) in zip(got, results)]


ULPS = {"f32": 2.0**-23, "f64": 2.0**-52, "f16": 2.0**-10, "bf16": 2.0**-7}


def difference(want, got, element, loose):  # loose: how many ulp
    """Nothing, or what is wrong."""
    if want.shape != got.shape or want.dtype != got.dtype:
        return f"{want.dtype}{want.shape} expected, got {got.dtype}{got.shape}"
    if element[0] in "iu":
        bad = want != got
    else:
        a, b = want.astype(np.float64), got.astype(np.float64)
        with np.errstate(all="ignore"):
            scale = np.maximum(np.abs(a), np.nanmax(np.abs(np.where(np.isfinite(a), a, 0)), initial=0)
                               * (0.5 if loose > 6 else 0))
            near = np.abs(a - b) <= scale * ULPS[element] * loose + tiny(element)
        bad = ~(near | (a == b) | (np.isnan(a) & np.isnan(b)))
    if not bad.any():
        return None
    at = tuple(int(i) for i in np.argwhere(bad)[0])
    return f"{int(bad.sum())} of {bad.size} differ, first at {at}: {want[at]!r} expected, got {got[at]!r}"


def tiny(element):
    """XLA on CPU flushes subnormals; we keep them."""
    return {"f32": 2.0**-126, "f64": 2.0**-1022, "f16": 2.0**-24, "bf16": 2.0**-126}[element]


LOOSE = {"loop": 4096}  # ulp of half the largest element; iterations amplify
EXACT = {"unary", "binary", "convert", "compare", "movement", "argmax", "gather", "scatter",
         "dynamic", "sort", "bitcast"}


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--family", choices=sorted(FAMILIES), help="only this one")
    parser.add_argument("--keep", help="folder for the programs that failed")
    args = oracle.arguments(__doc__, cases=60, long_cases=3000, parser=parser)
    tally = oracle.Tally("cpu")
    names = sorted(FAMILIES)
    with tempfile.TemporaryDirectory() as folder:
        for rng in oracle.generators(args):
            family = args.family or names[rng.seed_value % len(names)]
            p = Program(rng)
            results = FAMILIES[family](p)
            text = p.text(results)
            try:
                want = xla(text, p.data)
            except Exception as error:  # what XLA cannot do is not compared
                tally.skip(rng.name, f"{family}: XLA: {str(error)[:200]}")
                continue
            got = ours(text, p.data, results, folder)
            problem = got if isinstance(got, str) else None
            if not problem:
                for i, (w, g, (_, _, e)) in enumerate(zip(want, got, results)):
                    wrong = difference(w, g, e, LOOSE.get(family, 64) if family not in EXACT else 6)
                    if wrong:
                        problem = f"result {i}: {wrong}"
                        break
            if problem and args.keep:
                os.makedirs(args.keep, exist_ok=True)
                with open(os.path.join(args.keep, f"{family}_{rng.seed_value}.mlir"), "w") as f:
                    f.write(text)
            tally.check(f"{rng.name} --family {family}", not problem, f"{problem}\n{text}")
    tally.finish()


if __name__ == "__main__":
    main()
