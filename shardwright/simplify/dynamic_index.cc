//===- dynamic_index.cc - dynamic_slice, dynamic_update_slice, gather ----===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Ops with constant indices become static. Starts are clamped as the ops do, so
// that the full slice lies inside.

#include "shardwright/simplify/patterns.h"
#include "shardwright/simplify/rewrite.h"

#include "shardwright/dialect/stablehlo/shape.h"

using namespace mlir;
using namespace shardwright::stablehlo;

namespace shardwright::simplifier {
namespace {

// The start of a slice of `size` of `n` elements; nothing if it is not
// constant.
std::optional<int64_t> constantStart(Value index, int64_t n, int64_t size) {
  if (n == size)
    return 0;
  // Values above the largest int64 are clamped likewise.
  if (auto element = splatOf(index)) {
    std::optional<ElementKind> kind = kindOf(index);
    if (kind && kind->kind == ElementKind::Unsigned && element->re >> 63)
      return n - size;
    if (kind && kind->isInt())
      return std::clamp<int64_t>(kind->extend(element->re), 0, n - size);
  }
  return std::nullopt;
}

LogicalResult dynamicSlice(DynamicSliceOp op, PatternRewriter &rewriter) {
  SmallVector<int64_t> start, limit;
  for (auto [index, n, size] :
       llvm::zip_equal(op.getStartIndices(), shapeOf(op.getOperand()),
                       op.getSliceSizes())) {
    std::optional<int64_t> at = constantStart(index, n, size);
    if (!at)
      return failure();
    start.push_back(*at);
    limit.push_back(*at + size);
  }
  if (op.getOperand().getType() == op.getType())
    return replaceWith(rewriter, op, op.getOperand());
  SmallVector<int64_t> stride(start.size(), 1);
  rewriter.replaceOpWithNewOp<SliceOp>(op, op.getOperand(), start, limit,
                                       stride);
  return success();
}

// Replaces starts that can only be 0 by the constant 0.
template <typename Op>
LogicalResult zeroStarts(Op op, PatternRewriter &rewriter,
                         ArrayRef<int64_t> sizes) {
  SmallVector<Value> starts;
  bool changed = false;
  for (auto [index, n, size] :
       llvm::zip_equal(op.getStartIndices(), shapeOf(op.getOperand()), sizes)) {
    starts.push_back(index);
    auto element = splatOf(index);
    if (n != size || (element && element->re == 0) || !kindOf(index))
      continue;
    starts.back() = makeSplat(rewriter, op.getLoc(), index.getType(), {});
    changed = true;
  }
  if (!changed)
    return failure();
  changeOperands(rewriter, op,
                 [&] { op.getStartIndicesMutable().assign(starts); });
  return success();
}

LogicalResult sliceZeroStarts(DynamicSliceOp op, PatternRewriter &rewriter) {
  return zeroStarts(op, rewriter, op.getSliceSizes());
}

LogicalResult sliceOfBroadcast(DynamicSliceOp op, PatternRewriter &rewriter) {
  // A broadcast of a single element.
  auto inner = definedBy<BroadcastInDimOp>(op.getOperand());
  if (!inner || tensorOf(inner.getOperand()).getNumElements() != 1)
    return failure();
  rewriter.replaceOpWithNewOp<BroadcastInDimOp>(
      op, op.getType(), inner.getOperand(), inner.getBroadcastDimensions());
  return success();
}

LogicalResult updateIdentity(DynamicUpdateSliceOp op,
                             PatternRewriter &rewriter) {
  if (op.getUpdate().getType() == op.getType())
    return replaceWith(rewriter, op, op.getUpdate());
  if (tensorOf(op.getUpdate()).getNumElements() == 0)
    return replaceWith(rewriter, op, op.getOperand());
  // The update is a slice of the operand at the same position.
  if (auto slice = definedBy<DynamicSliceOp>(op.getUpdate());
      slice && slice.getOperand() == op.getOperand() &&
      slice.getStartIndices() == op.getStartIndices())
    return replaceWith(rewriter, op, op.getOperand());
  // An earlier update at the same position is overwritten.
  if (auto inner = definedBy<DynamicUpdateSliceOp>(op.getOperand());
      inner && inner.getUpdate().getType() == op.getUpdate().getType() &&
      inner.getStartIndices() == op.getStartIndices()) {
    changeOperands(rewriter, op,
                   [&] { op.getOperandMutable().assign(inner.getOperand()); });
    return success();
  }
  return zeroStarts(op, rewriter, shapeOf(op.getUpdate()));
}

//===----------------------------------------------------------------------===//
// gather
//===----------------------------------------------------------------------===//

// A single slice at a constant position becomes a slice, and a reshape that
// drops the collapsed dimensions and adds the index's batch dimensions, all of
// size 1.
LogicalResult gatherOfOne(GatherOp op, PatternRewriter &rewriter) {
  GatherDimensionNumbersAttr numbers = op.getDimensionNumbers();
  if (!numbers.getOperandBatchingDims().empty())
    return failure();
  ArrayRef<int64_t> indexShape = shapeOf(op.getStartIndices());
  for (auto [d, n] : llvm::enumerate(indexShape))
    if (int64_t(d) != numbers.getIndexVectorDim() && n != 1)
      return failure();
  auto indices = integersOf(op.getStartIndices());
  if (!indices || indices->size() != numbers.getStartIndexMap().size())
    return failure();
  ArrayRef<int64_t> shape = shapeOf(op.getOperand());
  SmallVector<int64_t> start(shape.size(), 0), limit, stride(shape.size(), 1);
  for (auto [index, d] : llvm::zip(*indices, numbers.getStartIndexMap()))
    start[d] = std::clamp<int64_t>(index, 0, shape[d] - op.getSliceSizes()[d]);
  for (auto [first, size] : llvm::zip(start, op.getSliceSizes()))
    limit.push_back(first + size);
  // The slice's dimensions keep their order in the result.
  Value slice = SliceOp::create(rewriter, op.getLoc(), op.getOperand(), start,
                                limit, stride);
  rewriter.replaceOp(
      op, reshapeTo(rewriter, op.getLoc(), slice, shapeOf(op.getResult())));
  return success();
}

// Any element of a splat; clamping keeps indices in bounds.
LogicalResult gatherOfSplat(GatherOp op, PatternRewriter &rewriter) {
  if (auto element = splatOf(op.getOperand()))
    return replaceWithSplat(rewriter, op, *element);
  return failure();
}

} // namespace

void addDynamicIndex(Patterns &patterns) {
  addRule<DynamicSliceOp>(patterns, dynamicSlice);
  addRule<DynamicSliceOp>(patterns, sliceZeroStarts);
  addRule<DynamicSliceOp>(patterns, sliceOfBroadcast);
  addRule<DynamicUpdateSliceOp>(patterns, updateIdentity);
  addRule<GatherOp>(patterns, gatherOfOne);
  addRule<GatherOp>(patterns, gatherOfSplat);
}

} // namespace shardwright::simplifier
