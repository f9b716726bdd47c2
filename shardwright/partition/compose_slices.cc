//===- compose_slices.cc - slices of pads and concatenations --------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stencils pad a value and add up slices of it, which have its size again:
//
//   slice(pad(x, 1, 1), [2:10])   ->  pad(x, -1, 1)
//   slice(concat(x[7:8], x, x[0:1]), [2:10])  ->  concat(x[1:8], x[0:1])
//
// Along a sharded dimension the padded value would lie in shards of another
// size: its rows would move to where it is, and from there to where the slices
// are. Only where nothing but slices reads it.
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/compose_slices.h"

#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/partition/layout.h"

using namespace mlir;

namespace shardwright {
namespace {

bool isSharded(Value value, int64_t dim) {
  sdy::TensorShardingAttr sharding = sdy::getSharding(value);
  return sharding && dim < sharding.getRank() &&
         !sharding.getDimSharding(dim).getAxes().empty();
}

/// Its users, if all of them take rows that are neighbours.
SmallVector<stablehlo::SliceOp> slicesOf(Value value) {
  SmallVector<stablehlo::SliceOp> slices;
  for (Operation *user : value.getUsers()) {
    auto slice = dyn_cast<stablehlo::SliceOp>(user);
    if (!slice ||
        llvm::any_of(slice.getStrides(), [](int64_t s) { return s != 1; }))
      return {};
    slices.push_back(slice);
  }
  return slices;
}

/// The value or some slice lies in shards along the dimension.
bool isShardedThere(Value value, ArrayRef<stablehlo::SliceOp> slices,
                    int64_t dim) {
  return isSharded(value, dim) ||
         llvm::any_of(slices, [&](stablehlo::SliceOp slice) {
           return isSharded(slice->getResult(0), dim);
         });
}

void compose(stablehlo::PadOp pad) {
  if (!isShardable(pad.getType()) || !isShardable(pad.getOperand().getType()) ||
      pad->use_empty())
    return;
  ArrayRef<int64_t> low = pad.getEdgePaddingLow(),
                    high = pad.getEdgePaddingHigh(),
                    interior = pad.getInteriorPadding();
  SmallVector<stablehlo::SliceOp> slices = slicesOf(pad.getResult());
  bool gains = false;
  for (size_t d = 0; d < low.size(); ++d) {
    if (interior[d] != 0)
      return;
    gains |= (low[d] != 0 || high[d] != 0) &&
             isShardedThere(pad.getResult(), slices, d);
  }
  if (slices.empty() || !gains)
    return;
  ArrayRef<int64_t> in = dimsOf(pad.getOperand().getType());
  for (stablehlo::SliceOp slice : slices) {
    SmallVector<int64_t> before(low), after;
    bool isWhole = true;
    for (auto [d, out] : llvm::enumerate(dimsOf(slice.getType()))) {
      before[d] -= slice.getStartIndices()[d];
      after.push_back(out - before[d] - in[d]);
      isWhole &= before[d] == 0 && after[d] == 0;
    }
    Value taken = pad.getOperand();
    if (!isWhole) {
      OpBuilder builder(slice);
      taken = stablehlo::PadOp::create(builder, slice.getLoc(), slice.getType(),
                                       pad.getOperand(), pad.getPaddingValue(),
                                       before, after, interior);
      if (auto sharding = sdy::getSharding(slice->getResult(0)))
        sdy::setSharding(taken, sharding);
    }
    slice->getResult(0).replaceAllUsesWith(taken);
    slice.erase();
  }
  pad.erase();
}

void compose(stablehlo::ConcatenateOp concat) {
  int64_t dim = concat.getDimension();
  if (!isShardable(concat.getType()) || concat->use_empty() ||
      !llvm::all_of(concat.getInputs().getTypes(), isShardable))
    return;
  SmallVector<stablehlo::SliceOp> slices = slicesOf(concat.getResult());
  if (slices.empty() || !isShardedThere(concat.getResult(), slices, dim))
    return;
  for (stablehlo::SliceOp slice : slices) {
    OpBuilder builder(slice);
    auto shardLikeSlice = [&](Value value) {
      if (auto sharding = sdy::getSharding(slice->getResult(0)))
        sdy::setSharding(value, sharding);
      return value;
    };
    SmallVector<Value> parts;
    int64_t at = 0, from = slice.getStartIndices()[dim],
            to = slice.getLimitIndices()[dim];
    for (Value input : concat.getInputs()) {
      auto type = cast<RankedTensorType>(input.getType());
      int64_t rows = type.getDimSize(dim);
      int64_t begin = std::max(from, at), end = std::min(to, at + rows);
      if (begin < end) {
        SmallVector<int64_t> starts(slice.getStartIndices()),
            limits(slice.getLimitIndices()), shape(dimsOf(slice.getType()));
        starts[dim] = begin - at;
        limits[dim] = end - at;
        shape[dim] = end - begin;
        parts.push_back(ArrayRef(shape) == type.getShape()
                            ? input
                            : shardLikeSlice(stablehlo::SliceOp::create(
                                  builder, slice.getLoc(),
                                  type.clone(ArrayRef<int64_t>(shape)), input,
                                  starts, limits, slice.getStrides())));
      }
      at += rows;
    }
    if (parts.empty())
      continue;
    Value taken = parts.front();
    if (parts.size() > 1)
      taken = shardLikeSlice(stablehlo::ConcatenateOp::create(
          builder, slice.getLoc(), slice.getType(), parts, dim));
    slice->getResult(0).replaceAllUsesWith(taken);
    slice.erase();
  }
  if (concat->use_empty())
    concat.erase();
}

} // namespace

void composeSlices(ModuleOp module) {
  // Users first: what they take is a slice of an earlier value.
  SmallVector<Operation *> sources;
  module.walk([&](Operation *op) {
    if (isa<stablehlo::PadOp, stablehlo::ConcatenateOp>(op))
      sources.push_back(op);
  });
  for (Operation *op : llvm::reverse(sources)) {
    if (auto pad = dyn_cast<stablehlo::PadOp>(op))
      compose(pad);
    else
      compose(cast<stablehlo::ConcatenateOp>(op));
  }
}

} // namespace shardwright
