//===- reshape.cc - reshape, transpose, broadcast, reverse, iota ---------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Several ops that only rename dimensions become one. The order of preference
// is reshape, then transpose and broadcast_in_dim.

#include "shardwright/simplify/patterns.h"
#include "shardwright/simplify/rewrite.h"

#include "shardwright/dialect/stablehlo/shape.h"

#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace shardwright::stablehlo;

namespace shardwright::simplifier {
namespace {

// By dimension of `from`: its position in `to`, or -1 if its size is 1. None
// unless the shapes differ only by dimensions of size 1.
std::optional<SmallVector<int64_t>> matchUnitDims(ArrayRef<int64_t> from,
                                                  ArrayRef<int64_t> to) {
  SmallVector<int64_t> map(from.size(), -1);
  size_t j = 0;
  for (size_t i = 0; i < from.size(); ++i) {
    if (from[i] == 1)
      continue;
    while (j < to.size() && to[j] == 1)
      ++j;
    if (j == to.size() || to[j] != from[i])
      return std::nullopt;
    map[i] = j++;
  }
  for (; j < to.size(); ++j)
    if (to[j] != 1)
      return std::nullopt;
  return map;
}

bool isIncreasing(ArrayRef<int64_t> dims) {
  for (size_t i = 1; i < dims.size(); ++i)
    if (dims[i - 1] >= dims[i])
      return false;
  return true;
}

LogicalResult replaceWithReshape(PatternRewriter &rewriter, Operation *op,
                                 Value operand) {
  rewriter.replaceOpWithNewOp<ReshapeOp>(op, op->getResult(0).getType(),
                                         operand);
  return success();
}

LogicalResult replaceWithBroadcast(PatternRewriter &rewriter, Operation *op,
                                   Value operand, ArrayRef<int64_t> dims) {
  rewriter.replaceOpWithNewOp<BroadcastInDimOp>(op, op->getResult(0).getType(),
                                                operand, dims);
  return success();
}

LogicalResult replaceWithIota(PatternRewriter &rewriter, Operation *op,
                              int64_t dim) {
  rewriter.replaceOpWithNewOp<IotaOp>(op, op->getResult(0).getType(), dim);
  return success();
}

//===----------------------------------------------------------------------===//
// reshape
//===----------------------------------------------------------------------===//

LogicalResult reshapeIdentity(ReshapeOp op, PatternRewriter &rewriter) {
  if (auto inner = definedBy<ReshapeOp>(op.getOperand())) {
    if (inner.getOperand().getType() == op.getType())
      return replaceWith(rewriter, op, inner.getOperand());
    return replaceWithReshape(rewriter, op, inner.getOperand());
  }
  return replaceWith(rewriter, op, op.getOperand());
}

LogicalResult reshapeOfBroadcast(ReshapeOp op, PatternRewriter &rewriter) {
  auto inner = definedBy<BroadcastInDimOp>(op.getOperand());
  if (!inner)
    return failure();
  Value x = inner.getOperand();
  // The operand has a single element.
  if (tensorOf(x).getNumElements() == 1)
    return replaceWithBroadcast(rewriter, op,
                                reshapeTo(rewriter, op.getLoc(), x, {}), {});
  auto map = matchUnitDims(shapeOf(op.getOperand()), shapeOf(op.getResult()));
  if (!map)
    return failure();
  SmallVector<int64_t> shape, dims;
  for (auto [i, d] : llvm::enumerate(inner.getBroadcastDimensions())) {
    if ((*map)[d] < 0)
      continue; // a dimension of 1 that stays 1
    shape.push_back(shapeOf(x)[i]);
    dims.push_back((*map)[d]);
  }
  return replaceWithBroadcast(rewriter, op,
                              reshapeTo(rewriter, op.getLoc(), x, shape), dims);
}

LogicalResult reshapeOfIota(ReshapeOp op, PatternRewriter &rewriter) {
  auto inner = definedBy<IotaOp>(op.getOperand());
  if (!inner)
    return failure();
  auto map = matchUnitDims(shapeOf(op.getOperand()), shapeOf(op.getResult()));
  if (!map || (*map)[inner.getIotaDimension()] < 0)
    return failure();
  return replaceWithIota(rewriter, op, (*map)[inner.getIotaDimension()]);
}

//===----------------------------------------------------------------------===//
// transpose
//===----------------------------------------------------------------------===//

LogicalResult transposeIdentity(TransposeOp op, PatternRewriter &rewriter) {
  ArrayRef<int64_t> permutation = op.getPermutation();
  if (isIncreasing(permutation))
    return replaceWith(rewriter, op, op.getOperand());
  // Dimensions other than those of size 1 keep their order.
  SmallVector<int64_t> moved;
  for (int64_t d : permutation)
    if (shapeOf(op.getOperand())[d] != 1)
      moved.push_back(d);
  if (isIncreasing(moved))
    return replaceWithReshape(rewriter, op, op.getOperand());
  return failure();
}

LogicalResult transposeOfTranspose(TransposeOp op, PatternRewriter &rewriter) {
  auto inner = definedBy<TransposeOp>(op.getOperand());
  if (!inner)
    return failure();
  SmallVector<int64_t> permutation;
  for (int64_t d : op.getPermutation())
    permutation.push_back(inner.getPermutation()[d]);
  rewriter.replaceOpWithNewOp<TransposeOp>(op, inner.getOperand(), permutation);
  return success();
}

SmallVector<int64_t> inverse(ArrayRef<int64_t> permutation) {
  SmallVector<int64_t> result(permutation.size());
  for (auto [i, d] : llvm::enumerate(permutation))
    result[d] = i;
  return result;
}

LogicalResult transposeOfBroadcast(TransposeOp op, PatternRewriter &rewriter) {
  SmallVector<int64_t> to = inverse(op.getPermutation());
  if (auto iota = definedBy<IotaOp>(op.getOperand()))
    return replaceWithIota(rewriter, op, to[iota.getIotaDimension()]);
  auto inner = definedBy<BroadcastInDimOp>(op.getOperand());
  if (!inner)
    return failure();
  SmallVector<int64_t> dims;
  for (int64_t d : inner.getBroadcastDimensions())
    dims.push_back(to[d]);
  return replaceWithBroadcast(rewriter, op, inner.getOperand(), dims);
}

//===----------------------------------------------------------------------===//
// broadcast
//===----------------------------------------------------------------------===//

LogicalResult broadcastIdentity(BroadcastInDimOp op,
                                PatternRewriter &rewriter) {
  if (!isIncreasing(op.getBroadcastDimensions()) ||
      tensorOf(op.getOperand()).getNumElements() !=
          tensorOf(op->getResult(0)).getNumElements())
    return failure();
  if (op.getOperand().getType() == op->getResult(0).getType())
    return replaceWith(rewriter, op, op.getOperand());
  // Nothing is repeated: unless there are no elements, the op only adds
  // dimensions of 1.
  if (tensorOf(op.getOperand()).getNumElements() == 0)
    return failure();
  return replaceWithReshape(rewriter, op, op.getOperand());
}

LogicalResult broadcastOfRenamed(BroadcastInDimOp op,
                                 PatternRewriter &rewriter) {
  ArrayRef<int64_t> outer = op.getBroadcastDimensions();
  SmallVector<int64_t> dims;
  if (auto inner = definedBy<BroadcastInDimOp>(op.getOperand())) {
    for (int64_t d : inner.getBroadcastDimensions())
      dims.push_back(outer[d]);
    return replaceWithBroadcast(rewriter, op, inner.getOperand(), dims);
  }
  if (auto inner = definedBy<TransposeOp>(op.getOperand())) {
    for (int64_t d : inverse(inner.getPermutation()))
      dims.push_back(outer[d]);
    return replaceWithBroadcast(rewriter, op, inner.getOperand(), dims);
  }
  if (auto inner = definedBy<ReshapeOp>(op.getOperand())) {
    // Broadcasting adds dimensions of 1 without a reshape.
    auto map =
        matchUnitDims(shapeOf(inner.getOperand()), shapeOf(inner.getResult()));
    if (!map || llvm::is_contained(*map, -1))
      return failure();
    for (int64_t d : *map)
      dims.push_back(outer[d]);
    return replaceWithBroadcast(rewriter, op, inner.getOperand(), dims);
  }
  if (auto inner = definedBy<IotaOp>(op.getOperand())) {
    int64_t d = inner.getIotaDimension();
    if (shapeOf(inner)[d] != shapeOf(op->getResult(0))[outer[d]])
      return failure();
    return replaceWithIota(rewriter, op, outer[d]);
  }
  return failure();
}

LogicalResult legacyBroadcast(BroadcastOp op, PatternRewriter &rewriter) {
  int64_t added = op.getBroadcastSizes().size();
  SmallVector<int64_t> dims;
  for (size_t i = 0; i < shapeOf(op.getOperand()).size(); ++i)
    dims.push_back(added + i);
  return replaceWithBroadcast(rewriter, op, op.getOperand(), dims);
}

//===----------------------------------------------------------------------===//
// reverse
//===----------------------------------------------------------------------===//

LogicalResult reverseIdentity(ReverseOp op, PatternRewriter &rewriter) {
  Value x = op.getOperand();
  int64_t rank = shapeOf(x).size();
  llvm::SmallBitVector reversed(rank);
  for (int64_t d : op.getDimensions())
    if (shapeOf(x)[d] > 1)
      reversed.set(d);
  if (auto inner = definedBy<ReverseOp>(x)) {
    for (int64_t d : inner.getDimensions())
      reversed.flip(d);
    x = inner.getOperand();
  } else if (auto inner = definedBy<BroadcastInDimOp>(x)) {
    // Along broadcast dimensions all elements are equal.
    llvm::SmallBitVector varies(rank);
    for (auto [i, d] : llvm::enumerate(inner.getBroadcastDimensions()))
      if (shapeOf(inner.getOperand())[i] != 1)
        varies.set(d);
    reversed &= varies;
  }
  if (reversed.none())
    return replaceWith(rewriter, op, x);
  SmallVector<int64_t> dims(reversed.set_bits());
  if (x == op.getOperand() && dims == op.getDimensions())
    return failure();
  if (x == op.getOperand() && dims.size() == op.getDimensions().size())
    return failure(); // the same dimensions in another order
  rewriter.replaceOpWithNewOp<ReverseOp>(op, x, dims);
  return success();
}

} // namespace

void addReshape(Patterns &patterns) {
  addRule<ReshapeOp>(patterns, reshapeIdentity);
  addRule<ReshapeOp>(patterns, reshapeOfBroadcast);
  addRule<ReshapeOp>(patterns, reshapeOfIota);
  addRule<TransposeOp>(patterns, transposeIdentity);
  addRule<TransposeOp>(patterns, transposeOfTranspose);
  addRule<TransposeOp>(patterns, transposeOfBroadcast);
  addRule<BroadcastInDimOp>(patterns, broadcastIdentity);
  addRule<BroadcastInDimOp>(patterns, broadcastOfRenamed);
  addRule<BroadcastOp>(patterns, legacyBroadcast);
  addRule<ReverseOp>(patterns, reverseIdentity);
}

} // namespace shardwright::simplifier
