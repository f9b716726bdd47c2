//===- widen_slices.cc - concatenations of slices as pads -----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A roll is a concatenation of two slices of one value; a shift concatenates a
// new row and all rows but one. Along a sharded dimension the slices are
// uneven, and a slice of a single row would be sent to every device. So each
// part becomes a pad (with negative sizes too) of the sliced value to the size
// of the result, and selects choose among the pads by row:
//
//   concat(x[0:1], x[3:8])  ->  select(row < 1, pad(x, 0, -2), pad(x, -2, 0))
//
// Pads exchange only halo rows. If the parts are all rows of one value in
// rotated order, a single pad marked as a roll is enough.
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/prepare/compose_slices.h"

#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/partition/layout/attribute_names.h"
#include "shardwright/partition/ops/op_builders.h"
#include "shardwright/partition/ops/op_windows.h"
#include "shardwright/partition/support/tensor_types.h"

using namespace mlir;

namespace shardwright {
namespace {

/// With more parts, the selects would cost more than the pads save.
constexpr size_t kMaxParts = 4;

/// Rows [begin, begin + rows) of `value`.
struct Part {
  Value value;
  int64_t begin = 0, rows = 0;
};

/// The sliced value and rows, if the slice is full-size in other dimensions.
Part partOf(Value operand, int64_t dim) {
  int64_t rows = dimsOf(operand.getType())[dim];
  auto slice = operand.getDefiningOp<stablehlo::SliceOp>();
  if (!slice)
    return {operand, 0, rows};
  ArrayRef<int64_t> in = dimsOf(slice.getOperand().getType());
  for (auto [d, size] : llvm::enumerate(dimsOf(operand.getType())))
    if (int64_t(d) == dim ? slice.getStrides()[d] != 1 : size != in[d])
      return {operand, 0, rows};
  return {slice.getOperand(), slice.getStartIndices()[dim], rows};
}

bool isSharded(Value value, int64_t dim) {
  sdy::TensorShardingAttr sharding = sdy::getSharding(value);
  return sharding && dim < sharding.getRank() &&
         !sharding.getDimSharding(dim).getAxes().empty();
}

void finish(stablehlo::ConcatenateOp concat, Value made) {
  concat.getResult().replaceAllUsesWith(made);
  // An input may occur twice.
  llvm::SetVector<Value> inputs(concat.getInputs().begin(),
                                concat.getInputs().end());
  concat.erase();
  for (Value input : inputs)
    if (Operation *op = input.getDefiningOp())
      if (isa<stablehlo::SliceOp>(op) && op->use_empty())
        op->erase();
}

void widen(stablehlo::ConcatenateOp concat) {
  int64_t dim = concat.getDimension();
  auto type = dyn_cast<RankedTensorType>(concat.getType());
  if (!type || !type.hasStaticShape() || !isSharded(concat, dim) ||
      concat.getInputs().size() > kMaxParts)
    return;
  bool slices = false;
  SmallVector<Part> parts;
  for (Value input : concat.getInputs()) {
    if (isa<RankedTensorType>(input.getType()) &&
        dimsOf(input.getType())[dim] == 0)
      continue;
    parts.push_back(partOf(input, dim));
    slices |= parts.back().value != input;
  }
  // A roll by zero rows concatenates the value and an empty slice.
  if (parts.size() == 1 && parts[0].value.getType() == type)
    return finish(concat, parts[0].value);
  if (!slices || parts.size() < 2)
    return;

  int64_t size = type.getDimSize(dim);
  bool isRoll =
      dimsOf(parts[0].value.getType())[dim] == size && parts[0].begin > 0;
  for (size_t i = 1; i < parts.size(); ++i)
    isRoll &=
        parts[i].value == parts[0].value &&
        parts[i].begin == (parts[i - 1].begin + parts[i - 1].rows) % size &&
        parts[i].begin + parts[i].rows <= size;

  OpBuilder builder(concat);
  Location loc = concat.getLoc();
  sdy::TensorShardingAttr sharding = sdy::getSharding(concat);
  auto shard = [&](Value value) {
    sdy::setSharding(value, sharding);
    return value;
  };
  auto scalar = RankedTensorType::get({}, type.getElementType());
  Value zero = buildZero(builder, loc, scalar);
  SmallVector<int64_t> none(type.getRank(), 0);
  if (isRoll) {
    SmallVector<int64_t> low(none), high(none);
    low[dim] = -parts[0].begin;
    high[dim] = parts[0].begin;
    auto roll = stablehlo::PadOp::create(builder, loc, type, parts[0].value,
                                         zero, low, high, none);
    roll->setAttr(kRollAttrName, builder.getI64IntegerAttr(dim));
    return finish(concat, shard(roll));
  }
  auto counts = type.clone(builder.getI64Type());
  Value row = shard(stablehlo::IotaOp::create(builder, loc, counts, dim));
  Value all;
  int64_t at = 0;
  for (const Part &part : parts) {
    SmallVector<int64_t> low(none), high(none);
    low[dim] = at - part.begin;
    high[dim] = size - low[dim] - dimsOf(part.value.getType())[dim];
    Value placed = shard(stablehlo::PadOp::create(
        builder, loc, type, part.value, zero, low, high, none));
    if (all) {
      auto limit = DenseElementsAttr::get(
          counts, builder.getI64IntegerAttr(at).getValue());
      Value bound =
          shard(stablehlo::ConstantOp::create(builder, loc, counts, limit));
      Value before = shard(buildCompare(builder, loc, row, bound,
                                        stablehlo::ComparisonDirection::LT));
      placed = shard(
          stablehlo::SelectOp::create(builder, loc, type, before, all, placed));
    }
    all = placed;
    at += part.rows;
  }
  finish(concat, all);
}

} // namespace

void widenSlices(ArrayRef<Operation *> joins) {
  for (Operation *op : joins)
    if (auto concat = dyn_cast<stablehlo::ConcatenateOp>(op))
      widen(concat);
}

} // namespace shardwright
