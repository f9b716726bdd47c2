//===- promote.h - promotion and broadcasting of operands -------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_NUMPY_PROMOTE_H
#define SHARDWRIGHT_FRONTEND_NUMPY_PROMOTE_H

#include "shardwright/frontend/numpy/numpy.h"
#include "shardwright/frontend/primitives/helpers.h"

namespace shardwright::frontend {

/// The operands with a common type and rank; scalars keep rank 0. Errors of the
/// settings numpyDtypePromotion and numpyRankPromotion, which name the function
/// of jax.numpy: the calling function if it is not given; null: any ranks fit.
std::pair<Tensor, Tensor>
promotePair(const Tensor &x, const Tensor &y,
            const char *function = __builtin_FUNCTION());
/// The error, or the warning, that the setting numpyRankPromotion wants for
/// operands of these shapes.
Status checkRanks(const char *function, const Shape &x, const Shape &y);
/// The same for the dimensions of operands before their last `core` ones, of a
/// function with this signature of jax.numpy.vectorize.
Status checkBatchRanks(const std::vector<Shape> &shapes, const Ints &core,
                       const char *signature);
/// Leading dimensions of size 1 up to this rank; scalars keep rank 0.
Tensor toRank(const Tensor &x, int64_t rank);
/// Integers and booleans become floats.
Tensor inexact(const Tensor &x);
/// The operands with a common type and rank, which is one of floats.
std::pair<Tensor, Tensor>
inexactPair(const Tensor &x, const Tensor &y,
            const char *function = __builtin_FUNCTION());
/// True where an element is not zero.
Tensor boolean(const Tensor &x);
/// Makes a type, with its weakness, the common one of itself and of a value.
Status joinType(Aval &type, const Tensor &x);
/// The type as which floats of this type are summed: short ones as 32-bit ones.
DType computationType(DType type);
/// Sums of booleans and short integers are 32-bit integers.
DType sumType(DType type);
/// |x|^2.
Tensor squaredSize(const Tensor &x);
/// A value in place of each NaN.
Tensor withoutNan(const Tensor &x, double value);
/// Integers that divide: 1 in place of each 0.
Tensor nonzeroDivisor(const Tensor &x);
/// The diagonal k, but not further from the edges of a matrix than the next
/// beyond them: 32 bits hold its number, and it selects the same elements.
/// Sizes that are none are errors elsewhere.
int64_t nearestDiagonal(int64_t k, int64_t rows, int64_t columns);
/// Negative positions in a dimension of size n count from its end. `isKnown`: a
/// constant, whose signs no program computes.
Tensor fromBegin(const Tensor &positions, int64_t n, bool isKnown = false);
/// 0 <= axis < rank, or an error.
Expected<int64_t> normalizedAxis(int64_t axis, int64_t rank);
/// The axes in their order, or this error if one is named twice.
Expected<Ints> distinctAxes(const Ints &axes, int64_t rank,
                            const std::string &repeated = "repeated axis");
/// An operation of an axis that is counted from the begin.
Tensor alongAxis(const Tensor &x, int64_t axis,
                 const std::function<Tensor(int64_t)> &op);

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_NUMPY_PROMOTE_H
