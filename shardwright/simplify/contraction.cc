//===- contraction.cc - the normal form of contractions ------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The normal form of dot_general: no contracting and batching dimensions of
// size 1, contracting dimensions in the order of the operands, and no
// transposes of operands or result that its dimension numbers can express.

#include "shardwright/simplify/patterns.h"
#include "shardwright/simplify/rewrite.h"

#include "shardwright/dialect/stablehlo/contraction.h"
#include "shardwright/dialect/stablehlo/shape.h"

#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace shardwright::stablehlo;

namespace shardwright::simplifier {
namespace {

struct Dims {
  SmallVector<int64_t> lhsBatch, rhsBatch, lhsContract, rhsContract;

  explicit Dims(DotDimensionNumbersAttr attr)
      : lhsBatch(attr.getLhsBatchingDimensions()),
        rhsBatch(attr.getRhsBatchingDimensions()),
        lhsContract(attr.getLhsContractingDimensions()),
        rhsContract(attr.getRhsContractingDimensions()) {}
  Dims() = default;

  DotDimensionNumbersAttr attr(MLIRContext *context) const {
    return DotDimensionNumbersAttr::get(context, lhsBatch, rhsBatch,
                                        lhsContract, rhsContract);
  }
};

SmallVector<int64_t> freeDims(int64_t rank, ArrayRef<int64_t> batch,
                              ArrayRef<int64_t> contract) {
  SmallVector<int64_t> dims;
  for (int64_t d = 0; d < rank; ++d)
    if (!llvm::is_contained(batch, d) && !llvm::is_contained(contract, d))
      dims.push_back(d);
  return dims;
}

Value makeDot(PatternRewriter &rewriter, DotGeneralOp like, Type type,
              Value lhs, Value rhs, const Dims &dims) {
  return DotGeneralOp::create(
      rewriter, like.getLoc(), type, lhs, rhs, dims.attr(like.getContext()),
      like.getPrecisionConfigAttr(), like.getAlgorithmAttr());
}

LogicalResult legacyDot(DotOp op, PatternRewriter &rewriter) {
  ArrayRef<int64_t> lhs = shapeOf(op.getLhs()), rhs = shapeOf(op.getRhs());
  if (lhs.empty() || lhs.size() > 2 || rhs.empty() || rhs.size() > 2 ||
      lhs.back() != rhs.front())
    return failure();
  Dims dims;
  dims.lhsContract = {int64_t(shapeOf(op.getLhs()).size()) - 1};
  dims.rhsContract = {0};
  rewriter.replaceOpWithNewOp<DotGeneralOp>(
      op, op->getResult(0).getType(), op.getLhs(), op.getRhs(),
      dims.attr(op.getContext()), op.getPrecisionConfigAttr(),
      DotAlgorithmAttr());
  return success();
}

// Absorbs a transpose of an operand that keeps the order of its free
// dimensions.
LogicalResult absorbOperand(DotGeneralOp op, PatternRewriter &rewriter) {
  if (!definedBy<TransposeOp>(op.getLhs()) &&
      !definedBy<TransposeOp>(op.getRhs()))
    return failure();
  Dims dims(op.getDotDimensionNumbers());
  Value operands[] = {op.getLhs(), op.getRhs()};
  bool changed = false;
  for (int side = 0; side < 2; ++side) {
    auto transpose = definedBy<TransposeOp>(operands[side]);
    if (!transpose)
      continue;
    auto &batch = side ? dims.rhsBatch : dims.lhsBatch;
    auto &contract = side ? dims.rhsContract : dims.lhsContract;
    ArrayRef<int64_t> permutation = transpose.getPermutation();
    auto moved = [&](ArrayRef<int64_t> list) {
      SmallVector<int64_t> result;
      for (int64_t d : list)
        result.push_back(permutation[d]);
      return result;
    };
    SmallVector<int64_t> free =
        moved(freeDims(permutation.size(), batch, contract));
    if (!llvm::is_sorted(free))
      continue;
    batch = moved(batch);
    contract = moved(contract);
    operands[side] = transpose.getOperand();
    changed = true;
  }
  if (!changed)
    return failure();
  rewriter.replaceOp(op, makeDot(rewriter, op, op->getResult(0).getType(),
                                 operands[0], operands[1], dims));
  return success();
}

// Sorts the contracting dimensions in ascending order on the left, if they are
// then ascending on the right too.
LogicalResult sortContracting(DotGeneralOp op, PatternRewriter &rewriter) {
  if (llvm::is_sorted(
          op.getDotDimensionNumbers().getLhsContractingDimensions()))
    return failure();
  Dims dims(op.getDotDimensionNumbers());
  SmallVector<std::pair<int64_t, int64_t>> pairs;
  for (auto [l, r] : llvm::zip_equal(dims.lhsContract, dims.rhsContract))
    pairs.push_back({l, r});
  llvm::sort(pairs);
  for (auto [i, pair] : llvm::enumerate(pairs))
    dims.lhsContract[i] = pair.first, dims.rhsContract[i] = pair.second;
  if (!llvm::is_sorted(dims.rhsContract))
    return failure();
  rewriter.replaceOp(op, makeDot(rewriter, op, op->getResult(0).getType(),
                                 op.getLhs(), op.getRhs(), dims));
  return success();
}

// Drops contracting and batching dimensions of size 1; a reshape of the result
// restores the batching ones.
LogicalResult dropUnitDims(DotGeneralOp op, PatternRewriter &rewriter) {
  ArrayRef<int64_t> lhsShape = shapeOf(op.getLhs());
  DotDimensionNumbersAttr numbers = op.getDotDimensionNumbers();
  auto isUnit = [&](int64_t l) { return lhsShape[l] == 1; };
  if (llvm::none_of(numbers.getLhsBatchingDimensions(), isUnit) &&
      llvm::none_of(numbers.getLhsContractingDimensions(), isUnit))
    return failure();
  Dims dims(numbers), kept;
  ArrayRef<int64_t> rhsShape = shapeOf(op.getRhs());
  llvm::SmallBitVector lhsGone(lhsShape.size()), rhsGone(rhsShape.size());
  SmallVector<int64_t> resultShape;
  auto filter = [&](ArrayRef<int64_t> lhs, ArrayRef<int64_t> rhs,
                    SmallVector<int64_t> &lhsKept,
                    SmallVector<int64_t> &rhsKept, bool isResult) {
    for (auto [l, r] : llvm::zip_equal(lhs, rhs)) {
      if (lhsShape[l] == 1) {
        lhsGone.set(l);
        rhsGone.set(r);
        continue;
      }
      lhsKept.push_back(l);
      rhsKept.push_back(r);
      if (isResult)
        resultShape.push_back(lhsShape[l]);
    }
  };
  filter(dims.lhsBatch, dims.rhsBatch, kept.lhsBatch, kept.rhsBatch, true);
  filter(dims.lhsContract, dims.rhsContract, kept.lhsContract, kept.rhsContract,
         false);
  // Keep one contracting dimension, so that the op remains a contraction.
  if (kept.lhsContract.empty() && !dims.lhsContract.empty()) {
    int64_t l = dims.lhsContract[0], r = dims.rhsContract[0];
    lhsGone.reset(l);
    rhsGone.reset(r);
    kept.lhsContract.push_back(l);
    kept.rhsContract.push_back(r);
  }
  if (lhsGone.none())
    return failure();
  auto squeeze = [&](Value value, ArrayRef<int64_t> shape,
                     const llvm::SmallBitVector &gone, ArrayRef<int64_t> batch,
                     ArrayRef<int64_t> contract) {
    for (int64_t d : freeDims(shape.size(), batch, contract))
      resultShape.push_back(shape[d]);
    SmallVector<int64_t> left;
    for (size_t d = 0; d < shape.size(); ++d)
      if (!gone.test(d))
        left.push_back(shape[d]);
    return reshapeTo(rewriter, op.getLoc(), value, left);
  };
  Value lhs =
      squeeze(op.getLhs(), lhsShape, lhsGone, dims.lhsBatch, dims.lhsContract);
  Value rhs =
      squeeze(op.getRhs(), rhsShape, rhsGone, dims.rhsBatch, dims.rhsContract);
  auto renumber = [](SmallVector<int64_t> &list,
                     const llvm::SmallBitVector &gone) {
    for (int64_t &d : list) {
      int64_t before = 0;
      for (int64_t i = 0; i < d; ++i)
        before += gone.test(i);
      d -= before;
    }
  };
  renumber(kept.lhsBatch, lhsGone);
  renumber(kept.lhsContract, lhsGone);
  renumber(kept.rhsBatch, rhsGone);
  renumber(kept.rhsContract, rhsGone);
  auto type = tensorOf(op->getResult(0));
  Value dot = makeDot(rewriter, op, type.clone(ArrayRef<int64_t>(resultShape)),
                      lhs, rhs, kept);
  rewriter.replaceOp(op,
                     reshapeTo(rewriter, op.getLoc(), dot, type.getShape()));
  return success();
}

// Absorbs a transpose that only swaps the free dimensions of the operands, by
// swapping the operands. Products commute bitwise.
LogicalResult absorbResult(TransposeOp op, PatternRewriter &rewriter) {
  auto dot = definedBy<DotGeneralOp>(op.getOperand());
  if (!dot || !dot->hasOneUse() || !isPlainOp(dot))
    return failure();
  Dims dims(dot.getDotDimensionNumbers()), swapped;
  int64_t batch = dims.lhsBatch.size();
  int64_t lhsFree =
      shapeOf(dot.getLhs()).size() - batch - dims.lhsContract.size();
  int64_t rhsFree =
      shapeOf(dot.getRhs()).size() - batch - dims.rhsContract.size();
  SmallVector<int64_t> wanted;
  for (int64_t i = 0; i < batch; ++i)
    wanted.push_back(i);
  for (int64_t i = 0; i < rhsFree; ++i)
    wanted.push_back(batch + lhsFree + i);
  for (int64_t i = 0; i < lhsFree; ++i)
    wanted.push_back(batch + i);
  if (op.getPermutation() != ArrayRef<int64_t>(wanted))
    return failure();
  // The properties of both sides in the algorithm must be equal to be swapped.
  DotAlgorithmAttr algorithm = dot.getAlgorithmAttr();
  if (algorithm &&
      (algorithm.getLhsPrecisionType() != algorithm.getRhsPrecisionType() ||
       algorithm.getLhsComponentCount() != algorithm.getRhsComponentCount()))
    return failure();
  ArrayAttr precision = dot.getPrecisionConfigAttr();
  if (precision && precision.size() == 2)
    precision = rewriter.getArrayAttr({precision[1], precision[0]});
  swapped.lhsBatch = dims.rhsBatch;
  swapped.rhsBatch = dims.lhsBatch;
  swapped.lhsContract = dims.rhsContract;
  swapped.rhsContract = dims.lhsContract;
  rewriter.replaceOpWithNewOp<DotGeneralOp>(
      op, op.getType(), dot.getRhs(), dot.getLhs(),
      swapped.attr(op.getContext()), precision, algorithm);
  return success();
}

} // namespace

void addContraction(Patterns &patterns) {
  addRule<DotOp>(patterns, legacyDot);
  addRule<DotGeneralOp>(patterns, absorbOperand);
  addRule<DotGeneralOp>(patterns, sortContracting);
  addRule<DotGeneralOp>(patterns, dropUnitDims);
  addRule<TransposeOp>(patterns, absorbResult);
}

} // namespace shardwright::simplifier
