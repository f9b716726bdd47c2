//===- matrix.h - matrices in rules of derivatives -------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_LINALG_MATRIX_H
#define SHARDWRIGHT_FRONTEND_LINALG_MATRIX_H

#include "shardwright/frontend/linalg/linalg.h"
#include "shardwright/frontend/primitives/helpers.h"

namespace shardwright::frontend {

// Batches of matrices; batch dimensions are equal.

Tensor matrixProduct(const Tensor &a, const Tensor &b);
/// The conjugate transpose.
Tensor adjoint(const Tensor &x);
Tensor transposeMatrix(const Tensor &x);
/// Elements on and below diagonal `k`, others zero.
Tensor lowerPart(const Tensor &x, int64_t k = 0);
/// Elements on and above diagonal `k`.
Tensor upperPart(const Tensor &x, int64_t k = 0);
/// An identity of the dimensions and type of `x`.
Tensor identityLike(const Tensor &x);
/// The diagonals, and matrices of diagonals.
Tensor diagonalOf(const Tensor &x);
Tensor diagonalMatrix(const Tensor &x);
/// x of [.., n] as [.., 1, n] or [.., n, 1], repeated to the shape.
Tensor asRow(const Tensor &x, const Shape &shape);
Tensor asColumn(const Tensor &x, const Shape &shape);

/// The type of an item of this shape for each matrix of x.
Aval batchOf(const Aval &x, DType type, const Ints &item = {});
inline int64_t rowsOf(const Aval &x) { return x.shape[x.rank() - 2]; }
inline int64_t columnsOf(const Aval &x) { return x.shape[x.rank() - 1]; }
/// `uplo = 76 : ui8`.
std::string letter(const char *attribute, char value);
/// a^-1 b, of a triangular matrix.
Tensor solveLeft(const Tensor &a, const Tensor &b, bool lower, bool unit);
/// b op(a)^-1, where op may be the adjoint.
Tensor solveRight(const Tensor &a, const Tensor &b, bool lower,
                  bool adjointA = false);
/// The rows of each matrix in the order that `order` has for it.
Tensor permuteRows(const Tensor &x, const Tensor &order);
/// The corner of a matrix, or the matrix with zeros around it.
Tensor resize(const Tensor &x, int64_t rows, int64_t columns);

/// Emits LAPACK's `lapack_{type}{routine}_ffi`, as JAX does on CPU. Operands
/// and results are batches of items of rank `ranks[i]`: matrices in
/// column-major order, vectors and scalars. `aliases`: (result, operand).
std::vector<std::string>
callLapack(LoweringContext &c, const std::string &real,
           const std::string &complex, const std::vector<std::string> &args,
           const std::vector<Aval> &types, const std::vector<Aval> &results,
           const Ints &argRanks, const Ints &resultRanks,
           const std::string &config,
           const std::vector<std::pair<int, int>> &aliases);
/// `value` where the batch of `info` is 0 (or, of `orPositive`, not negative),
/// else NaN.
std::string checkedByInfo(LoweringContext &c, const std::string &value,
                          const Aval &type, const std::string &info,
                          int64_t batchRank, bool orPositive = false);

/// An error unless x is a batch of matrices of a type that LAPACK has, and, if
/// `square`, square.
Status checkMatrix(const std::string &name, const Aval &x, bool square,
                   size_t position = 0);
/// Specs of the results of a factorization: batch dimensions keep their axes,
/// and matrices are not sharded.
std::function<Expected<std::vector<PartitionSpec>>(
    const std::vector<Aval> &, const std::vector<Aval> &, const Params &)>
matrixSharding(std::string name);
/// Moves the batch dimension to the front.
BatchResult batchMatrix(const Primitive &primitive, const BatchAxis &axis,
                        const Tensors &in, const Ints &dims,
                        const Params &params, size_t results);

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_LINALG_MATRIX_H
