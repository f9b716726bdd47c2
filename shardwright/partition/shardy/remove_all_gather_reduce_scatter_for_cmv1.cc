//===- remove_all_gather_reduce_scatter_for_cmv1.cc -----------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/partition/shardy/passes.h"

using namespace mlir;

namespace shardwright {

#define GEN_PASS_DEF_REMOVEALLGATHERREDUCESCATTERFORCMV1
#include "shardwright/partition/shardy/passes.h.inc"

namespace {

void simplifyAround(Operation *dot) {
  bool takesParts = false;
  for (OpOperand &operand : dot->getOpOperands()) {
    auto gather = operand.get().getDefiningOp<sdy::AllGatherOp>();
    if (!gather || !gather->hasOneUse())
      continue;
    operand.set(gather.getTensor());
    gather.erase();
    takesParts = true;
  }
  if (takesParts || !dot->hasOneUse())
    return;
  auto scatter = dyn_cast<sdy::ReduceScatterOp>(*dot->getUsers().begin());
  sdy::TensorShardingAttr sharding = sdy::getSharding(dot->getResult(0));
  if (!scatter || (sharding && !sharding.getUnreducedAxes().empty()))
    return;
  sdy::setSharding(dot->getResult(0), scatter.getOutSharding());
  scatter.getResult().replaceAllUsesWith(dot->getResult(0));
  scatter.erase();
}

struct RemoveAllGatherReduceScatterForCMV1Pass
    : impl::RemoveAllGatherReduceScatterForCMV1Base<
          RemoveAllGatherReduceScatterForCMV1Pass> {
  using RemoveAllGatherReduceScatterForCMV1Base::
      RemoveAllGatherReduceScatterForCMV1Base;

  void runOnOperation() override {
    SmallVector<Operation *> dots;
    getOperation().walk([&](Operation *op) {
      if (isa<stablehlo::DotOp, stablehlo::DotGeneralOp>(op))
        dots.push_back(op);
    });
    for (Operation *dot : dots)
      simplifyAround(dot);
  }
};

} // namespace
} // namespace shardwright
