//===- engine.cc - the propagation fixpoint -------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/propagate/engine/engine_core.h"

#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/propagate/engine/propagation_tables.h"
#include "shardwright/propagate/engine/sharding_groups.h"
#include "shardwright/propagate/graph/user_priority.h"
#include "shardwright/rules/rule_attr.h"

using namespace mlir;

namespace shardwright {

void PropagationEngine::syncFuncResults() {
  for (const FuncResult &r : graph.funcResults) {
    if (!r.isMain || r.returned < 0 || r.rule < 0)
      continue;
    SlotId slot = graph.values[r.returned].slot;
    ShardingId ids[] = {slot < 0 ? kNoSharding : slots[slot].sharding,
                        slots[r.slot].sharding};
    ++now;
    for (const StepCache::Change &change :
         step(r.rule, ids, {Direction::Both, Direction::Both},
              /*isElementwise=*/false, /*conservative=*/false)) {
      if (options.observer)
        report(r.func, {holderOf(r.returned), Value()}, &r, r.rule,
               change.tensor, ids, change.sharding);
      if (change.tensor == 1)
        setSlot(r.slot, change.sharding);
      else
        update(r.returned, change.sharding, -1);
    }
  }
}

void PropagationEngine::propagate() {
  worklist.reset();
  syncFuncResults();
  for (NodeId n; (n = worklist.pop()) >= 0;) {
    if ((worklist.is(n, Worklist::kMayBeUnused) && eraseIfDead(n)) ||
        !worklist.is(n, Worklist::kHasRule))
      continue;
    FactorDirections directions = directionsOf(n);
    if (!directions.isNone())
      visit(n, directions);
  }
  syncFuncResults();
}

void PropagationEngine::runPriority() {
  if (options.opPriorities) {
    for (int32_t next = 0; next < kNumOpPriorities; ++next) {
      setLevel(next);
      propagate();
    }
    setLevel(-1);
    return;
  }
  if (options.strategy != PropagationStrategy::Aggressive) {
    strategy = Strategy::Basic;
    propagate();
  }
  if (options.strategy != PropagationStrategy::Basic) {
    strategy = Strategy::Aggressive;
    propagate();
  }
}

void PropagationEngine::loadStates() {
  for (const FactorLayout &layout : graph.rules)
    onlyPassThrough.push_back(
        llvm::all_of(layout.rule.factors, [](const Factor &f) {
          return f.kind == FactorKind::PassThrough;
        }));
  size_t numNodes = graph.nodes.size();
  visits.resize(numNodes);
  worklist.state.resize(numNodes);
  for (size_t n = 0; n < numNodes; ++n) {
    const Node &node = graph.nodes[n];
    // Terminators and functions have no users, but must stay.
    OpKind kind = graph.nodeRules[n].kind;
    uint8_t todo = kind == OpKind::Terminator || kind == OpKind::Func
                       ? 0
                       : Worklist::kMayBeUnused;
    for (int32_t i = 0; i < node.numResults; ++i)
      if (graph.values[node.firstResult + i].numUses != 0)
        todo = 0;
    // Other nodes are only checked for being dead.
    if (graph.nodeRules[n].rule >= 0)
      todo |= Worklist::kHasRule;
    worklist.state[n] = todo;
  }
  slots.resize(graph.slots.size());
  for (auto [state, slot, current] :
       llvm::zip_equal(slots, graph.slots, graph.current))
    state = {current, /*changedAt=*/1, slot.numSiblings > 1};
}

void PropagationEngine::storeShardings() {
  for (auto [current, slot] : llvm::zip_equal(graph.current, slots))
    current = slot.sharding;
}

void PropagationEngine::run() {
  bodyMayDie.resize(graph.bodies.size());
  setLevel(-1);
  // Hide dimensions of later priorities.
  std::optional<UserPriorities> priorities;
  if (options.userPriorities)
    priorities.emplace(graph);
  loadStates();
  runPriority();
  storeShardings();
  if (!priorities)
    return;
  for (const UserPriorities::Level &next : priorities->levels()) {
    if (options.afterUserPriority) {
      writeShardings(graph);
      options.afterUserPriority(userPriority);
    }
    userPriority = next.priority;
    ++now;
    priorities->activate(next, [&](SlotId slot, ShardingId id) {
      graph.current[slot] = id;
      slots[slot] = {id, now, slots[slot].hasSiblings};
    });
    runPriority();
    storeShardings();
  }
}

/// Attaches the used rules, or removes all except user-defined ones.
static void finishRules(PropagationGraph &graph, MLIRContext *context,
                        bool keep) {
  auto name = StringAttr::get(context, sdy::kShardingRuleAttr);
  if (!keep) {
    for (Operation *op : graph.opsWithRule)
      if (auto rule = dyn_cast_or_null<sdy::OpShardingRuleAttr>(
              op->getDiscardableAttr(name)))
        if (!rule.isCustom())
          op->removeDiscardableAttr(name);
    return;
  }
  llvm::DenseMap<RuleId, Attribute> attrs;
  for (auto [node, rule] : llvm::zip_equal(graph.nodes, graph.nodeRules)) {
    if (rule.rule < 0 || !rule.isAttribute ||
        node.op->hasAttr(sdy::kShardingRuleAttr))
      continue;
    Attribute &attr = attrs[rule.rule];
    if (!attr)
      attr = toAttr(graph.rules[rule.rule].rule, context);
    node.op->setDiscardableAttr(name, attr);
  }
}

RuleOptions ruleOptions(const EngineOptions &options) {
  return {.conservative = options.conservative,
          .extraRules = options.extraRules,
          .shardy = options.shardy};
}

void propagateInGraph(PropagationGraph &graph, const EngineOptions &options) {
  PropagationEngine engine(options, graph);
  engine.run();
  if (options.observer)
    engine.reportEnd();
  // Users come after their operands.
  llvm::sort(graph.deadNodes, std::greater<>());
}

LogicalResult propagateShardings(ModuleOp module,
                                 const EngineOptions &options) {
  if (failed(sdy::requireMainFunc(module)))
    return failure();
  syncShardingGroups(module);
  PropagationTables tables(module, ruleOptions(options));
  PropagationGraph graph(tables);
  if (failed(buildGraph(module, /*index=*/nullptr, /*shared=*/nullptr, graph)))
    return failure();
  propagateInGraph(graph, options);
  writeShardings(graph);
  finishRules(graph, module.getContext(), options.keepShardingRules);
  if (options.observer)
    options.observer->onWritten();
  if (!options.keepDeadOps)
    for (NodeId n : graph.deadNodes)
      graph.nodes[n].op->erase();
  return success();
}

} // namespace shardwright
