#===- quantized.py - quantized types between dequantized ends --------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//

import numpy as np

from ops.case import op, tensor

LIMITS = {"i8": (-128, 127), "ui8": (0, 255), "i4": (-8, 7), "i16": (-32768, 32767)}


class Quantized:
    def __init__(self, c, storage=None, zero=None):
        self.storage = storage or c.rng.choice(("i8", "i8", "ui8", "i4", "i16"))
        self.low, self.high = LIMITS[self.storage]
        self.scale = c.rng.choice((0.5, 0.125, 1.0, 0.1, 2.0))
        self.zero = c.rng.randint(max(self.low, -20), min(self.high, 20)) if zero is None else zero

    def type(self, shape):
        return tensor(shape, f"!quant.uniform<{'u' if self.storage[0] == 'u' else 'i'}{self.storage.lstrip('ui')}:f32, {self.scale}:{self.zero}>")

    def quantize(self, x):
        return np.clip(np.rint(x.astype(np.float32) / np.float32(self.scale)) + self.zero, self.low, self.high)

    def dequantize(self, q):
        return ((q - self.zero) * np.float32(self.scale)).astype(np.float32)

    def round(self, x):
        return self.dequantize(self.quantize(x))


@op("stablehlo.uniform_quantize", ["f32"])
def there_and_back(c, e):
    q, shape = Quantized(c), c.shape()
    x = c.arg(shape, e, data=c.random(shape, e, False) * 10)
    v = c.op(f"stablehlo.uniform_quantize {x} : ({x.type}) -> {q.type(shape)}", shape, e)
    c.result(c.op(f"stablehlo.uniform_dequantize {v} : ({q.type(shape)}) -> {x.type}", shape, e), q.round(c.data[0]), ulps=1)


def elementwise(name, function, arity):
    @op(f"stablehlo.{name} quantized", ["f32"])
    def generate(c, e):
        shape, result = c.shape(), Quantized(c)
        kinds, values, exact = [], [], []
        for _ in range(arity):
            q = Quantized(c) if name != "transpose" else result
            x = c.arg(shape, e, data=c.random(shape, e, False) * 4)
            kinds.append(result.type(shape))
            values.append(c.op(f"stablehlo.uniform_quantize {x} : ({x.type}) -> {result.type(shape)}", shape, e))
            exact.append(result.round(c.data[-1]))
        t = result.type(shape)
        v = c.op(f"stablehlo.{name} {', '.join(map(str, values))} : {t}", shape, e)
        reference = result.round(function(*exact).astype(np.float32))
        # If the exact value is halfway between two codes, either is correct.
        c.result(c.op(f"stablehlo.uniform_dequantize {v} : ({t}) -> {tensor(shape, e)}", shape, e), reference,
                 scale=np.full(shape, result.scale), ulps=2**24)  # fmt: skip


elementwise("add", np.add, 2)
elementwise("multiply", np.multiply, 2)
elementwise("subtract", np.subtract, 2)
elementwise("maximum", np.maximum, 2)
elementwise("negate", np.negative, 1)
elementwise("tanh", np.tanh, 1)
elementwise("abs", np.abs, 1)

# --- beyond elementwise arithmetic ----------------------------------------------------------


def quantized(c, q, shape, spread=4.0):
    """Returns a quantized value of random numbers, and the numbers that it represents."""
    x = c.arg(shape, "f32", data=c.random(shape, "f32", False) * spread)
    return c.op(f"stablehlo.uniform_quantize {x} : ({x.type}) -> {q.type(shape)}", shape, "f32"), q.round(c.data[-1])


def result(c, v, q, reference, quanta=0):
    """Adds a result that must be within `quanta` quanta of the reference."""
    shape = reference.shape
    d = c.op(f"stablehlo.uniform_dequantize {v} : ({q.type(shape)}) -> {tensor(shape, 'f32')}", shape, "f32")
    if not quanta:
        return c.result(d, reference, ulps=1)
    c.result(d)

    def check(found):
        error = np.max(np.abs(found[0] - reference), initial=0)
        return None if error <= quanta * q.scale * 1.001 else f"off by {error / q.scale} quanta\n{found[0]}\nexpected\n{reference}"

    c.check(check)


MOVES = {
    "transpose": lambda t, to: (f"dims = [1, 0] : ({t}) -> {to}", lambda x: x.T, lambda m, n: (n, m)),
    "reshape": lambda t, to: (f": ({t}) -> {to}", lambda x: x.reshape(-1), lambda m, n: (m * n,)),
    "reverse": lambda t, to: (f"dims = [0] : {t}", lambda x: x[::-1], lambda m, n: (m, n)),
    "slice": lambda t, to: (f"[0:1, 0:1] : ({t}) -> {to}", lambda x: x[:1, :1], lambda m, n: (1, 1)),
    "broadcast_in_dim": lambda t, to: (f"dims = [1, 2] : ({t}) -> {to}", lambda x: np.stack([x, x]), lambda m, n: (2, m, n)),
}
for name in MOVES:

    @op(f"stablehlo.{name} quantized", ["f32"])
    def move(c, e, name=name):
        m, n, q = c.rng.choice((1, 3, 8)), c.rng.choice((1, 5, 17)), Quantized(c)
        v, x = quantized(c, q, (m, n))
        _, function, shape = MOVES[name]("", "")
        to = shape(m, n)
        text, _, _ = MOVES[name](q.type((m, n)), q.type(to))
        comma = " " if name in ("reshape", "slice") else ", "
        result(c, c.op(f"stablehlo.{name} {v}{comma}{text}", to, "f32"), q, np.ascontiguousarray(function(x)))


@op("stablehlo.concatenate quantized", ["f32"])
def concatenate(c, e):
    q, n = Quantized(c), c.rng.choice((1, 5))
    v, x = quantized(c, q, (n, 3))
    w, y = quantized(c, q, (2, 3))
    z = c.op(f"stablehlo.concatenate {v}, {w}, dim = 0 : ({q.type((n, 3))}, {q.type((2, 3))}) -> {q.type((n + 2, 3))}", (n + 2, 3), e)
    result(c, z, q, np.concatenate([x, y]))


@op("stablehlo.constant quantized", ["f32"])
def constant(c, e):
    """A quantized constant is written with its storage integers."""
    q, n = Quantized(c), c.rng.choice((1, 4))
    codes = c.np.integers(q.low, q.high, n, endpoint=True)
    bits = int(q.storage.lstrip("ui"))
    signed = [int(k) - (1 << bits if k >= 1 << (bits - 1) else 0) for k in codes]
    v = c.op(f"stablehlo.constant() <{{value = dense<{signed}> : tensor<{n}xi{bits}>}}> : () -> {q.type((n,))}", (n,), e)
    result(c, v, q, q.dequantize(codes.astype(np.float32)))


@op("stablehlo.dot_general quantized", ["f32"])
def dot_general(c, e):
    m, k, n = (c.rng.choice((1, 3, 8)) for _ in "mkn")
    a, to = Quantized(c), Quantized(c)
    b = Quantized(c, a.storage, zero=0)
    v, x = quantized(c, a, (m, k), 1.0)
    w, y = quantized(c, b, (k, n), 1.0)
    z = c.op(f"stablehlo.dot_general {v}, {w}, contracting_dims = [1] x [0] : ({a.type((m, k))}, {b.type((k, n))}) -> {to.type((m, n))}", (m, n), e)
    result(c, z, to, to.round((x.astype(np.float64) @ y).astype(np.float32)), 1)


@op("stablehlo.convolution quantized", ["f32"])
def convolution(c, e):
    n, f = c.rng.choice((3, 8)), c.rng.choice((1, 3))
    a, to = Quantized(c), Quantized(c)
    b = Quantized(c, a.storage, zero=0)
    v, x = quantized(c, a, (1, n, f), 1.0)
    w, y = quantized(c, b, (2, f, 2), 1.0)
    z = c.op(f"stablehlo.convolution({v}, {w}) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {{stride = [1]}} "
             f"{{batch_group_count = 1 : i64, feature_group_count = 1 : i64}} : ({a.type((1, n, f))}, {b.type((2, f, 2))}) -> {to.type((1, n - 1, 2))}",
             (1, n - 1, 2), e)  # fmt: skip
    exact = sum(np.einsum("bnf,fo->bno", x[:, k : n - 1 + k].astype(np.float64), y[k]) for k in range(2))
    result(c, z, to, to.round(exact.astype(np.float32)), 1)


@op("stablehlo.uniform_quantize per axis", ["f32"])
def per_axis(c, e):
    """A scale and a zero point for each column; conversion in both directions, and the sum."""
    m, n = c.rng.choice((1, 5)), c.rng.choice((1, 3))
    scales = [c.rng.choice((0.5, 0.25, 1.0)) for _ in range(n)]
    zeros = [c.rng.randint(-5, 5) for _ in range(n)]
    listed = ",".join(f"{s}:{z}" for s, z in zip(scales, zeros))
    t = tensor((m, n), f"!quant.uniform<i8:f32:1, {{{listed}}}>")
    x = c.arg((m, n), e, data=c.random((m, n), e, False) * 4)
    v = c.op(f"stablehlo.uniform_quantize {x} : ({x.type}) -> {t}", (m, n), e)
    w = c.op(f"stablehlo.add {v}, {v} : {t}", (m, n), e)
    s, z = np.array(scales, np.float32), np.array(zeros)
    rounded = lambda y: ((np.clip(np.rint(y / s) + z, -128, 127) - z) * s).astype(np.float32)
    for value, want in ((v, rounded(c.data[0])), (w, rounded(2 * rounded(c.data[0])))):
        c.result(c.op(f"stablehlo.uniform_dequantize {value} : ({t}) -> {x.type}", (m, n), e), want, ulps=1)


@op("control flow quantized", ["f32"])
def control(c, e):
    """Carried by a loop, and selected by a branch."""
    q, n = Quantized(c), c.rng.randint(0, 3)
    v, x = quantized(c, q, (5,))
    t = q.type((5,))
    zero, one, stop = (c.constant(k, (), "i32") for k in (0, 1, n))
    p = c.arg((), "i1")
    c.lines.append(f"""%w:2 = stablehlo.while(%i = {zero}, %a = {v}) : tensor<i32>, {t}
    cond {{
     %l = stablehlo.compare LT, %i, {stop} : (tensor<i32>, tensor<i32>) -> tensor<i1>
     stablehlo.return %l : tensor<i1>
    }} do {{
     %j = stablehlo.add %i, {one} : tensor<i32>
     %b = stablehlo.negate %a : {t}
     stablehlo.return %j, %b : tensor<i32>, {t}
    }}""")
    c.lines.append(f'%y = "stablehlo.if"({p}) ({{\n    stablehlo.return %w#1 : {t}\n  }}, {{\n    stablehlo.return {v} : {t}\n  }}) : (tensor<i1>) -> {t}')
    value = x
    for _ in range(n):
        value = q.round(-value)
    result(c, type(v)("%y", (5,), e), q, value if c.data[1] else x)


@op("stablehlo.compare quantized", ["f32"])
def compare(c, e):
    q, shape = Quantized(c), c.shape()
    v, x = quantized(c, q, shape)
    w, y = quantized(c, q, shape)
    t = q.type(shape)
    c.result(c.op(f"stablehlo.compare LT, {v}, {w} : ({t}, {t}) -> {tensor(shape, 'i1')}", shape, "i1"), x < y)
    s = c.op(f"stablehlo.select {c.lines[-1].split(' = ')[0]}, {v}, {w} : {tensor(shape, 'i1')}, {t}", shape, e)
    result(c, s, q, np.where(x < y, x, y))
