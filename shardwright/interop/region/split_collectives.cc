//===- split_collectives.cc - collectives of one operand ------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/interop/region/region_passes.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace shardwright {

static constexpr llvm::StringLiteral kChannelName("channel_handle");

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
        op->getAttrOfType<stablehlo::ChannelHandleAttr>(kChannelName);
    if (channel && i > 0)
      one->setAttr(kChannelName,
                   stablehlo::ChannelHandleAttr::get(
                       op->getContext(), nextChannel++, channel.getType()));
    op->getResult(i).replaceAllUsesWith(one->getResult(0));
  }
  op->erase();
}

static bool isCollective(Operation *op) {
  return isa<stablehlo::AllReduceOp, stablehlo::AllGatherOp,
             stablehlo::AllToAllOp, stablehlo::ReduceScatterOp,
             stablehlo::CollectivePermuteOp>(op);
}

void splitCollectives(ModuleOp module) {
  SmallVector<Operation *> several, repeating;
  llvm::DenseSet<int64_t> channels;
  int64_t nextChannel = 1;
  module.walk([&](Operation *op) {
    auto channel =
        op->getAttrOfType<stablehlo::ChannelHandleAttr>(kChannelName);
    if (channel)
      nextChannel = std::max<int64_t>(nextChannel, channel.getHandle() + 1);
    if (!isCollective(op))
      return;
    if (channel && !channels.insert(channel.getHandle()).second)
      repeating.push_back(op);
    if (op->getNumOperands() > 1)
      several.push_back(op);
  });
  for (Operation *op : repeating)
    op->setAttr(
        kChannelName,
        stablehlo::ChannelHandleAttr::get(
            op->getContext(), nextChannel++,
            op->getAttrOfType<stablehlo::ChannelHandleAttr>(kChannelName)
                .getType()));
  for (Operation *op : several)
    splitOperands(op, nextChannel);
}

} // namespace shardwright
