#===- dots.py - matrix products of each shape class ------------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""DOTS[name]() has the form of programs.PROGRAMS: on one device, square and skinny, batched, with
operands that are transposed in memory, and matrix times vector, in f32, bf16 and int8. FLOPS[name]
is the number of operations of a step."""

import jax.numpy as jnp
import numpy as np

DOTS, FLOPS = {}, {}
SHAPES = (
    ("512^3", "mk,kn->mn", (512, 512), (512, 512), 2 * 512**3),
    ("512^3, right transposed", "mk,nk->mn", (512, 512), (512, 512), 2 * 512**3),
    ("512^3, left transposed", "km,kn->mn", (512, 512), (512, 512), 2 * 512**3),
    ("32 x (128 x 64 x 128)", "bmk,bkn->bmn", (32, 128, 64), (32, 64, 128), 2**26),
    ("attention scores", "bthd,bshd->bhts", (4, 128, 8, 64), (4, 128, 8, 64), 2**26),
    ("attention values", "bhts,bshd->bthd", (4, 8, 128, 128), (4, 128, 8, 64), 2**26),
    ("8 x 1024 x 1024", "mk,kn->mn", (8, 1024), (1024, 1024), 2**24),
    ("matrix times vector", "mk,k->m", (1024, 1024), (1024,), 2**21),
    ("vector times matrix", "k,kn->n", (1024,), (1024, 1024), 2**21),
)


def operand(rng, name, shape):
    if name == "int8":
        return rng.integers(-9, 9, shape).astype(np.int8)
    return rng.standard_normal(shape).astype(jnp.dtype(name))


def register(name, equation, lhs, rhs, flops):
    def build():
        rng = np.random.default_rng(0)
        wide = jnp.int32 if name == "int8" else None
        dot = lambda x, y: jnp.einsum(equation, x, y, preferred_element_type=wide)
        return dot, None, (operand(rng, name, lhs), operand(rng, name, rhs)), None, None

    return build, flops


for dtype in ("float32", "bfloat16", "int8"):
    for shape_class, *shape in SHAPES:
        key = f"{dtype} {shape_class}"
        DOTS[key], FLOPS[key] = register(dtype, *shape)
