//===- rewrite_ops.cc - operations that become others ---------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/rewrite_ops.h"

using namespace mlir;

namespace shardwright::cpu {

namespace hlo = shardwright::stablehlo;

LogicalResult rewriteOps(func::FuncOp function, int64_t replicas,
                         int64_t partitions) {
  function.walk([](Operation *op) { promoteOperands(op); });
  // Collected first: what is inside of one may be replaced with it.
  llvm::SmallVector<Operation *> found;
  bool sends = false;
  WalkResult walked = function.walk([&](Operation *op) {
    if (isa<hlo::InfeedOp, hlo::OutfeedOp>(op)) {
      op->emitError() << "op '" << op->getName().getStringRef()
                      << "' needs a host program beside the device's, which "
                         "the cpu backend does not have; use a custom call";
      return WalkResult::interrupt();
    }
    sends |= isa<hlo::SendOp, hlo::RecvOp>(op);
    auto custom = dyn_cast<hlo::CustomCallOp>(op);
    auto broadcast = dyn_cast<hlo::CollectiveBroadcastOp>(op);
    if (isa<hlo::SelectAndScatterOp, hlo::AsyncStartOp,
            hlo::CollectiveReduceOp>(op) ||
        (broadcast && broadcast.getHasDynamicRoot()) ||
        (custom && isTopK(custom)))
      found.push_back(op);
    return WalkResult::advance();
  });
  if (walked.wasInterrupted())
    return failure();
  for (Operation *op : found) {
    LogicalResult done = success();
    if (auto x = dyn_cast<hlo::SelectAndScatterOp>(op))
      done = rewriteSelectAndScatter(x);
    else if (auto x = dyn_cast<hlo::AsyncStartOp>(op))
      done = rewriteAsyncStart(x);
    else if (auto x = dyn_cast<hlo::CollectiveReduceOp>(op))
      done = rewriteCollectiveReduce(x, replicas, partitions);
    else if (auto x = dyn_cast<hlo::CollectiveBroadcastOp>(op))
      done = rewriteDynamicBroadcast(x, replicas, partitions);
    else
      done = rewriteTopK(cast<hlo::CustomCallOp>(op));
    if (failed(done))
      return failure();
  }
  return sends ? rewriteSends(function) : success();
}

} // namespace shardwright::cpu
