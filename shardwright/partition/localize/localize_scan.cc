//===- localize_scan.cc - prefix operations along a sharded dimension -----===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Cumulative reductions: every device scans its shard, all devices gather the
// totals of all shards (one row each), and each combines the totals of the
// shards before it with its scan. Backward scans use the shards after it.
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/localize/localizer.h"
#include "shardwright/partition/ops/op_builders.h"
#include "shardwright/partition/ops/reducer_ops.h"
#include "shardwright/partition/support/tensor_types.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace shardwright {

static stablehlo::ReduceOp reduceWith(OpBuilder &builder, Location loc,
                                      Region &body, ValueRange inputs,
                                      ValueRange inits, int64_t dim) {
  SmallVector<Type> types;
  for (Value input : inputs) {
    auto type = cast<RankedTensorType>(input.getType());
    SmallVector<int64_t> shape(type.getShape());
    shape.erase(shape.begin() + dim);
    types.push_back(type.clone(ArrayRef<int64_t>(shape)));
  }
  auto reduce =
      stablehlo::ReduceOp::create(builder, loc, types, inputs, inits, dim);
  IRMapping mapping;
  body.cloneInto(&reduce.getBody(), mapping);
  return reduce;
}

/// Sets the window of the op to the rows of a shard.
static void scanRows(stablehlo::ReduceWindowOp op, const Scan &scan,
                     int64_t rank, int64_t rows) {
  SmallVector<int64_t> window(rank, 1), pairs(2 * rank, 0);
  window[scan.dim] = rows;
  pairs[2 * scan.dim + scan.isReversed] = rows - 1;
  op.setWindowDimensions(window);
  op.setPaddingAttr(DenseIntElementsAttr::get(
      RankedTensorType::get({rank, 2}, IntegerType::get(op.getContext(), 64)),
      ArrayRef<int64_t>(pairs)));
}

/// Combines the carry from the shards before with the scans of this shard.
static SmallVector<Value> addCarried(OpBuilder &builder, Location loc,
                                     stablehlo::ReduceWindowOp op,
                                     const Scan &scan, ArrayRef<Value> carried,
                                     ArrayRef<Value> scans, ValueRange inits) {
  SmallVector<Value> whole;
  if (std::optional<ReducerKind> kind = uniformReducer(op.getBody())) {
    for (auto [carry, scanned] : llvm::zip(carried, scans))
      whole.push_back(scan.isReversed
                          ? buildCombine(builder, loc, *kind, scanned, carry)
                          : buildCombine(builder, loc, *kind, carry, scanned));
    return whole;
  }
  // Other bodies run as a reduction of two rows.
  SmallVector<Value> stacked;
  for (auto [carry, scanned] : llvm::zip(carried, scans)) {
    auto type = cast<RankedTensorType>(scanned.getType());
    SmallVector<int64_t> shape(type.getShape());
    shape.insert(shape.begin(), 1);
    auto single = type.clone(ArrayRef<int64_t>(shape));
    shape.front() = 2;
    SmallVector<Value> parts;
    for (Value part : {carry, scanned})
      parts.push_back(stablehlo::ReshapeOp::create(builder, loc, single, part));
    if (scan.isReversed)
      std::swap(parts[0], parts[1]);
    stacked.push_back(stablehlo::ConcatenateOp::create(
        builder, loc, type.clone(ArrayRef<int64_t>(shape)), parts, 0));
  }
  auto pair = reduceWith(builder, loc, op.getBody(), stacked, inits, 0);
  whole.assign(pair->result_begin(), pair->result_end());
  return whole;
}

LogicalResult Localizer::localizeScan(stablehlo::ReduceWindowOp op,
                                      const Scan &scan) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  Value result = op->getResult(0);
  int64_t dim = scan.dim;
  int32_t mesh = layoutOf(result).mesh;
  AxisList axes(axesOf(result, dim));
  int64_t shards = totalSize(axes);
  SmallVector<Value> inits(op.getInitValues());

  // In a backward scan the padding rows come first.
  SmallVector<TypedAttr> neutrals;
  for (auto [use, init] : llvm::zip(op.getInputsMutable(), inits)) {
    if (axesOf(use.get(), dim).empty())
      return op->emitOpError(
          "scans an unsharded operand into a sharded result; run "
          "sw-insert-collectives first");
    neutrals.push_back(scalarConstant(init));
    if (!neutrals.back())
      return op->emitOpError("has an initial value that is not a constant; run "
                             "sw-insert-collectives first");
    if (scan.isReversed)
      use.set(maskBeyondEnd(builder, loc, use.get(), dim, neutrals.back()));
  }
  (void)setLocalResultTypes(op);
  int64_t rows = dimsOf(result.getType())[dim];
  int64_t rank = dimsOf(result.getType()).size();
  SmallVector<int64_t> one(rank, 1);
  scanRows(op, scan, rank, rows);

  builder.setInsertionPointAfter(op);
  SmallVector<Value> totals, spread, scans(op->getResults());
  SmallVector<OpOperand *> uses;
  for (Value whole : op->getResults())
    for (OpOperand &use : whole.getUses())
      uses.push_back(&use);
  for (auto [scanned, neutral] : llvm::zip(scans, neutrals)) {
    auto type = cast<RankedTensorType>(scanned.getType());
    SmallVector<int64_t> start(rank, 0), end(type.getShape()),
        shape(type.getShape());
    (scan.isReversed ? end[dim] : start[dim]) = scan.isReversed ? 1 : rows - 1;
    shape[dim] = 1;
    Value total = stablehlo::SliceOp::create(
        builder, loc, type.clone(ArrayRef<int64_t>(shape)), scanned, start, end,
        one);
    shape[dim] = shards;
    auto allType = type.clone(ArrayRef<int64_t>(shape));
    Value all = stablehlo::AllGatherOp::create(
                    builder, loc, TypeRange(allType), ValueRange(total), dim,
                    deviceGroupsOf(mesh, axes), nextHandle(),
                    /*use_global_device_ids=*/true)
                    ->getResult(0);
    // Mask the totals of this shard and of the later ones.
    auto counts = allType.clone(builder.getI64Type());
    Value before = buildCompare(
        builder, loc, stablehlo::IotaOp::create(builder, loc, counts, dim),
        broadcastScalar(builder, loc, indices.index(mesh, axes), counts),
        scan.isReversed ? stablehlo::ComparisonDirection::GT
                        : stablehlo::ComparisonDirection::LT);
    Value nothing = stablehlo::ConstantOp::create(builder, loc, allType,
                                                  splatOf(allType, neutral));
    totals.push_back(stablehlo::SelectOp::create(builder, loc, allType, before,
                                                 all, nothing));
  }
  auto carried = reduceWith(builder, loc, op.getBody(), totals, inits, dim);
  SmallVector<int64_t> others;
  for (int64_t d = 0; d < rank; ++d)
    if (d != dim)
      others.push_back(d);
  for (auto [carry, scanned] : llvm::zip(carried->getResults(), scans))
    spread.push_back(stablehlo::BroadcastInDimOp::create(
        builder, loc, scanned.getType(), carry, others));

  SmallVector<Value> whole =
      addCarried(builder, loc, op, scan, spread, scans, inits);
  for (OpOperand *use : uses) {
    auto number = cast<OpResult>(use->get()).getResultNumber();
    use->set(whole[number]);
  }
  for (auto [value, scanned] : llvm::zip(whole, scans))
    inherit(value, scanned);
  return success();
}

} // namespace shardwright
