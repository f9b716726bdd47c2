#===- rng.py - random bits -------------------------------------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//

from ops.case import op, tensor


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
