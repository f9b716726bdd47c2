//===- localize_scatter_windows.cc - windows that cross shards ------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A window that covers part of a sharded dimension may cross a shard boundary.
// Every device has the full window and applies the part in its shard: the shard
// is padded on both sides for the rest of the window, and sliced afterwards.
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/localize/localizer.h"
#include "shardwright/partition/ops/op_builders.h"
#include "shardwright/partition/support/tensor_types.h"

#include <limits>

using namespace mlir;

namespace shardwright {

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

void Localizer::indexIntoRoom(stablehlo::ScatterOp op,
                              ArrayRef<WindowRows> cut) {
  if (cut.empty())
    return;
  auto dims = op.getScatterDimensionNumbers();
  ArrayRef<int64_t> indexed = dims.getScatterDimsToOperandDims();
  Value input = op.getInputs().front(), vectors = op.getScatterIndices();
  OpBuilder builder(op);
  Location loc = op.getLoc();
  Type i64 = builder.getI64Type();
  // By index component: range of starts for which the window is inside of the
  // global dimension, padding in front of the shard, and an index outside of
  // every padded shard.
  size_t n = indexed.size();
  SmallVector<int64_t> least(n, std::numeric_limits<int64_t>::min()),
      most(n, std::numeric_limits<int64_t>::max()), room(n, 0), outside(n, 0);
  for (WindowRows window : cut) {
    size_t k = llvm::find(indexed, window.dim) - indexed.begin();
    least[k] = 0;
    most[k] = fullSize(input, window.dim) - window.rows;
    room[k] = window.room();
    outside[k] = window.room() + dimsOf(input.getType())[window.dim] *
                                     totalSize(axesOf(input, window.dim));
  }
  auto type = typeOf(vectors).clone(i64);
  int64_t vectorDim = dims.getIndexVectorDim();
  auto spread = [&](ArrayRef<int64_t> numbers) -> Value {
    if (vectorDim >= type.getRank())
      return broadcastScalar(builder, loc, indices.constant(numbers.front()),
                             type);
    auto small = RankedTensorType::get({int64_t(n)}, i64);
    Value vector = stablehlo::ConstantOp::create(
        builder, loc, small, DenseElementsAttr::get(small, numbers));
    return stablehlo::BroadcastInDimOp::create(builder, loc, type, vector,
                                               ArrayRef<int64_t>(vectorDim));
  };
  Value wide = vectors;
  if (type != vectors.getType())
    wide = stablehlo::ConvertOp::create(builder, loc, type, vectors);
  Value low = buildCompare(builder, loc, wide, spread(least),
                           stablehlo::ComparisonDirection::GE);
  Value high = buildCompare(builder, loc, wide, spread(most),
                            stablehlo::ComparisonDirection::LE);
  Value inside =
      stablehlo::AndOp::create(builder, loc, low.getType(), low, high);
  Value moved =
      stablehlo::AddOp::create(builder, loc, type, wide, spread(room));
  Value index = stablehlo::SelectOp::create(builder, loc, type, inside, moved,
                                            spread(outside));
  inherit(index, vectors);
  op.getScatterIndicesMutable().set(index);
  op.setIndicesAreSorted(false);
  op.setUniqueIndices(false);
}

SmallVector<Value> Localizer::scatterIntoRoom(stablehlo::ScatterOp op,
                                              ArrayRef<WindowRows> cut) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  SmallVector<int64_t> local(dimsOf(op.getInputs().front().getType())),
      shape(local), low(local.size(), 0), none(low), one(local.size(), 1),
      limits(local);
  for (WindowRows window : cut) {
    low[window.dim] = window.room();
    shape[window.dim] += 2 * window.room();
    limits[window.dim] += window.room();
  }
  (void)setLocalResultTypes(op);
  for (OpOperand &use : op.getInputsMutable()) {
    auto type = typeOf(use.get());
    Value zero =
        zeros(builder, loc, RankedTensorType::get({}, type.getElementType()));
    use.set(stablehlo::PadOp::create(builder, loc,
                                     type.clone(ArrayRef<int64_t>(shape)),
                                     use.get(), zero, low, low, none));
  }
  builder.setInsertionPointAfter(op);
  SmallVector<Value> inShard;
  for (Value result : op->getResults()) {
    auto type = typeOf(result);
    result.setType(type.clone(ArrayRef<int64_t>(shape)));
    auto slice = stablehlo::SliceOp::create(builder, loc, type, result, low,
                                            limits, one);
    result.replaceAllUsesExcept(slice, slice);
    inheritPart(slice, result);
    inShard.push_back(slice);
  }
  return inShard;
}

} // namespace shardwright
