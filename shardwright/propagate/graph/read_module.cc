//===- read_module.cc - read a module into dense arrays -------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/propagate/graph/part_builder.h"

#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/propagate/index/argument_shardings.h"
#include "shardwright/propagate/index/call_order.h"
#include "shardwright/support/id_map.h"

using namespace mlir;

namespace shardwright {

int32_t PropagationGraph::siteOf(NodeId node) const {
  auto it = llvm::upper_bound(sites, node, [](NodeId n, const CallSite &site) {
    return n <= site.node;
  });
  int32_t site = it - sites.begin() - 1;
  while (site >= 0 && nodes[sites[site].node].subtreeEnd <= node)
    site = sites[site].parent;
  return site;
}

void GraphPart::clear() {
  nodes.clear();
  nodeRules.clear();
  tensorValues.clear();
  values.clear();
  wakes.clear();
  slots.clear();
  sites.clear();
  manualEdges.clear();
}

GraphView viewOf(GraphPart &part) {
  return {part.nodes, part.nodeRules, part.tensorValues, part.values,
          part.wakes, part.slots,     part.sites,        part.firstOwnSlot};
}

void store(GraphPart &part, FunctionBody &body, PropagationGraph &graph) {
  auto move = [&](auto &from, auto &to) {
    auto *data =
        graph.storage.Allocate<std::decay_t<decltype(from[0])>>(from.size());
    std::uninitialized_copy(from.begin(), from.end(), data);
    to = {data, from.size()};
  };
  move(part.nodes, body.nodes);
  move(part.nodeRules, body.nodeRules);
  move(part.tensorValues, body.tensorValues);
  move(part.values, body.values);
  move(part.wakes, body.wakes);
  move(part.slots, body.slots);
  move(part.sites, body.sites);
  body.firstOwnSlot = part.firstOwnSlot;
  body.manualEdges = std::move(part.manualEdges);
}

BuilderState::BuilderState(ModuleOp module, const OpIndex *index,
                           PropagationGraph &graph)
    : module(module), graph(graph), rules(graph.ruleTable), index(index),
      shardingName(StringAttr::get(module.getContext(), sdy::kShardingAttr)),
      ruleName(StringAttr::get(module.getContext(), sdy::kShardingRuleAttr)) {}

void PartBuilder::finish() {
  part.firstOwnSlot = part.slots.size();
  if (body)
    addSlotsOfBody();
  forOwnNodes([&](NodeId n, const OwnSite *site) {
    if (!site) {
      addSlots(n);
      return addRule(n);
    }
    for (OpResult result : part.nodes[n].op->getResults())
      addEdgeSlot(sdy::DataFlowEdgeOp::lookup(result),
                  part.nodes[n].firstResult + result.getResultNumber());
    addOperands(n);
  });
  for (const OwnSite &own : ownSites)
    connect(own);
  // Needs the rules of all nodes.
  addWakes();
}

namespace {

class GraphBuilder {
public:
  GraphBuilder(ModuleOp module, const OpIndex *index, const SharedCalls *shared,
               PropagationGraph &graph)
      : state(module, index, graph), graph(graph), shared(shared),
        all(state, graph, nullptr,
            shared ? shared->rootCalls : ArrayRef<SharedCall>{}) {}

  LogicalResult run() {
    if (shared) {
      graph.bodies.reserve(shared->functions.size());
      for (auto [i, func] : llvm::enumerate(shared->functions)) {
        shared->prepare(i);
        addBody(func);
      }
      graph.rootOps = shared->roots.vec();
    } else {
      for (Operation &op : *state.module.getBody())
        graph.rootOps.push_back(&op);
    }
    for (Operation *op : graph.rootOps)
      if (auto func = dyn_cast<func::FuncOp>(op)) {
        roots.push_back(func);
        // Functions that are not called by name are not in the map.
        state.funcOf[func.getSymNameAttr()] = func;
      }
    all.reserve(roots);
    for (Operation *op : graph.rootOps)
      all.number(op);
    if (!state.ok)
      return failure();
    all.finish();
    state.rules.unknownOps.emitWarnings();
    addFuncResults();
    addGroups();
    graph.current.reserve(graph.slots.size());
    for (const Slot &slot : graph.slots)
      graph.current.push_back(slot.initial);
    graph.tensorSlots.reserve(graph.tensorValues.size());
    for (ValueId value : graph.tensorValues)
      graph.tensorSlots.push_back(value < 0 ? -1 : graph.values[value].slot);
    return success();
  }

private:
  void addBody(const SharedFunction &shared);
  void addFuncResults();
  void addGroups();

  BuilderState state;
  PropagationGraph &graph;
  const SharedCalls *shared;
  PartBuilder all;
  SmallVector<func::FuncOp> roots;
};

void GraphBuilder::addBody(const SharedFunction &shared) {
  func::FuncOp func = shared.op;
  FunctionBody &body = graph.bodies.emplace_back();
  body.func = func;
  body.originalName = originalName(func);
  body.executionThread = func->getAttr(kExecutionThread);
  if (sdy::TensorShardingPerValueAttr in = argumentShardings(func))
    for (sdy::TensorShardingAttr s : in.getShardings())
      body.argumentShardings.push_back(graph.shardings.read(s));
  state.scratch.clear();
  PartBuilder builder(state, state.scratch, &body, shared.calls);
  Block &block = func.front();
  builder.numberArguments(block);
  for (Operation &op : block)
    builder.number(&op);
  if (state.ok)
    builder.finish();
  store(state.scratch, body, graph);
}

void GraphBuilder::addFuncResults() {
  func::FuncOp main;
  for (func::FuncOp func : roots)
    if (roots.size() == 1 || func.getSymName() == sdy::kMainFuncName)
      main = func;
  for (func::FuncOp func : roots) {
    Operation *ret = nullptr;
    if (!func.isExternal())
      ret = func.getBody().back().getTerminator();
    for (int32_t i = 0, e = func.getNumResults(); i < e; ++i) {
      auto shape = staticShape(func.getResultTypes()[i]);
      if (!shape)
        continue;
      FuncResult &r = graph.funcResults.emplace_back();
      r.func = func;
      r.index = i;
      r.isMain = func == main;
      r.slot = graph.slots.size();
      Slot &slot = graph.slots.emplace_back();
      slot.initial = graph.shardings.read(sdy::getFuncResultSharding(func, i));
      slot.rank = shape->size();
      r.rule = state.rules.identity(*shape, 1);
      if (ret && i < int32_t(ret->getNumOperands()))
        r.returned = all.idOf(ret->getOperand(i));
    }
  }
}

void GraphBuilder::addGroups() {
  IdMap<int32_t> groupOfId;
  for (sdy::ShardingGroupOp member : all.members) {
    ValueId value = all.idOf(member.getInput());
    SlotId slot = graph.values[value].slot;
    if (slot < 0 || graph.groupOfValue.contains(value))
      continue;
    auto [it, isNew] = groupOfId.try_emplace(int64_t(member.getGroupId()),
                                             graph.groups.size());
    if (isNew)
      graph.groups.emplace_back();
    graph.groups[it->second].push_back(value);
    graph.groupOfValue[value] = it->second;
  }
}

} // namespace

LogicalResult buildGraph(ModuleOp module, const OpIndex *index,
                         const SharedCalls *shared, PropagationGraph &graph) {
  return GraphBuilder(module, index, shared, graph).run();
}

} // namespace shardwright
