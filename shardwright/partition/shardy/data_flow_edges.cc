//===- data_flow_edges.cc - what flows into loops and branches ------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/shardy/data_flow_edges.h"

using namespace mlir;

namespace shardwright {

LogicalResult forEachEdgeSource(
    sdy::ShardableDataFlowOpInterface op,
    llvm::function_ref<LogicalResult(OpOperand &source,
                                     sdy::TensorShardingAttr target)>
        visit) {
  auto visitOwner = [&](Value owner) -> LogicalResult {
    sdy::TensorShardingAttr target = op.getEdgeOwnerSharding(owner);
    if (target)
      target = op.transformTargetSharding(
          owner, target,
          sdy::DataFlowShardingTransformType::kBeforeEdgePropagation);
    for (OpOperand *source : op.getEdgeSources(owner))
      if (failed(visit(*source, target)))
        return failure();
    return success();
  };
  for (Value owner : op.getOpResultEdgeOwners())
    if (failed(visitOwner(owner)))
      return failure();
  for (Value owner : op.getBlockArgumentEdgeOwners())
    if (failed(visitOwner(owner)))
      return failure();
  return success();
}

} // namespace shardwright
