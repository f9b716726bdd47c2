//===- expand_broadcast.cc - expansion of CHLO's broadcasting ops -------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/stablehlo/dynamic.h"
#include "shardwright/dialect/stablehlo/elementwise.h"
#include "shardwright/dialect/stablehlo/shape.h"
#include "shardwright/interop/chlo/expand_op.h"
#include "shardwright/interop/chlo/math_builder.h"

using namespace mlir;

namespace shardwright::chlo_expansion {

bool isBroadcastOp(Operation *op) {
  return op->getName().stripDialect().starts_with("broadcast_") &&
         isa_and_nonnull<chlo::ChloDialect>(op->getDialect());
}

static SmallVector<int64_t> alignedRight(int64_t from, int64_t to) {
  SmallVector<int64_t> map;
  for (int64_t d = 0; d < from; ++d)
    map.push_back(d + to - from);
  return map;
}

// The result sizes of a broadcast with dynamic shapes: in each dimension, the
// operand size that is not 1.
static Value broadcastShape(OpBuilder &b, Location loc, ValueRange operands,
                            ArrayRef<SmallVector<int64_t>> maps,
                            RankedTensorType result) {
  auto scalar = RankedTensorType::get({}, b.getI64Type());
  auto constant = [&](int64_t value) -> Value {
    return stablehlo::ConstantOp::create(b, loc,
                                         DenseElementsAttr::get(scalar, value));
  };
  SmallVector<Value> sizes;
  for (int64_t d = 0; d < result.getRank(); ++d) {
    Value size;
    int64_t known = result.getDimSize(d);
    // A static operand size other than 1 is the result's.
    for (auto [operand, map] : llvm::zip(operands, maps))
      for (auto [own, place] : llvm::enumerate(map)) {
        int64_t fixed =
            cast<RankedTensorType>(operand.getType()).getDimSize(own);
        if (place == d && fixed != 1 && !ShapedType::isDynamic(fixed))
          known = fixed;
      }
    if (!ShapedType::isDynamic(known)) {
      sizes.push_back(constant(known));
      continue;
    }
    for (auto [operand, map] : llvm::zip(operands, maps)) {
      const auto *place = llvm::find(map, d);
      if (place == map.end())
        continue;
      Value own = sizeOf(b, loc, operand, place - map.begin());
      if (!size) {
        size = own;
        continue;
      }
      Value isOne = stablehlo::CompareOp::create(
          b, loc, size, constant(1), stablehlo::ComparisonDirection::EQ);
      size = stablehlo::SelectOp::create(b, loc, isOne, own, size);
    }
    sizes.push_back(size ? size : constant(1));
  }
  return joinScalars(b, loc, sizes);
}

LogicalResult expandBroadcast(Operation *op, Results &results,
                              SmallVectorImpl<Operation *> &more) {
  auto resultType = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  bool allRanked = resultType != nullptr, allStatic = true;
  for (Type type : op->getOperandTypes()) {
    auto ranked = dyn_cast<RankedTensorType>(type);
    allRanked &= ranked != nullptr;
    allStatic &= ranked && ranked.hasStaticShape();
  }
  if (!allRanked)
    return op->emitOpError("has no expansion for unranked operands");

  OpBuilder b(op);
  Location loc = op->getLoc();
  int64_t rank = resultType.getRank();
  auto explicitMap =
      op->getAttrOfType<DenseI64ArrayAttr>("broadcast_dimensions");
  SmallVector<SmallVector<int64_t>> maps;
  for (Value operand : op->getOperands()) {
    int64_t own = cast<RankedTensorType>(operand.getType()).getRank();
    // The attribute applies to the operand of lower rank.
    bool isMapped = explicitMap && own < rank &&
                    static_cast<int64_t>(explicitMap.size()) == own;
    maps.push_back(isMapped ? SmallVector<int64_t>(explicitMap.asArrayRef())
                            : alignedRight(own, rank));
  }
  Value shape;
  if (!allStatic)
    shape = broadcastShape(b, loc, op->getOperands(), maps, resultType);
  SmallVector<Value> operands;
  for (auto [operand, map] : llvm::zip(op->getOperands(), maps)) {
    auto type = cast<RankedTensorType>(operand.getType());
    RankedTensorType spread = resultType.clone(type.getElementType());
    // Equal static types need no broadcast.
    if (type == spread && type.hasStaticShape())
      operands.push_back(operand);
    else if (allStatic)
      operands.push_back(
          stablehlo::BroadcastInDimOp::create(b, loc, spread, operand, map));
    else
      operands.push_back(stablehlo::DynamicBroadcastInDimOp::create(
          b, loc, spread, operand, shape, b.getDenseI64ArrayAttr(map),
          DenseI64ArrayAttr(), DenseI64ArrayAttr()));
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
  // The op without broadcasting of the same name, in StableHLO or CHLO.
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
