//===- take_steps.cc - visit an op and wake others ------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/propagate/engine/engine_core.h"

using namespace mlir;

namespace shardwright {

bool PropagationEngine::operandsHaveOneUse(NodeId n) const {
  const Node &node = graph.nodes[n];
  for (int32_t i = node.firstOperand, e = i + node.numOperands; i < e; ++i) {
    ValueId operand = graph.tensorValues[i];
    if (!graph.values[operand].isScalar && graph.values[operand].numUses != 1)
      return false;
  }
  return true;
}

void PropagationEngine::setLevel(int32_t next) {
  level = next;
  constexpr auto None = Direction::None, Both = Direction::Both;
  auto of = [&](Schedule schedule) -> FactorDirections {
    if (level < 0)
      return {Both, Both};
    switch (schedule) {
    case Schedule::PassThroughOp:
      return {Both, Both};
    case Schedule::ForwardFirst:
      return {level >= 2 ? Both : Direction::Forward,
              level >= 3 ? Both : Direction::Forward};
    case Schedule::BackwardFirst:
      if (level >= 4)
        return {Both, Both};
      return {level >= 2 ? Direction::Backward : None,
              level >= 3 ? Direction::Backward : None};
    case Schedule::ByFactor:
      return {level >= 2 ? Both : None, level >= 3 ? Both : None};
    case Schedule::Fixed:
      break;
    }
    return {None, None};
  };
  for (size_t i = 0; i < scheduled.size(); ++i)
    scheduled[i] = of(Schedule(i));
}

ArrayRef<StepCache::Change> PropagationEngine::step(RuleId rule,
                                                    ArrayRef<ShardingId> ids,
                                                    FactorDirections directions,
                                                    bool isElementwise,
                                                    bool conservative) {
  key.assign(ids.begin(), ids.end());
  return stepOfKey(rule, ids.size(), directions, isElementwise, conservative);
}

ArrayRef<StepCache::Change>
PropagationEngine::stepOfKey(RuleId rule, int32_t numTensors,
                             FactorDirections directions, bool isElementwise,
                             bool conservative) {
  auto hasAxes = [&](ShardingId id) {
    return id != kNoSharding && shardings.hasAxes(id);
  };
  if (directions.isNone() || llvm::none_of(key, hasAxes))
    return {};
  lastStep = {.strategy = strategy,
              .directions = directions,
              .isElementwise = isElementwise,
              .conservative = conservative};

  key.push_back(rule);
  key.push_back(int32_t(directions.passThrough) |
                int32_t(directions.other) << 2 | int32_t(strategy) << 4 |
                int32_t(isElementwise) << 5 | int32_t(conservative) << 6);
  if (const ArrayRef<StepCache::Change> *known = cache.find(key))
    return *known;

  const FactorLayout &layout = graph.rules[rule];
  ArrayRef<ShardingId> ids = ArrayRef(key).take_front(numTensors);
  MeshId mesh = shardings.commonMesh(ids);
  SmallVector<StepCache::Change> changes;
  if (mesh != kNoMesh && !shardings.mesh(mesh).isMaximal()) {
    SmallVector<const TensorSharding *> tensors;
    bool ranksFit = true;
    for (auto [i, id] : llvm::enumerate(ids)) {
      tensors.push_back(id == kNoSharding ? nullptr : &shardings.get(id));
      ranksFit &= id == kNoSharding ||
                  tensors.back()->rank() == layout.tensors[i].rank();
    }
    StepOptions stepOptions = lastStep;
    stepOptions.mesh = &shardings.mesh(mesh);
    if (ranksFit)
      for (const TensorUpdate &u : factors.run(layout, tensors, stepOptions))
        changes.push_back({u.tensor, shardings.add(mesh, u.sharding)});
  }
  return cache.insert(key, changes);
}

/// The shardings of the tensors of the node's rule, as the rule sees them.
SmallVector<ShardingId, 8> PropagationEngine::shardingsOf(NodeId n) {
  const NodeRule &node = graph.nodeRules[n];
  SmallVector<ShardingId, 8> ids;
  for (int32_t i = 0; i < node.numTensors; ++i) {
    SlotId slot = graph.tensorSlots[node.firstTensor + i];
    ids.push_back(slot < 0 ? kNoSharding : slots[slot].sharding);
  }
  if (node.isManualEdge && ids.back() != kNoSharding)
    ids.back() = toSourceView(
        shardings, graph.manualEdges[graph.nodes[n].manualEdge], ids.back());
  return ids;
}

void PropagationEngine::visit(NodeId n, FactorDirections directions) {
  const NodeRule &node = graph.nodeRules[n];
  // If all factors are pass-through, the direction of others is irrelevant.
  if (onlyPassThrough[node.rule])
    directions.other = directions.passThrough;
  if (directions.isNone())
    return;
  const ManualEdge *manual = node.isManualEdge
                                 ? &graph.manualEdges[graph.nodes[n].manualEdge]
                                 : nullptr;
  // Most visits end here: all inputs are as they were at the last one.
  int32_t changed = 0;
  key.resize_for_overwrite(node.numTensors);
  const SlotId *slotOf = graph.tensorSlots.data() + node.firstTensor;
  for (ShardingId &id : key) {
    SlotId slot = *slotOf++;
    if (slot < 0) {
      id = kNoSharding;
      continue;
    }
    const SlotState &state = slots[slot];
    id = state.sharding;
    changed = std::max<int32_t>(changed, state.changedAt);
  }
  LastVisit &last = visits[n];
  if (last.time > changed && last.directions == directions &&
      last.strategy == strategy)
    return;
  last = {++now, directions, strategy};

  if (manual && key.back() != kNoSharding)
    key.back() = toSourceView(shardings, *manual, key.back());

  ArrayRef<StepCache::Change> changes =
      stepOfKey(node.rule, node.numTensors, directions, node.isElementwise,
                options.conservative && node.isAttribute);
  ArrayRef<ShardingId> ids = ArrayRef(key).take_front(node.numTensors);
  for (const StepCache::Change &change : changes) {
    ValueId value = graph.tensorValues[node.firstTensor + change.tensor];
    if (options.observer)
      report(graph.nodes[n].op, holdersOf(node), nullptr, node.rule,
             change.tensor, ids, change.sharding);
    ShardingId id = change.sharding;
    if (manual && change.tensor + 1 == node.numTensors)
      id = toStoredView(shardings, *manual, id);
    update(value, id, n);
  }
}

void PropagationEngine::setSlot(SlotId s, ShardingId id) {
  if (slots[s].sharding == kNoSharding && slots[s].hasSiblings) {
    // The op gets a list of shardings, in which the other results are open.
    const Slot &slot = graph.slots[s];
    MeshId mesh = shardings.meshOf(id);
    for (SlotId i = slot.firstSibling, e = i + slot.numSiblings; i < e; ++i)
      if (slots[i].sharding == kNoSharding) {
        slots[i].sharding = shardings.addOpen(mesh, graph.slots[i].rank);
        slots[i].changedAt = now;
      }
  }
  slots[s].sharding = id;
  slots[s].changedAt = now;
}

void PropagationEngine::wake(ValueId value, NodeId by) {
  Wakes range = graph.values[graph.values[value].notifies].wakes;
  for (int32_t i = range.begin; i < range.end; ++i) {
    NodeId n = graph.wakes[i];
    if (n != by)
      worklist.push(n);
  }
}

void PropagationEngine::update(ValueId value, ShardingId id, NodeId by) {
  SlotId slot = graph.values[value].slot;
  // A value without a slot, or the same value as two operands that take the
  // same axes.
  if (slot < 0 || slots[slot].sharding == id)
    return;
  setSlot(slot, id);
  wake(value, by);
  if (graph.groups.empty())
    return;
  auto group = graph.groupOfValue.find(graph.values[value].notifies);
  if (group == graph.groupOfValue.end())
    return;
  for (ValueId member : graph.groups[group->second]) {
    SlotId other = graph.values[member].slot;
    if (other == slot || slots[other].sharding == id)
      continue;
    if (options.observer)
      reportGroup(member, value, slots[other].sharding, id);
    setSlot(other, id);
    wake(member, by);
  }
}

} // namespace shardwright
