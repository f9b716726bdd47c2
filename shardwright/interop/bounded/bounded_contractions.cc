//===- bounded_contractions.cc - dots, matrices and transforms ----------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/interop/bounded/bounded_ops.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace shardwright::bounded {

LogicalResult padDot(stablehlo::DotGeneralOp op, Values &values) {
  BoundedBuilder m(op);
  auto numbers = op.getDotDimensionNumbers();
  Extents lhs = values.of(op.getLhs()), rhs = values.of(op.getRhs()), to;
  // If one dimension of a pair is bounded, both are.
  auto agree = [&](Dims left, Dims right) {
    for (auto [l, r] : llvm::zip_equal(left, right)) {
      int64_t bound = std::min(lhs[l].bound, rhs[r].bound);
      Value used = lhs[l].used ? lhs[l].used : rhs[r].used;
      lhs[l] = rhs[r] = {bound, used};
    }
  };
  Dims leftBatch = numbers.getLhsBatchingDimensions(),
       rightBatch = numbers.getRhsBatchingDimensions(),
       leftSum = numbers.getLhsContractingDimensions(),
       rightSum = numbers.getRhsContractingDimensions();
  agree(leftBatch, rightBatch);
  agree(leftSum, rightSum);
  op.getLhsMutable().assign(
      m.maskedByZero(m.resized(op.getLhs(), bounds(lhs)), lhs, leftSum));
  op.getRhsMutable().assign(
      m.maskedByZero(m.resized(op.getRhs(), bounds(rhs)), rhs, rightSum));
  for (int64_t d : leftBatch)
    to.push_back(lhs[d]);
  auto free = [&](const Extents &side, Dims batch, Dims sum) {
    for (auto [d, e] : llvm::enumerate(side))
      if (!llvm::is_contained(batch, d) && !llvm::is_contained(sum, d))
        to.push_back(e);
  };
  free(lhs, leftBatch, leftSum);
  free(rhs, rightBatch, rightSum);
  values.set(op.getResult(), to);
  return success();
}

/// Identity matrices in the last two dimensions.
static Value identityMatrices(BoundedBuilder &m, RankedTensorType type) {
  int64_t rank = type.getRank();
  auto index = type.clone(m.b.getI32Type());
  Value diagonal = m.compare(m.iota(index, rank - 2), m.iota(index, rank - 1),
                             stablehlo::ComparisonDirection::EQ);
  auto complex = dyn_cast<ComplexType>(type.getElementType());
  if (!complex)
    return m.convert(diagonal, type.getElementType());
  Value part = m.convert(diagonal, complex.getElementType());
  return stablehlo::ComplexOp::create(m.b, m.loc, type, part,
                                      m.zeros(BoundedBuilder::typeOf(part)));
}

/// Extends the used part of square matrices by the identity, so that solving or
/// factoring it does not depend on the padding.
static Value continuedByIdentity(BoundedBuilder &m, Value x,
                                 const Extents &extents) {
  int64_t rank = extents.size();
  Value inside = m.inside(bounds(extents), extents, {rank - 2, rank - 1});
  return inside ? m.select(inside, x,
                           identityMatrices(m, BoundedBuilder::typeOf(x)))
                : x;
}

/// Gives both dimensions of square matrices the same size.
static void makeSquare(Extents &extents, Extent &other) {
  Extent &rows = extents[extents.size() - 2], &columns = extents.back();
  Extent one = rows;
  for (const Extent &e : {columns, other})
    one = {std::min(one.bound, e.bound), one.used ? one.used : e.used};
  rows = columns = other = one;
}

LogicalResult padCholesky(stablehlo::CholeskyOp op, Values &values) {
  BoundedBuilder m(op);
  Extents extents = values.of(op.getA());
  makeSquare(extents, extents.back());
  Value a = m.resized(op.getA(), bounds(extents));
  op.getAMutable().assign(continuedByIdentity(m, a, extents));
  values.set(op.getResult(), extents);
  return success();
}

LogicalResult padTriangularSolve(stablehlo::TriangularSolveOp op,
                                 Values &values) {
  BoundedBuilder m(op);
  Extents a = values.of(op.getA()), b = values.of(op.getB());
  int64_t rank = a.size(), solved = op.getLeftSide() ? rank - 2 : rank - 1;
  makeSquare(a, b[solved]);
  for (int64_t d = 0; d < rank - 2; ++d) {
    a[d].bound = b[d].bound = std::min(a[d].bound, b[d].bound);
    a[d].used = b[d].used = a[d].used ? a[d].used : b[d].used;
  }
  Value left = m.resized(op.getA(), bounds(a)),
        right = m.resized(op.getB(), bounds(b));
  op.getAMutable().assign(continuedByIdentity(m, left, a));
  // Mask b, because an infinity times a zero of the matrix would be NaN.
  op.getBMutable().assign(m.maskedByZero(right, b, {solved}));
  values.set(op.getResult(), b);
  return success();
}

LogicalResult padFft(stablehlo::FftOp op, Values &values) {
  Extents to = values.of(op.getOperand());
  RankedTensorType type = BoundedBuilder::typeOf(op.getResult());
  for (size_t d = to.size() - op.getFftLength().size(); d < to.size(); ++d) {
    if (to[d].used || type.isDynamicDim(d))
      return op.emitError("along a dimension of bounded size is not supported, "
                          "since fft_length says how long it is");
    to[d].bound = type.getDimSize(d);
  }
  values.set(op.getResult(), to);
  return success();
}

} // namespace shardwright::bounded
