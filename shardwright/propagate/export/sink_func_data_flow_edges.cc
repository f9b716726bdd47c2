//===- sink_func_data_flow_edges.cc - remove edges of calls ---------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/propagate/import/import_steps.h"
#include "shardwright/propagate/passes.h"

using namespace mlir;

namespace shardwright {

using sdy::TensorShardingAttr;

#define GEN_PASS_DEF_SINKFUNCDATAFLOWEDGES
#include "shardwright/propagate/passes.h.inc"

void sinkFuncDataFlowEdges(func::FuncOp func) {
  func.walk([](sdy::FuncDataFlowEdgeOp edge) {
    Value operand = edge.getOperand();
    TensorShardingAttr sharding = sdy::getSharding(edge.getResult());
    TensorShardingAttr old = sdy::getSharding(operand);
    if (sharding)
      sdy::setSharding(operand, sharding);
    else if (old)
      sdy::setSharding(
          operand, TensorShardingAttr::getFullyOpen(
                       old.getContext(), old.getRank(), old.getMeshOrRef()));
    edge.getResult().replaceAllUsesWith(operand);
    edge.erase();
  });
}

namespace {

struct SinkFuncDataFlowEdgesPass
    : impl::SinkFuncDataFlowEdgesBase<SinkFuncDataFlowEdgesPass> {
  void runOnOperation() override { sinkFuncDataFlowEdges(getOperation()); }
};

} // namespace
} // namespace shardwright
