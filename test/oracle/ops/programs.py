#===- programs.py - random programs of many ops ------------------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Patterns that are fused into kernels: chains of data movement, normalised rows and columns, loops
over several values, and graphs of all of these. Errors are relative to half the largest element of
a result."""

import numpy as np

from ops.case import FLOAT, INT, PRED, Value, dims, identity, is_float, op, tensor


class Program:
    """Helpers for the generators below."""

    def __init__(self, c):
        self.c, self.rng, self.np, self.arg, self.op, self.constant = c, c.rng, c.np, c.arg, c.op, c.constant

    def unary(self, name, x):
        return self.op(f"stablehlo.{name} {x} : {x.type}", x.shape, x.element)

    def binary(self, name, x, y):
        return self.op(f"stablehlo.{name} {x}, {y} : {x.type}", x.shape, x.element)

    def broadcast(self, x, shape, at):
        return self.op(f"stablehlo.broadcast_in_dim {x}, dims = {dims(at)} : ({x.type}) -> {tensor(shape, x.element)}",
                       shape, x.element)  # fmt: skip

    def reshape(self, x, shape):
        return self.op(f"stablehlo.reshape {x} : ({x.type}) -> {tensor(shape, x.element)}", shape, x.element)

    def transpose(self, x, perm):
        shape = [x.shape[p] for p in perm]
        return self.op(f"stablehlo.transpose {x}, dims = {dims(perm)} : ({x.type}) -> {tensor(shape, x.element)}",
                       shape, x.element)  # fmt: skip

    def reduce(self, name, x, axes):
        e = x.element
        init = self.constant(identity(name, e), (), e)
        shape = [s for i, s in enumerate(x.shape) if i not in axes]
        return self.op(f"stablehlo.reduce({x} init: {init}) applies stablehlo.{name} across dimensions = {dims(sorted(axes))} : "
                       f"({x.type}, {init.type}) -> {tensor(shape, e)}", shape, e)  # fmt: skip

    def shape(self, rank=None, limit=40):
        r = self.rng
        rank = r.choice([1, 2, 2, 3, 3, 4]) if rank is None else rank
        sizes = [1, 2, 3, 4, 5, 7, 8, 16, 17, 31, 32, 33, limit]
        return [r.choice(sizes) if rank < 4 else r.choice(sizes[:8]) for _ in range(rank)]


def program(name, elements, ulps):
    """Registers a generator that returns its results."""

    def register(generator):
        @op(f"program {name}", elements)
        def generate(c, e):
            for value in generator(Program(c), e):
                c.result(value, scale="half the largest" if ulps else None, ulps=ulps)

        generate.__module__ = __name__
        return generator

    return register


def move(p, x, big=400000):
    """One random op that moves elements."""
    r, name, shape, e = p.rng, x.name, x.shape, x.element
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
        return p.op(f"stablehlo.slice {name} [{ranges}] : ({tensor(shape, e)}) -> {tensor(out, e)}", out, e)
    if kind == "reverse" and shape:
        axes = [d for d in range(len(shape)) if r.random() < 0.5]
        return p.op(f"stablehlo.reverse {name}, dims = {dims(axes)} : {tensor(shape, e)}", shape, e)
    if kind == "pad" and shape:
        low = [r.choice([0, 0, 1, 2, -1]) for _ in shape]
        high = [r.choice([0, 0, 1, 3]) for _ in shape]
        inner = [r.choice([0, 0, 0, 1]) for _ in shape]
        out = [l + s + max(s - 1, 0) * i + h for l, s, i, h in zip(low, shape, inner, high)]
        if min(out) > 0:
            c = p.constant("1" if e[0] in "iu" else "1.5", (), e) if e != "i1" else \
                p.constant("true", (), e)
            return p.op(f"stablehlo.pad {name}, {c}, low = {dims(low)}, high = {dims(high)}, "
                        f"interior = {dims(inner)} : ({tensor(shape, e)}, {tensor((), e)}) -> {tensor(out, e)}",
                        out, e)
    if kind == "concat" and shape:
        d = r.randrange(len(shape))
        other = list(shape)
        other[d] = r.choice([1, 3, 16])
        y = p.arg(other, e)
        out = list(shape)
        out[d] += other[d]
        a, b = (x, y) if r.random() < 0.5 else (y, x)
        return p.op(f"stablehlo.concatenate {a}, {b}, dim = {d} : "
                    f"({tensor(a.shape, e)}, {tensor(b.shape, e)}) -> {tensor(out, e)}", out, e)
    return x


@program("movement", PRED + INT + FLOAT, None)
def movement(p, e):
    x = p.arg(p.shape(), e)
    for _ in range(p.rng.randint(1, 4)):
        x = move(p, x)
    x = p.unary("negate" if is_float(e) else "not", x)
    return [x]


@program("rows", ["f32", "f64"], 64)
def rows(p, e):
    """Softmax, layer norm and similar functions, with several outputs."""
    r = p.rng
    shape = p.shape(r.choice([2, 3]), limit=r.choice([64, 100, 129]))
    x = p.arg(shape, e)
    last = len(shape) - 1
    outer = list(range(last))
    results = []
    if r.random() < 0.5:
        x = p.binary("add", x, p.broadcast(p.arg([shape[-1]], e), shape, [last]))
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
    s = p.unary("logistic", p.binary("multiply", s, p.broadcast(p.constant("1.0e-2", (), e),
                                                                shape[:-1], [])))
    z = p.binary("multiply", y, p.broadcast(s, shape, outer))
    if r.random() < 0.5:
        z = p.binary("multiply", z, p.broadcast(p.arg([shape[-1]], e), shape, [last]))
    results.append(z)
    return results


@program("columns", ["f32", "f64"], 64)
def columns(p, e):
    r = p.rng
    shape = p.shape(r.choice([2, 3]), limit=100)
    axes = r.choice([[0], [0, 1]]) if len(shape) == 3 else [0]
    x, y = p.arg(shape, e), p.arg(shape, e)
    xy = p.binary("multiply", x, y)
    a, b = p.reduce("add", xy, axes), p.reduce("add", y, axes)
    if r.random() < 0.5:
        a = p.binary("multiply", a, p.broadcast(p.constant("0.5", (), e), a.shape, []))
    return [a, b] + ([xy] if r.random() < 0.3 else [])


@program("control", ["f32", "f64"], 64)
def control(p, e):
    r, shape = p.rng, list(p.c.shape(low=1))
    x, y = p.arg(shape, e), p.arg(shape, e)
    i = p.arg((), "i32", data=r.randint(-1, 4))
    T = tensor(shape, e)
    c = p.op(f'"stablehlo.case"({i}) ({{\n    %a = stablehlo.add {x}, {y} : {T}\n'
             f"    stablehlo.return %a : {T}\n  }}, {{\n    stablehlo.return {y} : {T}\n  }}, {{\n"
             f"    %b = stablehlo.multiply {x}, {y} : {T}\n    stablehlo.return %b : {T}\n  }}) "
             f": (tensor<i32>) -> {T}", shape, e)
    n = r.randint(0, 5)
    z, one, stop = p.constant("0", (), "i32"), p.constant("1", (), "i32"), p.constant(n, (), "i32")
    body = r.choice([
        f"%p = stablehlo.add %a, {y} : {T}\n     %q = stablehlo.subtract %b, %p : {T}",
        f"%p = stablehlo.tanh %b : {T}\n     %q = stablehlo.add %a, {x} : {T}",
    ])
    swap = r.choice(["%p, %q", "%q, %p", "%b, %p", "%b, %a", "%a, %q"])
    p.c.lines.append(f"""%w:3 = stablehlo.while(%k = {z}, %a = {c}, %b = {x}) : tensor<i32>, {T}, {T}
    cond {{
     %g = stablehlo.compare LT, %k, {stop} : (tensor<i32>, tensor<i32>) -> tensor<i1>
     stablehlo.return %g : tensor<i1>
    }} do {{
     %n = stablehlo.add %k, {one} : tensor<i32>
     {body}
     stablehlo.return %n, {swap} : tensor<i32>, {T}, {T}
    }}""")
    return [Value("%w#0", (), "i32"), Value("%w#1", shape, e), Value("%w#2", shape, e), c]


@program("scan", ["f32", "f64"], 64)
def scan(p, e):
    """A loop that fills rows of an array, as lax.scan does."""
    r = p.rng
    n, d = r.choice([1, 3, 6]), r.choice([1, 4, 17])
    xs, init = p.arg([n, d], e), p.arg([d], e)
    z, one, stop = p.constant("0", (), "i32"), p.constant("1", (), "i32"), p.constant(n, (), "i32")
    ys = p.constant("0.0", (n, d), e)
    X, R, O = tensor([n, d], e), tensor([1, d], e), tensor([d], e)
    p.c.lines.append(f"""%w:4 = stablehlo.while(%k = {z}, %x = {xs}, %c = {init}, %y = {ys}) : tensor<i32>, {X}, {O}, {X}
    cond {{
     %g = stablehlo.compare LT, %k, {stop} : (tensor<i32>, tensor<i32>) -> tensor<i1>
     stablehlo.return %g : tensor<i1>
    }} do {{
     %s = stablehlo.dynamic_slice %x, %k, {z}, sizes = [1, {d}] : ({X}, tensor<i32>, tensor<i32>) -> {R}
     %f = stablehlo.reshape %s : ({R}) -> {O}
     %h = stablehlo.add %f, %c : {O}
     %e = stablehlo.tanh %h : {O}
     %u = stablehlo.reshape %h : ({O}) -> {R}
     %o = stablehlo.dynamic_update_slice %y, %u, %k, {z} : ({X}, {R}, tensor<i32>, tensor<i32>) -> {X}
     %n = stablehlo.add %k, {one} : tensor<i32>
     stablehlo.return %n, %x, %e, %o : tensor<i32>, {X}, {O}, {X}
    }}""")
    return [Value("%w#2", [d], e), Value("%w#3", [n, d], e)]


@program("loop", ["f32", "f64"], 4096)  # iterations amplify
def loop(p, e):
    """A loop over several values of one shape, whose body is a random graph of them."""
    r = p.rng
    side = r.choice([1, 3, 16, 17])
    shape = [side, side]
    T = tensor(shape, e)
    inits = [p.arg(shape, e) for _ in range(3)]
    if r.random() < 0.3:
        inits[2] = p.unary("negate", inits[0])
    outside = p.arg(shape, e)
    z, one = p.constant("0", (), "i32"), p.constant("1", (), "i32")
    stop = p.constant(r.randint(0, 4), (), "i32")
    before, p.c.lines = p.c.lines, []
    live = [Value(f"%{n}", shape, e) for n in "abc"] + [outside]
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
            row = p.reshape(p.op(f"stablehlo.slice {x} [0:1, 0:{side}] : ({T}) -> "
                                 f"{tensor([1, side], e)}", [1, side], e), [1, side])
            v = p.op(f"stablehlo.dynamic_update_slice {y}, {row}, %k, {z} : "
                     f"({T}, {tensor([1, side], e)}, tensor<i32>, tensor<i32>) -> {T}", shape, e)
        else:
            v = p.op(f"stablehlo.reverse {x}, dims = [{r.choice([0, 1])}] : {T}", shape, e)
        live.append(v)
    out = ", ".join(str(r.choice(live[-4:] + live[:3])) for _ in range(3))
    body, p.c.lines = "\n     ".join(p.c.lines), before
    names = ", ".join(f"%{n} = {i}" for n, i in zip("abc", inits))
    p.c.lines.append(f"""%w:4 = stablehlo.while(%k = {z}, {names}) : tensor<i32>, {T}, {T}, {T}
    cond {{
     %g = stablehlo.compare LT, %k, {stop} : (tensor<i32>, tensor<i32>) -> tensor<i1>
     stablehlo.return %g : tensor<i1>
    }} do {{
     {body}
     %n = stablehlo.add %k, {one} : tensor<i32>
     stablehlo.return %n, {out} : tensor<i32>, {T}, {T}, {T}
    }}""")
    results = [Value(f"%w#{i}", shape, e) for i in (1, 2, 3)]
    last = p.binary("add", results[0], inits[0])
    return r.sample(results + [last], 3)


@program("chain", ["f32", "f64"], 64)
def chain(p, e):
    """A random graph of f32 values: elementwise, movement, reductions, dots."""
    r = p.rng
    live = [p.arg(p.shape(r.choice([1, 2, 3])), e) for _ in range(2)]
    for _ in range(r.randint(4, 25)):
        x = r.choice(live[-6:])
        what = r.random()
        if what < 0.25:
            y = p.unary(r.choice(["negate", "tanh", "abs", "logistic"]), x)
        elif what < 0.5:
            same = [v for v in live if v.shape == x.shape]
            y = p.binary(r.choice(["add", "multiply", "subtract", "maximum"]), x, r.choice(same))
        elif what < 0.75:
            y = move(p, x, 30000)
        elif what < 0.9 and x.shape:
            axes = [d for d in range(len(x.shape)) if r.random() < 0.4] or [r.randrange(len(x.shape))]
            z = p.reduce(r.choice(["maximum", "add"]), x, axes)
            z = p.unary("tanh", z)
            kept = [d for d in range(len(x.shape)) if d not in axes]
            y = p.broadcast(z, x.shape, kept) if r.random() < 0.7 else z
        else:
            y = p.unary("tanh", x)
        if y.shape and np.prod(y.shape) <= 60000:
            live.append(y)
    n = len(live)
    return r.sample(live[2:] or live, min(n - 2, r.randint(1, 4)) or 1)
