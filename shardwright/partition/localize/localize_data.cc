//===- localize_data.cc - constants and plain data movement ---------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/localize/localizer.h"
#include "shardwright/partition/ops/op_builders.h"
#include "shardwright/partition/support/tensor_types.h"

using namespace mlir;

namespace shardwright {

static SmallVector<Value> wideIndices(OpBuilder &builder, Location loc,
                                      ValueRange indices) {
  auto i64 = RankedTensorType::get({}, builder.getI64Type());
  SmallVector<Value> wide;
  for (Value index : indices)
    wide.push_back(index.getType() == i64 ? index
                                          : stablehlo::ConvertOp::create(
                                                builder, loc, i64, index));
  return wide;
}

LogicalResult Localizer::localizeConstant(Operation *op, ElementsAttr value) {
  Value result = op->getResult(0);
  auto type = cast<RankedTensorType>(result.getType());
  const InternedLayout &layout = layoutOf(result);
  OpBuilder builder(op);
  auto emit = [&](ElementsAttr elements) -> Value {
    auto constant = stablehlo::ConstantOp::create(
        builder, op->getLoc(), elements.getShapedType(), elements);
    constant->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    return constant;
  };
  if (layout.mesh < 0) {
    if (isa<stablehlo::ConstantOp>(op))
      return success();
    return replace(op, emit(value));
  }
  auto local = cast<RankedTensorType>(localType(type, layout));
  auto dense = dyn_cast<DenseElementsAttr>(value);
  if (dense && dense.isSplat())
    return replace(op, emit(dense.resizeSplat(local)));
  SmallVector<AxisList, 4> axes;
  for (const DimSharding &dim : layout.sharding.dims)
    axes.push_back(dim.axes);
  return replace(
      op, localSlice(builder, op->getLoc(), emit(value), layout.mesh, axes));
}

LogicalResult Localizer::localizeIota(stablehlo::IotaOp op) {
  Value result = op.getResult();
  int64_t dim = op.getIotaDimension();
  Layout layout = layoutOf(result);
  (void)setLocalResultTypes(op);
  if (axesOf(result, dim).empty())
    return success();
  auto type = cast<RankedTensorType>(result.getType());
  OpBuilder builder(op.getContext());
  builder.setInsertionPointAfter(op);
  Value offset = indices.offset(layout.mesh, layout.sharding.dims[dim].axes,
                                type.getDimSize(dim));
  Value start = broadcastScalar(builder, op.getLoc(), offset, type);
  auto sum =
      stablehlo::AddOp::create(builder, op.getLoc(), type, result, start);
  result.replaceAllUsesExcept(sum, sum);
  inherit(sum, result);
  return success();
}

Value Localizer::startInShard(OpBuilder &builder, Location loc, Value operand,
                              int64_t dim, Value start, int64_t size) {
  auto i64 = RankedTensorType::get({}, builder.getI64Type());
  Value clamped = stablehlo::ClampOp::create(
      builder, loc, i64, indices.constant(0), start,
      indices.constant(fullSize(operand, dim) - size));
  return stablehlo::SubtractOp::create(
      builder, loc, i64, clamped,
      indices.offset(layoutOf(operand).mesh, axesOf(operand, dim),
                     dimsOf(operand.getType())[dim]));
}

LogicalResult Localizer::localizeDynamicSlice(stablehlo::DynamicSliceOp op) {
  Value operand = op.getOperand();
  auto local = cast<RankedTensorType>(operand.getType());
  SmallVector<int64_t> sizes(op.getSliceSizes()), given, room(sizes.size(), 0);
  for (auto [d, size] : llvm::enumerate(sizes)) {
    // The slice covers the sharded dimension, and its start index is clamped to
    // 0 in both programs; or the owners of the rows send them.
    if (!axesOf(op.getResult(), d).empty())
      size = local.getDimSize(d);
    else if (!axesOf(operand, d).empty())
      given.push_back(d);
  }
  op.setSliceSizes(sizes);
  if (given.empty())
    return setLocalResultTypes(op);

  OpBuilder builder(op);
  Location loc = op.getLoc();
  auto i64 = RankedTensorType::get({}, builder.getI64Type());
  SmallVector<Value> starts = wideIndices(builder, loc, op.getStartIndices());
  // Pad by the slice size on both sides of the shard.
  SmallVector<int64_t> none(sizes.size(), 0), shape(local.getShape());
  for (int64_t d : given) {
    room[d] = sizes[d];
    shape[d] += 2 * sizes[d];
    Value inShard = startInShard(builder, loc, operand, d, starts[d], sizes[d]);
    starts[d] = stablehlo::AddOp::create(builder, loc, i64, inShard,
                                         indices.constant(sizes[d]));
    // Clamp here rather than rely on the op: XLA folds nested slices without
    // clamping the inner start.
    starts[d] = stablehlo::ClampOp::create(
        builder, loc, i64, indices.constant(0), starts[d],
        indices.constant(shape[d] - sizes[d]));
  }
  Value nothing =
      neutral(builder, loc, RankedTensorType::get({}, local.getElementType()));
  Value padded = stablehlo::PadOp::create(builder, loc,
                                          local.clone(ArrayRef<int64_t>(shape)),
                                          operand, nothing, room, room, none);
  Type type = localType(op.getResult().getType(), layoutOf(op.getResult()));
  return replace(op, stablehlo::DynamicSliceOp::create(builder, loc, type,
                                                       padded, starts, sizes));
}

/// Mask of the elements of a window at `starts` that lie inside of `size` in
/// these dimensions: one per element, or a single one if all sizes are 1 (then
/// all rows are row 0).
Value Localizer::insideOf(OpBuilder &builder, Location loc,
                          RankedTensorType window, ArrayRef<int64_t> dims,
                          ValueRange starts, ArrayRef<int64_t> size) {
  bool single = llvm::all_of(dims, [&](int64_t d) { return size[d] == 1; });
  auto counts = single ? RankedTensorType::get({}, builder.getI64Type())
                       : window.clone(builder.getI64Type());
  Value inside;
  auto add = [&](Value row, int64_t bound,
                 stablehlo::ComparisonDirection direction) {
    Value test = buildCompare(
        builder, loc, row,
        broadcastScalar(builder, loc, indices.constant(bound), counts),
        direction);
    inside = inside ? Value(stablehlo::AndOp::create(
                          builder, loc, test.getType(), inside, test))
                    : test;
  };
  for (auto [d, start] : llvm::zip(dims, starts)) {
    Value row = broadcastScalar(builder, loc, start, counts);
    if (size[d] == 1 && window.getDimSize(d) == 1) {
      add(row, 0, stablehlo::ComparisonDirection::EQ);
      continue;
    }
    row = stablehlo::AddOp::create(
        builder, loc, counts,
        stablehlo::IotaOp::create(builder, loc, counts, d), row);
    add(row, 0, stablehlo::ComparisonDirection::GE);
    add(row, size[d], stablehlo::ComparisonDirection::LT);
  }
  return inside;
}

LogicalResult
Localizer::localizeDynamicUpdateSlice(stablehlo::DynamicUpdateSliceOp op) {
  Value operand = op.getOperand(), update = op.getUpdate();
  auto local = cast<RankedTensorType>(operand.getType());
  auto updateType = cast<RankedTensorType>(update.getType());
  // Sharded dimensions that the update, which is not sharded, covers in part.
  SmallVector<int64_t> dims;
  for (int64_t d = 0; d < local.getRank(); ++d)
    if (!axesOf(operand, d).empty() && axesOf(update, d).empty())
      dims.push_back(d);
  if (dims.empty())
    return setLocalResultTypes(op);
  if (updateType.getNumElements() == 0)
    return replace(op, operand);

  // Each shard writes min(rows of the update, rows of the shard) rows, at the
  // offset closest to the update. Rows that the update does not cover are
  // written back unchanged.
  OpBuilder builder(op);
  Location loc = op.getLoc();
  auto i64 = RankedTensorType::get({}, builder.getI64Type());
  auto clamped = [&](Value value, int64_t high) -> Value {
    return stablehlo::ClampOp::create(builder, loc, i64, indices.constant(0),
                                      value, indices.constant(high));
  };
  SmallVector<Value> starts = wideIndices(builder, loc, op.getStartIndices()),
                     from(starts.size(), indices.constant(0)), first;
  ArrayRef<int64_t> rows = updateType.getShape();
  SmallVector<int64_t> shape(rows), padded(rows), room(rows.size(), 0),
      none(room);
  for (int64_t d : dims) {
    shape[d] = std::min(rows[d], local.getDimSize(d));
    // Clamp here rather than rely on the ops: XLA folds nested slices without
    // clamping the inner start.
    Value start = startInShard(builder, loc, operand, d, starts[d], rows[d]);
    starts[d] = clamped(start, local.getDimSize(d) - shape[d]);
    // Offset of the first written row in the update.
    first.push_back(
        stablehlo::SubtractOp::create(builder, loc, i64, starts[d], start));
    if (rows[d] == 1)
      continue;
    // Pad the update on both sides for rows that it does not cover.
    room[d] = shape[d];
    padded[d] += 2 * room[d];
    from[d] = clamped(stablehlo::AddOp::create(builder, loc, i64, first.back(),
                                               indices.constant(room[d])),
                      padded[d] - shape[d]);
  }
  auto type = updateType.clone(ArrayRef<int64_t>(shape));
  Value inside = insideOf(builder, loc, type, dims, first, rows);
  if (ArrayRef(padded) != rows) {
    Value zero =
        zeros(builder, loc, RankedTensorType::get({}, local.getElementType()));
    Value wide = stablehlo::PadOp::create(
        builder, loc, updateType.clone(ArrayRef<int64_t>(padded)), update, zero,
        room, room, none);
    update = stablehlo::DynamicSliceOp::create(builder, loc, type, wide, from,
                                               shape);
  }
  Value old = stablehlo::DynamicSliceOp::create(builder, loc, type, operand,
                                                starts, shape);
  Value chosen =
      stablehlo::SelectOp::create(builder, loc, type, inside, update, old);
  return replace(op, stablehlo::DynamicUpdateSliceOp::create(
                         builder, loc, local, operand, chosen, starts));
}

} // namespace shardwright
