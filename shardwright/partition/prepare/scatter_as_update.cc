//===- scatter_as_update.cc - scatters of one static window ---------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/prepare/scatter_as_update.h"

#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/partition/ops/op_windows.h"
#include "shardwright/partition/support/tensor_types.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace shardwright {

/// Appends the elements of a vector or scalar of integers; false if they are
/// not constants.
static bool appendElements(Value value, SmallVectorImpl<int64_t> &elements) {
  if (auto concat = value.getDefiningOp<stablehlo::ConcatenateOp>())
    return llvm::all_of(concat.getInputs(), [&](Value input) {
      return appendElements(input, elements);
    });
  auto append = [&](const APInt &number, Type type) {
    if (number.getBitWidth() > 64 ||
        (type.isUnsignedInteger() && number.getActiveBits() > 63))
      return false;
    elements.push_back(type.isUnsignedInteger() ? number.getZExtValue()
                                                : number.getSExtValue());
    return true;
  };
  Type element = getElementTypeOrSelf(value);
  DenseIntElementsAttr all;
  if (auto constant = value.getDefiningOp<sdy::ConstantOp>())
    all = dyn_cast<DenseIntElementsAttr>(constant.getValue());
  else
    matchPattern(value, m_Constant(&all));
  if (all)
    return llvm::all_of(all.getValues<APInt>(), [&](const APInt &number) {
      return append(number, element);
    });
  auto number = dyn_cast_or_null<IntegerAttr>(scalarConstant(value));
  if (!number)
    return false;
  for (int64_t i = 0, n = cast<ShapedType>(value.getType()).getNumElements();
       i < n; ++i)
    if (!append(number.getValue(), element))
      return false;
  return true;
}

/// True if the reducer returns the update's element.
static bool replaces(Region &body) {
  return body.hasOneBlock() && body.getNumArguments() == 2 &&
         body.front().getTerminator()->getNumOperands() == 1 &&
         body.front().getTerminator()->getOperand(0) == body.getArgument(1);
}

bool updateInPlaceOfScatter(stablehlo::ScatterOp scatter) {
  auto dims = scatter.getScatterDimensionNumbers();
  if (scatter.getInputs().size() != 1 ||
      !replaces(scatter.getUpdateComputation()))
    return false;
  Value input = scatter.getInputs().front(),
        update = scatter.getUpdates().front();
  auto type = cast<RankedTensorType>(input.getType());
  auto updateType = cast<RankedTensorType>(update.getType());
  // There is one index vector: all dimensions of the update are window
  // dimensions.
  if (!isShardable(type) ||
      int64_t(dims.getUpdateWindowDims().size()) != updateType.getRank() ||
      !updateType.hasStaticShape())
    return false;
  SmallVector<int64_t> components, starts(type.getRank(), 0), shape;
  ArrayRef<int64_t> indexed = dims.getScatterDimsToOperandDims();
  if (!appendElements(scatter.getScatterIndices(), components) ||
      components.size() != indexed.size())
    return false;
  for (auto [d, start] : llvm::zip(indexed, components))
    starts[d] = start;
  int64_t next = 0;
  for (int64_t d = 0; d < type.getRank(); ++d) {
    shape.push_back(llvm::is_contained(dims.getInsertedWindowDims(), d)
                        ? 1
                        : updateType.getDimSize(next++));
    if (starts[d] < 0 || starts[d] > type.getDimSize(d) - shape[d])
      return false;
  }

  OpBuilder builder(scatter);
  Location loc = scatter.getLoc();
  if (updateType.getShape() != ArrayRef(shape)) {
    sdy::TensorShardingAttr sharding = sdy::getSharding(update);
    update = stablehlo::ReshapeOp::create(
        builder, loc, updateType.clone(ArrayRef<int64_t>(shape)), update);
    if (sharding && sharding.getRank() == updateType.getRank()) {
      SmallVector<sdy::DimensionShardingAttr> all(
          sharding.getDimShardings().begin(), sharding.getDimShardings().end());
      for (int64_t d : dims.getInsertedWindowDims())
        all.insert(all.begin() + d, sdy::DimensionShardingAttr::get(
                                        builder.getContext(), {}, true));
      sdy::setSharding(update, sharding.withDimShardings(all));
    }
  }
  auto scalar = RankedTensorType::get({}, builder.getI64Type());
  SmallVector<Value> at;
  for (int64_t start : starts)
    at.push_back(stablehlo::ConstantOp::create(
        builder, loc, scalar, DenseElementsAttr::get(scalar, start)));
  auto made = stablehlo::DynamicUpdateSliceOp::create(builder, loc, type, input,
                                                      update, at);
  made->setDiscardableAttrs(scatter->getDiscardableAttrDictionary());
  scatter->replaceAllUsesWith(made);
  scatter.erase();
  return true;
}

} // namespace shardwright
