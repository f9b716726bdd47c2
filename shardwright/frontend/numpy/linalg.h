//===- linalg.h - matrices -------------------------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_NUMPY_LINALG_H
#define SHARDWRIGHT_FRONTEND_NUMPY_LINALG_H

#include "shardwright/frontend/numpy/numpy.h"

/// Functions of batches of matrices: the last two dimensions. Integers become
/// floats. JAX: jax.numpy.linalg.
namespace shardwright::frontend::linalg {

/// x with a x = b. b: vectors (one dimension) or matrices.
Tensor solve(const Tensor &a, const Tensor &b);
Tensor inv(const Tensor &a);
Tensor det(const Tensor &a);
/// The sign and the logarithm of the absolute value of the determinant.
std::pair<Tensor, Tensor> slogdet(const Tensor &a);
/// The Moore-Penrose inverse. Singular values below `rcond` times the greatest
/// count as zero; by default 10 max(m, n) epsilon.
Tensor pinv(const Tensor &a, std::optional<double> rcond = {});
/// The x of least norm that minimizes |a x - b|. a: one matrix.
Tensor lstsq(const Tensor &a, const Tensor &b);
/// a to an integer power; negative ones of the inverse.
Tensor matrixPower(const Tensor &a, int64_t n);
Tensor matrixRank(const Tensor &a);

enum class Norm { Euclidean, One, Infinity, Nuclear, Spectral };
/// Along axes: a vector norm along one, a matrix norm (Euclidean: Frobenius)
/// along two; none: the Euclidean norm of all elements.
Tensor norm(const Tensor &x, const Axes &axes = {}, Norm kind = Norm::Euclidean,
            bool keepDims = false);

/// Of any order: of vectors (one axis) sum(|x|^order)^(1/order), the count of
/// elements for 0, the greatest or least one for an infinity; of matrices (two
/// axes) 1, -1, 2, -2 and infinities. No axes: those of x.
Tensor norm(const Tensor &x, double order, const Axes &axes = {},
            bool keepDims = false);
/// Of all elements along axes.
Tensor vectorNorm(const Tensor &x, double order = 2, const Axes &axes = {},
                  bool keepDims = false);
/// Of the last two dimensions.
Tensor matrixNorm(const Tensor &x, Norm kind = Norm::Euclidean,
                  bool keepDims = false);
Tensor matrixNorm(const Tensor &x, double order, bool keepDims = false);

/// The lower triangular factor.
Tensor cholesky(const Tensor &a);
/// (q, r), reduced.
std::pair<Tensor, Tensor> qr(const Tensor &a);
/// (u, s, v^H).
Tensors svd(const Tensor &a, bool fullMatrices = true);
/// (eigenvalues in ascending order, eigenvectors as columns).
std::pair<Tensor, Tensor> eigh(const Tensor &a);
Tensor eigvalsh(const Tensor &a);
/// (complex eigenvalues in no order, eigenvectors as columns) of any matrix.
std::pair<Tensor, Tensor> eig(const Tensor &a);
Tensor eigvals(const Tensor &a);

} // namespace shardwright::frontend::linalg

#endif // SHARDWRIGHT_FRONTEND_NUMPY_LINALG_H
