#===- window.py - reduce_window, select_and_scatter ------------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//

import numpy as np

from ops.case import (
    COMPLEX,
    F8,
    FLOAT,
    INT,
    PRED,
    array,
    identity,
    is_complex,
    is_int,
    op,
    scalar_region,
    tensor,
)
from ops.convolution import dilated, window_size


def cumulative(r, shape):
    """Each window ends at its own element along a dimension, or starts there."""
    at = r.randrange(len(shape))
    shape[at] = max(1, r.choice((shape[at], 5, 19)))
    ones = [1] * len(shape)
    window = ones[:at] + [shape[at] + r.choice((0, 0, 2))] + ones[at + 1 :]
    padding = [[0, 0] for _ in shape]
    padding[at][r.randrange(2)] = window[at] - 1
    return shape, window, ones, ones, ones, padding, list(shape)


def windows(c, dilate=True):
    """Returns shape, window, strides, base and window dilations, padding, result shape."""
    r = c.rng
    shape = list(c.shape(r.choice((1, 2, 2, 3, 4)), low=1))
    if r.random() < 0.05:
        shape[0] = 0
    choose = lambda *values: [r.choice(values) for _ in shape]
    if dilate and r.random() < 0.3:
        return cumulative(r, shape)
    window, strides = choose(1, 2, 3), choose(1, 1, 2, 3)
    base, dilation = (choose(1, 1, 2), choose(1, 1, 2)) if dilate else ([1] * len(shape),) * 2
    padding = [[r.choice((0, 0, 1, 2)), r.choice((0, 0, 1))] for _ in shape]
    out = [window_size(lo + dilated(s, b) + hi, dilated(w, d), t)
           for s, w, t, b, d, (lo, hi) in zip(shape, window, strides, base, dilation, padding)]  # fmt: skip
    return shape, window, strides, base, dilation, padding, out


def attributes(window, strides, base, dilation, padding):
    pads = "[" + ", ".join(f"[{a}, {b}]" for a, b in padding) + "]"
    return (f"base_dilations = {array(base)}, padding = dense<{pads}> : tensor<{len(window)}x2xi64>, "
            f"window_dilations = {array(dilation)}, window_dimensions = {array(window)}, window_strides = {array(strides)}")  # fmt: skip


def reduce_window(name, classes):
    @op(f"stablehlo.reduce_window {name}", classes)
    def generate(c, e):
        shape, window, strides, base, dilation, padding, out = windows(c)
        x = c.arg(shape, e, wild=is_int(e))
        init = c.constant(identity(name, e), (), e)
        scale = ulps = None
        if name == "add" and not is_int(e) and e != "i1":
            scale = np.full(out, float(np.sum(np.abs(np.sort(np.abs(c.data[0].astype(np.complex128)).ravel())[-int(np.prod(window)):]))))
            ulps = 16 if e in ("f32", "f64") or is_complex(e) else 2 * int(np.prod(window))
        s = tensor((), e)
        c.result(c.op(f'"stablehlo.reduce_window"({x}, {init}) <{{{attributes(window, strides, base, dilation, padding)}}}> '
                      f"({scalar_region(name, e)}) : ({x.type}, {s}) -> {tensor(out, e)}", out, e), scale=scale, ulps=ulps)  # fmt: skip


reduce_window("add", INT + FLOAT + COMPLEX)
reduce_window("maximum", PRED + INT + F8 + FLOAT)
reduce_window("minimum", INT + FLOAT)
reduce_window("and", PRED + INT)
reduce_window("or", PRED + INT)


@op("stablehlo.reduce_window multiply", INT)
def product(c, e):
    shape, window, strides, base, dilation, padding, out = windows(c)
    x, init = c.arg(shape, e), c.constant(1, (), e)
    c.result(c.op(f'"stablehlo.reduce_window"({x}, {init}) <{{{attributes(window, strides, base, dilation, padding)}}}> '
                  f"({scalar_region('multiply', e)}) : ({x.type}, {tensor((), e)}) -> {tensor(out, e)}", out, e))  # fmt: skip


@op("stablehlo.reduce_window several", ["f32", "i32", "f64"])
def several(c, e):
    """The maximum of one operand, and the sum of another."""
    shape, window, strides, base, dilation, padding, out = windows(c)
    x, y = c.arg(shape, e), c.arg(shape, "i32")
    lowest, zero = c.constant(identity("maximum", e), (), e), c.constant(0, (), "i32")
    s, t = tensor((), e), "tensor<i32>"
    found = c.ops(f'"stablehlo.reduce_window"({x}, {y}, {lowest}, {zero}) <{{{attributes(window, strides, base, dilation, padding)}}}> '
                  f"({{\n   ^bb0(%a: {s}, %b: {t}, %c: {s}, %d: {t}):\n    %m = stablehlo.maximum %a, %c : {s}\n"
                  f"    %n = stablehlo.add %b, %d : {t}\n    stablehlo.return %m, %n : {s}, {t}\n  }}) : "
                  f"({x.type}, {y.type}, {s}, {t}) -> ({tensor(out, e)}, {tensor(out, 'i32')})", (out, e), (out, "i32"))  # fmt: skip
    for value in found:
        c.result(value, ulps=0)


@op("stablehlo.select_and_scatter", FLOAT + ["i32", "i64", "ui8"])
def select_and_scatter(c, e):
    while True:
        shape, window, strides, _, _, padding, out = windows(c, dilate=False)
        if 0 not in out:
            break
    # No ties: next to padding XLA sometimes selects another of two equal elements.
    order = np.random.default_rng(c.rng.randrange(1 << 30)).permutation(int(np.prod(shape)))
    distinct = e in ("i32", "i64") or (e == "ui8" and len(order) <= 256)
    x = c.arg(shape, e, data=order.reshape(shape) if distinct else None)
    source = c.arg(out, e)
    zero = c.constant(identity("add", e), (), e)
    s = tensor((), e)
    pads = "[" + ", ".join(f"[{a}, {b}]" for a, b in padding) + "]"
    scale = None if is_int(e) else np.full(shape, float(np.sum(np.abs(c.data[1].astype(np.float64)))))
    c.result(c.op(f'"stablehlo.select_and_scatter"({x}, {source}, {zero}) <{{padding = dense<{pads}> : '
                  f"tensor<{len(shape)}x2xi64>, window_dimensions = {array(window)}, window_strides = {array(strides)}}}> "
                  f"({{\n   ^bb0(%a: {s}, %b: {s}):\n    %q = stablehlo.compare {c.rng.choice(('GE', 'LE'))}, %a, %b : "
                  f"({s}, {s}) -> tensor<i1>\n    stablehlo.return %q : tensor<i1>\n  }}, {scalar_region('add', e, ('%c', '%d'))}) : "
                  f"({x.type}, {source.type}, {s}) -> {x.type}", shape, e), scale=scale)  # fmt: skip
