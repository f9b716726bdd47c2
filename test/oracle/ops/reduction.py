#===- reduction.py - reduce, map, batch normalization ----------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//

import numpy as np

from ops.case import ALL, F8, FLOAT, INT, PRED, dims, identity, is_complex, is_float, is_int, op, tensor


def reduce_text(x, init, name, axes, shape, e):
    return (f"stablehlo.reduce({x} init: {init}) applies stablehlo.{name} across dimensions = {dims(axes)} : "
            f"({x.type}, {init.type}) -> {tensor(shape, e)}")  # fmt: skip


def reduction(name, classes):
    @op(f"stablehlo.reduce {name}", classes)
    def generate(c, e):
        shape = c.shape()
        axes = c.axes(shape)
        kept = [s for d, s in enumerate(shape) if d not in axes]
        # XLA ignores NaN in reductions of 16-bit floats.
        x = c.arg(shape, e, wild=is_int(e) or (e in ("f32", "f64") and name in ("maximum", "minimum")))
        init = c.constant(identity(name, e), (), e)
        reference = scale = ulps = None
        if name in ("add", "multiply") and (is_float(e) or is_complex(e)):
            wide = c.data[0].astype(np.complex128 if is_complex(e) else np.float64)
            reference = (np.sum if name == "add" else np.prod)(wide, axis=tuple(axes))
            count = int(np.prod([shape[d] for d in axes]))
            if name == "add":
                scale = np.sum(np.abs(wide), axis=tuple(axes))
            elif e in ("f32", "f64") or is_complex(e):
                ulps = 4 * count + 1
                scale = np.abs(reference) if is_complex(e) else None
        c.result(c.op(reduce_text(x, init, name, axes, kept, e), kept, e), reference, scale, ulps)


for name in ("add", "multiply"):
    reduction(name, ALL)
for name in ("maximum", "minimum"):
    reduction(name, PRED + INT + F8 + FLOAT)
for name in ("and", "or", "xor"):
    reduction(name, PRED + INT)


@op("stablehlo.reduce long", [e for e in PRED + INT + F8 + FLOAT])
def reduce_several(c, e):
    """The maximum with its index, and the sum of another operand."""
    shape = c.shape(c.rng.choice((1, 2, 3)), low=1)
    axis = c.rng.randrange(len(shape))
    kept = [s for d, s in enumerate(shape) if d != axis]
    x = c.arg(shape, e)
    n = c.arg(shape, "i32", data=c.np.integers(-9, 9, shape))
    i = c.op(f"stablehlo.iota dim = {axis} : {tensor(shape, 'i32')}", shape, "i32")
    lowest, none, zero = c.constant(identity("maximum", e), (), e), c.constant(0, (), "i32"), c.constant(0, (), "i32")
    s, t = tensor((), e), "tensor<i32>"
    found = c.ops(f"""stablehlo.reduce({x} init: {lowest}), ({i} init: {none}), ({n} init: {zero}) across dimensions = [{axis}] : ({x.type}, {i.type}, {i.type}, {s}, {t}, {t}) -> ({tensor(kept, e)}, {tensor(kept, 'i32')}, {tensor(kept, 'i32')})
   reducer(%a: {s}, %b: {s}) (%i: {t}, %j: {t}) (%m: {t}, %n: {t}) {{
    %g = stablehlo.compare GT, %a, %b : ({s}, {s}) -> tensor<i1>
    %e = stablehlo.compare EQ, %a, %b : ({s}, {s}) -> tensor<i1>
    %l = stablehlo.compare LT, %i, %j : ({t}, {t}) -> tensor<i1>
    %k = stablehlo.and %e, %l : tensor<i1>
    %o = stablehlo.or %g, %k : tensor<i1>
    %r = stablehlo.select %g, %a, %b : tensor<i1>, {s}
    %s = stablehlo.select %o, %i, %j : tensor<i1>, {t}
    %u = stablehlo.add %m, %n : {t}
    stablehlo.return %r, %s, %u : {s}, {t}, {t}
  }}""", (kept, e), (kept, "i32"), (kept, "i32"))
    references = (None,) * 3
    if e in ("i2", "i4", "ui2", "ui4"):  # types with little support in XLA
        wide = c.data[0].astype(np.int32)
        references = np.max(wide, axis), np.argmax(wide, axis), np.sum(c.data[1], axis)
    for value, reference in zip(found, references):
        c.result(value, reference, ulps=0)


@op("stablehlo.reduce body", ["f32", "f64"])
def reduce_body(c, e):
    """log(exp(a) + exp(b)): a body of several ops."""
    shape = c.shape(c.rng.choice((1, 2, 3)), low=1)
    axes = c.axes(shape, least=1)
    kept = [s for d, s in enumerate(shape) if d not in axes]
    x, init, s = c.arg(shape, e), c.constant(identity("maximum", e), (), e), tensor((), e)
    reference = np.logaddexp.reduce(c.data[0].astype(np.longdouble).reshape(shape), axis=axes[0]) if len(axes) == 1 else None
    if reference is None:
        reference = np.log(np.sum(np.exp(c.data[0].astype(np.longdouble)), axis=tuple(axes)))
    c.result(c.op(f"""stablehlo.reduce({x} init: {init}) across dimensions = {dims(axes)} : ({x.type}, {s}) -> {tensor(kept, e)}
   reducer(%a: {s}, %b: {s}) {{
    %m = stablehlo.maximum %a, %b : {s}
    %n = stablehlo.minimum %a, %b : {s}
    %d = stablehlo.subtract %n, %m : {s}
    %e = stablehlo.exponential %d : {s}
    %l = stablehlo.log_plus_one %e : {s}
    %r = stablehlo.add %m, %l : {s}
    %f = stablehlo.is_finite %m : ({s}) -> tensor<i1>
    %v = stablehlo.select %f, %r, %m : tensor<i1>, {s}
    stablehlo.return %v : {s}
  }}""", kept, e), reference, np.ones(kept), 8 * int(np.prod(shape)) ** 0.5 + 8)


@op("stablehlo.map", FLOAT + INT)
def map_(c, e):
    x, y, s = c.arg(shape := c.shape(), e), c.arg(shape, e), tensor((), e)
    c.result(c.op(f"""\"stablehlo.map\"({x}, {y}) <{{dimensions = array<i64{': ' if shape else ''}{', '.join(map(str, range(len(shape))))}>}}> ({{
   ^bb0(%a: {s}, %b: {s}):
    %m = stablehlo.maximum %a, %b : {s}
    %q = stablehlo.subtract %m, %a : {s}
    stablehlo.return %q : {s}
   }}) : ({x.type}, {x.type}) -> {x.type}""", shape, e))


def feature_shape(c):
    shape = list(c.shape(c.rng.choice((2, 3, 4)), low=1))
    return shape, c.rng.randrange(len(shape))


def batch_norm(kind, count):
    @op(f"stablehlo.batch_norm_{kind}", ["f32", "f64"])
    def generate(c, e):
        shape, feature = feature_shape(c)
        if kind != "inference" and np.prod(shape) < 8 * shape[feature]:
            shape[(feature + 1) % len(shape)] = 16
        n = [shape[feature]]
        x = c.arg(shape, e)
        vectors = [c.arg(n, e, data=np.abs(c.random(n, e, False)) + 0.5) for _ in range(count)]
        operands, whole, vector = [x, *vectors], tensor(shape, e), tensor(n, e)
        if kind == "grad":
            operands.append(c.arg(shape, e))
        results = {"training": [(shape, e), (n, e), (n, e)], "inference": [(shape, e)],
                   "grad": [(shape, e), (n, e), (n, e)]}[kind]  # fmt: skip
        types = ", ".join(v.type for v in operands)
        out = ", ".join(tensor(*r) for r in results)
        out = f"({out})" if len(results) > 1 else out
        found = c.ops(f'"stablehlo.batch_norm_{kind}"({", ".join(map(str, operands))}) <{{epsilon = 1.0e-3 : f32, '
                      f"feature_index = {feature} : i64}}> : ({types}) -> {out}", *results)  # fmt: skip
        size = float(np.prod(shape)) / n[0]
        for value in found:
            c.result(value, scale=np.full(value.shape, 4.0 * (size if kind == "grad" and value.shape != tuple(shape) else 1)))


batch_norm("training", 2)
batch_norm("inference", 4)
batch_norm("grad", 3)
