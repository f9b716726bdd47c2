#===- case.py - one test of one op -------------------------------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""A Case builds a @main with the tested op and a few ops around it, with random arguments.

A family registers a generator for an op and its element types:

    @op("stablehlo.reverse", ALL)
    def reverse(c, e):
        shape = c.shape()
        x = c.arg(shape, e)
        c.result(c.op(f"stablehlo.reverse {x}, dims = {c.axes(shape)} : {x.type}", shape, e))

Results are compared with XLA's by the bounds of tolerance.py. If XLA is not a valid reference,
`c.result(value, reference=...)` sets the expected array.
"""

import ml_dtypes
import numpy as np

PRED = ["i1"]
SIGNED = ["i2", "i4", "i8", "i16", "i32", "i64"]
UNSIGNED = ["ui2", "ui4", "ui8", "ui16", "ui32", "ui64"]
INT = SIGNED + UNSIGNED
F8 = ["f8E3M4", "f8E4M3", "f8E4M3FN", "f8E4M3FNUZ", "f8E4M3B11FNUZ", "f8E5M2", "f8E5M2FNUZ"]
FLOAT = ["f16", "bf16", "f32", "f64"]
COMPLEX = ["complex<f32>", "complex<f64>"]
NUMBER = INT + F8 + FLOAT + COMPLEX
ALL = PRED + NUMBER
TINY = ["f4E2M1FN", "f6E2M3FN", "f6E3M2FN", "f8E8M0FNU"]  # XLA supports some of these: see tiny.py
TYPES = PRED + INT + TINY + F8 + FLOAT + COMPLEX

DTYPES = {
    "i1": np.bool_, "f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32,
    "f64": np.float64, "complex<f32>": np.complex64, "complex<f64>": np.complex128,
    "i2": ml_dtypes.int2, "i4": ml_dtypes.int4, "ui2": ml_dtypes.uint2, "ui4": ml_dtypes.uint4,
    "f8E3M4": ml_dtypes.float8_e3m4, "f8E4M3": ml_dtypes.float8_e4m3,
    "f8E4M3FN": ml_dtypes.float8_e4m3fn, "f8E4M3FNUZ": ml_dtypes.float8_e4m3fnuz,
    "f8E4M3B11FNUZ": ml_dtypes.float8_e4m3b11fnuz, "f8E5M2": ml_dtypes.float8_e5m2,
    "f8E5M2FNUZ": ml_dtypes.float8_e5m2fnuz, "f8E8M0FNU": ml_dtypes.float8_e8m0fnu,
    "f4E2M1FN": ml_dtypes.float4_e2m1fn, "f6E2M3FN": ml_dtypes.float6_e2m3fn, "f6E3M2FN": ml_dtypes.float6_e3m2fn,
}  # fmt: skip
for bits in (8, 16, 32, 64):
    DTYPES[f"i{bits}"], DTYPES[f"ui{bits}"] = np.dtype(f"int{bits}"), np.dtype(f"uint{bits}")


def dtype(element):
    return np.dtype(DTYPES[element])


def is_int(e):
    return e[0] in "iu" and e != "i1"


def is_float(e):
    return e[0] in "fb"


def is_complex(e):
    return e[0] == "c"


def part(e):
    """Returns the element type of the parts of a complex type."""
    return e[len("complex<") : -1]


def info(e):
    return ml_dtypes.iinfo(dtype(e)) if is_int(e) else ml_dtypes.finfo(dtype(e))


def tensor(shape, element):
    return f"tensor<{''.join(f'{s}x' for s in shape)}{element}>"


class Value:
    def __init__(self, name, shape, element):
        self.name, self.shape, self.element = name, tuple(int(s) for s in shape), element

    @property
    def type(self):
        return tensor(self.shape, self.element)

    def __str__(self):
        return self.name


class Case:
    def __init__(self, rng, op, element):
        self.rng, self.name, self.element = rng, op, element
        self.np = np.random.default_rng(rng.seed_value)
        self.args, self.data, self.lines, self.functions, self.results = [], [], [], [], []
        self.count = 0  # of named values
        self.checks = []
        self.on_grid, self.replicas, self.partitions = False, 1, 1

    # -- values --

    def random(self, shape, e, wild=True):
        """Returns values of element type `e`; wild: of all magnitudes, with special values."""
        shape = tuple(int(s) for s in shape)
        d, n = dtype(e), int(np.prod(shape))
        draw = self.np
        if e == "i1":
            return (draw.random(n) < 0.5).reshape(shape)
        if is_complex(e):
            x = self.random(shape, part(e), wild) + 1j * self.random(shape, part(e), False)
            return x.astype(d)
        if is_int(e):
            low, high = int(info(e).min), int(info(e).max)
            wide = np.uint64 if e == "ui64" else np.int64
            x = draw.integers(low, high, n, wide, endpoint=True)
            small = draw.integers(max(low, -5), min(high, 9), n, wide, endpoint=True)
            x = np.where(draw.random(n) < (0.5 if wild else 1), small, x)
            if wild and n:
                x[draw.integers(0, n, n // 8 + 1)] = draw.choice(np.array([low, high, 0, 1], wide))
            return x.astype(d).reshape(shape)
        x = draw.standard_normal(n)
        if wild:
            limit = min(30, np.log10(float(info(e).max)))
            x *= 10.0 ** draw.uniform(-min(limit, 6), min(limit, 4), n)
            special = [0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0, 0.5, -0.5, 2.5, float(info(e).max)]
            x = np.where(draw.random(n) < 0.15, draw.choice(special, n), x)
        if e == "f8E8M0FNU":
            x = np.abs(x)
        with np.errstate(all="ignore"):
            return x.astype(d).reshape(shape)

    def shape(self, rank=None, largest=None, low=0):
        """Returns sizes, sometimes 0. The number of elements stays small."""
        r = self.rng
        rank = r.choice((0, 1, 1, 2, 2, 2, 3, 3, 4, 5)) if rank is None else rank
        sizes = {1: [1, 2, 7, 16, 33, 64, 129], 2: [1, 2, 5, 8, 17, 32], 3: [1, 2, 3, 7, 8]}.get(rank, [1, 2, 3])
        if largest:
            sizes = [s for s in sizes if s <= largest]
        if low == 0 and rank and r.random() < 0.04:
            sizes = sizes + [0]
            return tuple(r.choice((*sizes[:3], 0)) for _ in range(rank))
        return tuple(max(low, r.choice(sizes)) for _ in range(rank))

    def axes(self, shape, least=0):
        """Returns some dimensions, sorted."""
        found = [d for d in range(len(shape)) if self.rng.random() < 0.5]
        return found if len(found) >= least else list(range(len(shape)))

    # -- building --

    def arg(self, shape, element, wild=False, data=None):
        value = Value(f"%arg{len(self.args)}", shape, element)
        self.args.append(value)
        whole = (self.replicas * self.partitions, *value.shape) if self.on_grid else value.shape
        data = self.random(whole, element, wild) if data is None else np.asarray(data)
        self.data.append(np.ascontiguousarray(data.astype(dtype(element))).reshape(whole))
        return value

    def op(self, text, shape, element):
        value = Value(f"%v{self.count}", shape, element)
        self.count += 1
        self.lines.append(f"{value} = {text}")
        return value

    def ops(self, text, *types):
        """Adds an op with several results; types: (shape, element)."""
        name = f"%v{self.count}"
        self.count += 1
        self.lines.append(f"{name}:{len(types)} = {text}" if len(types) > 1 else f"{name} = {text}")
        if len(types) == 1:
            return [Value(name, *types[0])]
        return [Value(f"{name}#{i}", *t) for i, t in enumerate(types)]

    def constant(self, value, shape, element):
        return self.op(f"stablehlo.constant dense<{value}> : {tensor(shape, element)}", shape, element)

    def symbol(self, name):
        """Returns the name of a function of this case only."""
        return f"{name}_{self.rng.seed_value}"

    def result(self, value, reference=None, scale=None, ulps=None):
        """Adds a result. reference: the expected array instead of XLA's. scale: the magnitude to which
        errors are relative (an array, or "half the largest" of the result's). ulps: overrides the
        table's bound."""
        self.results.append((value, reference, scale, ulps))
        return value

    def check(self, function):
        """Replaces references: function(arrays of all results) returns what is wrong with them, or
        None."""
        self.checks.append(function)

    def grid(self, replicas, partitions):
        """Runs the program on each device of a grid. Data, and the references of results, have one row
        per device."""
        self.on_grid, self.replicas, self.partitions = True, replicas, partitions

    def text(self, name="main", public=True):
        args = ", ".join(f"{a}: {a.type}" for a in self.args)
        values = [r[0] for r in self.results]
        types = ", ".join(v.type for v in values)
        names = ", ".join(map(str, values))
        body = "\n  ".join(self.lines)
        private = "" if public else "private "
        attributes = ""
        if self.on_grid:
            attributes = (f"module attributes {{mhlo.num_replicas = {self.replicas} : i32, "
                          f"mhlo.num_partitions = {self.partitions} : i32}} {{\n")  # fmt: skip
        return attributes + "".join(f + "\n" for f in self.functions) + (
            f"func.func {private}@{name}({args}) -> ({types}) {{\n  {body}\n  return {names} : {types}\n}}\n"
        ) + ("}\n" if self.on_grid else "")


REGISTRY = []  # (family, op, element, generator)


def op(name, elements):
    """Registers a generator (case, element) for tests of `name` (a space and a variant may follow)."""

    def register(generator):
        family = generator.__module__.split(".")[-1]
        REGISTRY.extend((family, name, e, generator) for e in elements)
        return generator

    return register


def dims(values):
    return "[" + ", ".join(str(int(v)) for v in values) + "]"


def array(values):
    values = list(values)
    return f"array<i64: {', '.join(str(int(v)) for v in values)}>" if values else "array<i64>"


def scalar_region(name, e, arguments=("%a", "%b")):
    """Returns a region of one binary op, or, if `name` is None, one that returns its second argument."""
    s = tensor((), e)
    a, b = arguments
    if name is None:
        return f"{{\n   ^bb0({a}: {s}, {b}: {s}):\n    stablehlo.return {b} : {s}\n  }}"
    return (f"{{\n   ^bb0({a}: {s}, {b}: {s}):\n    %q = stablehlo.{name} {a}, {b} : {s}\n"
            f"    stablehlo.return %q : {s}\n  }}")  # fmt: skip


def identity(name, e):
    """Returns the text of the identity of a reduction by `name`."""
    if e == "i1":
        return "true" if name in ("and", "minimum", "multiply") else "false"
    if name == "add" or name == "or" or name == "xor":
        value = 0
    elif name == "multiply":
        value = 1
    elif name == "and":
        value = -1 if e[0] == "i" else int(info(e).max)
    elif is_int(e):
        value = int(info(e).min if name == "maximum" else info(e).max)
    else:
        number = np.array(-np.inf if name == "maximum" else np.inf).astype(dtype(e))
        if not np.isinf(number.astype(np.float64)):
            number = np.array(info(e).min if name == "maximum" else info(e).max)
        return "0x" + number.astype(dtype(e)).tobytes()[::-1].hex().upper()
    if is_complex(e):
        return f"({float(value)}, 0.0)"
    return f"{float(value):e}" if is_float(e) else str(value)
