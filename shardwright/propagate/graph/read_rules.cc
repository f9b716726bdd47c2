//===- read_rules.cc - read the rule of each op ---------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/propagate/graph/part_builder.h"

#include "shardwright/dialect/sdy/sharding_access.h"

using namespace mlir;

namespace shardwright {

using sdy::DataFlowEdgeOp;
using sdy::FuncDataFlowEdgeOp;
using sdy::ShardableDataFlowOpInterface;

void PartBuilder::addOperands(NodeId n) {
  Node &node = part.nodes[n];
  node.firstOperand = part.tensorValues.size();
  node.numOperands = node.op->getNumOperands();
  for (Value operand : node.op->getOperands()) {
    ValueId id = idOf(operand);
    ++part.values[id].numUses;
    lastUser(part.values[id]) = n;
    part.tensorValues.push_back(id);
  }
}

void PartBuilder::addEdgeRule(NodeId n, ArrayRef<ValueId> sources) {
  if (sources.empty())
    return;
  const Node &node = part.nodes[n];
  auto shape = staticShape(node.op->getResult(0).getType());
  if (!shape)
    return;
  NodeRule &rule = part.nodeRules[n];
  rule.rule = state.rules.identity(*shape, sources.size());
  rule.schedule = Schedule::PassThroughOp;
  rule.firstTensor = part.tensorValues.size();
  rule.numTensors = sources.size() + 1;
  llvm::append_range(part.tensorValues, sources);
  part.tensorValues.push_back(node.firstResult);
}

const PartBuilder::OwnSite *PartBuilder::siteOf(Operation *op) const {
  NodeId node = graph.nodeOf(op);
  if (part.nodeRules[node].kind != OpKind::Call)
    return nullptr;
  const OwnSite *own =
      llvm::lower_bound(ownSites, node, [&](const OwnSite &own, NodeId n) {
        return part.sites[own.site].node < n;
      });
  bool found = own != ownSites.end() && part.sites[own->site].node == node;
  return found ? own : nullptr;
}

/// True if the edge belongs to an argument or a result of a shared function.
bool PartBuilder::addCallEdge(NodeId n, DataFlowEdgeOp edge) {
  Value owner = edge.getInput();
  if (auto arg = dyn_cast<BlockArgument>(owner)) {
    if (!body || arg.getOwner() != &body->func.front())
      return false;
    addEdgeRule(n, ValueId(-1));
    body->argumentSource[arg.getArgNumber()] = part.nodeRules[n].firstTensor;
    return true;
  }
  const OwnSite *own = siteOf(owner.getDefiningOp());
  if (!own)
    return false;
  const CallSite &site = part.sites[own->site];
  addEdgeRule(n, site.firstValue +
                     graph.bodies[site.body]
                         .returned[cast<OpResult>(owner).getResultNumber()]);
  return true;
}

/// For an argument: that operand of every caller. For a result of a call: the
/// value that the callee returns.
SmallVector<ValueId> PartBuilder::sourcesOf(FuncDataFlowEdgeOp edge) {
  SmallVector<ValueId> sources;
  if (auto arg = dyn_cast<BlockArgument>(edge.getOperand())) {
    auto func = dyn_cast<func::FuncOp>(arg.getOwner()->getParentOp());
    if (!func)
      return sources;
    for (func::CallOp call : state.callsOf.lookup(func.getSymNameAttr()))
      if (arg.getArgNumber() < call->getNumOperands())
        sources.push_back(idOf(call->getOperand(arg.getArgNumber())));
    return sources;
  }
  auto result = cast<OpResult>(edge.getOperand());
  auto call = dyn_cast<func::CallOp>(result.getOwner());
  func::FuncOp callee =
      call ? state.funcOf.lookup(call.getCalleeAttr().getAttr()) : nullptr;
  if (callee && !callee.isExternal())
    if (auto ret =
            dyn_cast<func::ReturnOp>(callee.getBody().back().getTerminator()))
      if (result.getResultNumber() < ret->getNumOperands())
        sources.push_back(idOf(ret->getOperand(result.getResultNumber())));
  return sources;
}

void PartBuilder::addDataFlowEdge(NodeId n, DataFlowEdgeOp edge) {
  if (addCallEdge(n, edge))
    return;
  ShardableDataFlowOpInterface owner = edgeOwner(edge);
  if (!owner)
    return;
  SmallVector<ValueId> sources;
  for (OpOperand *source : owner.getEdgeSources(edge.getInput()))
    sources.push_back(idOf(source->get()));
  addEdgeRule(n, sources);
  NodeRule &rule = part.nodeRules[n];
  auto manual = dyn_cast<sdy::ManualComputationOp>(owner.getOperation());
  if (!manual || rule.rule < 0)
    return;
  ManualEdge &m = part.manualEdges.emplace_back();
  part.nodes[n].manualEdge = part.manualEdges.size() - 1;
  rule.isManualEdge = true;
  sdy::TensorShardingAttr outer;
  if (auto arg = dyn_cast<BlockArgument>(edge.getInput())) {
    m.isBlockArgument = true;
    outer = manual.getInSharding(arg.getArgNumber());
  } else {
    outer = manual.getOutSharding(
        cast<OpResult>(edge.getInput()).getResultNumber());
  }
  m.outer = graph.shardings.read(outer);
  if (m.outer == kNoSharding) {
    rule.rule = -1;
    return;
  }
  const Mesh &mesh = graph.shardings.mesh(graph.shardings.meshOf(m.outer));
  for (StringAttr axis : manual.getManualAxes().getValue())
    if (std::optional<int32_t> i = mesh.find(axis.getValue()))
      m.manualAxes.push_back(*i);
}

void PartBuilder::addRule(NodeId n) {
  addOperands(n);
  const Node &node = part.nodes[n];
  NodeRule &nodeRule = part.nodeRules[n];
  Operation *op = node.op;
  if (state.hasRuleAttr(op))
    graph.opsWithRule.push_back(op);
  switch (nodeRule.kind) {
  case OpKind::DataFlowEdge:
    return addDataFlowEdge(n, cast<DataFlowEdgeOp>(op));
  case OpKind::FuncDataFlowEdge:
    return addEdgeRule(n, sourcesOf(cast<FuncDataFlowEdgeOp>(op)));
  case OpKind::Barrier: {
    // Copy the id: addEdgeRule() grows the list that holds it.
    ValueId source = part.tensorValues[node.firstOperand];
    addEdgeRule(n, source);
    nodeRule.schedule = Schedule::Fixed;
    nodeRule.fixedDirection = Direction(
        uint8_t(cast<sdy::PropagationBarrierOp>(op).getAllowedDirection()));
    nodeRule.isElementwise = true;
    return;
  }
  default:
    break;
  }

  RuleTable::OpRule rule = state.rules.of(op);
  if (rule.rule < 0)
    return;
  nodeRule.rule = rule.rule;
  nodeRule.isAttribute = true;
  nodeRule.isElementwise = rule.isElementwise;
  nodeRule.schedule = rule.schedule;
  // The operands are in the list already.
  nodeRule.firstTensor = node.firstOperand;
  nodeRule.numTensors = node.numOperands + node.numResults;
  for (int64_t i = 0; i < node.numResults; ++i)
    part.tensorValues.push_back(node.firstResult + i);
}

/// Joins a callee's body to the call.
void PartBuilder::connect(const OwnSite &own) {
  CallSite site = part.sites[own.site];
  const FunctionBody &callee = graph.bodies[site.body];
  for (auto [operand, source] :
       llvm::zip_equal(site.call.getOperands(), callee.argumentSource))
    if (source >= 0)
      part.tensorValues[own.firstTensor + source] = idOf(operand);
  for (auto [wake, result] : callee.resultWakes)
    part.wakes[own.firstWake + wake] =
        graph.nodeOf(DataFlowEdgeOp::lookup(site.call.getResult(result)));
}

} // namespace shardwright
