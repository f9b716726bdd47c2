//===- pad_whole.cc - pad and slice around ops ----------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Handles collectives between dimensions that are divisible and ones that are
// not, and ops that cannot work on padded values.
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/shardy/divisibility_padder.h"

#include "shardwright/partition/support/tensor_types.h"

#include "mlir/Dialect/Quant/IR/QuantTypes.h"

using namespace mlir;

namespace shardwright {

using sdy::TensorShardingAttr;

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// Gathers every operand and slices it to its global size, runs the op
/// replicated, and pads and slices every result.
LogicalResult Padder::visitWhole(Operation *op) {
  OpBuilder builder(op);
  Location loc = op->getLoc();
  if (auto it = reduced.find(op); it != reduced.end())
    return op->emitOpError("dimension ")
           << it->second.front().second << " of operand "
           << it->second.front().first
           << " is reduced over shards, but other dimensions are not "
              "divisible; reshard the operand to replicated first";
  for (OpOperand &use : op->getOpOperands()) {
    Value value = use.get();
    TensorShardingAttr sharding = shardingOf(value, value.getType());
    if (!sharding)
      continue;
    auto none = TensorShardingAttr::getFullyClosed(
        op->getContext(), sharding.getRank(), sharding.getMeshOrRef());
    SmallVector<int64_t> shape(dimsOf(value.getType()));
    if (auto it = shapes.find(value); it != shapes.end())
      shape.assign(it->second.begin(), it->second.end());
    if (!sharding.emptyAxes())
      value = sdy::AllGatherOp::create(builder, loc, value.getType(), value,
                                       axesOfDims(sharding), none);
    use.set(resizeAtEnd(builder, loc, value, none, shape));
  }
  // Each is inserted right after the op, so insert for the first result last.
  for (Value result : llvm::reverse(op->getResults()))
    if (TensorShardingAttr sharding = shardingOf(result, result.getType());
        sharding && !sharding.emptyAxes())
      padWhole(result);
  return success();
}

void Padder::padWhole(Value result) {
  OpBuilder builder(result.getContext());
  builder.setInsertionPointAfterValue(result);
  Location loc = result.getDefiningOp()->getLoc();
  auto type = typeOf(result);
  TensorShardingAttr sharding = shardingOf(result, type);
  auto none = TensorShardingAttr::getFullyClosed(
      result.getContext(), sharding.getRank(), sharding.getMeshOrRef());
  SmallVector<int64_t> shape = padded(result);
  sdy::setSharding(result, none);
  Value wide = resizeAtEnd(builder, loc, result, none, shape);
  auto slice = sdy::AllSliceOp::create(builder, loc, wide.getType(), wide,
                                       axesOfDims(sharding), sharding);
  result.replaceUsesWithIf(slice.getResult(), [&](OpOperand &use) {
    return use.getOwner() != wide.getDefiningOp() && use.getOwner() != slice;
  });
  if (ArrayRef<int64_t>(shape) != type.getShape()) {
    shapes[slice.getResult()].assign(type.getShape().begin(),
                                     type.getShape().end());
    beyond[slice.getResult()] = zeroOf(slice);
  }
}

sdy::ListOfAxisRefListsAttr Padder::axesOfDims(TensorShardingAttr sharding) {
  int32_t mesh = meshes.idOf(sharding.getMeshOrRef());
  SmallVector<AxisList, 4> lists;
  for (sdy::DimensionShardingAttr dim : sharding.getDimShardings())
    lists.push_back(meshes.toAxes(mesh, dim.getAxes()));
  return meshes.listsAttr(mesh, lists);
}

LogicalResult Padder::reduceThenSlice(sdy::ReduceScatterOp op) {
  OpBuilder builder(op);
  TensorShardingAttr out = op.getOutSharding();
  int32_t mesh = meshes.idOf(out.getMeshOrRef());
  AxisList all;
  SmallVector<AxisList, 4> lists;
  for (sdy::AxisRefListAttr list : op.getReduceScatterAxes().getValue()) {
    lists.push_back(meshes.toAxes(mesh, list.getValue()));
    all.append(lists.back());
  }
  sortAndMerge(all);
  SmallVector<sdy::DimensionShardingAttr> dims(
      out.getRank(),
      sdy::DimensionShardingAttr::get(op.getContext(), {}, /*isClosed=*/true));
  if (TensorShardingAttr in =
          shardingOf(op.getTensor(), op.getTensor().getType()))
    dims.assign(in.getDimShardings().begin(), in.getDimShardings().end());
  auto reduce =
      sdy::AllReduceOp::create(builder, op.getLoc(), op.getTensor().getType(),
                               op.getTensor(), meshes.axesAttr(mesh, all),
                               op.getReductionOp(), out.withDimShardings(dims));
  auto slice = sdy::AllSliceOp::create(builder, op.getLoc(), op.getType(),
                                       reduce.getResult(),
                                       meshes.listsAttr(mesh, lists), out);
  op.getResult().replaceAllUsesWith(slice.getResult());
  op.erase();
  if (failed(visitCollective(reduce)))
    return failure();
  return visitCollective(slice);
}

/// For a collective that splits or joins shards of a dimension: pads the
/// operand to the finer shards before, and slices the result afterwards.
LogicalResult Padder::visitCollective(sdy::CollectiveOpInterface op) {
  Value value = op.getTensor(), result = op->getResult(0);
  auto type = dyn_cast<RankedTensorType>(result.getType());
  if (!type || !type.hasStaticShape())
    return success();
  SmallVector<int64_t> shape(type.getShape()),
      want = padded(result), have(dimsOf(value.getType())), during;
  for (auto [a, b] : llvm::zip(have, want))
    during.push_back(std::max(a, b));
  OpBuilder builder(op);
  if (isa<quant::UniformQuantizedPerAxisType>(type.getElementType()) &&
      (during != have || during != want))
    return op->emitOpError("changes the size of shards, but a tensor that is "
                           "quantized per axis cannot be padded; use "
                           "shardings that divide its dimensions");
  // A permute needs the same shard size on both sides.
  if (isa<sdy::CollectivePermuteOp>(op) && have != want)
    return op->emitOpError(
        "changes the size of shards, which a permute must keep");
  // A partial sum must be reduced before it is padded, right after the op that
  // computes it.
  if (auto scatter = dyn_cast<sdy::ReduceScatterOp>(op.getOperation());
      scatter && during != have)
    return reduceThenSlice(scatter);
  TensorShardingAttr in = shardingOf(value, value.getType());
  // Rows that padding adds are zeros, and these collectives do not change them.
  TypedAttr zero = zeroOf(value);
  bool isZero = isa<sdy::AllSliceOp, sdy::AllGatherOp, sdy::AllToAllOp,
                    sdy::CollectivePermuteOp>(op) &&
                zero && holdsBeyond(value, zero);
  FailureOr<Value> before =
      halo.resize(builder, op->getLoc(), value, in, during);
  if (failed(before))
    return failure();
  op->setOperand(0, *before);
  result.setType(type.clone(ArrayRef<int64_t>(during)));
  if (during != want) {
    builder.setInsertionPointAfter(op);
    SmallVector<OpOperand *> uses;
    for (OpOperand &use : result.getUses())
      uses.push_back(&use);
    FailureOr<Value> after =
        halo.resize(builder, op->getLoc(), result, op.getOutSharding(), want);
    if (failed(after))
      return failure();
    for (OpOperand *use : uses)
      use->set(*after);
    result = *after;
  }
  if (want != shape) {
    shapes[result].assign(shape.begin(), shape.end());
    if (isZero)
      beyond[result] = zero;
  }
  return success();
}

} // namespace shardwright
