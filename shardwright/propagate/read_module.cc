//===- read_module.cc - from a module to dense arrays ---------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/propagate/part_builder.h"

#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/propagate/call_order.h"
#include "shardwright/propagate/import_steps.h"

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

BuilderState::BuilderState(ModuleOp module, const GraphOptions &options,
                           PropagationGraph &graph)
    : module(module), graph(graph), rules(options, graph.rules),
      ahead(options.order), index(options.index),
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
  // Asks which nodes have a rule.
  addWakes();
}

namespace {

class GraphBuilder {
public:
  GraphBuilder(ModuleOp module, const GraphOptions &options,
               PropagationGraph &graph)
      : options(options), state(module, options, graph), graph(graph),
        all(state, graph, nullptr) {}

  LogicalResult run(SharedFunctions shared) {
    for (auto func : state.module.getOps<func::FuncOp>())
      state.funcOf[func.getSymNameAttr()] = func;
    for (auto [i, func] : llvm::enumerate(shared)) {
      if (options.order && i + 1 < shared.size())
        options.order->fetch(shared[i + 1]);
      if (options.prepare)
        options.prepare(func);
      addBody(func);
    }
    for (Operation &op : *state.module.getBody()) {
      auto func = dyn_cast<func::FuncOp>(op);
      if (func && graph.bodyOf.contains(func.getSymNameAttr()))
        continue;
      if (func)
        roots.push_back(func);
      graph.rootOps.push_back(&op);
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
  void addBody(func::FuncOp func);
  void addFuncResults();
  void addGroups();

  const GraphOptions &options;
  BuilderState state;
  PropagationGraph &graph;
  PartBuilder all;
  SmallVector<func::FuncOp> roots;
};

void GraphBuilder::addBody(func::FuncOp func) {
  FunctionBody &body = graph.bodies.emplace_back();
  body.func = func;
  body.originalName = originalName(func);
  body.executionThread = func->getAttr(kExecutionThread);
  if (sdy::TensorShardingPerValueAttr in = argumentShardings(func))
    for (sdy::TensorShardingAttr s : in.getShardings())
      body.argumentShardings.push_back(graph.shardings.read(s));
  PartBuilder builder(state, body, &body);
  Block &block = func.front();
  builder.reserve(func);
  builder.numberArguments(block);
  state.ahead.enter(func);
  for (Operation &op : block)
    builder.number(&op);
  if (state.ok)
    builder.finish();
  graph.bodyOf[func.getSymNameAttr()] = graph.bodies.size() - 1;
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
  llvm::DenseMap<int64_t, int32_t> groupOfId;
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

LogicalResult buildGraph(ModuleOp module, const GraphOptions &options,
                         SharedFunctions shared, PropagationGraph &graph) {
  return GraphBuilder(module, options, graph).run(shared);
}

} // namespace shardwright
