//===- split_collectives.cc - collectives of one operand ------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/dialect/stablehlo/used_channels.h"
#include "shardwright/interop/region/region_passes.h"
#include "shardwright/partition/support/tensor_types.h"
#include "shardwright/support/id_map.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace shardwright {

using stablehlo::kChannelHandleName;

/// Replaces the op by one op for each operand. The first keeps the channel.
static void splitOperands(Operation *op, int64_t &nextChannel) {
  OpBuilder b(op);
  for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
    OperationState state(op->getLoc(), op->getName());
    state.addOperands(operand);
    state.addTypes(op->getResult(i).getType());
    state.addAttributes(op->getAttrs());
    for (Region &region : op->getRegions()) {
      IRMapping mapping;
      region.cloneInto(state.addRegion(), mapping);
    }
    Operation *one = b.create(state);
    auto channel =
        op->getAttrOfType<stablehlo::ChannelHandleAttr>(kChannelHandleName);
    if (channel && i > 0)
      one->setAttr(kChannelHandleName,
                   stablehlo::ChannelHandleAttr::get(
                       op->getContext(), nextChannel++, channel.getType()));
    op->getResult(i).replaceAllUsesWith(one->getResult(0));
  }
  op->erase();
}

/// The type without sign of the same width, as which elements of different
/// types of this width travel together; null for types of other widths than
/// whole bytes.
static Type bitsOf(Type element) {
  if (!element.isIntOrFloat() || element.getIntOrFloatBitWidth() % 8 != 0)
    return {};
  return IntegerType::get(element.getContext(), element.getIntOrFloatBitWidth(),
                          IntegerType::Unsigned);
}

/// The one type as which all operands can be gathered together along dimension
/// 0; null if there is none, or if the results have more bytes than `limit`.
static Type packedType(stablehlo::AllGatherOp gather, double limit) {
  if (gather.getAllGatherDim() != 0)
    return {};
  llvm::SmallSetVector<Type, 2> types, bits;
  double bytes = 0;
  for (OpResult result : gather->getResults()) {
    auto type = dyn_cast<RankedTensorType>(result.getType());
    if (!type || !type.hasStaticShape() || type.getNumElements() == 0)
      return {};
    Type element = type.getElementType();
    types.insert(element);
    bits.insert(bitsOf(element));
    bytes += double(type.getNumElements()) * elementBytes(type);
  }
  if (bytes > limit)
    return {};
  return types.size() == 1  ? types.front()
         : bits.size() == 1 ? bits.front()
                            : Type();
}

static Value bitcast(OpBuilder &b, Location loc, Value value, Type element) {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.getElementType() == element)
    return value;
  return stablehlo::BitcastConvertOp::create(b, loc, type.clone(element),
                                             value);
}

/// Gathers all operands as one row. `shards`: operands that make a result.
static void packOperands(stablehlo::AllGatherOp gather, Type element,
                         int64_t shards) {
  OpBuilder b(gather);
  Location loc = gather.getLoc();
  SmallVector<Value> rows;
  for (Value operand : gather.getOperands()) {
    auto type = cast<RankedTensorType>(operand.getType());
    rows.push_back(stablehlo::ReshapeOp::create(
        b, loc, RankedTensorType::get({1, type.getNumElements()}, element),
        bitcast(b, loc, operand, element)));
  }
  Value row = stablehlo::ConcatenateOp::create(b, loc, rows, /*dimension=*/1);
  int64_t width = cast<RankedTensorType>(row.getType()).getDimSize(1);
  OperationState state(loc, gather->getName());
  state.addOperands(row);
  state.addTypes(RankedTensorType::get({shards, width}, element));
  state.addAttributes(gather->getAttrs());
  Value all = b.create(state)->getResult(0);
  int64_t at = 0;
  for (OpResult result : gather->getResults()) {
    auto type = cast<RankedTensorType>(result.getType());
    int64_t size = type.getNumElements() / shards;
    Value part = stablehlo::SliceOp::create(
        b, loc, all, ArrayRef<int64_t>{0, at},
        ArrayRef<int64_t>{shards, at + size}, ArrayRef<int64_t>{1, 1});
    part = stablehlo::ReshapeOp::create(b, loc, type.clone(element), part);
    result.replaceAllUsesWith(bitcast(b, loc, part, type.getElementType()));
    at += size;
  }
  gather->erase();
}

/// The number of shards of which a result consists.
static int64_t shardsOf(stablehlo::AllGatherOp gather) {
  auto rows = [](Value value) {
    return cast<RankedTensorType>(value.getType()).getDimSize(0);
  };
  return rows(gather.getResult(0)) / rows(gather.getOperands().front());
}

static bool isCollective(Operation *op) {
  return isa<stablehlo::AllReduceOp, stablehlo::AllGatherOp,
             stablehlo::AllToAllOp, stablehlo::ReduceScatterOp,
             stablehlo::CollectivePermuteOp>(op);
}

void splitCollectives(ModuleOp module, double packedBytes) {
  SmallVector<Operation *> several, repeating;
  IdSet channels;
  module.walk([&](Operation *op) {
    if (!isCollective(op))
      return;
    auto channel =
        op->getAttrOfType<stablehlo::ChannelHandleAttr>(kChannelHandleName);
    if (channel && !channels.insert(channel.getHandle()).second)
      repeating.push_back(op);
    if (op->getNumOperands() > 1)
      several.push_back(op);
  });
  if (repeating.empty() && several.empty())
    return;
  int64_t nextChannel = stablehlo::UsedChannels(module).firstUnused();
  for (Operation *op : repeating)
    op->setAttr(
        kChannelHandleName,
        stablehlo::ChannelHandleAttr::get(
            op->getContext(), nextChannel++,
            op->getAttrOfType<stablehlo::ChannelHandleAttr>(kChannelHandleName)
                .getType()));
  for (Operation *op : several) {
    auto gather = dyn_cast<stablehlo::AllGatherOp>(op);
    if (Type element = gather ? packedType(gather, packedBytes) : Type())
      packOperands(gather, element, shardsOf(gather));
    else
      splitOperands(op, nextChannel);
  }
}

} // namespace shardwright
