//===- localize_windows.cc - ops that read their operands in windows ------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each device first fetches the rows that its shard of the result needs
// (op_windows.h plans them, fetch_rows.cc moves them), then applies the same op
// to them.
//
//===----------------------------------------------------------------------===//

#include "shardwright/mesh/uneven.h"
#include "shardwright/partition/layout/attribute_names.h"
#include "shardwright/partition/localize/localizer.h"
#include "shardwright/partition/ops/op_builders.h"
#include "shardwright/partition/ops/op_windows.h"
#include "shardwright/partition/support/tensor_types.h"
#include "shardwright/rules/reducer.h"

using namespace mlir;

namespace shardwright {

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

static Value noFill(int64_t) { return {}; }

LogicalResult Localizer::localizeSlice(stablehlo::SliceOp op) {
  SmallVector<int64_t> starts(op.getStartIndices()),
      limits(op.getLimitIndices()), strides(op.getStrides());
  Value operand = op.getOperand();
  OpBuilder builder(op);
  Value mine;
  for (auto [d, limit] : llvm::enumerate(limits)) {
    int64_t size = dimsOf(operand.getType())[d];
    AxisRefs axes = axesOf(operand, d);
    // Without a window, the slice covers the dimension, or takes one row of it,
    // which its owner sends.
    if (!axesOf(op.getResult(), d).empty()) {
      limit = size;
    } else if (!axes.empty()) {
      Value isOwner = buildCompare(builder, op.getLoc(),
                                   indices.index(layoutOf(operand).mesh, axes),
                                   indices.constant(starts[d] / size),
                                   stablehlo::ComparisonDirection::EQ);
      mine = mine ? Value(stablehlo::AndOp::create(
                        builder, op.getLoc(), isOwner.getType(), mine, isOwner))
                  : isOwner;
      starts[d] %= size;
      limit = starts[d] + 1;
    }
  }
  if (failed(fetchWindows(op, noFill,
                          [&](const OpWindow &window, const RowWindow &rows) {
                            starts[window.resultDim] = 0;
                            limits[window.resultDim] = rows.width;
                          })))
    return failure();
  if (op.getStartIndices() != ArrayRef(starts))
    op.setStartIndices(starts);
  if (op.getLimitIndices() != ArrayRef(limits))
    op.setLimitIndices(limits);
  if (!mine)
    return setLocalResultTypes(op);
  auto type = cast<RankedTensorType>(
      localType(op.getResult().getType(), layoutOf(op.getResult())));
  Location loc = op.getLoc();
  Value row = stablehlo::SliceOp::create(builder, loc, type, op.getOperand(),
                                         starts, limits, strides);
  return replace(op, stablehlo::SelectOp::create(builder, loc, type, mine, row,
                                                 neutral(builder, loc, type)));
}

/// Rolls a dimension that is not sharded.
static Value roll(OpBuilder &builder, Location loc, Value value, int64_t dim,
                  int64_t first) {
  auto type = typeOf(value);
  int64_t size = type.getDimSize(dim);
  SmallVector<Value> parts;
  for (auto [begin, end] :
       {std::pair(first, size), std::pair(int64_t(0), first)}) {
    SmallVector<int64_t> start(type.getRank(), 0), limit(type.getShape()),
        one(type.getRank(), 1), shape(type.getShape());
    start[dim] = begin;
    limit[dim] = end;
    shape[dim] = end - begin;
    parts.push_back(stablehlo::SliceOp::create(
        builder, loc, type.clone(ArrayRef<int64_t>(shape)), value, start, limit,
        one));
  }
  return stablehlo::ConcatenateOp::create(builder, loc, type, parts, dim);
}

LogicalResult Localizer::localizePad(stablehlo::PadOp op) {
  if (auto rolled = op->getAttrOfType<IntegerAttr>(kRollAttrName)) {
    int64_t dim = rolled.getInt();
    auto type = typeOf(op.getResult());
    int64_t first =
        0 <= dim && dim < type.getRank() ? -op.getEdgePaddingLow()[dim] : 0;
    if (first <= 0 || first >= type.getDimSize(dim))
      return op.emitOpError("has an attribute for rolling a dimension, but "
                            "padding that does not roll it");
    if (axesOf(op.getResult(), dim).empty()) {
      OpBuilder builder(op);
      (void)setLocalResultTypes(op);
      return replace(op,
                     roll(builder, op.getLoc(), op.getOperand(), dim, first));
    }
    if (failed(fetchWindows(op, noFill, [](const auto &, const auto &) {})))
      return failure();
    return replace(op, op.getOperand());
  }
  SmallVector<int64_t> low(op.getEdgePaddingLow()),
      high(op.getEdgePaddingHigh());
  if (failed(fetchWindows(
          op, [&](int64_t) { return op.getPaddingValue(); },
          [&](const OpWindow &window, const RowWindow &rows) {
            low[window.resultDim] = rows.lead;
            high[window.resultDim] = rows.trail;
          })))
    return failure();
  op.setEdgePaddingLow(low);
  op.setEdgePaddingHigh(high);
  return setLocalResultTypes(op);
}

/// If all shards are even, each shard moves to its mirrored place: one permute
/// along the axes of all such dimensions.
void Localizer::mirrorShards(stablehlo::ReverseOp op) {
  Value operand = op.getOperand(), result = op.getResult();
  AxisList axes;
  SmallVector<int64_t> mirrored;
  for (int64_t d : op.getDimensions()) {
    AxisRefs own = axesOf(operand, d);
    if (own.empty() || AxisList(own) != AxisList(axesOf(result, d)) ||
        dimsOf(operand.getType())[d] * totalSize(own) != fullSize(operand, d))
      continue;
    mirrored.push_back(d);
    axes.append(own.begin(), own.end());
  }
  if (mirrored.empty())
    return;
  llvm::erase_if(windowsOf[op], [&](const OpWindow &window) {
    return llvm::is_contained(mirrored, window.resultDim);
  });
  // The linear index along all axes is mirrored.
  DeviceGroups groups = deviceGroups(meshes.mesh(layoutOf(operand).mesh), axes);
  SmallVector<int64_t> pairs;
  for (int64_t g = 0; g < groups.numGroups; ++g)
    for (int64_t k = 0; k < groups.groupSize; ++k)
      pairs.append({groups.ids[(g + 1) * groups.groupSize - 1 - k],
                    groups.ids[g * groups.groupSize + k]});
  OpBuilder builder(op);
  auto type = RankedTensorType::get({int64_t(pairs.size()) / 2, 2},
                                    builder.getI64Type());
  auto permute = stablehlo::CollectivePermuteOp::create(
      builder, op.getLoc(), operand.getType(), operand,
      DenseIntElementsAttr::get(type, ArrayRef<int64_t>(pairs)), nextHandle());
  inherit(permute, operand);
  op->setOperand(0, permute);
}

LogicalResult Localizer::localizeReverse(stablehlo::ReverseOp op) {
  mirrorShards(op);
  if (failed(fetchWindows(op, noFill, [](const auto &, const auto &) {})))
    return failure();
  return setLocalResultTypes(op);
}

LogicalResult Localizer::localizeConcatenate(stablehlo::ConcatenateOp op) {
  int64_t dim = op.getDimension();
  Value result = op->getResult(0);
  Layout layout = layoutOf(result);
  AxisList axes(axesOf(result, dim));
  if (axes.empty())
    return setLocalResultTypes(op);
  SmallVector<int64_t> sizes;
  for (Value input : op.getInputs())
    sizes.push_back(fullSize(input, dim));
  if (failed(fetchWindows(op, noFill, [](const auto &, const auto &) {})))
    return failure();
  // Every input now has as many rows as the result: select each row from its
  // input.
  OpBuilder builder(op);
  Location loc = op.getLoc();
  auto type = cast<RankedTensorType>(localType(result.getType(), layout));
  auto counts = type.clone(builder.getI64Type());
  Value row = stablehlo::IotaOp::create(builder, loc, counts, dim);
  Value start = indices.offset(layout.mesh, axes, type.getDimSize(dim));
  row = stablehlo::AddOp::create(builder, loc, counts, row,
                                 broadcastScalar(builder, loc, start, counts));
  Value joined = op.getInputs().back();
  int64_t end = 0;
  for (int64_t size : sizes)
    end += size;
  for (int64_t i = int64_t(sizes.size()) - 2; i >= 0; --i) {
    end -= sizes[i + 1];
    Value before = buildCompare(
        builder, loc, row,
        broadcastScalar(builder, loc, indices.constant(end), counts),
        stablehlo::ComparisonDirection::LT);
    joined = stablehlo::SelectOp::create(builder, loc, type, before,
                                         op.getInputs()[i], joined);
  }
  return replace(op, joined);
}

/// The attribute's pairs, with those of the `settled` dimensions replaced.
static DenseIntElementsAttr
withPadding(std::optional<DenseIntElementsAttr> old, int64_t rank,
            OpBuilder &builder,
            ArrayRef<std::pair<int64_t, RowWindow>> settled) {
  SmallVector<int64_t> pairs(2 * rank, 0);
  if (old)
    pairs.assign(old->value_begin<int64_t>(), old->value_end<int64_t>());
  for (auto [i, rows] : settled) {
    pairs[2 * i] = rows.lead;
    pairs[2 * i + 1] = rows.trail;
  }
  return DenseIntElementsAttr::get(
      RankedTensorType::get({rank, 2}, builder.getI64Type()),
      ArrayRef<int64_t>(pairs));
}

LogicalResult Localizer::localizeReduceWindow(stablehlo::ReduceWindowOp op) {
  for (const OpWindow &window : getWindowsOf(op))
    if (window.isScan && !axesOf(op->getResult(0), window.resultDim).empty())
      return localizeScan(op, {window.resultDim, window.map.low == 0});
  // Missing rows are filled with the identity; the initial value counts once
  // per window.
  std::optional<ReducerKind> kind = uniformReducer(op.getBody());
  auto fill = [&](int64_t i) -> Value {
    Value init = op.getInitValues()[i];
    TypedAttr identity =
        kind ? identityElement(*kind, getElementTypeOrSelf(init)) : TypedAttr();
    if (!identity)
      return init;
    OpBuilder before(op);
    auto type = cast<RankedTensorType>(init.getType());
    return stablehlo::ConstantOp::create(before, op.getLoc(), type,
                                         splatOf(type, identity));
  };
  SmallVector<std::pair<int64_t, RowWindow>> settled;
  if (failed(fetchWindows(op, fill,
                          [&](const OpWindow &window, const RowWindow &rows) {
                            settled.push_back({window.resultDim, rows});
                          })))
    return failure();
  OpBuilder builder(op);
  if (!settled.empty())
    op.setPaddingAttr(withPadding(
        op.getPadding(), op.getWindowDimensions().size(), builder, settled));
  return setLocalResultTypes(op);
}

/// Each shard evaluates every window that has a row in it, in full, and keeps
/// its own rows of what the windows scatter.
LogicalResult
Localizer::localizeSelectAndScatter(stablehlo::SelectAndScatterOp op) {
  Value result = op.getResult();
  auto local =
      cast<RankedTensorType>(localType(result.getType(), layoutOf(result)));
  SmallVector<int64_t> shape(local.getShape()), start(shape.size(), 0);
  OpBuilder builder(op);
  Location loc = op.getLoc();
  Value fills[2];
  auto fillOf = [&](int64_t i) -> Value {
    TypedAttr fill =
        i == 0 ? neverSelected(op)
               : identityElement(*uniformReducer(op.getScatter()),
                                 getElementTypeOrSelf(op.getSource()));
    if (!fills[i] && fill)
      fills[i] = buildScalar(builder, loc, fill);
    return fills[i];
  };
  SmallVector<std::pair<int64_t, RowWindow>> settled;
  if (failed(fetchWindows(op, fillOf,
                          [&](const OpWindow &window, const RowWindow &rows) {
                            if (window.operand != 0)
                              return;
                            shape[window.resultDim] = rows.width;
                            start[window.resultDim] = -rows.offset;
                            settled.push_back({window.resultDim, RowWindow()});
                          })))
    return failure();
  if (settled.empty())
    return setLocalResultTypes(op);
  op.setPaddingAttr(
      withPadding(op.getPadding(), shape.size(), builder, settled));
  builder.setInsertionPointAfter(op);
  Layout layout = layoutOf(result);
  auto wide = local.clone(ArrayRef<int64_t>(shape));
  SmallVector<int64_t> limit, one(shape.size(), 1);
  for (auto [begin, n] : llvm::zip(start, local.getShape()))
    limit.push_back(begin + n);
  result.setType(wide);
  auto mine = stablehlo::SliceOp::create(builder, loc, local, result, start,
                                         limit, one);
  result.replaceAllUsesExcept(mine, mine);
  inherit(mine, result);
  return success();
}

LogicalResult Localizer::localizeConvolution(stablehlo::ConvolutionOp op) {
  auto dims = op.getDimensionNumbers();
  // Groups are the major part of the input's feature (or batch) dimension.
  auto perShard = [&](int64_t groups, int64_t dim) {
    int64_t shards = totalSize(axesOf(op.getLhs(), dim));
    return groups / std::min(groups, shards);
  };
  op.setFeatureGroupCount(
      perShard(op.getFeatureGroupCount(), dims.getInputFeatureDimension()));
  op.setBatchGroupCount(
      perShard(op.getBatchGroupCount(), dims.getInputBatchDimension()));
  ArrayRef<int64_t> spatial = dims.getOutputSpatialDimensions();
  OpBuilder builder(op);
  Value zero;
  auto fill = [&](int64_t) {
    if (!zero)
      zero = zeros(builder, op.getLoc(),
                   RankedTensorType::get(
                       {}, getElementTypeOrSelf(op.getLhs().getType())));
    return zero;
  };
  SmallVector<std::pair<int64_t, RowWindow>> settled;
  if (failed(fetchWindows(
          op, fill, [&](const OpWindow &window, const RowWindow &rows) {
            settled.push_back(
                {llvm::find(spatial, window.resultDim) - spatial.begin(),
                 rows});
          })))
    return failure();
  if (!settled.empty())
    op.setPaddingAttr(
        withPadding(op.getPadding(), spatial.size(), builder, settled));
  return setLocalResultTypes(op);
}

} // namespace shardwright
