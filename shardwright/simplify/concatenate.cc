//===- concatenate.cc - concatenate --------------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/simplify/patterns.h"
#include "shardwright/simplify/rewrite.h"

#include "shardwright/dialect/stablehlo/shape.h"

using namespace mlir;
using namespace shardwright::stablehlo;

namespace shardwright::simplifier {
namespace {

// Flattens nested concatenations and drops empty inputs.
LogicalResult flatten(ConcatenateOp op, PatternRewriter &rewriter) {
  int64_t dim = op.getDimension();
  SmallVector<Value> inputs;
  bool changed = false;
  for (Value input : op.getInputs()) {
    auto inner = definedBy<ConcatenateOp>(input);
    if (shapeOf(input)[dim] == 0) {
      changed = true;
    } else if (inner && int64_t(inner.getDimension()) == dim &&
               inner->hasOneUse()) {
      llvm::append_range(inputs, inner.getInputs());
      changed = true;
    } else {
      inputs.push_back(input);
    }
  }
  if (inputs.size() == 1)
    return replaceWith(rewriter, op, inputs[0]);
  if (inputs.empty())
    return replaceWith(rewriter, op, op.getInputs().front());
  if (!changed)
    return failure();
  rewriter.replaceOpWithNewOp<ConcatenateOp>(op, inputs, dim);
  return success();
}

// Merges adjacent inputs that are adjacent slices of one value.
LogicalResult joinSlices(ConcatenateOp op, PatternRewriter &rewriter) {
  size_t dim = op.getDimension();
  SmallVector<Value> inputs;
  SliceOp last;
  bool changed = false;
  for (Value input : op.getInputs()) {
    auto slice = definedBy<SliceOp>(input);
    bool unit = slice && slice.getStrides()[dim] == 1;
    if (unit && last && last.getOperand() == slice.getOperand() &&
        last.getLimitIndices()[dim] == slice.getStartIndices()[dim]) {
      bool same = last.getStrides() == slice.getStrides();
      for (size_t d = 0; d < slice.getStrides().size(); ++d)
        same &= d == dim ||
                (last.getStartIndices()[d] == slice.getStartIndices()[d] &&
                 last.getLimitIndices()[d] == slice.getLimitIndices()[d]);
      if (same) {
        SmallVector<int64_t> limit(last.getLimitIndices());
        limit[dim] = slice.getLimitIndices()[dim];
        last =
            SliceOp::create(rewriter, op.getLoc(), slice.getOperand(),
                            last.getStartIndices(), limit, slice.getStrides());
        inputs.back() = last->getResult(0);
        changed = true;
        continue;
      }
    }
    last = unit ? slice : SliceOp();
    inputs.push_back(input);
  }
  if (!changed)
    return failure();
  rewriter.replaceOpWithNewOp<ConcatenateOp>(op, inputs, dim);
  return success();
}

} // namespace

void addConcatenate(Patterns &patterns) {
  addRule<ConcatenateOp>(patterns, flatten);
  addRule<ConcatenateOp>(patterns, joinSlices);
}

} // namespace shardwright::simplifier
