#===- fft.py - the four transforms -----------------------------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//

import numpy as np

from ops.case import dims, op, tensor


@op("stablehlo.fft", ["f32", "f64"])
def fft(c, e):
    r, kind = c.rng, c.rng.choice(("FFT", "IFFT", "RFFT", "IRFFT"))
    rank = r.choice((1, 1, 2, 3))
    lengths = [r.choice((1, 2, 3, 4, 5, 7, 8, 12, 16, 17, 30) if rank < 3 else (1, 2, 3, 4, 6)) for _ in range(rank)]
    batch = list(c.shape(r.choice((0, 0, 1, 2)), largest=3))
    full, half = [*batch, *lengths], [*batch, *lengths[:-1], lengths[-1] // 2 + 1]
    complex_ = f"complex<{e}>"
    axes = tuple(range(len(batch), len(full)))
    shape, element = (full, e) if kind == "RFFT" else (half if kind == "IRFFT" else full, complex_)
    result, result_element = (half, complex_) if kind == "RFFT" else (full, e if kind == "IRFFT" else complex_)
    x = c.arg(shape, element)
    wide = c.data[0].astype(np.complex128 if element != e else np.float64)
    if kind == "IRFFT":  # a spectrum of real numbers
        wide = np.fft.rfftn(c.np.standard_normal(full), axes=axes)
        c.data[0] = wide.astype(c.data[0].dtype)
        wide = c.data[0].astype(np.complex128)
    function = {"FFT": np.fft.fftn, "IFFT": np.fft.ifftn, "RFFT": np.fft.rfftn,
                "IRFFT": lambda a, axes: np.fft.irfftn(a, s=lengths, axes=axes)}[kind]  # fmt: skip
    reference = function(wide, axes=axes) if wide.size else np.zeros(result)
    norm = np.sqrt(np.sum(np.abs(wide) ** 2, axis=axes, keepdims=True))
    if kind in ("IFFT", "IRFFT"):
        norm = norm / np.sqrt(np.prod(lengths))
    scale = np.broadcast_to(norm, [*batch, *[1] * rank]) * np.ones(result)
    c.result(c.op(f"stablehlo.fft {x}, type = {kind}, length = {dims(lengths)} : ({x.type}) -> {tensor(result, result_element)}",
                  result, result_element), reference, scale)  # fmt: skip
