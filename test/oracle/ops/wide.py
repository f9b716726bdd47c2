#===- wide.py - narrow types against the same op in a wide one ---------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""An op in a narrow type is that op in a wide type with the result converted back. One program
contains both, so that every type has an oracle. Integers wrap, floats round once; functions may
differ by an ulp of the wide result's error. The other families compare the wide ops with XLA."""

import numpy as np

from ops.case import (COMPLEX, F8, TINY, dims, dtype, identity, is_complex, is_float, is_int, op, part,
                      scalar_region, tensor)  # fmt: skip
from ops.convolution import dilated, window_size
from ops.window import attributes, windows

FLOATS = TINY + F8 + ["f16", "bf16"]
SIGNED_FLOATS = [e for e in FLOATS if e != "f8E8M0FNU"]
NARROW_INT = ["i2", "i4", "i8", "i16", "i32", "ui2", "ui4", "ui8", "ui16", "ui32"]


def wide_of(e):
    if is_complex(e):
        return "complex<f64>"
    return "f32" if is_float(e) else "ui64" if e[0] == "u" else "i64"


def convert(c, v, e):
    if v.element == e:
        return v
    return c.op(f"stablehlo.convert {v} : ({v.type}) -> {tensor(v.shape, e)}", v.shape, e)


def values(c, shape, e, spread=1.0):
    """Returns numbers of the type except NaN, many of them exact in it."""
    if e == "i1" or is_int(e):
        return c.random(shape, e, True)
    x = c.np.standard_normal(shape) * spread
    if e == "f8E8M0FNU":
        x = np.exp2(c.np.integers(-3, 4, shape))
    return x.astype(dtype(e))


def same(c, narrow, wide, ulps=0):
    """Compares the narrow result with the wide one converted to its type, both widened again: equal,
    or neighbours."""
    e = narrow.element
    shown = "i64" if e == "i1" or is_int(e) and e[0] == "i" else "ui64" if is_int(e) else "f64"
    rounded = convert(c, wide, e)
    c.result(convert(c, narrow, shown))
    c.result(convert(c, rounded, shown))
    table = None
    if is_float(e) and ulps:
        bits = dtype(e).itemsize * 8
        codes = np.arange(2 ** min(bits, 16), dtype=np.uint8 if bits == 8 else np.uint16)
        table = codes.view(dtype(e)).astype(np.float64)
        table = np.unique(table[np.isfinite(table)])

    def check(found):
        a, b = found
        ok = (a == b) | (np.isnan(a) & np.isnan(b) if a.dtype.kind == "f" else False)
        if table is not None:
            near = lambda x: np.searchsorted(table, np.clip(np.nan_to_num(x), table[0], table[-1]))
            ok |= np.isfinite(a) & np.isfinite(b) & (abs(near(a) - near(b)) <= ulps)
            # One is rounded to the largest number, the other beyond it.
            ok |= (abs(near(a) - near(b)) <= ulps) & ~np.isnan(a) & ~np.isnan(b)
        if ok.all():
            return None
        at = tuple(np.argwhere(~ok)[0])
        return f"{int((~ok).sum())} of {ok.size} differ, first at {at}: {a[at]!r}, in {wide.element} {b[at]!r}"

    c.check(check)


def both(c, e, operands, build, ulps=0):
    """build(operands, element) returns the op's value."""
    w = wide_of(e)
    narrow = build(operands, e)
    same(c, narrow, build([convert(c, v, w) if v.element == e else v for v in operands], w), ulps)


# --- elementwise ----------------------------------------------------------------------------

UNARY = {"ceil": 0, "floor": 0, "round_nearest_afz": 0, "round_nearest_even": 0, "sign": 0, "cosine": 1, "sine": 1,
         "tan": 1, "tanh": 1, "exponential": 1, "exponential_minus_one": 1, "log": 1, "log_plus_one": 1, "logistic": 1,
         "sqrt": 0, "rsqrt": 1, "cbrt": 1}  # fmt: skip
for name, ulps in UNARY.items():

    @op(f"stablehlo.{name} as wide", TINY)
    def unary(c, e, name=name, ulps=ulps):
        shape = c.shape()
        x = c.arg(shape, e, data=values(c, shape, e))
        both(c, e, [x], lambda v, t: c.op(f"stablehlo.{name} {v[0]} : {v[0].type}", shape, t), ulps)


BINARY = {"add": 0, "subtract": 0, "multiply": 0, "divide": 0, "remainder": 0, "power": 1, "atan2": 1, "maximum": 0, "minimum": 0}
for name, ulps in BINARY.items():

    @op(f"stablehlo.{name} as wide", FLOATS if name != "subtract" else SIGNED_FLOATS)
    def binary(c, e, name=name, ulps=ulps):
        shape = c.shape()
        x, y = c.arg(shape, e, data=values(c, shape, e)), c.arg(shape, e, data=values(c, shape, e))
        both(c, e, [x, y], lambda v, t: c.op(f"stablehlo.{name} {v[0]}, {v[1]} : {v[0].type}", shape, t), ulps)


@op("stablehlo.clamp as wide", TINY)
def clamp(c, e):
    shape = c.shape()
    low, x, high = (c.arg(s, e, data=values(c, s, e)) for s in ((), shape, shape))
    both(c, e, [low, x, high], lambda v, t: c.op(
        f"stablehlo.clamp {v[0]}, {v[1]}, {v[2]} : ({v[0].type}, {v[1].type}, {v[2].type}) -> {v[1].type}", shape, t))  # fmt: skip


@op("stablehlo.iota as wide", TINY)
def iota(c, e):
    shape = c.shape(c.rng.choice((1, 2)), largest=17, low=1)
    both(c, e, [], lambda v, t: c.op(f"stablehlo.iota dim = 0 : {tensor(shape, t)}", shape, t))


# --- reductions of every type ---------------------------------------------------------------


def kept(shape, axes):
    return [s for d, s in enumerate(shape) if d not in axes]


REDUCED = SIGNED_FLOATS + NARROW_INT
for name in ("add", "multiply", "maximum", "minimum"):

    @op(f"stablehlo.reduce {name} as wide", REDUCED)
    def reduce(c, e, name=name):
        shape = c.shape(c.rng.choice((1, 2, 3)), largest=8, low=1)
        axes = c.axes(shape, 1)
        x, init = c.arg(shape, e, data=values(c, shape, e)), c.arg((), e, data=values(c, (), e))
        both(c, e, [x, init], lambda v, t: c.op(
            f"stablehlo.reduce({v[0]} init: {v[1]}) applies stablehlo.{name} across dimensions = {dims(axes)} : "
            f"({v[0].type}, {v[1].type}) -> {tensor(kept(shape, axes), t)}", kept(shape, axes), t), is_float(e))  # fmt: skip

    @op(f"stablehlo.reduce_window {name} as wide", REDUCED)
    def reduce_window(c, e, name=name):
        """The initial value is not the identity: it counts once, and padding does not count."""
        shape, window, strides, base, dilation, padding, out = windows(c)
        x, init = c.arg(shape, e, data=values(c, shape, e)), c.arg((), e, data=values(c, (), e))
        both(c, e, [x, init], lambda v, t: c.op(
            f'"stablehlo.reduce_window"({v[0]}, {v[1]}) <{{{attributes(window, strides, base, dilation, padding)}}}> '
            f"({scalar_region(name, t)}) : ({v[0].type}, {v[1].type}) -> {tensor(out, t)}", out, t), is_float(e))  # fmt: skip

    @op(f"stablehlo.scatter {name} as wide", REDUCED)
    def scatter(c, e, name=name):
        """Each position is updated once, so that the order does not matter."""
        n, m, d = c.rng.choice((3, 8)), c.rng.choice((1, 2, 3)), c.rng.choice((1, 5))
        x = c.arg([n, d], e, data=values(c, [n, d], e))
        at = c.arg([m, 1], "i32", data=c.np.permutation(n + 1)[:m].reshape(m, 1))
        u = c.arg([m, d], e, data=values(c, [m, d], e))
        both(c, e, [x, at, u], lambda v, t: c.op(
            f'"stablehlo.scatter"({v[0]}, {v[1]}, {v[2]}) <{{indices_are_sorted = false, unique_indices = true, scatter_dimension_numbers = '
            f"#stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], "
            f"index_vector_dim = 1>}}> ({scalar_region(name, t)}) : ({v[0].type}, {v[1].type}, {v[2].type}) -> {v[0].type}",
            [n, d], t), is_float(e))  # fmt: skip


@op("stablehlo.reduce several as wide", TINY)
def reduce_several(c, e):
    """The maximum with its position."""
    n = c.rng.choice((1, 5, 17))
    x = c.arg([n], e, data=values(c, [n], e))
    i = c.op(f"stablehlo.iota dim = 0 : tensor<{n}xi32>", [n], "i32")
    none = c.constant(0, (), "i32")

    def build(v, t):
        s, k = tensor((), t), "tensor<i32>"
        first = c.op(f"stablehlo.slice {v[0]} [0:1] : ({v[0].type}) -> {tensor([1], t)}", [1], t)
        init = c.op(f"stablehlo.reshape {first} : ({first.type}) -> {s}", (), t)
        return c.ops(f"""stablehlo.reduce({v[0]} init: {init}), ({i} init: {none}) across dimensions = [0] : ({v[0].type}, {i.type}, {s}, {k}) -> ({s}, {k})
   reducer(%a: {s}, %b: {s}) (%i: {k}, %j: {k}) {{
    %g = stablehlo.compare GE, %a, %b : ({s}, {s}) -> tensor<i1>
    %r = stablehlo.select %g, %a, %b : tensor<i1>, {s}
    %s = stablehlo.maximum %i, %j : {k}
    stablehlo.return %r, %s : {s}, {k}
  }}""", ((), t), ((), "i32"))[0]

    both(c, e, [x], build)


WIDER = {"i2": "i4", "i4": "i32", "i8": "i32", "i16": "i64", "ui2": "ui8", "ui8": "ui32", "ui4": "ui64", "bf16": "f32", "f16": "f64",
         "f32": "f64", "f8E4M3FN": "bf16", "f8E5M2": "f16", "f4E2M1FN": "f32", "complex<f32>": "complex<f64>"}  # fmt: skip


@op("stablehlo.reduce wider", list(WIDER))
def reduce_wider(c, e):
    """Regions whose type is wider than the operand's: the sum has the wider type."""
    to, shape = WIDER[e], c.shape(c.rng.choice((1, 2)), largest=8, low=1)
    x = c.arg(shape, e, data=values(c, shape, e))
    init = c.constant(identity("add", e), (), e)
    s = tensor((), to)
    which = c.rng.choice(("reduce", "reduce_window"))
    body = f"({{\n   ^bb0(%a: {s}, %b: {s}):\n    %q = stablehlo.add %a, %b : {s}\n    stablehlo.return %q : {s}\n  }})"
    wide = convert(c, x, to)
    zero = c.constant(identity("add", to), (), to)
    if which == "reduce_window":
        n = [1] * len(shape)
        numbers = attributes([min(2, s) for s in shape], n, n, n, [[0, 0]] * len(shape))
        out = [s - min(2, s) + 1 for s in shape]
        text = lambda v, i: f'"stablehlo.reduce_window"({v}, {i}) <{{{numbers}}}> {body} : ({v.type}, {i.type}) -> {tensor(out, to)}'
    else:
        out = shape[1:]
        text = lambda v, i: f'"stablehlo.reduce"({v}, {i}) <{{dimensions = array<i64: 0>}}> {body} : ({v.type}, {i.type}) -> {tensor(out, to)}'
    a, b = c.op(text(x, init), out, to), c.op(text(wide, zero), out, to)
    c.result(a)
    c.result(b)
    c.check(lambda found: None if np.array_equal(found[0], found[1], equal_nan=is_float(to) or is_complex(to)) else f"{found[0]} and {found[1]}")


@op("stablehlo.scatter wider", ["i8", "bf16", "ui8", "f32"])
def scatter_wider(c, e):
    to, n = WIDER[e], c.rng.choice((1, 4))
    x, u = c.arg([n], e, data=values(c, [n], e)), c.arg([n], e, data=values(c, [n], e))
    at = c.arg([n, 1], "i32", data=c.np.permutation(n).reshape(n, 1))
    s = tensor((), to)
    v = c.op(f'"stablehlo.scatter"({x}, {at}, {u}) <{{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], '
             f"scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}}> ({{\n   ^bb0(%a: {s}, %b: {s}):\n    %q = stablehlo.add %a, %b : {s}\n"
             f"    stablehlo.return %q : {s}\n  }}) : ({x.type}, {at.type}, {u.type}) -> {tensor([n], to)}", [n], to)  # fmt: skip
    want = c.data[0].astype(dtype(to))
    want[c.data[2][:, 0]] += c.data[1].astype(dtype(to))
    c.result(v, want, ulps=0)


@op("stablehlo.select_and_scatter as wide", NARROW_INT + SIGNED_FLOATS)
def select_and_scatter(c, e):
    """Windows that do not overlap."""
    n, w = c.rng.choice((1, 3, 8)), c.rng.choice((1, 2, 3))
    x, s = c.arg([n * w], e, data=values(c, [n * w], e)), c.arg([n], e, data=values(c, [n], e))
    init = c.arg((), e, data=values(c, (), e))

    def build(v, t):
        k = tensor((), t)
        return c.op(
            f'"stablehlo.select_and_scatter"({v[0]}, {v[1]}, {v[2]}) <{{window_dimensions = array<i64: {w}>, window_strides = array<i64: {w}>, '
            f"padding = dense<0> : tensor<1x2xi64>}}> ({{\n   ^bb0(%a: {k}, %b: {k}):\n    %p = stablehlo.compare GE, %a, %b : ({k}, {k}) -> tensor<i1>\n"
            f"    stablehlo.return %p : tensor<i1>\n  }}, {scalar_region('add', t)}) : ({v[0].type}, {v[1].type}, {k}) -> {v[0].type}",
            [n * w], t)  # fmt: skip

    both(c, e, [x, s, init], build, is_float(e))


# --- products -------------------------------------------------------------------------------


@op("stablehlo.convolution as wide", NARROW_INT + SIGNED_FLOATS)
def convolution(c, e):
    r = c.rng
    n, window, stride, low, rhs = r.choice((3, 8, 11)), r.choice((1, 2, 3)), r.choice((1, 2)), r.choice((0, 1)), r.choice((1, 2))
    batch, features, groups = r.choice((1, 2)), r.choice((1, 3)), r.choice((1, 2))
    out = [batch, window_size(n + 2 * low, dilated(window, rhs), stride), 2 * groups]
    x, k = (c.arg(s, e, data=values(c, s, e)) for s in ([batch, n, features * groups], [window, features, 2 * groups]))
    both(c, e, [x, k], lambda v, t: c.op(
        f"stablehlo.convolution({v[0]}, {v[1]}) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {{stride = [{stride}], pad = [[{low}, {low}]], "
        f"rhs_dilate = [{rhs}]}} {{batch_group_count = 1 : i64, feature_group_count = {groups} : i64}} : ({v[0].type}, {v[1].type}) -> {tensor(out, t)}",
        out, t), is_float(e))  # fmt: skip


@op("stablehlo.dot_general as wide", NARROW_INT + SIGNED_FLOATS)
def dot_general(c, e):
    b, m, k, n = (c.rng.choice((1, 3, 8, 17)) for _ in "bmkn")
    x, y = (c.arg(s, e, data=values(c, s, e)) for s in ([b, m, k], [b, k, n]))
    both(c, e, [x, y], lambda v, t: c.op(
        f"stablehlo.dot_general {v[0]}, {v[1]}, batching_dims = [0] x [0], contracting_dims = [2] x [1] : ({v[0].type}, {v[1].type}) -> "
        f"{tensor([b, m, n], t)}", [b, m, n], t), is_float(e))  # fmt: skip


# --- tiny types where other ops only copy them ----------------------------------------------


@op("control flow as wide", TINY)
def control_flow(c, e):
    """Through a loop, a branch and a call."""
    x, y = (c.arg(shape, e, data=values(c, shape, e)) for shape in [c.shape()] * 2)
    p, n = c.arg((), "i1"), c.arg((), "i32", data=c.rng.randint(0, 4))

    def build(v, t):
        name = c.symbol(f"swap_{t.lower()}")
        k = v[0].type
        c.functions.append(f"func.func private @{name}(%a: {k}, %b: {k}) -> ({k}, {k}) {{\n  return %b, %a : {k}, {k}\n}}")
        zero, one = c.constant(0, (), "i32"), c.constant(1, (), "i32")
        found = c.ops(f"""stablehlo.while(%i = {zero}, %a = {v[0]}, %b = {v[1]}) : tensor<i32>, {k}, {k}
    cond {{
     %l = stablehlo.compare LT, %i, {n} : (tensor<i32>, tensor<i32>) -> tensor<i1>
     stablehlo.return %l : tensor<i1>
    }} do {{
     %j = stablehlo.add %i, {one} : tensor<i32>
     %s:2 = func.call @{name}(%a, %b) : ({k}, {k}) -> ({k}, {k})
     %m = "stablehlo.if"({p}) ({{
      %q = stablehlo.maximum %s#0, %s#1 : {k}
      stablehlo.return %q : {k}
     }}, {{
      stablehlo.return %s#0 : {k}
     }}) : (tensor<i1>) -> {k}
     stablehlo.return %j, %m, %s#1 : tensor<i32>, {k}, {k}
    }}""", ((), "i32"), (v[0].shape, t), (v[0].shape, t))
        return found[1]

    both(c, e, [x, y], build)


@op("stablehlo.dynamic_update_slice as wide", TINY)
def dynamic_update_slice(c, e):
    n, m = c.rng.choice((3, 8)), c.rng.choice((1, 2))
    x, u = (c.arg(s, e, data=values(c, s, e)) for s in ([n, 3], [m, 3]))
    i, zero = c.arg((), "i32", data=c.rng.randint(-1, n)), c.constant(0, (), "i32")

    def build(v, t):
        y = c.op(f"stablehlo.dynamic_update_slice {v[0]}, {v[1]}, {i}, {zero} : ({v[0].type}, {v[1].type}, tensor<i32>, tensor<i32>) -> {v[0].type}",
                 [n, 3], t)  # fmt: skip
        return c.op(f"stablehlo.dynamic_slice {y}, {zero}, {i}, sizes = [2, 2] : ({y.type}, tensor<i32>, tensor<i32>) -> {tensor([2, 2], t)}", [2, 2], t)

    both(c, e, [x, u], build)


@op("stablehlo.sort of complex numbers", COMPLEX)
def sort_complex(c, e):
    """By real part, then by imaginary part."""
    n, s, r = c.rng.choice((1, 5, 33)), tensor((), e), tensor((), part(e))
    data = c.np.integers(-3, 4, n) + 1j * c.np.standard_normal(n)
    x = c.arg([n], e, data=data)
    v = c.op(f"""\"stablehlo.sort\"({x}) <{{dimension = 0 : i64, is_stable = true}}> ({{
   ^bb0(%a: {s}, %b: {s}):
    %c = stablehlo.real %a : ({s}) -> {r}
    %d = stablehlo.real %b : ({s}) -> {r}
    %e = stablehlo.imag %a : ({s}) -> {r}
    %f = stablehlo.imag %b : ({s}) -> {r}
    %l = stablehlo.compare LT, %c, %d : ({r}, {r}) -> tensor<i1>
    %q = stablehlo.compare EQ, %c, %d : ({r}, {r}) -> tensor<i1>
    %m = stablehlo.compare LT, %e, %f : ({r}, {r}) -> tensor<i1>
    %n = stablehlo.and %q, %m : tensor<i1>
    %o = stablehlo.or %l, %n : tensor<i1>
    stablehlo.return %o : tensor<i1>
   }}) : ({x.type}) -> {x.type}""", [n], e)
    c.result(v, np.sort(c.data[0]), ulps=0)


@op("stablehlo.reduce maximum of complex numbers", COMPLEX)
def reduce_complex(c, e):
    n, name = c.rng.choice((1, 5, 33)), c.rng.choice(("maximum", "minimum"))
    data = c.np.integers(-3, 4, n) + 1j * c.np.standard_normal(n)
    x, init = c.arg([n], e, data=data), c.arg((), e, data=data[0])
    ordered = np.sort(c.data[0])
    c.result(c.op(f"stablehlo.reduce({x} init: {init}) applies stablehlo.{name} across dimensions = [0] : ({x.type}, {init.type}) -> {init.type}", (), e),
             ordered[-1] if name == "maximum" else ordered[0], ulps=0)  # fmt: skip
