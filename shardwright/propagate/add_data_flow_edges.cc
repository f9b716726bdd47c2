//===- add_data_flow_edges.cc - an edge op after each edge's owner -----===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/propagate/add_data_flow_edges.h"
#include "shardwright/propagate/fetch_ahead.h"
#include "shardwright/propagate/import_steps.h"
#include "shardwright/propagate/module_contents.h"
#include "shardwright/propagate/op_index.h"
#include "shardwright/propagate/passes.h"
#include "shardwright/rules/rule_interface.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace shardwright {

#define GEN_PASS_DEF_ADDDATAFLOWEDGES
#include "shardwright/propagate/passes.h.inc"

void addDataFlowEdges(ValueRange owners,
                      ArrayRef<sdy::TensorShardingAttr> shardings) {
  Value last;
  for (auto [i, owner] : llvm::enumerate(owners)) {
    auto type = dyn_cast<ShapedType>(owner.getType());
    if (!type || !type.hasStaticShape())
      continue;
    OpBuilder builder(owner.getContext());
    builder.setInsertionPointAfterValue(last ? last : owner);
    auto edge = sdy::DataFlowEdgeOp::create(
        builder, owner.getLoc(), type, owner,
        i < shardings.size() ? shardings[i] : nullptr);
    owner.replaceAllUsesExcept(edge.getResult(), edge);
    last = edge.getResult();
  }
}

void addDataFlowEdges(sdy::ShardableDataFlowOpInterface op) {
  addDataFlowEdges(ValueRange(op.getBlockArgumentEdgeOwners()),
                   op.getBlockArgumentEdgeOwnerShardings());
  addDataFlowEdges(ValueRange(op.getOpResultEdgeOwners()),
                   op.getOpResultEdgeOwnerShardings());
}

namespace {

struct AddDataFlowEdgesPass : impl::AddDataFlowEdgesBase<AddDataFlowEdgesPass> {
  using AddDataFlowEdgesBase::AddDataFlowEdgesBase;

  void runOnOperation() override {
    bool hasAny = getAnalysis<ModuleContents>().dataFlow;
    markAnalysesPreserved<ModuleContents, OpIndex>();
    if (hasAny)
      forEachFetched(
          getAnalysis<OpIndex>().postOrder(hasDataFlow), [&](Operation *op) {
            if (extraRules || !getPropagationTraits(op).extraDataFlow)
              addDataFlowEdges(cast<sdy::ShardableDataFlowOpInterface>(op));
          });
  }
};

} // namespace
} // namespace shardwright
