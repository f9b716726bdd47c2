#===- linalg.py - cholesky, triangular_solve -------------------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//

import numpy as np

from ops.case import COMPLEX, is_complex, op


def batch_of(c):
    return list(c.shape(c.rng.choice((0, 0, 1, 2)), largest=3))


@op("stablehlo.cholesky", ["f32", "f64", *COMPLEX])
def cholesky(c, e):
    n, batch = c.rng.choice((1, 2, 3, 5, 8, 17)), batch_of(c)
    shape = [*batch, n, n]
    wide = np.complex128 if is_complex(e) else np.float64
    a = c.random(shape, e, False).astype(wide)
    a = a @ np.conj(np.swapaxes(a, -1, -2)) + n * np.eye(n)
    lower = c.rng.random() < 0.5
    x = c.arg(shape, e, data=a)
    exact = c.data[0].astype(wide)
    # The other triangle is not read.
    exact = (np.tril(exact) + np.conj(np.swapaxes(np.tril(exact, -1), -1, -2)) if lower else
             np.triu(exact) + np.conj(np.swapaxes(np.triu(exact, 1), -1, -2)))  # fmt: skip
    if c.rng.random() < 0.3:
        c.data[0] += (np.triu(np.ones((n, n)), 1) if lower else np.tril(np.ones((n, n)), -1)).astype(c.data[0].dtype)
    reference = np.linalg.cholesky(exact) if exact.size else exact
    if not lower:
        reference = np.conj(np.swapaxes(reference, -1, -2))
    scale = np.full(shape, float(np.max(np.abs(reference), initial=1)))
    attribute = "" if not lower and c.rng.random() < 0.5 else f", lower = {str(lower).lower()}"
    c.result(c.op(f"stablehlo.cholesky {x}{attribute} : {x.type}", shape, e), reference, scale)


@op("stablehlo.triangular_solve", ["f32", "f64", *COMPLEX])
def triangular_solve(c, e):
    n, m, batch = c.rng.choice((1, 2, 3, 5, 8, 17)), c.rng.choice((1, 2, 7)), batch_of(c)
    left, lower, unit = (c.rng.random() < 0.5 for _ in "lou")
    transpose = c.rng.choice(("NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"))
    wide = np.complex128 if is_complex(e) else np.float64
    a = c.random([*batch, n, n], e, False).astype(wide) / n + 2 * np.eye(n)
    x = c.arg([*batch, n, n], e, data=a)
    b = c.arg([*batch, *((n, m) if left else (m, n))], e)
    a, rhs = c.data[0].astype(wide), c.data[1].astype(wide)
    a = np.tril(a) if lower else np.triu(a)
    if unit:
        a = a - a * np.eye(n) + np.eye(n)
    if transpose != "NO_TRANSPOSE":
        a = np.swapaxes(a, -1, -2)
        a = np.conj(a) if transpose == "ADJOINT" else a
    if not rhs.size:
        reference = rhs
    elif left:
        reference = np.linalg.solve(a, rhs)
    else:
        reference = np.swapaxes(np.linalg.solve(np.swapaxes(a, -1, -2), np.swapaxes(rhs, -1, -2)), -1, -2)
    scale = np.full(b.shape, float(np.max(np.abs(reference), initial=1)))
    c.result(c.op(f'"stablehlo.triangular_solve"({x}, {b}) <{{left_side = {str(left).lower()}, lower = {str(lower).lower()}, '
                  f"transpose_a = #stablehlo<transpose {transpose}>, unit_diagonal = {str(unit).lower()}}}> : "
                  f"({x.type}, {b.type}) -> {b.type}", b.shape, e), reference, scale)  # fmt: skip
