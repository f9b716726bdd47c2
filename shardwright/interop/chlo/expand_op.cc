//===- expand_op.cc - expansion of one CHLO op --------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/interop/chlo/expand_op.h"

#include "shardwright/dialect/stablehlo/shape.h"
#include "shardwright/interop/chlo/math_builder.h"

using namespace mlir;

namespace shardwright::chlo_expansion {

LogicalResult expandOp(Operation *op, Results &results,
                       SmallVectorImpl<Operation *> &more) {
  if (isBroadcastOp(op))
    return expandBroadcast(op, results, more);
  if (isElementwiseOp(op))
    return expandElementwise(op, results);
  if (auto constant = dyn_cast<chlo::ConstantOp>(op)) {
    OpBuilder b(op);
    results.push_back(stablehlo::ConstantOp::create(b, op->getLoc(),
                                                    constant.getValueAttr()));
    return success();
  }
  if (auto like = dyn_cast<chlo::ConstantLikeOp>(op))
    return expandConstantLike(like, results);
  if (auto topK = dyn_cast<chlo::TopKOp>(op))
    return expandTopK(topK, results);
  if (auto dot = dyn_cast<chlo::RaggedDotOp>(op))
    return expandRaggedDot(dot, results);
  if (auto scan = dyn_cast<chlo::ScanOp>(op))
    return expandScan(scan, results);
  return op->emitOpError("has no expansion to StableHLO");
}

LogicalResult expandConstantLike(chlo::ConstantLikeOp op, Results &results) {
  if (!isa<RankedTensorType>(op.getOperand().getType()))
    return op.emitOpError("has no expansion for the unranked ")
           << op.getOperand().getType();
  auto value = dyn_cast<TypedAttr>(Attribute(op.getValue()));
  if (!value || !isa<IntegerAttr, FloatAttr>(value))
    return op.emitOpError("has no expansion for the value ") << op.getValue();
  OpBuilder b(op);
  MathBuilder math{b, op.getLoc(), op.getOperand()};
  results.push_back(math.splat(value));
  return success();
}

} // namespace shardwright::chlo_expansion
