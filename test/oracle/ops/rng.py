#===- rng.py - random bits -------------------------------------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//

import numpy as np

from ops.case import is_float, op, tensor


@op("stablehlo.rng_bit_generator", ["ui8", "ui16", "ui32", "ui64", "i8", "i16", "i32", "i64", "f16", "f32", "f64", "bf16"])
def rng_bit_generator(c, e):
    algorithm = c.rng.choice(("THREE_FRY", "PHILOX", "DEFAULT"))
    words = 2 if algorithm == "THREE_FRY" else c.rng.choice((2, 3))
    state = c.arg([words], "ui64", wild=True)
    shape = c.shape()
    found = c.ops(f"stablehlo.rng_bit_generator {state}, algorithm = {algorithm} : ({state.type}) -> "
                  f"({state.type}, {tensor(shape, e)})", ([words], "ui64"), (shape, e))  # fmt: skip
    c.result(found[0])
    bits = found[1]
    if e[0] in "fb":  # as bits: NaN are as many as others
        kind = {"f16": "i16", "bf16": "i16", "f32": "i32", "f64": "i64"}[e]
        bits = c.op(f"stablehlo.bitcast_convert {bits} : ({bits.type}) -> {tensor(shape, kind)}", shape, kind)
    c.result(bits)


def moments(what, found, mean, deviation, slack=6.0):
    """Checks that the mean is within six deviations for this number of draws. None if it is."""
    n = found.size
    wide = found.astype(np.float64)
    error = abs(wide.mean() - mean)
    if error > slack * deviation / np.sqrt(n) + 1e-3 * max(1.0, abs(mean)):
        return f"{what}: mean {wide.mean()}, expected {mean}"
    if n > 1000 and not 0.9 * deviation <= wide.std() <= 1.1 * deviation:
        return f"{what}: deviation {wide.std()}, expected {deviation}"
    return None


@op("stablehlo.rng uniform", ["f16", "bf16", "f32", "f64", "i8", "i16", "i32", "i64", "ui8", "ui16", "ui32", "ui64", "i1"])
def rng_uniform(c, e):
    """In [a, b), for any two different numbers."""
    n = c.rng.choice((0, 1, 7, 4096))
    low, high = {"i1": (0, 1)}.get(e, (c.rng.randint(0, 9), c.rng.randint(10, 100)))
    if is_float(e) or e[0] == "i" and e != "i1":
        low -= c.rng.choice((0, 20))
    a, b = c.arg((), e, data=low), c.arg((), e, data=high)
    shape = c.op(f"stablehlo.constant dense<[{n}]> : tensor<1xi64>", [1], "i64")
    v = c.op(f"stablehlo.rng {a}, {b}, {shape}, distribution = UNIFORM : ({a.type}, {b.type}, {shape.type}) -> {tensor([n], e)}", [n], e)
    c.result(v)

    def check(found):
        x = found[0].astype(np.float64)
        if not n:
            return None
        if e != "i1" and (x.min() < low or x.max() >= high and not (e in ("f16", "bf16") and x.max() == high)):
            return f"{x.min()} to {x.max()}, expected [{low}, {high})"
        if n < 4096 or e == "i1":
            return None
        whole = not is_float(e)
        mean = (low + high - whole) / 2
        return moments("uniform", found[0], mean, np.sqrt(((high - low) ** 2 - whole) / 12))

    c.check(check)


@op("stablehlo.rng normal", ["f16", "bf16", "f32", "f64"])
def rng_normal(c, e):
    mean, deviation = c.rng.choice((0.0, -3.0, 10.0)), c.rng.choice((0.5, 1.0, 4.0))
    a, b = c.arg((), e, data=mean), c.arg((), e, data=deviation)
    shape = c.op("stablehlo.constant dense<[16, 256]> : tensor<2xi64>", [2], "i64")
    v = c.op(f"stablehlo.rng {a}, {b}, {shape}, distribution = NORMAL : ({a.type}, {b.type}, {shape.type}) -> {tensor([16, 256], e)}",
             [16, 256], e)  # fmt: skip
    c.result(v)
    c.check(lambda found: moments("normal", found[0], mean, deviation))
