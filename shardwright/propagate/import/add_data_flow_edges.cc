//===- add_data_flow_edges.cc - an edge op after each edge's owner -----===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/propagate/import/add_data_flow_edges.h"
#include "shardwright/propagate/import/import_steps.h"
#include "shardwright/propagate/index/module_contents.h"
#include "shardwright/propagate/index/op_index.h"
#include "shardwright/propagate/passes.h"
#include "shardwright/rules/rule_interface.h"

using namespace mlir;

namespace shardwright {

#define GEN_PASS_DEF_ADDDATAFLOWEDGES
#include "shardwright/propagate/passes.h.inc"

/// Creates edges without OpBuilder, which reads the context from the location:
/// each owner has a location of its own, which would have to be loaded.
class EdgeBuilder {
public:
  explicit EdgeBuilder(MLIRContext *context)
      : name(*RegisteredOperationName::lookup(
            TypeID::get<sdy::DataFlowEdgeOp>(), context)),
        noAttributes(DictionaryAttr::get(context)) {}

  sdy::DataFlowEdgeOp create(Value owner, sdy::TensorShardingAttr sharding) {
    sdy::DataFlowEdgeOp::Properties properties;
    properties.sharding = sharding;
    return cast<sdy::DataFlowEdgeOp>(
        Operation::create(owner.getLoc(), name, owner.getType(), owner,
                          noAttributes, &properties, BlockRange(), 0));
  }

private:
  OperationName name;
  DictionaryAttr noAttributes;
};

void addDataFlowEdges(ValueRange owners,
                      ArrayRef<sdy::TensorShardingAttr> shardings) {
  if (owners.empty())
    return;
  EdgeBuilder edges(owners.front().getContext());
  Operation *last = nullptr;
  for (auto [i, owner] : llvm::enumerate(owners)) {
    auto type = dyn_cast<ShapedType>(owner.getType());
    if (!type || !type.hasStaticShape())
      continue;
    sdy::DataFlowEdgeOp edge =
        edges.create(owner, i < shardings.size() ? shardings[i] : nullptr);
    if (!last)
      last = owner.getDefiningOp();
    Block *block = owner.getParentBlock();
    block->getOperations().insert(
        last ? std::next(Block::iterator(last)) : block->begin(), edge);
    owner.replaceAllUsesExcept(edge.getResult(), edge);
    last = edge;
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
    if (!hasAny)
      return;
    for (Operation *op : getAnalysis<OpIndex>().postOrder(hasDataFlow))
      if (extraRules || !getPropagationTraits(op).lacksDataFlowIn(shardy))
        addDataFlowEdges(cast<sdy::ShardableDataFlowOpInterface>(op));
  }
};

} // namespace
} // namespace shardwright
