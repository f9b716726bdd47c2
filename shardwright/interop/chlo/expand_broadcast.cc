//===- expand_broadcast.cc - expansion of CHLO's broadcasting ops -------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/stablehlo/elementwise.h"
#include "shardwright/dialect/stablehlo/shape.h"
#include "shardwright/interop/chlo/expand_op.h"

using namespace mlir;

namespace shardwright::chlo_expansion {

bool isBroadcastOp(Operation *op) {
  return op->getName().stripDialect().starts_with("broadcast_") &&
         isa<chlo::ChloDialect>(op->getDialect());
}

// `value` spread over `shape`; its dimension i is dimension map[i] of the
// result.
static Value spread(OpBuilder &b, Location loc, Value value,
                    ArrayRef<int64_t> shape, ArrayRef<int64_t> map) {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.getShape() == shape)
    return value;
  auto result = RankedTensorType::get(shape, type.getElementType());
  return stablehlo::BroadcastInDimOp::create(b, loc, result, value, map);
}

static SmallVector<int64_t> alignedRight(int64_t from, int64_t to) {
  SmallVector<int64_t> map;
  for (int64_t d = 0; d < from; ++d)
    map.push_back(d + to - from);
  return map;
}

LogicalResult expandBroadcast(Operation *op, SmallVectorImpl<Value> &results,
                              SmallVectorImpl<Operation *> &more) {
  auto resultType = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  bool allStatic = resultType && resultType.hasStaticShape();
  for (Type type : op->getOperandTypes()) {
    auto ranked = dyn_cast<RankedTensorType>(type);
    allStatic &= ranked && ranked.hasStaticShape();
  }
  if (!allStatic)
    return op->emitOpError("has no expansion for dynamic shapes");

  OpBuilder b(op);
  Location loc = op->getLoc();
  int64_t rank = resultType.getRank();
  auto explicitMap =
      op->getAttrOfType<DenseI64ArrayAttr>("broadcast_dimensions");
  SmallVector<Value> operands;
  for (Value operand : op->getOperands()) {
    int64_t own = cast<RankedTensorType>(operand.getType()).getRank();
    SmallVector<int64_t> map = alignedRight(own, rank);
    // The attribute is about the operand of lower rank.
    if (explicitMap && own < rank &&
        static_cast<int64_t>(explicitMap.size()) == own)
      map.assign(explicitMap.asArrayRef().begin(),
                 explicitMap.asArrayRef().end());
    operands.push_back(spread(b, loc, operand, resultType.getShape(), map));
  }

  StringRef name = op->getName().stripDialect();
  name.consume_front("broadcast_");
  if (auto compare = dyn_cast<chlo::BroadcastCompareOp>(op)) {
    stablehlo::ComparisonTypeAttr type;
    if (compare.getCompareType())
      type = stablehlo::ComparisonTypeAttr::get(
          b.getContext(),
          static_cast<stablehlo::ComparisonType>(*compare.getCompareType()));
    auto direction = stablehlo::ComparisonDirectionAttr::get(
        b.getContext(), static_cast<stablehlo::ComparisonDirection>(
                            compare.getComparisonDirection()));
    results.push_back(stablehlo::CompareOp::create(
        b, loc, operands[0], operands[1], direction, type));
    return success();
  }
  // The op of the same name without broadcasting, in StableHLO or CHLO.
  bool inChlo = isa<chlo::BroadcastNextAfterOp, chlo::BroadcastPolygammaOp,
                    chlo::BroadcastZetaOp>(op);
  OperationState state(loc, (inChlo ? "chlo." : "stablehlo.") + name.str());
  state.addOperands(operands);
  state.addTypes(resultType);
  Operation *created = b.create(state);
  if (inChlo)
    more.push_back(created);
  results.push_back(created->getResult(0));
  return success();
}

} // namespace shardwright::chlo_expansion
