//===- matrices.h - more products and matrices, polynomials ----*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_SCIPY_MATRICES_H
#define SHARDWRIGHT_FRONTEND_SCIPY_MATRICES_H

#include "shardwright/frontend/numpy/linalg.h"

/// JAX: jax.numpy.
namespace shardwright::frontend {

/// Of vectors of length 2 or 3 along an axis.
Tensor cross(const Tensor &x, const Tensor &y, int64_t axis = -1);
/// The sum of conj(x) y along an axis.
Tensor vecdot(const Tensor &x, const Tensor &y, int64_t axis = -1);
/// Products of matrices with vectors, and of conjugated vectors with matrices.
Tensor matvec(const Tensor &x, const Tensor &v);
Tensor vecmat(const Tensor &v, const Tensor &x);

// Polynomials, by their coefficients, the highest first.
Tensor polyval(const Tensor &p, const Tensor &x);
Tensor polyadd(const Tensor &p, const Tensor &q);
Tensor polysub(const Tensor &p, const Tensor &q);
Tensor polymul(const Tensor &p, const Tensor &q);
Tensor polyder(const Tensor &p, int64_t m = 1);
Tensor polyint(const Tensor &p, int64_t m = 1);

namespace linalg {
/// The greatest singular value over the least.
Tensor cond(const Tensor &a);
Tensor svdvals(const Tensor &a);
/// The product of several matrices, from left to right.
Tensor multiDot(const Tensors &xs);
Tensor cross(const Tensor &x, const Tensor &y, int64_t axis = -1);
Tensor vecdot(const Tensor &x, const Tensor &y, int64_t axis = -1);
/// The tensor whose product with `a` over its first `n` dimensions is the
/// identity.
Tensor tensorinv(const Tensor &a, int64_t n = 2);
/// x with tensordot(a, x, x.ndim) = b.
Tensor tensorsolve(const Tensor &a, const Tensor &b);
} // namespace linalg

/// JAX: jax.nn.
namespace nn {
Tensor identity(const Tensor &x);
/// log(1 - e^-x).
Tensor log1mexp(const Tensor &x);
/// The logarithm of the mean of exponentials.
Tensor logmeanexp(const Tensor &x, const Axes &axes = {},
                  bool keepDims = false);
/// 0 below -1, (x + 1)^2 / 4, x above 1; and its derivative.
Tensor sparsePlus(const Tensor &x);
Tensor sparseSigmoid(const Tensor &x);
} // namespace nn

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_SCIPY_MATRICES_H
