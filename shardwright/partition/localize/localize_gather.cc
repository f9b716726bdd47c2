//===- localize_gather.cc - local forms of gather and scatter -------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes indices into a sharded dimension relative to the shard. A gather reads
// the rows inside of the shard and zeros for the rest (the sum over the shards
// is the result). A scatter drops updates outside of its operand anyway (see
// localize_scatter_windows.cc for windows that are partly inside). A dimension
// of which one row is read or written without an index uses its first row,
// which the first shard holds.
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/localize/localizer.h"
#include "shardwright/partition/ops/op_builders.h"
#include "shardwright/partition/ops/reducer_ops.h"
#include "shardwright/partition/support/tensor_types.h"

#include <limits>

using namespace mlir;

namespace shardwright {

Localizer::LocalIndices
Localizer::localizeIndices(OpBuilder &builder, Location loc, Value indexVectors,
                           int64_t indexVectorDim,
                           ArrayRef<int64_t> indexedDims, Value operand,
                           ArrayRef<int64_t> shardedDims, bool clampAndTest) {
  auto type = cast<RankedTensorType>(indexVectors.getType());
  Type i64 = builder.getI64Type();
  auto wide = RankedTensorType::get(type.getShape(), i64);
  if (type != wide)
    indexVectors =
        stablehlo::ConvertOp::create(builder, loc, wide, indexVectors);
  bool isVector = indexVectorDim < type.getRank();
  int64_t n = indexedDims.size();

  // Broadcasts one number per component to the shape of the indices.
  auto spread = [&](ArrayRef<int64_t> numbers) -> Value {
    auto small = RankedTensorType::get({n}, i64);
    if (isVector) {
      Value vector = stablehlo::ConstantOp::create(
          builder, loc, small, DenseElementsAttr::get(small, numbers));
      return stablehlo::BroadcastInDimOp::create(
          builder, loc, wide, vector, ArrayRef<int64_t>(indexVectorDim));
    }
    return broadcastScalar(builder, loc, indices.constant(numbers.front()),
                           wide);
  };
  constexpr int64_t kLeast = std::numeric_limits<int64_t>::min(),
                    kMost = std::numeric_limits<int64_t>::max();
  SmallVector<int64_t> least(n, kLeast), most(n, kMost), zero(n, kLeast),
      end(n, kMost);
  SmallVector<Value> offsets(n);
  Layout layout = layoutOf(operand);
  for (auto [k, d] : llvm::enumerate(indexedDims)) {
    if (!llvm::is_contained(shardedDims, d))
      continue;
    AxisRefs axes = layout.sharding.dims[d].axes;
    int64_t size = dimsOf(operand.getType())[d];
    least[k] = zero[k] = 0;
    most[k] = fullSize(operand, d) - 1;
    end[k] = size;
    offsets[k] = indices.offset(layout.mesh, axes, size);
  }
  LocalIndices out;
  if (clampAndTest)
    indexVectors = stablehlo::ClampOp::create(builder, loc, wide, spread(least),
                                              indexVectors, spread(most));
  Value offset;
  if (isVector) {
    SmallVector<Value> parts;
    auto one = RankedTensorType::get({1}, i64);
    for (Value o : offsets)
      parts.push_back(stablehlo::ReshapeOp::create(
          builder, loc, one, o ? o : indices.constant(0)));
    Value vector = stablehlo::ConcatenateOp::create(
        builder, loc, RankedTensorType::get({n}, i64), parts, 0);
    offset = stablehlo::BroadcastInDimOp::create(
        builder, loc, wide, vector, ArrayRef<int64_t>(indexVectorDim));
  } else {
    offset = broadcastScalar(builder, loc, offsets.front(), wide);
  }
  out.indices =
      stablehlo::SubtractOp::create(builder, loc, wide, indexVectors, offset);
  if (!clampAndTest)
    return out;

  auto pred = RankedTensorType::get(type.getShape(), builder.getI1Type());
  Value above = buildCompare(builder, loc, out.indices, spread(zero),
                             stablehlo::ComparisonDirection::GE);
  Value below = buildCompare(builder, loc, out.indices, spread(end),
                             stablehlo::ComparisonDirection::LT);
  // The `end` of the other components is the largest number, which is a valid
  // index.
  below = stablehlo::OrOp::create(
      builder, loc, pred, below,
      buildCompare(builder, loc, spread(end),
                   spread(SmallVector<int64_t>(n, kMost)),
                   stablehlo::ComparisonDirection::EQ));
  out.inside = stablehlo::AndOp::create(builder, loc, pred, above, below);
  if (isVector) {
    SmallVector<int64_t> shape(type.getShape());
    shape.erase(shape.begin() + indexVectorDim);
    auto scalar = RankedTensorType::get({}, builder.getI1Type());
    Value yes = stablehlo::ConstantOp::create(
        builder, loc, scalar, DenseElementsAttr::get(scalar, true));
    auto all = stablehlo::ReduceOp::create(
        builder, loc,
        TypeRange(RankedTensorType::get(shape, builder.getI1Type())),
        ValueRange(out.inside), ValueRange(yes),
        ArrayRef<int64_t>(indexVectorDim));
    buildReducerBody(all.getBody(), loc, ReducerKind::And, builder.getI1Type());
    out.inside = all->getResult(0);
  }
  return out;
}

Value Localizer::hasFirstShards(OpBuilder &builder, Location loc, Value value,
                                ArrayRef<int64_t> dims) {
  Layout layout = layoutOf(value);
  Value all;
  for (int64_t d : dims) {
    Value at = indices.offset(layout.mesh, layout.sharding.dims[d].axes,
                              dimsOf(value.getType())[d]);
    Value is = buildCompare(builder, loc, at, indices.constant(0),
                            stablehlo::ComparisonDirection::EQ);
    all = all ? Value(stablehlo::AndOp::create(builder, loc, is.getType(), all,
                                               is))
              : is;
  }
  return all;
}

LogicalResult Localizer::refusePartOf(Operation *op, int64_t dim, int64_t rows,
                                      int64_t size) {
  return op->emitOpError("takes ")
         << rows << " of the " << size << " rows of dimension " << dim
         << " of its operand, which is sharded; reshard the operand so "
            "that this dimension is not sharded";
}

LogicalResult Localizer::localizeGather(stablehlo::GatherOp op) {
  auto dims = op.getDimensionNumbers();
  Value operand = op.getOperand();
  ArrayRef<int64_t> local = dimsOf(operand.getType());
  SmallVector<int64_t> sizes(op.getSliceSizes()), indexed, fixed;
  for (int64_t d = 0; d < int64_t(sizes.size()); ++d) {
    AxisRefs axes = axesOf(operand, d);
    if (axes.empty() || llvm::is_contained(dims.getOperandBatchingDims(), d))
      continue;
    int64_t whole = fullSize(operand, d);
    // Full slices stay full; in other dimensions the slice has one row.
    if (sizes[d] == whole && whole != 1)
      sizes[d] = local[d];
    else if (sizes[d] != 1)
      return refusePartOf(op, d, sizes[d], whole);
    else if (llvm::is_contained(dims.getStartIndexMap(), d))
      indexed.push_back(d);
    else
      fixed.push_back(d);
  }
  op.setSliceSizes(sizes);
  (void)setLocalResultTypes(op);
  if (indexed.empty() && fixed.empty())
    return success();

  OpBuilder builder(op);
  Location loc = op.getLoc();
  auto type = cast<RankedTensorType>(op.getResult().getType());
  auto pred = RankedTensorType::get(type.getShape(), builder.getI1Type());
  Value inside, starts = op.getStartIndices();
  if (!fixed.empty())
    inside = broadcastScalar(
        builder, loc, hasFirstShards(builder, loc, operand, fixed), pred);
  if (!indexed.empty()) {
    LocalIndices at = localizeIndices(
        builder, loc, starts, dims.getIndexVectorDim(), dims.getStartIndexMap(),
        operand, indexed, /*clampAndTest=*/true);
    starts = at.indices;
    SmallVector<int64_t> batchDims;
    for (int64_t d = 0; d < type.getRank(); ++d)
      if (!llvm::is_contained(dims.getOffsetDims(), d))
        batchDims.push_back(d);
    Value isIn = stablehlo::BroadcastInDimOp::create(builder, loc, pred,
                                                     at.inside, batchDims);
    inside =
        inside
            ? Value(stablehlo::AndOp::create(builder, loc, pred, inside, isIn))
            : isIn;
  }
  bool isSorted = indexed.empty() && op.getIndicesAreSorted();
  Value taken = stablehlo::GatherOp::create(builder, loc, type, operand, starts,
                                            dims, sizes, isSorted);
  return replace(op,
                 stablehlo::SelectOp::create(builder, loc, type, inside, taken,
                                             neutral(builder, loc, type)));
}

void Localizer::dropBeyondEnd(stablehlo::ScatterOp op) {
  auto dims = op.getScatterDimensionNumbers();
  Value vectors = op.getScatterIndices();
  auto type = cast<RankedTensorType>(vectors.getType());
  SmallVector<int64_t> uneven;
  for (int64_t d = 0; d < type.getRank(); ++d)
    if (d != dims.getIndexVectorDim() &&
        !llvm::is_contained(dims.getScatterIndicesBatchingDims(), d) &&
        type.getDimSize(d) * totalSize(axesOf(vectors, d)) !=
            fullSize(vectors, d))
      uneven.push_back(d);
  if (uneven.empty())
    return;
  OpBuilder builder(op);
  Type i64 = builder.getI64Type();
  Value wide = stablehlo::ConvertOp::create(builder, op.getLoc(),
                                            type.clone(i64), vectors);
  inherit(wide, vectors);
  op.getScatterIndicesMutable().set(maskBeyondEnd(
      builder, op.getLoc(), wide, uneven, builder.getIntegerAttr(i64, -1)));
  op.setIndicesAreSorted(false);
  op.setUniqueIndices(false);
}

FailureOr<Localizer::ScatterDims>
Localizer::readScatter(stablehlo::ScatterOp op) {
  auto dims = op.getScatterDimensionNumbers();
  Value input = op.getInputs().front(), update = op.getUpdates().front();
  ScatterDims read;
  int64_t window = 0;
  for (int64_t d = 0, e = dimsOf(input.getType()).size(); d < e; ++d) {
    if (llvm::is_contained(dims.getInputBatchingDims(), d))
      continue;
    bool isInserted = llvm::is_contained(dims.getInsertedWindowDims(), d);
    int64_t place = isInserted ? -1 : dims.getUpdateWindowDims()[window++];
    AxisRefs axes = axesOf(input, d);
    if (axes.empty())
      continue;
    int64_t size = fullSize(input, d);
    int64_t rows = isInserted ? 1 : fullSize(update, place);
    // A window as long as the dimension is inside only if it starts at 0, in
    // the global and in the local program.
    if (!isInserted && rows == size && axesOf(update, place) == axes)
      continue;
    bool isIndexed = llvm::is_contained(dims.getScatterDimsToOperandDims(), d);
    bool isUnsharded = isInserted || axesOf(update, place).empty();
    if (isIndexed && isUnsharded && rows == 1)
      read.shifted.push_back(d);
    else if (isIndexed && isUnsharded)
      read.cut.push_back({d, rows});
    else if (isInserted && failed(form->checkInserted(op, d)))
      return failure();
    else if (isUnsharded && rows == 1)
      read.fixed.push_back(d);
    else
      return refusePartOf(op, d, rows, size);
  }
  for (WindowRows window : read.cut)
    read.shifted.push_back(window.dim);
  return read;
}

LogicalResult Localizer::localizeScatter(stablehlo::ScatterOp op) {
  auto dims = op.getScatterDimensionNumbers();
  Value input = op.getInputs().front();
  OpBuilder builder(op);
  Location loc = op.getLoc();
  FailureOr<ScatterDims> read = readScatter(op);
  if (failed(read))
    return failure();
  dropBeyondEnd(op);
  indexIntoRoom(op, read->cut);
  if (!read->shifted.empty()) {
    LocalIndices at = localizeIndices(
        builder, loc, op.getScatterIndices(), dims.getIndexVectorDim(),
        dims.getScatterDimsToOperandDims(), input, read->shifted,
        /*clampAndTest=*/false);
    op.getScatterIndicesMutable().set(at.indices);
    op.setIndicesAreSorted(false);
  }

  // If the updates are split over devices that hold the same operand shard, one
  // of them starts from the operand and the others from the identity.
  Layout updates = layoutOf(op.getUpdates().front());
  AxisList partial;
  int64_t indexDim = 0;
  for (int64_t d = 0; d < updates.sharding.rank(); ++d) {
    if (llvm::is_contained(dims.getUpdateWindowDims(), d))
      continue;
    int64_t x = indexDim + (indexDim >= dims.getIndexVectorDim());
    ++indexDim;
    if (llvm::is_contained(dims.getScatterIndicesBatchingDims(), x))
      continue;
    partial.append(updates.sharding.dims[d].axes.begin(),
                   updates.sharding.dims[d].axes.end());
  }
  if (!partial.empty()) {
    std::optional<ReducerKind> kind = uniformReducer(op.getUpdateComputation());
    if (!kind)
      return op.emitOpError("has updates that are sharded, but no reducer that "
                            "combines the partial results; run "
                            "sw-insert-collectives first");
    Value first =
        buildCompare(builder, loc, indices.index(updates.mesh, partial),
                     indices.constant(0), stablehlo::ComparisonDirection::EQ);
    for (OpOperand &use : op.getInputsMutable()) {
      auto type = cast<RankedTensorType>(use.get().getType());
      TypedAttr identity = identityElement(*kind, type.getElementType());
      if (!identity)
        return op.emitOpError("has updates that are sharded, but ")
               << stringify(*kind) << " of " << type.getElementType()
               << " has no identity, from which partial results start";
      // For sums use -0, so that elements equal to -0 without updates stay -0.
      Value nothing = *kind == ReducerKind::Add
                          ? neutral(builder, loc, type)
                          : stablehlo::ConstantOp::create(
                                builder, loc, type, splatOf(type, identity));
      use.set(stablehlo::SelectOp::create(builder, loc, type, first, use.get(),
                                          nothing));
    }
  }
  SmallVector<Value> inputs(op.getInputs()), updated(op->getResults());
  if (read->cut.empty())
    (void)setLocalResultTypes(op);
  else
    updated = scatterIntoRoom(op, read->cut);
  if (read->fixed.empty())
    return success();
  Value isFirst = hasFirstShards(builder, loc, input, read->fixed);
  for (auto [value, other] : llvm::zip(updated, inputs)) {
    builder.setInsertionPointAfterValue(value);
    Value kept = stablehlo::SelectOp::create(builder, loc, value.getType(),
                                             isFirst, value, other);
    value.replaceAllUsesExcept(kept, kept.getDefiningOp());
    inheritPart(kept, value);
  }
  return success();
}

} // namespace shardwright
