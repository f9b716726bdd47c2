#===- bounded.py - bounded dimensions against static ones -----------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Random programs on tensors with bounded dimensions run on arrays of any size within the bounds. The
results must be those of XLA for the same program with these sizes as static ones."""

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
    """Lines with `@i@` for type number i, which is replaced in the bounded and in the static form."""

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
        """Emits a line that differs between the two forms."""
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
    y = p.rng.choice([v for v in p.values if v.element == x.element and len(v.shape) == len(x.shape) and all(map(Dim.same, v.shape, x.shape))])
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
    pairs = [(v, i, j) for v in p.values if v.element == x.element for i, d in enumerate(x.shape) for j, e in enumerate(v.shape) if d.same(e)]
    y, i, j = p.rng.choice(pairs)
    shape = [d for k, d in enumerate(x.shape) if k != i] + [d for k, d in enumerate(y.shape) if k != j]
    if len(shape) > 4:
        return x
    return p.emit(f"stablehlo.dot_general {x.name}, {y.name}, contracting_dims = [{i}] x [{j}] : ({p.of(x)}, {p.of(y)}) -> {p.type(shape)}", shape)  # fmt: skip


def concatenate(p, x):
    d = p.rng.randrange(len(x.shape))
    fits = [v for v in p.values if v.element == x.element and len(v.shape) == len(x.shape)
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
    """A window along one dimension; along an entire bounded one it is a cumulative sum."""
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
    """Merges two adjacent dimensions."""
    if len(x.shape) < 2 or sum(d.bound is not None for d in x.shape) > 1:
        return x
    d = p.rng.randrange(len(x.shape) - 1)
    a, b = x.shape[d : d + 2]
    joined = Dim(a.size * b.size, a.room * b.room if (a.bound, b.bound) != (None, None) else None)
    shape = [*x.shape[:d], joined, *x.shape[d + 2 :]]
    return p.emit(f"stablehlo.reshape {x.name} : ({p.of(x)}) -> {p.type(shape)}", shape)


def set_size(p, x):
    """Sets the used size of a static dimension; the static program slices it."""
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
    """A loop of three iterations."""
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
    """Slices: bounded dimensions in full, parts of the others."""
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


def size_of(p, x, d):
    return p.emit(f"stablehlo.get_dimension_size {x.name}, dim = {d} : ({p.of(x)}) -> tensor<i32>", [], "i32").name


def shape_list(p, entries):
    """Returns a list of sizes: numbers, and names of scalars that the program computes."""
    parts = []
    for e in entries:
        if isinstance(e, int):
            parts.append(p.emit(f"stablehlo.constant dense<{e}> : tensor<1xi32>", [Dim(1)], "i32").name)
        else:
            parts.append(p.emit(f"stablehlo.reshape {e} : (tensor<i32>) -> tensor<1xi32>", [Dim(1)], "i32").name)
    types = ", ".join(["tensor<1xi32>"] * len(parts))
    return p.emit(f"stablehlo.concatenate {', '.join(parts)}, dim = 0 : ({types}) -> tensor<{len(parts)}xi32>", [Dim(len(parts))], "i32").name


def sizes(p, x):
    return [size_of(p, x, d) if e.bound is not None else e.size for d, e in enumerate(x.shape)]


def matrix_of(p, x, d):
    """Returns a positive definite matrix of the size of dimension d."""
    e, n = x.shape[d], x.shape[d].room
    data = np.random.default_rng(p.count)
    a = data.standard_normal((n, n)).astype(np.float32)
    a = a @ a.T + 3 * np.eye(n, dtype=np.float32)
    text = np.array2string(a, separator=",", threshold=10**6, formatter={"float": lambda v: f"{v:.4f}"}).replace("\n", "")
    whole = p.emit(f"stablehlo.constant dense<{text}> : tensor<{n}x{n}xf32>", [Dim(n), Dim(n)])
    if e.bound is None:
        return whole
    size = size_of(p, x, d)
    for k in range(2):
        shape = [Dim(e.size, e.bound) if j == k else f for j, f in enumerate(whole.shape)]
        of, to = p.of(whole), p.type(shape)
        ranges = ", ".join(f"0:{f.size}" for f in shape)
        whole = p.emit_two(f"stablehlo.set_dimension_size {whole.name}, {size}, dim = {k} : ({of}, tensor<i32>) -> {to}",
                           f"stablehlo.slice {whole.name} [{ranges}] : ({of}) -> {to}", shape)  # fmt: skip
    return whole


def cholesky(p, x):
    d = p.rng.randrange(len(x.shape))
    if not 0 < x.shape[d].size or x.shape[d].room > 8:
        return x
    a = matrix_of(p, x, d)
    lower = p.rng.random() < 0.5
    l = p.emit(f'"stablehlo.cholesky"({a.name}) <{{lower = {str(lower).lower()}}}> : ({p.of(a)}) -> {p.of(a)}', a.shape)
    # The contents of the other triangle are unspecified.
    rows, columns = (p.emit_two(f"stablehlo.dynamic_iota {shape_list(p, sizes(p, l))}, dim = {k} : (tensor<2xi32>) -> {p.type(l.shape, 'i32')}",
                                f"stablehlo.iota dim = {k} : {p.type(l.shape, 'i32')}", l.shape, "i32").name for k in (0, 1))  # fmt: skip
    kind, flags = p.type(l.shape, "i32"), p.type(l.shape, "i1")
    keep = p.emit(f"stablehlo.compare {'GE' if lower else 'LE'}, {rows}, {columns} : ({kind}, {kind}) -> {flags}", l.shape, "i1").name
    t = p.of(l)
    zero = p.emit(f"stablehlo.subtract {l.name}, {l.name} : {t}", l.shape).name
    l = p.emit(f"stablehlo.select {keep}, {l.name}, {zero} : {flags}, {t}", l.shape)
    if len(x.shape) != 2:
        return l
    left = str(d == 0).lower()
    transpose = p.rng.choice(("NO_TRANSPOSE", "TRANSPOSE"))
    return p.emit(f'"stablehlo.triangular_solve"({l.name}, {x.name}) <{{left_side = {left}, lower = {str(lower).lower()}, unit_diagonal = false, '
                  f"transpose_a = #stablehlo<transpose {transpose}>}}> : ({t}, {p.of(x)}) -> {p.of(x)}", x.shape)  # fmt: skip


def fft(p, x):
    n = x.shape[-1]
    if n.bound is not None or n.size == 0:
        return x
    shape = [*x.shape[:-1], Dim(n.size // 2 + 1)]
    y = p.emit(f"stablehlo.fft {x.name}, type = RFFT, length = [{n.size}] : ({p.of(x)}) -> {p.type(shape, 'complex<f32>')}", shape, "complex<f32>")
    return p.emit(f"stablehlo.real {y.name} : ({p.of(y)}) -> {p.type(shape)}", shape)


def select_and_scatter(p, x):
    d = p.rng.randrange(len(x.shape))
    n, stride, low, high = p.rng.randint(1, 3), p.rng.randint(1, 2), p.rng.randint(0, 1), p.rng.randint(0, 1)
    low, high = min(low, n - 1), min(high, n - 1)
    count = lambda size: (size + low + high - n) // stride + 1 if size + low + high >= n else 0
    if not all(e.size for e in x.shape):
        return x
    out = Dim(count(x.shape[d].size), x.shape[d].bound and count(x.shape[d].bound) or None)
    if (x.shape[d].bound is not None) != (out.bound is not None):
        return x
    shape = [*x.shape[:d], out, *x.shape[d + 1 :]]
    at = lambda value: dims(value if k == d else 1 for k in range(len(x.shape)))[1:-1]
    padding = dims(f"[{low}, {high}]" if k == d else "[0, 0]" for k in range(len(x.shape)))
    attributes = (f"window_dimensions = array<i64: {at(n)}>, window_strides = array<i64: {at(stride)}>, "
                  f"padding = dense<{padding}> : tensor<{len(x.shape)}x2xi64>")  # fmt: skip
    zero = constant(p, "0.0")
    source = p.emit(f'"stablehlo.reduce_window"({x.name}, {zero}) <{{{attributes}}}> ({{\n'
                    f"  ^bb0(%x: tensor<f32>, %y: tensor<f32>):\n    %c = stablehlo.add %x, %y : tensor<f32>\n"
                    f"    stablehlo.return %c : tensor<f32>\n  }}) : ({p.of(x)}, tensor<f32>) -> {p.type(shape)}", shape)  # fmt: skip
    start = constant(p, "0.5")
    return p.emit(f'"stablehlo.select_and_scatter"({x.name}, {source.name}, {start}) <{{{attributes}}}> ({{\n'
                  f"  ^bb0(%x: tensor<f32>, %y: tensor<f32>):\n"
                  f"    %c = stablehlo.compare {p.rng.choice(('GE', 'LE'))}, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
                  f"    stablehlo.return %c : tensor<i1>\n  }}, {{\n"
                  f"  ^bb0(%x: tensor<f32>, %y: tensor<f32>):\n    %c = stablehlo.add %x, %y : tensor<f32>\n"
                  f"    stablehlo.return %c : tensor<f32>\n  }}) : ({p.of(x)}, {p.of(source)}, tensor<f32>) -> {p.of(x)}", x.shape)  # fmt: skip


def scatter(p, x):
    """Windows, some of them of bounded size, scattered into a larger operand."""
    target = [Dim(e.room + p.rng.randint(0, 3)) for e in x.shape]
    text = "x".join(str(e.size) for e in target)
    into = p.emit(f"stablehlo.constant dense<2.5> : tensor<{text}xf32>", target)
    start = [p.rng.randint(0, t.size - e.room) for t, e in zip(target, x.shape)]
    at = p.emit(f"stablehlo.constant dense<{dims(start)}> : tensor<{len(start)}xi32>", [Dim(len(start))], "i32").name
    every = dims(range(len(start)))
    numbers = f"#stablehlo.scatter<update_window_dims = {every}, scatter_dims_to_operand_dims = {every}, index_vector_dim = 0>"
    body = p.rng.choice(("stablehlo.add %x, %y", "stablehlo.subtract %y, %x", "stablehlo.maximum %x, %y"))
    return p.emit(f'"stablehlo.scatter"({into.name}, {at}, {x.name}) <{{scatter_dimension_numbers = {numbers}}}> ({{\n'
                  f"  ^bb0(%x: tensor<f32>, %y: tensor<f32>):\n    %c = {body} : tensor<f32>\n"
                  f"    stablehlo.return %c : tensor<f32>\n  }}) : ({p.of(into)}, tensor<{len(start)}xi32>, {p.of(x)}) -> {p.of(into)}", target)  # fmt: skip


def convolution(p, x):
    """The bounded dimension is the kernel's or the input's, or it determines the padding."""
    free = [d for d, e in enumerate(x.shape) if e.bound is not None]
    if len(free) != 1 or x.shape[free[0]].size == 0:
        return x
    n = x.shape[free[0]]
    zero = constant(p, "0.0")
    others = dims(d for d in range(len(x.shape)) if d != free[0])
    line = p.emit(f"stablehlo.reduce({x.name} init: {zero}) applies stablehlo.add across dimensions = {others} : "
                  f"({p.of(x)}, tensor<f32>) -> {p.type([n])}", [n])  # fmt: skip
    shape = [n, Dim(1), Dim(1)]
    line = p.emit(f"stablehlo.reshape {line.name} : ({p.of(line)}) -> {p.type(shape)}", shape)
    k = p.rng.randint(1, 9)
    text = ",".join(f"[[{(7 * i) % 5 - 1.5}]]" for i in range(k))
    other = p.emit(f"stablehlo.constant dense<[{text}]> : tensor<{k}x1x1xf32>", [Dim(k), Dim(1), Dim(1)])
    stride, base, dilation, low, high = p.rng.randint(1, 2), p.rng.randint(1, 2), p.rng.randint(1, 2), p.rng.randint(-1, 3), p.rng.randint(0, 3)
    isKernel, isDynamic, flip = p.rng.random() < 0.5, p.rng.random() < 0.3, p.rng.choice(("true", "false"))
    lhs, rhs = (other, line) if isKernel else (line, other)
    long = lambda m, by: (m - 1) * by + 1 if m else 0
    count = lambda a, b, h: max(0, (long(a, base) + low + h - long(b, dilation)) // stride + 1)
    top = lambda m: m if isDynamic else high
    size = count(lhs.shape[0].size, rhs.shape[0].size, top(n.size))
    # The maximum of all elements.
    room = max([count(m if lhs is line else k, m if rhs is line else k, top(m)) for m in range(n.bound + 1)])
    if room == 0 or min(long(lhs.shape[0].size, base) + low + top(n.size), k) < 1:
        return x
    out = [Dim(size, room), Dim(1), Dim(1)]
    attributes = (f"dimension_numbers = #stablehlo.conv<[0, b, f]x[0, i, o]->[0, b, f]>, window_strides = array<i64: {stride}>, "
                  f"lhs_dilation = array<i64: {base}>, rhs_dilation = array<i64: {dilation}>, window_reversal = array<i1: {flip}>, "
                  f"feature_group_count = 1 : i64, batch_group_count = 1 : i64")  # fmt: skip
    of = f"({p.of(lhs)}, {p.of(rhs)})"
    given = f'"stablehlo.convolution"({lhs.name}, {rhs.name}) <{{{attributes}, padding = dense<[[{low}, {top(n.size)}]]> : tensor<1x2xi64>}}> : {of} -> {p.type(out)}'
    if not isDynamic:
        return p.emit(given, out)
    pads = shape_list(p, [low, size_of(p, x, free[0])])
    pads = p.emit(f"stablehlo.reshape {pads} : (tensor<2xi32>) -> tensor<1x2xi32>", [Dim(1), Dim(2)], "i32").name
    of = of[:-1] + ", tensor<1x2xi32>)"
    return p.emit_two(f'"stablehlo.dynamic_conv"({lhs.name}, {rhs.name}, {pads}) <{{{attributes}}}> : {of} -> {p.type(out)}', given, out)


def bits(p, x):
    """Uses arguments only: the last bits of computed values may differ."""
    if x not in p.arguments:
        return x
    y = p.emit(f"stablehlo.bitcast_convert {x.name} : ({p.of(x)}) -> {p.type(x.shape, 'i32')}", x.shape, "i32")
    y = p.emit(f"stablehlo.negate {y.name} : {p.of(y)}", y.shape, "i32")
    shape = [*x.shape, Dim(2)]
    y = p.emit(f"stablehlo.bitcast_convert {y.name} : ({p.of(y)}) -> {p.type(shape, 'i16')}", shape, "i16")
    return p.emit(f"stablehlo.convert {y.name} : ({p.of(y)}) -> {p.type(shape)}", shape)


def mapped(p, x):
    return p.emit(f'"stablehlo.map"({x.name}) <{{dimensions = array<i64: {dims(range(len(x.shape)))[1:-1]}>}}> ({{\n'
                  f"  ^bb0(%x: tensor<f32>):\n    %y = stablehlo.multiply %x, %x : tensor<f32>\n"
                  f"    stablehlo.return %y : tensor<f32>\n  }}) : ({p.of(x)}) -> {p.of(x)}", x.shape)  # fmt: skip


def dynamic_broadcast(p, x):
    if len(x.shape) > 2:
        return x
    n = Dim(p.rng.randint(1, 3))
    shape = [n, *x.shape]
    entries = shape_list(p, [n.size, *sizes(p, x)])
    at = dims(range(1, len(shape)))
    of, to = p.of(x), p.type(shape)
    return p.emit_two(f"stablehlo.dynamic_broadcast_in_dim {x.name}, {entries}, dims = {at} : ({of}, tensor<{len(shape)}xi32>) -> {to}",
                      f"stablehlo.broadcast_in_dim {x.name}, dims = {at} : ({of}) -> {to}", shape)  # fmt: skip


def dynamic_iota(p, x):
    d = p.rng.randrange(len(x.shape))
    entries, t = shape_list(p, sizes(p, x)), p.of(x)
    return p.emit_two(f"stablehlo.dynamic_iota {entries}, dim = {d} : (tensor<{len(x.shape)}xi32>) -> {t}", f"stablehlo.iota dim = {d} : {t}", x.shape)


def dynamic_reshape(p, x):
    """Adds a dimension of size 1, by a list of sizes."""
    at = p.rng.randint(0, len(x.shape))
    entries = sizes(p, x)
    entries.insert(at, 1)
    shape = [*x.shape[:at], Dim(1), *x.shape[at:]]
    of, to, entries = p.of(x), p.type(shape), shape_list(p, entries)
    return p.emit_two(f"stablehlo.dynamic_reshape {x.name}, {entries} : ({of}, tensor<{len(shape)}xi32>) -> {to}",
                      f"stablehlo.reshape {x.name} : ({of}) -> {to}", shape)  # fmt: skip


def dynamic_pad(p, x):
    """Pads a dimension by the size of another."""
    free = [d for d, e in enumerate(x.shape) if e.bound is not None]
    if not free:
        return x
    n, d = x.shape[free[0]], p.rng.randrange(len(x.shape))
    inner = p.rng.randint(0, 1)
    e = x.shape[d]
    long = lambda m: m + max(m - 1, 0) * inner
    shape = [*x.shape[:d], Dim(n.size + long(e.size), n.bound + long(e.room)), *x.shape[d + 1 :]]
    zeros, name = shape_list(p, [0] * len(shape)), size_of(p, x, free[0])
    low = shape_list(p, [name if k == d else 0 for k in range(len(shape))])
    holes = shape_list(p, [inner if k == d else 0 for k in range(len(shape))])
    value, of, to, t = constant(p, "-1.5"), p.of(x), p.type(shape), f"tensor<{len(shape)}xi32>"
    at = lambda v: dims(v if k == d else 0 for k in range(len(shape)))
    return p.emit_two(f"stablehlo.dynamic_pad {x.name}, {value}, {low}, {zeros}, {holes} : ({of}, tensor<f32>, {t}, {t}, {t}) -> {to}",
                      f"stablehlo.pad {x.name}, {value}, low = {at(n.size)}, high = {at(0)}, interior = {at(inner)} : ({of}, tensor<f32>) -> {to}", shape)  # fmt: skip


def dynamic_slice(p, x):
    """Takes all elements except the first, or every second."""
    rank = len(x.shape)
    start = [p.rng.randint(0, 1) if e.size else 0 for e in x.shape]
    step = [p.rng.randint(1, 2) for _ in x.shape]
    count = lambda n, d: max(0, (n - start[d] + step[d] - 1) // step[d])
    shape = [Dim(count(e.size, d), e.bound is not None and count(e.bound, d) or None) for d, e in enumerate(x.shape)]
    if any((a.bound is None) != (b.bound is None) for a, b in zip(shape, x.shape)):
        return x
    first, limits, steps = shape_list(p, start), shape_list(p, sizes(p, x)), shape_list(p, step)
    of, to, t = p.of(x), p.type(shape), f"tensor<{rank}xi32>"
    ranges = ", ".join(f"{s}:{e.size}:{k}" for s, e, k in zip(start, x.shape, step))
    return p.emit_two(f"stablehlo.real_dynamic_slice {x.name}, {first}, {limits}, {steps} : ({of}, {t}, {t}, {t}) -> {to}",
                      f"stablehlo.slice {x.name} [{ranges}] : ({of}) -> {to}", shape)  # fmt: skip


def dynamic_gather(p, x):
    """Gathers rows of a static dimension; the row length is bounded."""
    free = [d for d, e in enumerate(x.shape) if e.bound is None and e.size > 0]
    if not free or any(e.size == 0 for e in x.shape):
        return x
    d = p.rng.choice(free)
    rows = [p.rng.randrange(x.shape[d].size) for _ in range(2)]
    indices = p.emit(f"stablehlo.constant dense<{rows}> : tensor<2xi32>", [Dim(2)], "i32").name
    rest = [e for k, e in enumerate(x.shape) if k != d]
    slices = sizes(p, x)
    slices[d] = 1
    shape, r = [Dim(2), *rest], len(x.shape)
    entries, of, to = shape_list(p, slices), p.of(x), p.type(shape)
    numbers = f"#stablehlo.gather<offset_dims = {dims(range(1, r))}, collapsed_slice_dims = [{d}], start_index_map = [{d}], index_vector_dim = 1>"
    static = dims(1 if k == d else e.size for k, e in enumerate(x.shape))[1:-1]
    return p.emit_two(f'"stablehlo.dynamic_gather"({x.name}, {indices}, {entries}) <{{dimension_numbers = {numbers}}}> : ({of}, tensor<2xi32>, tensor<{r}xi32>) -> {to}',
                      f'"stablehlo.gather"({x.name}, {indices}) <{{dimension_numbers = {numbers}, slice_sizes = array<i64: {static}>}}> : ({of}, tensor<2xi32>) -> {to}', shape)  # fmt: skip


OPS = (unary, binary, reduce, transpose, dot, concatenate, pad, reverse, broadcast, sort, window, reshape, set_size,
       scaled_by_size, loop, branch, slice_, cholesky, fft, select_and_scatter, scatter, convolution, bits, mapped,
       dynamic_broadcast, dynamic_iota, dynamic_reshape, dynamic_pad, dynamic_slice, dynamic_gather)  # fmt: skip


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


def known(case, text, arguments, expected, rtol=1e-5):
    """Checks results that XLA cannot compute with static sizes."""
    try:
        got = by_ours(text, arguments, len(expected))
    except oracle.OurError as error:
        return tally.fail(case, f"{error}\n{text}")
    same = all(x.shape == np.shape(y) and np.allclose(x, y, rtol=rtol, atol=rtol) for x, y in zip(got, expected))
    tally.check(case, same, f"{got}, expected {expected}\n{text}")


data = np.random.default_rng(5)
x = data.standard_normal((5, 2)).astype(np.float32)
# Each device contributes as many rows as its number.
known("all_gather", """module attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
func.func @main(%x: tensor<5x2xf32>) -> (tensor<?x2xf32, #stablehlo.bounds<20, ?>>, tensor<i32>) {
  %id = stablehlo.partition_id : tensor<ui32>
  %n = stablehlo.convert %id : (tensor<ui32>) -> tensor<i32>
  %b = stablehlo.set_dimension_size %x, %n, dim = 0 : (tensor<5x2xf32>, tensor<i32>) -> tensor<?x2xf32, #stablehlo.bounds<5, ?>>
  %g = "stablehlo.all_gather"(%b) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>,
    channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> : (tensor<?x2xf32, #stablehlo.bounds<5, ?>>) -> tensor<?x2xf32, #stablehlo.bounds<20, ?>>
  %s = stablehlo.get_dimension_size %g, dim = 0 : (tensor<?x2xf32, #stablehlo.bounds<20, ?>>) -> tensor<i32>
  return %g, %s : tensor<?x2xf32, #stablehlo.bounds<20, ?>>, tensor<i32>
}}""", [x], [np.concatenate([x[:k] for k in range(4)]), np.int32(6)])  # fmt: skip
known("reduce_scatter", """module attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {
func.func @main(%x: tensor<?x4xf32, #stablehlo.bounds<7, ?>>) -> tensor<?x2xf32, #stablehlo.bounds<7, ?>> {
  %g = "stablehlo.reduce_scatter"(%x) <{scatter_dimension = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>,
    channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<?x4xf32, #stablehlo.bounds<7, ?>>) -> tensor<?x2xf32, #stablehlo.bounds<7, ?>>
  return %g : tensor<?x2xf32, #stablehlo.bounds<7, ?>>
}}""", [np.ones((3, 4), np.float32)], [np.full((3, 2), 2)])  # fmt: skip
known("PadToStatic, SliceToDynamic", """func.func @main(%x: tensor<?x2xf32, #stablehlo.bounds<5, ?>>) -> tensor<?x2xf32, #stablehlo.bounds<5, ?>> {
  %p:3 = stablehlo.custom_call @PadToStatic(%x) : (tensor<?x2xf32, #stablehlo.bounds<5, ?>>) -> (tensor<5x2xf32>, tensor<i32>, tensor<i32>)
  %one = stablehlo.constant dense<1> : tensor<i32>
  %n = stablehlo.subtract %p#1, %one : tensor<i32>
  %y = stablehlo.negate %p#0 : tensor<5x2xf32>
  %r = stablehlo.custom_call @SliceToDynamic(%y, %n, %p#2) : (tensor<5x2xf32>, tensor<i32>, tensor<i32>) -> tensor<?x2xf32, #stablehlo.bounds<5, ?>>
  return %r : tensor<?x2xf32, #stablehlo.bounds<5, ?>>
}""", [x[:4]], [-x[:3]])  # fmt: skip
a = data.standard_normal((3, 4, 4)).astype(np.float32)
a = a @ a.transpose(0, 2, 1) + 4 * np.eye(4, dtype=np.float32)
known("lapack", """func.func @main(%x: tensor<?x4x4xf32, #stablehlo.bounds<6, ?, ?>>) -> tensor<?x4xf32, #stablehlo.bounds<6, ?>> {
  %0:3 = stablehlo.custom_call @lapack_ssyevd_ffi(%x) {mhlo.backend_config = {mode = 86 : ui8, uplo = 76 : ui8},
    operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 0]> : tensor<2xindex>, dense<0> : tensor<1xindex>]}
    : (tensor<?x4x4xf32, #stablehlo.bounds<6, ?, ?>>) -> (tensor<?x4x4xf32, #stablehlo.bounds<6, ?, ?>>, tensor<?x4xf32, #stablehlo.bounds<6, ?>>, tensor<?xi32, #stablehlo.bounds<6>>)
  return %0#1 : tensor<?x4xf32, #stablehlo.bounds<6, ?>>
}""", [a], [np.linalg.eigvalsh(a)], 1e-4)  # fmt: skip
# Splats are extended by the same element.
known("broadcast of one", """func.func @main(%x: tensor<?xf32, #stablehlo.bounds<5>>, %y: tensor<?xf32, #stablehlo.bounds<5>>) -> tensor<?xf32, #stablehlo.bounds<5>> {
  %n = stablehlo.get_dimension_size %y, dim = 0 : (tensor<?xf32, #stablehlo.bounds<5>>) -> tensor<i32>
  %s = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %b = stablehlo.dynamic_broadcast_in_dim %x, %s, dims = [0] : (tensor<?xf32, #stablehlo.bounds<5>>, tensor<1xi32>) -> tensor<?xf32, #stablehlo.bounds<5>>
  %r = stablehlo.add %b, %y : tensor<?xf32, #stablehlo.bounds<5>>
  return %r : tensor<?xf32, #stablehlo.bounds<5>>
}""", [x[:1, 0], x[:4, 1]], [x[:1, 0] + x[:4, 1]])  # fmt: skip
tally.finish()
