//===- tell_observer.cc - reports to the observer -------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/propagate/engine/engine_core.h"

using namespace mlir;

namespace shardwright {

Value PropagationEngine::holderOf(ValueId value) const {
  SlotId slot = graph.values[value].slot;
  return slot < 0 ? Value() : graph.slots[slot].value;
}

SmallVector<Value> PropagationEngine::holdersOf(const NodeRule &node) const {
  SmallVector<Value> values;
  for (int32_t i = 0; i < node.numTensors; ++i)
    values.push_back(holderOf(graph.tensorValues[node.firstTensor + i]));
  return values;
}

SmallVector<const TensorSharding *>
PropagationEngine::resolve(ArrayRef<ShardingId> ids) const {
  SmallVector<const TensorSharding *> tensors;
  for (ShardingId id : ids)
    tensors.push_back(id == kNoSharding ? nullptr : &shardings.get(id));
  return tensors;
}

/// The fields that all changes to `after` share.
PropagationEvent PropagationEngine::eventOf(ShardingId after) const {
  PropagationEvent event;
  event.after = &shardings.get(after);
  event.mesh = &shardings.mesh(shardings.meshOf(after));
  event.opPriority = std::max(level, 0);
  event.userPriority = userPriority;
  event.visit = now;
  event.step = lastStep;
  event.step.mesh = event.mesh;
  return event;
}

void PropagationEngine::report(Operation *op, ArrayRef<Value> values,
                               const FuncResult *result, RuleId rule,
                               int32_t tensor, ArrayRef<ShardingId> before,
                               ShardingId after) {
  SmallVector<const TensorSharding *> tensors = resolve(before);
  PropagationEvent event = eventOf(after);
  event.op = op;
  if (result)
    event.funcResultOfRule = result->index;
  if (result && tensor == 1)
    event.funcResult = result->index;
  else
    event.value = values[tensor];
  event.layout = &graph.rules[rule];
  event.numOperands = event.layout->numOperands();
  event.tensor = tensor;
  event.values = values;
  event.before = tensors;
  options.observer->onChange(event);
}

void PropagationEngine::reportGroup(ValueId member, ValueId from,
                                    ShardingId before, ShardingId after) {
  Value source = holderOf(from);
  const TensorSharding *tensor =
      before == kNoSharding ? nullptr : &shardings.get(before);
  PropagationEvent event = eventOf(after);
  event.value = holderOf(member);
  event.op = event.value.getDefiningOp()
                 ? event.value.getDefiningOp()
                 : event.value.getParentBlock()->getParentOp();
  event.tensor = -1;
  event.values = source;
  event.before = tensor;
  options.observer->onChange(event);
}

void PropagationEngine::reportEnd() {
  PropagationOpView view;
  auto tell = [&](ArrayRef<Value> values, ArrayRef<ShardingId> ids,
                  RuleId rule) {
    SmallVector<const TensorSharding *> tensors = resolve(ids);
    view.layout = &graph.rules[rule];
    view.values = values;
    view.shardings = tensors;
    MeshId mesh = shardings.commonMesh(ids);
    view.mesh = mesh == kNoMesh ? nullptr : &shardings.mesh(mesh);
    options.observer->onFinalOp(view);
  };
  if (options.opPriorities)
    level = kNumOpPriorities - 1;
  for (NodeId n = 0, e = graph.nodes.size(); n < e; ++n) {
    const NodeRule &node = graph.nodeRules[n];
    if (node.rule < 0 || worklist.is(n, Worklist::kErased))
      continue;
    view.op = graph.nodes[n].op;
    view.directions = directionsOf(n);
    view.isElementwise = node.isElementwise;
    tell(holdersOf(node), shardingsOf(n), node.rule);
  }
  level = -1;
  view.directions = {};
  view.isElementwise = false;
  for (const FuncResult &r : graph.funcResults) {
    if (!r.isMain || r.returned < 0 || r.rule < 0)
      continue;
    SlotId slot = graph.values[r.returned].slot;
    view.op = r.func;
    view.funcResult = r.index;
    tell(
        {holderOf(r.returned), Value()},
        {slot < 0 ? kNoSharding : slots[slot].sharding, slots[r.slot].sharding},
        r.rule);
  }
}

} // namespace shardwright
