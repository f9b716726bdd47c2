//===- linalg.h - factorizations and special matrices ----------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_SCIPY_LINALG_H
#define SHARDWRIGHT_FRONTEND_SCIPY_LINALG_H

#include "shardwright/frontend/numpy/linalg.h"

#include <tuple>

/// Functions of batches of matrices: the last two dimensions. Integers become
/// floats. Right-hand sides b are vectors (one dimension) or matrices. JAX:
/// jax.scipy.linalg.
namespace shardwright::frontend::scipy::linalg {

/// A factor and which triangle it is.
struct CholeskyFactor {
  Tensor c;
  bool lower = false;
};
/// The upper factor U with a = U^H U, or the lower one L with a = L L^H. The
/// other triangle of `a` is not read.
Tensor cholesky(const Tensor &a, bool lower = false);
CholeskyFactor choFactor(const Tensor &a, bool lower = false);
Tensor choSolve(const CholeskyFactor &factor, const Tensor &b);

/// (lu, pivots): L below the diagonal, whose own is 1, and U; row i was
/// exchanged with row pivots[i].
std::pair<Tensor, Tensor> luFactor(const Tensor &a);
enum class Transposed { No, Transpose, Adjoint };
Tensor luSolve(const std::pair<Tensor, Tensor> &luAndPivots, const Tensor &b,
               Transposed transposed = Transposed::No);
/// (p, l, u) with a = p l u. One matrix.
std::tuple<Tensor, Tensor, Tensor> lu(const Tensor &a);

struct SolveTriangularOptions {
  Transposed transposed = Transposed::No;
  bool lower = false, unitDiagonal = false;
};
/// x with op(a) x = b; the other triangle of `a` is not read.
Tensor solveTriangular(const Tensor &a, const Tensor &b,
                       const SolveTriangularOptions &options = {});
/// x with a x = b. `isPositive`: a is Hermitian and positive definite.
Tensor solve(const Tensor &a, const Tensor &b, bool isPositive = false,
             bool lower = false);
Tensor inv(const Tensor &a);
Tensor det(const Tensor &a);
std::pair<Tensor, Tensor> eigh(const Tensor &a);
std::pair<Tensor, Tensor> qr(const Tensor &a);
Tensors svd(const Tensor &a, bool fullMatrices = true);

/// The exponential. NaN where more than `maxSquarings` squarings are needed.
Tensor expm(const Tensor &a, bool upperTriangular = false,
            int64_t maxSquarings = 16);

/// The matrices along a diagonal of blocks, zeros elsewhere.
Tensor blockDiag(const Tensors &xs);
/// The matrix with this first column, and row; by default the conjugate of the
/// column.
Tensor toeplitz(const Tensor &c, const std::optional<Tensor> &r = {});
/// The matrix with this first column, and last row; by default zeros.
Tensor hankel(const Tensor &c, const std::optional<Tensor> &r = {});
Tensor circulant(const Tensor &c);
/// 1 / (i + j + 1).
Tensor hilbert(int64_t n);
/// n: a power of two.
Tensor hadamard(int64_t n, DType type = DType::I32);

} // namespace shardwright::frontend::scipy::linalg

#endif // SHARDWRIGHT_FRONTEND_SCIPY_LINALG_H
