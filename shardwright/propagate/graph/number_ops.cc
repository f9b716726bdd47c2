//===- number_ops.cc - number the ops and values of a part ----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/propagate/graph/part_builder.h"
#include "shardwright/propagate/graph/unknown_ops.h"

using namespace mlir;

namespace shardwright {

std::optional<ArrayRef<int64_t>> staticShape(Type type) {
  // Fast path for nearly all types: the search for the interface is slow.
  if (auto tensor = dyn_cast<RankedTensorType>(type)) {
    if (!tensor.hasStaticShape())
      return std::nullopt;
    return tensor.getShape();
  }
  auto shaped = dyn_cast<ShapedType>(type);
  if (!shaped || !shaped.hasStaticShape())
    return std::nullopt;
  return shaped.getShape();
}

static OpKind makeKind(Operation *op) {
  if (op->hasTrait<OpTrait::IsTerminator>())
    return OpKind::Terminator;
  if (isa<func::FuncOp>(op))
    return OpKind::Func;
  if (isa<func::CallOp>(op))
    return OpKind::Call;
  if (isa<sdy::ShardableDataFlowOpInterface>(op))
    return OpKind::DataFlow;
  if (isa<sdy::ShardingGroupOp>(op))
    return OpKind::GroupMember;
  if (isa<sdy::DataFlowEdgeOp>(op))
    return OpKind::DataFlowEdge;
  if (isa<sdy::FuncDataFlowEdgeOp>(op))
    return OpKind::FuncDataFlowEdge;
  if (isa<sdy::PropagationBarrierOp>(op))
    return OpKind::Barrier;
  if (isa<sdy::CollectiveOpInterface>(op) ||
      isa_and_nonnull<sdy::SdyDialect>(op->getDialect()))
    return OpKind::Sdy;
  return OpKind::Plain;
}

OpKind BuilderState::kindOf(Operation *op) {
  auto [it, isNew] = kinds.try_emplace(op->getName(), OpKind::Plain);
  if (isNew)
    it->second = makeKind(op);
  return it->second;
}

void PartBuilder::reserve(ArrayRef<func::FuncOp> funcs) {
  if (!state.index)
    return;
  size_t nodes = 0, values = 0, spliced = 0;
  size_t slots = 0, tensors = 0, wakes = 0;
  for (func::FuncOp func : funcs) {
    size_t ops = state.index->sizeOf(func);
    nodes += ops;
    values += ops + func.getNumArguments();
  }
  for (const SharedCall &call : calls) {
    const FunctionBody &callee = graph.bodies[call.body];
    // Edges of the results are added.
    nodes += callee.nodes.size() + callee.returned.size();
    values += callee.values.size() + callee.returned.size();
    spliced += callee.values.size();
    slots += callee.slots.size();
    tensors += callee.tensorValues.size();
    wakes += callee.wakes.size();
  }
  // A margin for edges and for ops outside of functions; on average an op has a
  // result, two or three operands and as many uses.
  nodes += nodes / 16 + 4;
  values += values / 16 + 4;
  part.nodes.reserve(nodes);
  part.nodeRules.reserve(nodes);
  part.values.reserve(values);
  part.slots.reserve(slots + values - spliced);
  part.tensorValues.reserve(tensors + 4 * (values - spliced));
  part.wakes.reserve(wakes + 4 * (values - spliced));
}

ValueId PartBuilder::idOf(Value value) const {
  if (auto result = dyn_cast<OpResult>(value))
    return graph.numberOf.lookup(result.getOwner()).firstResult +
           result.getResultNumber();
  auto argument = cast<BlockArgument>(value);
  return graph.firstArgument.lookup(argument.getOwner()) +
         argument.getArgNumber();
}

void PartBuilder::addValue(Type type) {
  auto shape = staticShape(type);
  GraphValue value;
  value.notifies = part.numValues();
  value.isScalar = shape && shape->empty();
  part.values.push_back(value);
}

void PartBuilder::numberArguments(Block &block) {
  if (block.getNumArguments() != 0)
    graph.firstArgument[&block] = part.numValues();
  for (BlockArgument argument : block.getArguments())
    addValue(argument.getType());
}

void PartBuilder::number(Operation *op) {
  NodeId id = part.nodes.size();
  OpKind kind = state.kindOf(op);
  graph.numberOf[op] = {id, part.numValues()};
  part.nodeRules.emplace_back().kind = kind;
  Node &node = part.nodes.emplace_back();
  node.op = op;
  node.firstResult = part.numValues();
  node.numResults = op->getNumResults();
  for (Type type : op->getResultTypes()) {
    addValue(type);
    state.ok = state.ok && succeeded(checkShardable(type, op));
  }
  if (kind == OpKind::Call) {
    auto call = cast<func::CallOp>(op);
    size_t next = ownSites.size();
    if (next < calls.size() && func::CallOp(calls[next].op) == call)
      splice(call, id, calls[next].body);
    else
      state.callsOf[call.getCalleeAttr().getAttr()].push_back(call);
  } else if (kind == OpKind::GroupMember) {
    members.push_back(cast<sdy::ShardingGroupOp>(op));
  }
  for (Region &region : op->getRegions())
    for (Block &block : region) {
      numberArguments(block);
      for (Operation &nested : block)
        number(&nested);
    }
  part.nodes[id].subtreeEnd = part.nodes.size();
}

/// Appends a copy of the callee's arrays.
void PartBuilder::splice(func::CallOp call, NodeId node, int32_t index) {
  const FunctionBody &from = graph.bodies[index];
  auto extend = [](auto &to, const auto &from, auto update) {
    size_t first = to.size();
    llvm::append_range(to, from);
    for (auto it = to.begin() + first, e = to.end(); it != e; ++it)
      update(*it);
  };
  auto shift = [](int32_t by) {
    return [by](int32_t &id) { id = id < 0 ? id : id + by; };
  };
  NodeId firstNode = part.nodes.size();
  ValueId firstValue = part.numValues();
  SlotId firstSlot = part.slots.size();
  int32_t firstTensor = part.tensorValues.size();
  int32_t firstWake = part.wakes.size();
  int32_t firstManual = part.manualEdges.size();
  int32_t site = part.sites.size();

  part.sites.push_back({call, index, -1, node, firstValue, firstSlot,
                        call->getDiscardableAttr(kExecutionThread)});
  ownSites.push_back({site, firstTensor, firstWake});
  extend(part.sites, from.sites, [&](CallSite &s) {
    s.parent = s.parent < 0 ? site : s.parent + site + 1;
    s.node += firstNode;
    s.firstValue += firstValue;
    s.firstSlot += firstSlot;
  });
  extend(part.nodes, from.nodes, [&](Node &n) {
    n.firstOperand += firstTensor;
    n.subtreeEnd += firstNode;
    n.firstResult += firstValue;
    if (n.manualEdge >= 0)
      n.manualEdge += firstManual;
  });
  extend(part.nodeRules, from.nodeRules,
         [&](NodeRule &n) { n.firstTensor += firstTensor; });
  llvm::append_range(part.manualEdges, from.manualEdges);
  extend(part.tensorValues, from.tensorValues, shift(firstValue));
  extend(part.values, from.values, [&](GraphValue &v) {
    if (v.slot >= 0)
      v.slot += firstSlot;
    v.notifies += firstValue;
    v.wakes.begin += firstWake;
    v.wakes.end += firstWake;
  });
  extend(part.wakes, from.wakes, shift(firstNode));
  extend(part.slots, from.slots, [&](Slot &slot) {
    if (slot.firstSibling >= 0)
      slot.firstSibling += firstSlot;
  });
}

} // namespace shardwright
