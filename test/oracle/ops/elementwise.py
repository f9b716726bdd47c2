#===- elementwise.py - unary, binary, compare, select, convert --------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//

import numpy as np

from ops.case import (ALL, COMPLEX, F8, FLOAT, INT, PRED, SIGNED, dtype, info, is_complex, is_float,
                      is_int, op, part, tensor)  # fmt: skip

# The exact functions, in long double; results are rounded once.
FUNCTIONS = {
    "cbrt": np.cbrt,
    "cosine": np.cos,
    "exponential": np.exp,
    "exponential_minus_one": np.expm1,
    "log": np.log,
    "log_plus_one": np.log1p,
    "logistic": lambda x: 1 / (1 + np.exp(-x)),
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "sine": np.sin,
    "sqrt": np.sqrt,
    "tan": np.tan,
    "tanh": np.tanh,
}


# For complex numbers of moderate magnitude.
COMPLEX_FUNCTIONS = {
    "cosine": np.cos,
    "exponential": np.exp,
    "exponential_minus_one": lambda z: np.exp(z) - 1,
    "log": np.log,
    "log_plus_one": lambda z: np.log(1 + z),
    "logistic": lambda z: 1 / (1 + np.exp(-z)),
    "rsqrt": lambda z: 1 / np.sqrt(z),
    "sine": np.sin,
    "sqrt": np.sqrt,
    "tan": np.tan,
    "tanh": np.tanh,
}


def parts(z):
    return z.real.astype(np.longdouble), z.imag.astype(np.longdouble)


def exact(function, *arrays):
    """Computes in long double. Rounds through double only for narrow types, which have few digits."""
    with np.errstate(all="ignore"):
        return function(*(a.astype(np.float64).astype(np.longdouble) for a in arrays))


def unary(name, classes):
    @op(f"stablehlo.{name}", classes)
    def generate(c, e):
        x = c.arg(c.shape(), e, wild=not is_complex(e))
        result = part(e) if is_complex(e) and name in ("abs", "real", "imag") else e
        form = x.type if result == e else f"({x.type}) -> {tensor(x.shape, result)}"
        reference = ulps = None
        if is_complex(e) and name == "abs":
            reference, ulps = np.hypot(*parts(c.data[0])), 2
        elif name == "popcnt" and e in ("i2", "i4"):  # XLA counts the bits of the extension too
            mask = (1 << int(e[1:])) - 1
            reference = np.vectorize(lambda v: bin(int(v) & mask).count("1"), otypes=[np.int32])(c.data[0])
        elif is_complex(e) and name in COMPLEX_FUNCTIONS:
            re, im = parts(c.data[0])
            with np.errstate(all="ignore"):
                reference = COMPLEX_FUNCTIONS[name](re + im * np.clongdouble(1j))
        elif name == "sqrt" and is_float(e):  # correctly rounded; for f64 long double would round twice
            with np.errstate(all="ignore"):
                reference = np.sqrt(c.data[0].astype(np.float64))
        elif name in FUNCTIONS and is_float(e):
            reference = exact(FUNCTIONS[name], c.data[0])
        elif name == "cbrt":  # XLA has no complex one
            reference = np.power(c.data[0].astype(np.clongdouble), np.longdouble(1) / 3)
        c.result(c.op(f"stablehlo.{name} {x} : {form}", x.shape, result), reference, ulps=ulps)


for name in ("abs", "sign"):
    unary(name, SIGNED + F8 + FLOAT + COMPLEX)
for name in ("ceil", "floor", "round_nearest_afz", "round_nearest_even"):
    unary(name, F8 + FLOAT)
for name in ("count_leading_zeros", "popcnt"):
    unary(name, INT)
unary("negate", INT + F8 + FLOAT + COMPLEX)
unary("not", PRED + INT)
for name in FUNCTIONS:
    unary(name, F8 + FLOAT + COMPLEX)
for name in ("real", "imag"):
    unary(name, FLOAT + COMPLEX)


@op("stablehlo.is_finite", F8 + FLOAT)
def is_finite(c, e):
    x = c.arg(c.shape(), e, wild=True)
    c.result(c.op(f"stablehlo.is_finite {x} : ({x.type}) -> {tensor(x.shape, 'i1')}", x.shape, "i1"))


@op("stablehlo.reduce_precision", FLOAT)
def reduce_precision(c, e):
    x = c.arg(c.shape(), e, wild=True)
    exponent, mantissa = {"f16": (5, 10), "bf16": (8, 7), "f32": (8, 23), "f64": (11, 52)}[e]
    exponent, mantissa = c.rng.randint(2, exponent), c.rng.randint(0, mantissa)
    c.result(c.op(f"stablehlo.reduce_precision {x}, format = e{exponent}m{mantissa} : {x.type}", x.shape, e))


def binary(name, classes):
    @op(f"stablehlo.{name}", classes)
    def generate(c, e):
        shape = c.shape()
        wild = not is_complex(e)
        reference = scale = None
        if name == "power" and is_int(e):  # XLA uses only six bits of the exponent
            x = c.arg(shape, e, wild)
            low = 0 if e[0] == "u" else max(-9, int(info(e).min))
            y = c.arg(shape, e, data=c.np.integers(low, min(60, int(info(e).max)), shape, endpoint=True))
        elif name == "power" and is_complex(e):
            x = c.arg(shape, e, data=c.random(shape, e, False))
            y = c.arg(shape, e, data=c.random(shape, e, False))
        elif name.startswith("shift"):
            x = c.arg(shape, e, wild)
            amounts = c.np.integers(0, min(80, int(info(e).max)), shape, endpoint=True)
            y = c.arg(shape, e, data=amounts)
        elif is_int(e) and name in ("divide", "remainder"):
            x, y = c.arg(shape, e, wild), c.arg(shape, e, wild)
        else:
            x, y = c.arg(shape, e, wild), c.arg(shape, e, wild)
        if is_complex(e) and name == "atan2":
            # Some values whose squares cancel.
            near = c.np.random(shape) < 0.3
            c.data[1][...] = np.where(near, c.data[0] * (1j + 1e-3 * c.np.standard_normal(shape)), c.data[1])
            y, x = (re + im * np.clongdouble(1j) for re, im in map(parts, c.data))
            with np.errstate(all="ignore"):
                p, q = (x.real - y.imag) + 1j * (x.imag + y.real), (x.real + y.imag) + 1j * (x.imag - y.real)
                reference = -1j * np.log(p / np.sqrt(p * q))
            x, y = c.args
            scale = np.ones(shape)  # a logarithm of a number near 1
        if is_float(e) and name in ("power", "atan2"):
            reference = exact(np.power if name == "power" else np.arctan2, *c.data)
        c.result(c.op(f"stablehlo.{name} {x}, {y} : {x.type}", shape, e), reference, scale)


for name in ("add", "multiply"):
    binary(name, ALL)
for name in ("maximum", "minimum"):
    binary(name, ALL)
for name in ("subtract", "divide"):
    binary(name, INT + F8 + FLOAT + COMPLEX)
binary("remainder", INT + F8 + FLOAT)
binary("power", INT + F8 + FLOAT + COMPLEX)
binary("atan2", F8 + FLOAT + COMPLEX)
for name in ("and", "or", "xor"):
    binary(name, PRED + INT)
for name in ("shift_left", "shift_right_arithmetic", "shift_right_logical"):
    binary(name, INT)


@op("stablehlo.complex", ["f32", "f64"])
def complex_(c, e):
    shape = c.shape()
    x, y = c.arg(shape, e, True), c.arg(shape, e, True)
    kind = f"complex<{e}>"
    c.result(c.op(f"stablehlo.complex {x}, {y} : {tensor(shape, kind)}", shape, kind))


@op("stablehlo.compare", ALL)
def compare(c, e):
    shape = c.shape()
    x, y = c.arg(shape, e, True), c.arg(shape, e, True)
    # Half of the elements are equal.
    c.data[1][...] = np.where(c.np.random(shape) < 0.4, c.data[0], c.data[1])
    directions = ["EQ", "NE"] if is_complex(e) else ["EQ", "NE", "GE", "GT", "LE", "LT"]
    kind = ""
    if is_float(e) and c.rng.random() < 0.5:
        kind = c.rng.choice([", TOTALORDER", ", FLOAT"])
    c.result(c.op(f"stablehlo.compare {c.rng.choice(directions)}, {x}, {y}{kind} : ({x.type}, {x.type}) -> "
                  f"{tensor(shape, 'i1')}", shape, "i1"))  # fmt: skip


@op("stablehlo.select", ALL)
def select(c, e):
    shape = c.shape()
    p = c.arg(() if c.rng.random() < 0.3 else shape, "i1")
    x, y = c.arg(shape, e, True), c.arg(shape, e, True)
    c.result(c.op(f"stablehlo.select {p}, {x}, {y} : {p.type}, {x.type}", shape, e))


@op("stablehlo.clamp", [e for e in ALL if not is_complex(e)])
def clamp(c, e):
    shape = c.shape()
    low, high = (c.arg(() if c.rng.random() < 0.5 else shape, e) for _ in "lh")
    x = c.arg(shape, e, True)
    c.result(c.op(f"stablehlo.clamp {low}, {x}, {high} : ({low.type}, {x.type}, {high.type}) -> {x.type}", shape, e))


@op("stablehlo.convert", ALL)
def convert(c, e):
    x = c.arg(c.shape(), e, wild=True)
    to = c.rng.choice([t for t in ALL if t != e])
    c.result(c.op(f"stablehlo.convert {x} : ({x.type}) -> {tensor(x.shape, to)}", x.shape, to), ulps=0)


@op("stablehlo.bitcast_convert", INT + F8 + FLOAT + COMPLEX)
def bitcast_convert(c, e):
    width = lambda t: int(t.lstrip("ui")) if is_int(t) else dtype(t).itemsize * 8
    others = [e] if is_complex(e) else INT + F8 + FLOAT
    to = c.rng.choice(others)
    shape, result = list(c.shape()), None
    a, b = width(e), width(to)
    if a >= b:
        result = shape + ([a // b] if a > b else [])
    else:
        result, shape = shape, shape + [b // a]
    # Bits that are a signalling NaN of the other type may become quiet.
    x = c.arg(shape, e, wild=is_int(e) and is_int(to))
    c.result(c.op(f"stablehlo.bitcast_convert {x} : ({x.type}) -> {tensor(result, to)}", result, to), ulps=0)


@op("stablehlo.optimization_barrier", ALL)
def optimization_barrier(c, e):
    x, y = c.arg(c.shape(), e), c.arg(c.shape(), "f32")
    p, q = c.ops(f"stablehlo.optimization_barrier {x}, {y} : {x.type}, {y.type}", (x.shape, e), (y.shape, "f32"))
    c.result(p)
    c.result(q)
