//===- linalg.h - factorizations of matrices -------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_LINALG_LINALG_H
#define SHARDWRIGHT_FRONTEND_LINALG_LINALG_H

#include "shardwright/frontend/primitives/lax.h"

namespace shardwright::frontend::lax {

struct TriangularSolveOptions {
  bool leftSide = false, lower = false, transposeA = false, conjugateA = false,
       unitDiagonal = false;
};

/// Functions of batches of matrices: the last two dimensions. Executed by
/// LAPACK; a matrix without the factorization gives NaN. Types: f32, f64, c64,
/// c128. JAX: jax.lax.linalg.
namespace linalg {

/// The lower triangular L with x = L L^H. `symmetrize`: x is replaced by (x +
/// x^H) / 2.
Tensor cholesky(const Tensor &x, bool symmetrize = true);
/// x with op(a) x = b, or x op(a) = b on the right side.
Tensor triangular_solve(const Tensor &a, const Tensor &b,
                        const TriangularSolveOptions &options = {});
/// (q, r); without `fullMatrices`, q has as many columns as x has rows or
/// columns, whichever is less.
Tensors qr(const Tensor &x, bool fullMatrices = true);
/// (lu, pivots, permutation): L below the diagonal, whose own is 1, and U.
Tensors lu(const Tensor &x);
/// The order of `size` rows after exchanges of row i and row pivots[i].
Tensor lu_pivots_to_permutation(const Tensor &pivots, int64_t size);
/// (v, w): eigenvectors as columns, eigenvalues in ascending order.
Tensors eigh(const Tensor &x, bool lower = true, bool symmetrize = true);
/// (w, vl, vr): complex eigenvalues in no order, with left and right
/// eigenvectors as columns if they are wanted. Eigenvalues alone have
/// derivatives.
Tensors eig(const Tensor &x, bool computeLeft = true, bool computeRight = true);
/// The product of the reflectors that the columns of a below the diagonal and
/// `taus` describe.
Tensor householder_product(const Tensor &a, const Tensor &taus);
/// alpha a a^T + beta c; `symmetrize`: the upper part mirrors the lower one.
Tensor symmetric_product(const Tensor &a, const Tensor &c, double alpha = 1,
                         double beta = 0, bool symmetrize = false);
/// (u, s, v^H), or only s.
Tensors svd(const Tensor &x, bool fullMatrices = true, bool computeUv = true);

} // namespace linalg
} // namespace shardwright::frontend::lax

#endif // SHARDWRIGHT_FRONTEND_LINALG_LINALG_H
