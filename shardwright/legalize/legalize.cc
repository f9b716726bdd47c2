//===- legalize.cc - ops that backends need not know ----------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/legalize/legalize.h"

using namespace mlir;

namespace shardwright::legalize {

namespace hlo = shardwright::stablehlo;

LogicalResult legalizeOps(func::FuncOp function, int64_t replicas,
                          int64_t partitions) {
  function.walk([](Operation *op) { promoteOperands(op); });
  // Collect first: ops nested in a replaced op may be replaced with it.
  llvm::SmallVector<Operation *> found, transfers;
  bool sends = false;
  function.walk([&](Operation *op) {
    auto send = dyn_cast<hlo::SendOp>(op);
    auto recv = dyn_cast<hlo::RecvOp>(op);
    if (isa<hlo::InfeedOp, hlo::OutfeedOp>(op) ||
        (send && send.getIsHostTransfer()) ||
        (recv && recv.getIsHostTransfer()))
      transfers.push_back(op);
    else
      sends |= send || recv;
    auto custom = dyn_cast<hlo::CustomCallOp>(op);
    auto broadcast = dyn_cast<hlo::CollectiveBroadcastOp>(op);
    if (isa<hlo::SelectAndScatterOp, hlo::AsyncStartOp,
            hlo::CollectiveReduceOp>(op) ||
        (broadcast && broadcast.getHasDynamicRoot()) ||
        (custom &&
         (isTopK(custom) || isRaggedAllToAll(custom) || isAnnotation(custom))))
      found.push_back(op);
  });
  for (Operation *op : transfers)
    legalizeHostTransfer(op);
  for (Operation *op : found) {
    LogicalResult done = success();
    if (auto x = dyn_cast<hlo::SelectAndScatterOp>(op))
      done = legalizeSelectAndScatter(x);
    else if (auto x = dyn_cast<hlo::AsyncStartOp>(op))
      done = legalizeAsyncStart(x);
    else if (auto x = dyn_cast<hlo::CollectiveReduceOp>(op))
      done = legalizeCollectiveReduce(x, replicas, partitions);
    else if (auto x = dyn_cast<hlo::CollectiveBroadcastOp>(op))
      done = legalizeBroadcast(x, replicas, partitions);
    else if (auto x = cast<hlo::CustomCallOp>(op); isTopK(x))
      done = legalizeTopK(x);
    else if (auto x = cast<hlo::CustomCallOp>(op); isAnnotation(x))
      done = legalizeAnnotation(x);
    else
      done = legalizeRaggedAllToAll(x, replicas, partitions);
    if (failed(done))
      return failure();
  }
  return sends ? legalizeSends(function) : success();
}

} // namespace shardwright::legalize
