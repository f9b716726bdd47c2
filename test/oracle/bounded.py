#===- bounded.py - dimensions of bounded size against static ones ----------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Random programs on tensors with bounded dimensions, run by ours on arrays of any size within
the bounds, give what XLA gives for the same program written with these sizes as static ones."""

import os
import tempfile

import numpy as np

import oracle

args = oracle.arguments(__doc__, cases=24, long_cases=1500)

import jax
from jax._src.interpreters import mlir
from jaxlib import xla_client


def by_xla(text, arguments):
    device = jax.devices()[0]
    with mlir.make_ir_context(), oracle.ir.Location.unknown():
        code = mlir.module_to_bytecode(oracle.ir.Module.parse(text))
    program = device.client.compile_and_load(code, xla_client.DeviceList((device,)), xla_client.CompileOptions())
    return [np.asarray(o) for o in program.execute([jax.device_put(a, device) for a in arguments])]


def by_ours(text, arguments, results):
    with tempfile.TemporaryDirectory() as folder:
        module, given, out = (os.path.join(folder, n) for n in ("m.mlir", "a.npz", "o.npz"))
        with open(module, "w") as file:
            file.write(text)
        np.savez(given, **{f"arg{i}": a for i, a in enumerate(arguments)})
        done = oracle.process([oracle.TOOL, "run", module, given, f"--out={out}"])
        if done.returncode:
            raise oracle.OurError(done)
        with np.load(out) as file:
            return [file[f"out{i}"] for i in range(results)]


class Dim:
    """A size, and for a bounded dimension its bound."""

    def __init__(self, size, bound=None):
        self.size, self.bound = size, bound

    @property
    def room(self):
        return self.size if self.bound is None else self.bound

    def same(self, other):
        return (self.size, self.bound) == (other.size, other.bound)


def kind(shape, element, static):
    sizes = "".join(("?" if d.bound is not None and not static else str(d.size)) + "x" for d in shape)
    bounds = ""
    if not static and any(d.bound is not None for d in shape):
        bounds = ", #stablehlo.bounds<" + ", ".join("?" if d.bound is None else str(d.bound) for d in shape) + ">"
    return f"tensor<{sizes}{element}{bounds}>"


class Value:
    def __init__(self, name, shape, element="f32"):
        self.name, self.shape, self.element = name, shape, element


class Program:
    """Lines with `@i@` for the type number i, which both spellings fill in."""

    def __init__(self, rng):
        self.rng, self.lines, self.types, self.count = rng, [], [], 0
        self.values, self.arguments, self.extra = [], [], []

    def type(self, shape, element="f32"):
        self.types.append((shape, element))
        return f"@{len(self.types) - 1}@"

    def of(self, value):
        return self.type(value.shape, value.element)

    def emit(self, line, shape, element="f32"):
        value = Value(f"%v{self.count}", shape, element)
        self.count += 1
        self.lines.append((f"{value.name} = {line}", None))
        self.values.append(value)
        return value

    def emit_two(self, bounded, static, shape, element="f32"):
        """What is spelled differently."""
        value = Value(f"%v{self.count}", shape, element)
        self.count += 1
        self.lines.append((f"{value.name} = {bounded}", f"{value.name} = {static}"))
        self.values.append(value)
        return value

    def argument(self, shape):
        value = Value(f"%a{len(self.arguments)}", shape)
        self.arguments.append(value)
        self.values.append(value)
        return value

    def text(self, results, static):
        def fill(line):
            parts = line.split("@")
            for i in range(1, len(parts), 2):
                parts[i] = kind(*self.types[int(parts[i])], static)
            return "".join(parts)

        given = ", ".join(f"{a.name}: {kind(a.shape, a.element, static)}" for a in self.arguments)
        types = [kind(r.shape, r.element, static) for r in results]
        lines = ["  " + fill(other if static and other else line) for line, other in self.lines]
        return "\n".join(
            [f"func.func @main({given}) -> ({', '.join(types)}) {{"] + lines
            + [f"  return {', '.join(r.name for r in results)} : {', '.join(types)}", "}"]
        )  # fmt: skip


def dims(values):
    return "[" + ", ".join(map(str, values)) + "]"


def constant(p, value):
    return p.emit(f"stablehlo.constant dense<{value}> : tensor<f32>", []).name


def unary(p, x):
    op = p.rng.choice(("sine", "negate", "abs", "floor"))
    return p.emit(f"stablehlo.{op} {x.name} : {p.of(x)}", x.shape)


def binary(p, x):
    y = p.rng.choice([v for v in p.values if len(v.shape) == len(x.shape) and all(map(Dim.same, v.shape, x.shape))])
    return p.emit(f"stablehlo.{p.rng.choice(('add', 'maximum', 'multiply'))} {x.name}, {y.name} : {p.of(x)}", x.shape)


def reduce(p, x):
    chosen = [d for d in range(len(x.shape)) if p.rng.random() < 0.5]
    op, start = p.rng.choice((("add", "0.0"), ("maximum", "0xFF800000"), ("multiply", "1.0")))
    shape = [d for i, d in enumerate(x.shape) if i not in chosen]
    zero = constant(p, start)
    return p.emit(f"stablehlo.reduce({x.name} init: {zero}) applies stablehlo.{op} across dimensions = {dims(chosen)} : "
                  f"({p.of(x)}, tensor<f32>) -> {p.type(shape)}", shape)  # fmt: skip


def transpose(p, x):
    order = list(range(len(x.shape)))
    p.rng.shuffle(order)
    shape = [x.shape[d] for d in order]
    return p.emit(f"stablehlo.transpose {x.name}, dims = {dims(order)} : ({p.of(x)}) -> {p.type(shape)}", shape)


def dot(p, x):
    pairs = [(v, i, j) for v in p.values for i, d in enumerate(x.shape) for j, e in enumerate(v.shape) if d.same(e)]
    y, i, j = p.rng.choice(pairs)
    shape = [d for k, d in enumerate(x.shape) if k != i] + [d for k, d in enumerate(y.shape) if k != j]
    if len(shape) > 4:
        return x
    return p.emit(f"stablehlo.dot_general {x.name}, {y.name}, contracting_dims = [{i}] x [{j}] : ({p.of(x)}, {p.of(y)}) -> {p.type(shape)}", shape)  # fmt: skip


def concatenate(p, x):
    d = p.rng.randrange(len(x.shape))
    fits = [v for v in p.values if len(v.shape) == len(x.shape)
            and all(a.same(b) for k, (a, b) in enumerate(zip(v.shape, x.shape)) if k != d)]  # fmt: skip
    parts = [x] + [p.rng.choice(fits) for _ in range(p.rng.randint(1, 2))]
    size, room = sum(v.shape[d].size for v in parts), sum(v.shape[d].room for v in parts)
    isBounded = any(v.shape[d].bound is not None for v in parts)
    shape = [*x.shape[:d], Dim(size, room if isBounded else None), *x.shape[d + 1 :]]
    return p.emit(f"stablehlo.concatenate {', '.join(v.name for v in parts)}, dim = {d} : ({', '.join(map(p.of, parts))}) -> {p.type(shape)}", shape)  # fmt: skip


def pad(p, x):
    low, high, inner = ([p.rng.randint(0, 2) for _ in x.shape] for _ in "lhi")
    grow = lambda n, k: max(0, low[k] + n + max(n - 1, 0) * inner[k] + high[k])
    shape = [Dim(grow(d.size, k), d.bound is not None and grow(d.bound, k) or None) for k, d in enumerate(x.shape)]
    value = constant(p, "-1.5")
    return p.emit(f"stablehlo.pad {x.name}, {value}, low = {dims(low)}, high = {dims(high)}, interior = {dims(inner)} : "
                  f"({p.of(x)}, tensor<f32>) -> {p.type(shape)}", shape)  # fmt: skip


def reverse(p, x):
    chosen = sorted(p.rng.sample(range(len(x.shape)), p.rng.randint(1, len(x.shape))))
    return p.emit(f"stablehlo.reverse {x.name}, dims = {dims(chosen)} : {p.of(x)}", x.shape)


def broadcast(p, x):
    if len(x.shape) > 2:
        return x
    at = p.rng.randint(0, len(x.shape))
    shape = [*x.shape[:at], Dim(p.rng.randint(1, 3)), *x.shape[at:]]
    if sum(d.bound is not None for d in shape) > 1:
        return x
    return p.emit(f"stablehlo.broadcast_in_dim {x.name}, dims = {dims(k for k in range(len(shape)) if k != at)} : ({p.of(x)}) -> {p.type(shape)}", shape)  # fmt: skip


def sort(p, x):
    d = p.rng.randrange(len(x.shape))
    return p.emit(f'"stablehlo.sort"({x.name}) <{{dimension = {d} : i64, is_stable = true}}> ({{\n'
                  f"  ^bb0(%x: tensor<f32>, %y: tensor<f32>):\n"
                  f"    %c = stablehlo.compare {p.rng.choice(('LT', 'GT'))}, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
                  f"    stablehlo.return %c : tensor<i1>\n  }}) : ({p.of(x)}) -> {p.of(x)}", x.shape)  # fmt: skip


def window(p, x):
    """A window along one dimension; along all of a bounded one it is a cumulative sum."""
    d = p.rng.randrange(len(x.shape))
    n, stride, low = p.rng.randint(1, 3), p.rng.randint(1, 2), p.rng.randint(0, 2)
    high = p.rng.randint(0, 1)
    count = lambda size: max(0, (size + low + high - n) // stride + 1) if size + low + high >= n else 0
    out = Dim(count(x.shape[d].size), x.shape[d].bound is not None and count(x.shape[d].bound) or None)
    if (x.shape[d].bound is not None) != (out.bound is not None):
        return x
    shape = [*x.shape[:d], out, *x.shape[d + 1 :]]
    at = lambda value: dims(value if k == d else 1 for k in range(len(x.shape)))
    padding = dims(f"[{low}, {high}]" if k == d else "[0, 0]" for k in range(len(x.shape)))
    zero = constant(p, "0.0")
    return p.emit(f'"stablehlo.reduce_window"({x.name}, {zero}) <{{window_dimensions = array<i64: {at(n)[1:-1]}>, '
                  f"window_strides = array<i64: {at(stride)[1:-1]}>, padding = dense<{padding}> : tensor<{len(x.shape)}x2xi64>}}> ({{\n"
                  f"  ^bb0(%x: tensor<f32>, %y: tensor<f32>):\n    %c = stablehlo.add %x, %y : tensor<f32>\n"
                  f"    stablehlo.return %c : tensor<f32>\n  }}) : ({p.of(x)}, tensor<f32>) -> {p.type(shape)}", shape)  # fmt: skip


def reshape(p, x):
    """Two neighbours become one."""
    if len(x.shape) < 2 or sum(d.bound is not None for d in x.shape) > 1:
        return x
    d = p.rng.randrange(len(x.shape) - 1)
    a, b = x.shape[d : d + 2]
    joined = Dim(a.size * b.size, a.room * b.room if (a.bound, b.bound) != (None, None) else None)
    shape = [*x.shape[:d], joined, *x.shape[d + 2 :]]
    return p.emit(f"stablehlo.reshape {x.name} : ({p.of(x)}) -> {p.type(shape)}", shape)


def set_size(p, x):
    """A static dimension is used in part: in the static program it is cut."""
    free = [d for d, e in enumerate(x.shape) if e.bound is None and e.size > 0]
    if not free:
        return x
    d = p.rng.choice(free)
    size = p.rng.randint(0, x.shape[d].size)
    n = p.emit(f"stablehlo.constant dense<{size}> : tensor<i32>", [], "i32")
    shape = [*x.shape[:d], Dim(size, x.shape[d].size), *x.shape[d + 1 :]]
    of, to = p.of(x), p.type(shape)
    ranges = ", ".join(f"0:{size if k == d else e.size}" for k, e in enumerate(x.shape))
    return p.emit_two(f"stablehlo.set_dimension_size {x.name}, {n.name}, dim = {d} : ({of}, tensor<i32>) -> {to}",
                      f"stablehlo.slice {x.name} [{ranges}] : ({of}) -> {to}", shape)  # fmt: skip


def scaled_by_size(p, x):
    d = p.rng.randrange(len(x.shape))
    n = p.emit(f"stablehlo.get_dimension_size {x.name}, dim = {d} : ({p.of(x)}) -> tensor<i32>", [], "i32")
    f = p.emit(f"stablehlo.convert {n.name} : (tensor<i32>) -> tensor<f32>", [])
    return p.emit(f"stablehlo.clamp {f.name}, {x.name}, {f.name} : (tensor<f32>, {p.of(x)}, tensor<f32>) -> {p.of(x)}", x.shape)  # fmt: skip


def loop(p, x):
    """Three times around."""
    zero, one, three = (p.emit(f"stablehlo.constant dense<{k}> : tensor<i32>", [], "i32").name for k in (0, 1, 3))
    t, name = p.of(x), f"%v{p.count}"
    p.count += 1
    p.lines.append((f"{name}:2 = stablehlo.while(%i = {zero}, %x = {x.name}) : tensor<i32>, {t}\n"
                    f"  cond {{\n    %c = stablehlo.compare LT, %i, {three} : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
                    f"    stablehlo.return %c : tensor<i1>\n  }} do {{\n    %y = stablehlo.cosine %x : {t}\n"
                    f"    %j = stablehlo.add %i, {one} : tensor<i32>\n    stablehlo.return %j, %y : tensor<i32>, {t}\n  }}", None))  # fmt: skip
    value = Value(name + "#1", x.shape)
    p.values.append(value)
    return value


def branch(p, x):
    flag = p.emit(f"stablehlo.constant dense<{p.rng.choice(('true', 'false'))}> : tensor<i1>", [], "i1").name
    t = p.of(x)
    return p.emit(f'"stablehlo.if"({flag}) ({{\n    stablehlo.return {x.name} : {t}\n  }}, {{\n'
                  f"    %y = stablehlo.exponential_minus_one {x.name} : {t}\n    stablehlo.return %y : {t}\n  }}) : (tensor<i1>) -> {t}", x.shape)  # fmt: skip


def slice_(p, x):
    """Of whole bounded dimensions, and parts of the others."""
    starts, limits = [], []
    for d in x.shape:
        low = p.rng.randint(0, d.size) if d.bound is None else 0
        starts.append(low)
        limits.append(p.rng.randint(low, d.size) if d.bound is None else None)
    shape = [Dim(h - l) if h is not None else d for l, h, d in zip(starts, limits, x.shape)]
    spell = lambda room: ", ".join(f"{l}:{room(d) if h is None else h}" for l, h, d in zip(starts, limits, x.shape))
    of, to = p.of(x), p.type(shape)
    return p.emit_two(f"stablehlo.slice {x.name} [{spell(lambda d: d.bound)}] : ({of}) -> {to}",
                      f"stablehlo.slice {x.name} [{spell(lambda d: d.size)}] : ({of}) -> {to}", shape)  # fmt: skip


OPS = (unary, binary, reduce, transpose, dot, concatenate, pad, reverse, broadcast, sort, window, reshape, set_size,
       scaled_by_size, loop, branch, slice_)  # fmt: skip


def make(rng):
    p = Program(rng)
    bound = rng.randint(1, 7)
    n = Dim(rng.randint(0, bound), bound)
    for _ in range(rng.randint(1, 2)):
        shape = [Dim(rng.randint(1, 4)) for _ in range(rng.randint(0, 2))]
        shape.insert(rng.randint(0, len(shape)), n)
        p.argument(shape)
    for _ in range(rng.randint(1, 6)):
        x = rng.choice([v for v in p.values if v.shape and v.element == "f32"])
        if np.prod([d.room for d in x.shape]) < 3000:
            rng.choice(OPS)(p, x)
    results = [v for v in p.values if v.element == "f32"][-3:]
    data = np.random.default_rng(rng.seed_value)
    arguments = [data.standard_normal([d.size for d in a.shape]).astype(np.float32) for a in p.arguments]
    return p, results, arguments


tally = oracle.Tally("bounded")
for rng in oracle.generators(args):
    program, results, arguments = make(rng)
    bounded, static = program.text(results, False), program.text(results, True)
    try:
        wanted = by_xla(static, arguments)
    except Exception as error:
        tally.fail(rng.name, f"XLA refuses: {error}\n{static}")
        continue
    try:
        got = by_ours(bounded, arguments, len(results))
    except oracle.OurError as error:
        tally.fail(rng.name, f"{error}\n{bounded}")
        continue
    problem = ""
    for i, (x, y) in enumerate(zip(got, wanted)):
        if x.shape != y.shape:
            problem = f"result {i}: shape {x.shape}, expected {y.shape}"
        elif not np.allclose(x, y, rtol=2e-5, atol=1e-5 * max(1, np.abs(y[np.isfinite(y)]).max(initial=0)), equal_nan=True):
            problem = f"result {i}: {x}, expected {y}"
    tally.check(rng.name, not problem, f"{problem}\n{bounded}")
tally.finish()
