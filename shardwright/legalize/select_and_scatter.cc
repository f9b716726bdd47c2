//===- select_and_scatter.cc - winners of windows -------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/legalize/legalize.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace shardwright::legalize {

namespace hlo = shardwright::stablehlo;

/// Clones the body of a scalar region and returns its value.
static Value inlineBody(OpBuilder &b, Region &region, ValueRange arguments) {
  Block &block = region.front();
  IRMapping map;
  map.map(block.getArguments(), arguments);
  for (Operation &op : block.without_terminator())
    b.clone(op, map);
  return map.lookupOrDefault(block.getTerminator()->getOperand(0));
}

static Value constant(OpBuilder &b, Location at, Type element, int64_t value) {
  auto type = RankedTensorType::get({}, element);
  Attribute scalar = isa<FloatType>(element)
                         ? Attribute(b.getFloatAttr(element, double(value)))
                         : Attribute(b.getIntegerAttr(element, value));
  return hlo::ConstantOp::create(b, at, DenseElementsAttr::get(type, scalar));
}

// Reduces each window to its selected value and the index of that value, -1 if
// there is none. Then scatters the source to these indices; a scatter ignores
// index -1 because it is out of bounds.
LogicalResult legalizeSelectAndScatter(hlo::SelectAndScatterOp op) {
  OpBuilder b(op);
  Location at = op.getLoc();
  auto type = cast<RankedTensorType>(op.getOperand().getType());
  auto source = cast<RankedTensorType>(op.getSource().getType());
  if (op.getSelect().front().getNumArguments() != 2 ||
      op.getScatter().front().getNumArguments() != 2 ||
      op.getSelect().front().getTerminator()->getNumOperands() != 1 ||
      op.getScatter().front().getTerminator()->getNumOperands() != 1)
    return op.emitError("its regions should take two values and give one");
  int64_t rank = type.getRank();
  bool isShort = type.getNumElements() < INT32_MAX;
  Type indexType = isShort ? b.getI32Type() : b.getI64Type();
  auto flat = RankedTensorType::get({type.getNumElements()}, indexType);
  Value index = hlo::ReshapeOp::create(
      b, at, RankedTensorType::get(type.getShape(), indexType),
      hlo::IotaOp::create(b, at, flat, 0));

  SmallVector<int64_t> window(rank, 1);
  if (auto given = op.getWindowDimensions())
    window.assign(given->begin(), given->end());
  Value none = constant(b, at, indexType, -1);
  // A placeholder value that is never used.
  Value noValue = op.getInitValue();
  if (cast<RankedTensorType>(noValue.getType()).getElementType() !=
      type.getElementType())
    noValue = hlo::ConvertOp::create(
        b, at, RankedTensorType::get({}, type.getElementType()), noValue);
  auto winnersType = source.clone(indexType);
  auto reduced = hlo::ReduceWindowOp::create(
      b, at, TypeRange{source.clone(type.getElementType()), winnersType},
      ValueRange{op.getOperand(), index}, ValueRange{noValue, none},
      b.getDenseI64ArrayAttr(window),
      op.getWindowStrides() ? b.getDenseI64ArrayAttr(*op.getWindowStrides())
                            : nullptr,
      /*base_dilations=*/nullptr, /*window_dilations=*/nullptr,
      op.getPaddingAttr());
  {
    OpBuilder::InsertionGuard guard(b);
    auto value = RankedTensorType::get({}, type.getElementType());
    auto position = RankedTensorType::get({}, indexType);
    Block *body =
        b.createBlock(&reduced.getBody(), {},
                      {value, position, value, position}, {at, at, at, at});
    Value kept = body->getArgument(0), keptAt = body->getArgument(1);
    Value next = body->getArgument(2), nextAt = body->getArgument(3);
    Value zero = constant(b, at, indexType, 0);
    auto isNone = [&](Value i) -> Value {
      return hlo::CompareOp::create(b, at, i, zero,
                                    hlo::ComparisonDirection::LT);
    };
    Value wins = inlineBody(b, op.getSelect(), {kept, next});
    Value keeps =
        hlo::AndOp::create(b, at, hlo::NotOp::create(b, at, isNone(keptAt)),
                           hlo::OrOp::create(b, at, isNone(nextAt), wins));
    Value v = hlo::SelectOp::create(b, at, keeps, kept, next);
    Value i = hlo::SelectOp::create(b, at, keeps, keptAt, nextAt);
    hlo::ReturnOp::create(b, at, ValueRange{v, i});
  }

  int64_t windows = source.getNumElements();
  auto line = RankedTensorType::get(
      {type.getNumElements()},
      cast<RankedTensorType>(op.getType()).getElementType());
  Value initial = hlo::BroadcastInDimOp::create(b, at, line, op.getInitValue(),
                                                b.getDenseI64ArrayAttr({}));
  Value winners = hlo::ReshapeOp::create(
      b, at, RankedTensorType::get({windows, 1}, indexType),
      reduced.getResult(1));
  Value updates = hlo::ReshapeOp::create(
      b, at, RankedTensorType::get({windows}, source.getElementType()),
      op.getSource());
  auto numbers = hlo::ScatterDimensionNumbersAttr::get(
      op.getContext(), /*updateWindowDims=*/{}, /*insertedWindowDims=*/{0},
      /*inputBatchingDims=*/{}, /*scatterIndicesBatchingDims=*/{},
      /*scatterDimsToOperandDims=*/{0}, /*indexVectorDim=*/1);
  auto scatter = hlo::ScatterOp::create(
      b, at, TypeRange{line}, ValueRange{initial}, winners, ValueRange{updates},
      numbers, /*indices_are_sorted=*/false,
      /*unique_indices=*/false);
  scatter.getUpdateComputation().takeBody(op.getScatter());
  Value result =
      hlo::ReshapeOp::create(b, at, op.getType(), scatter.getResult(0));
  op.replaceAllUsesWith(result);
  op.erase();
  return success();
}

} // namespace shardwright::legalize
