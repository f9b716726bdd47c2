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
    def __init__(self, c):
        self.storage = c.rng.choice(("i8", "i8", "ui8", "i4", "i16"))
        self.low, self.high = LIMITS[self.storage]
        self.scale = c.rng.choice((0.5, 0.125, 1.0, 0.1, 2.0))
        self.zero = c.rng.randint(max(self.low, -20), min(self.high, 20))

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
        # A tie may fall either way when the exact value is half between two codes.
        c.result(c.op(f"stablehlo.uniform_dequantize {v} : ({t}) -> {tensor(shape, e)}", shape, e), reference,
                 scale=np.full(shape, result.scale), ulps=2**23)  # fmt: skip


elementwise("add", np.add, 2)
elementwise("multiply", np.multiply, 2)
elementwise("subtract", np.subtract, 2)
elementwise("maximum", np.maximum, 2)
elementwise("negate", np.negative, 1)
elementwise("tanh", np.tanh, 1)
elementwise("abs", np.abs, 1)
