//===- sink_data_flow_edges.cc - remove edges, keep shardings -------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/propagate/export/export_steps.h"
#include "shardwright/propagate/passes.h"

using namespace mlir;

namespace shardwright {

using sdy::TensorShardingAttr;

#define GEN_PASS_DEF_SINKDATAFLOWEDGES
#include "shardwright/propagate/passes.h.inc"

namespace {

/// The shardings of the edges of `owners`, and their debug information.
struct Sunk {
  /// One entry per owner, fully open where missing; empty if no edge had a
  /// sharding.
  SmallVector<TensorShardingAttr> shardings;
  SmallVector<Attribute> origins, edges;
};

using Edges = llvm::DenseSet<Operation *>;

/// Erases the edges, also from `left`.
template <typename Owners> Sunk sink(Owners owners, Edges &left) {
  Sunk sunk;
  Attribute mesh;
  for (Value owner : owners) {
    TensorShardingAttr &sharding = sunk.shardings.emplace_back();
    sdy::DataFlowEdgeOp edge = sdy::DataFlowEdgeOp::lookup(owner);
    if (!edge)
      continue;
    sharding = edge.getShardingAttr();
    if (sharding && !mesh)
      mesh = sharding.getMeshOrRef();
    if (Attribute a = edge->getAttr(sdy::kShardingOriginsAttr))
      sunk.origins.push_back(a);
    if (Attribute a = edge->getAttr(sdy::kPropagationEdgesAttr))
      sunk.edges.push_back(a);
    edge.getResult().replaceAllUsesWith(owner);
    left.erase(edge);
    edge.erase();
  }
  if (!mesh) {
    sunk.shardings.clear();
    return sunk;
  }
  for (auto [owner, sharding] : llvm::zip_equal(owners, sunk.shardings))
    if (!sharding)
      sharding = sdy::TensorShardingPerValueAttr::getFullyOpen(
                     mesh.getContext(), Value(owner).getType(), mesh)
                     .getSharding(0);
  return sunk;
}

void sinkEdgesOf(sdy::ShardableDataFlowOpInterface op, Edges &left,
                 bool debugOrigins, bool debugEdges) {
  auto setDebug = [&](StringRef name, ArrayRef<Attribute> list, bool enabled) {
    if (enabled)
      op->setAttr(name, ArrayAttr::get(op.getContext(), list));
  };
  Sunk arguments = sink(op.getBlockArgumentEdgeOwners(), left);
  if (!arguments.shardings.empty())
    op.setBlockArgumentEdgeOwnerShardings(arguments.shardings);
  Sunk results = sink(op.getOpResultEdgeOwners(), left);
  if (!results.shardings.empty())
    op.setOpResultEdgeOwnerShardings(results.shardings);
  setDebug(sdy::kBlockArgShardingOriginsAttr, arguments.origins, debugOrigins);
  setDebug(sdy::kResultShardingOriginsAttr, results.origins, debugOrigins);
  setDebug(sdy::kBlockArgPropagationEdgesAttr, arguments.edges, debugEdges);
  setDebug(sdy::kResultPropagationEdgesAttr, results.edges, debugEdges);
}

struct SinkDataFlowEdgesPass
    : impl::SinkDataFlowEdgesBase<SinkDataFlowEdgesPass> {
  using SinkDataFlowEdgesBase::SinkDataFlowEdgesBase;

  void runOnOperation() override {
    OpIndex index(getOperation());
    sinkDataFlowEdges(index, sinkDebugShardingOrigins,
                      sinkDebugPropagationEdgeSharding);
  }
};

} // namespace

void sinkDataFlowEdges(OpIndex &index, bool origins, bool edges) {
  OpIndex::Ops all = index.inOrder(isNamed<sdy::DataFlowEdgeOp>);
  Edges left(all.begin(), all.end());
  for (Operation *op : index.inOrder(hasDataFlow))
    sinkEdgesOf(cast<sdy::ShardableDataFlowOpInterface>(op), left, origins,
                edges);
  // An edge on a target that is not an owner does not affect its op.
  if (!left.empty())
    for (Operation *op : all)
      if (left.contains(op)) {
        op->getResult(0).replaceAllUsesWith(op->getOperand(0));
        op->erase();
      }
  index.forget(isNamed<sdy::DataFlowEdgeOp>);
}

} // namespace shardwright
