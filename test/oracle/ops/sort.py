#===- sort.py - sort with any comparator -----------------------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//

import numpy as np

from ops.case import ALL, is_complex, is_float, op, tensor

NARROW = ("i2", "i4", "ui2", "ui4")  # XLA sorts these wrongly, or crashes


# XLA compares the 8-bit floats without -0 as 16-bit floats, with subnormals flushed.
@op("stablehlo.sort", [e for e in ALL if not is_complex(e) and not e.endswith("FNUZ")])
def sort(c, e):
    """A key and its position; ties keep their order."""
    shape = c.shape(c.rng.choice((1, 2, 3)))
    d = c.rng.randrange(len(shape))
    x = c.arg(shape, e, wild=True)
    i = c.op(f"stablehlo.iota dim = {d} : {tensor(shape, 'i32')}", shape, "i32")
    s, order = tensor((), e), ", TOTALORDER" if is_float(e) else ""
    direction = c.rng.choice(("LT", "GT"))
    references = (None, None)
    # XLA's result for a dimension counted from the end is undefined.
    dimension = d if is_float(e) or c.rng.random() < 0.7 else d - len(shape)
    if e in NARROW or dimension < 0:
        keys = c.data[0].astype(np.uint64 if e == "ui64" else np.int64)
        at = np.argsort(keys if direction == "LT" else ~keys, axis=d, kind="stable")
        references = np.take_along_axis(c.data[0], at, d), at
    found = c.ops(f"""\"stablehlo.sort\"({x}, {i}) <{{dimension = {dimension} : i64, is_stable = true}}> ({{
   ^bb0(%a: {s}, %b: {s}, %c: tensor<i32>, %d: tensor<i32>):
    %l = stablehlo.compare {direction}, %a, %b{order} : ({s}, {s}) -> tensor<i1>
    stablehlo.return %l : tensor<i1>
   }}) : ({x.type}, {i.type}) -> ({x.type}, {i.type})""", (shape, e), (shape, "i32"))
    for value, reference in zip(found, references):
        c.result(value, reference)


@op("stablehlo.sort one", [e for e in ALL if not is_complex(e)])
def sort_one(c, e):
    shape = c.shape(c.rng.choice((1, 2, 3)))
    d, s = c.rng.randrange(len(shape)), tensor((), e)
    x = c.arg(shape, e, wild=False)
    stable = c.rng.choice(("true", "false"))
    found = c.ops(f"""\"stablehlo.sort\"({x}) <{{dimension = {d} : i64, is_stable = {stable}}}> ({{
   ^bb0(%a: {s}, %b: {s}):
    %l = stablehlo.compare LT, %a, %b : ({s}, {s}) -> tensor<i1>
    stablehlo.return %l : tensor<i1>
   }}) : ({x.type}) -> {x.type}""", (shape, e))
    c.result(found[0], np.sort(c.data[0].astype(np.int32), axis=d) if e in NARROW else None)


@op("stablehlo.sort lexicographic", ["i32", "ui8", "i1"])
def lexicographic(c, e):
    """Two keys and two values."""
    shape = c.shape(c.rng.choice((1, 2)))
    d, s, f = c.rng.randrange(len(shape)), tensor((), e), "tensor<f32>"
    x, y = c.arg(shape, e), c.arg(shape, e)
    v, w = c.arg(shape, "f32"), c.arg(shape, "bf16")
    g = "tensor<bf16>"
    types = f"{x.type}, {y.type}, {v.type}, {w.type}"
    found = c.ops(f"""\"stablehlo.sort\"({x}, {y}, {v}, {w}) <{{dimension = {d} : i64, is_stable = true}}> ({{
   ^bb0(%a: {s}, %b: {s}, %c: {s}, %d: {s}, %e: {f}, %f: {f}, %g: {g}, %h: {g}):
    %l = stablehlo.compare LT, %a, %b : ({s}, {s}) -> tensor<i1>
    %q = stablehlo.compare EQ, %a, %b : ({s}, {s}) -> tensor<i1>
    %m = stablehlo.compare GT, %c, %d : ({s}, {s}) -> tensor<i1>
    %n = stablehlo.and %q, %m : tensor<i1>
    %o = stablehlo.or %l, %n : tensor<i1>
    stablehlo.return %o : tensor<i1>
   }}) : ({types}) -> ({types})""", (shape, e), (shape, e), (shape, "f32"), (shape, "bf16"))
    for value in found:
        c.result(value)
