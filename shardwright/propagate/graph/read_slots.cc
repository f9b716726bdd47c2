//===- read_slots.cc - find and read shardings ----------------------------===//
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
using sdy::ShardableDataFlowOpInterface;

const BuilderState::OpAttrs &BuilderState::attrsOf(Operation *op) {
  DictionaryAttr dict = op->getRawDictionaryAttrs();
  auto [it, isNew] = attrs.try_emplace(dict);
  if (!isNew)
    return it->second;
  if (auto list = dyn_cast_or_null<sdy::TensorShardingPerValueAttr>(
          dict.get(shardingName)))
    for (sdy::TensorShardingAttr sharding : list.getShardings())
      it->second.shardings.push_back(graph.shardings.read(sharding));
  it->second.hasRule = bool(dict.get(ruleName));
  return it->second;
}

ArrayRef<ShardingId> BuilderState::shardingsOf(Operation *op) {
  if (op->getRawDictionaryAttrs().empty())
    return {};
  return attrsOf(op).shardings;
}

bool BuilderState::hasRuleAttr(Operation *op) {
  return !op->getRawDictionaryAttrs().empty() && attrsOf(op).hasRule;
}

SlotId PartBuilder::addSlot(Value value, ShardingId sharding,
                            ArrayRef<int64_t> shape) {
  SlotId id = part.slots.size();
  Slot &slot = part.slots.emplace_back();
  slot.value = value;
  slot.initial = sharding;
  slot.rank = shape.size();
  return id;
}

/// Adds the slot of an argument or a result of a shared function.
void PartBuilder::addEdgeSlot(DataFlowEdgeOp edge, ValueId owner) {
  if (!edge)
    return;
  // As a plain value: the type of an edge's result is an interface.
  Value value = edge->getResult(0);
  ValueId result = idOf(value);
  SlotId slot = addSlot(value, graph.shardings.read(edge.getShardingAttr()),
                        *staticShape(value.getType()));
  part.slots[slot].isCallEdge = true;
  part.values[owner].slot = part.values[result].slot = slot;
  part.values[owner].notifies = result;
}

void PartBuilder::addSlotsOfBody() {
  Block &block = body->func.front();
  for (BlockArgument arg : block.getArguments()) {
    DataFlowEdgeOp edge = DataFlowEdgeOp::lookup(arg);
    addEdgeSlot(edge, arg.getArgNumber());
    body->argumentEdge.push_back(edge ? idOf(edge->getResult(0)) : -1);
    body->argumentSource.push_back(-1);
  }
  for (Value value : block.getTerminator()->getOperands()) {
    body->returned.push_back(idOf(value));
    FunctionBody::EdgeOwner &owner = body->returnedEdge.emplace_back();
    auto edge = value.getDefiningOp<DataFlowEdgeOp>();
    if (!edge)
      continue;
    if (auto arg = dyn_cast<BlockArgument>(edge.getInput())) {
      if (arg.getOwner() == &block)
        owner.argument = arg.getArgNumber();
    } else if (const OwnSite *own = siteOf(edge.getInput().getDefiningOp())) {
      owner.site = own->site;
      owner.result = cast<OpResult>(edge.getInput()).getResultNumber();
    }
  }
}

void PartBuilder::addSlots(NodeId n) {
  Operation *op = part.nodes[n].op;
  switch (part.nodeRules[n].kind) {
  case OpKind::Func: {
    auto func = cast<func::FuncOp>(op);
    if (func.isExternal())
      return;
    ValueId first = graph.firstArgument.lookup(&func.front());
    for (BlockArgument arg : func.getArguments())
      if (auto shape = staticShape(arg.getType()))
        part.values[first + arg.getArgNumber()].slot = addSlot(
            arg,
            graph.shardings.read(func.getArgAttrOfType<sdy::TensorShardingAttr>(
                arg.getArgNumber(), sdy::kShardingAttr)),
            *shape);
    return;
  }
  case OpKind::DataFlow:
    return addSlotsOfDataFlowOp(cast<ShardableDataFlowOpInterface>(op));
  default:
    return addSlotsOfResults(n);
  }
}

void PartBuilder::addSlotsOfDataFlowOp(ShardableDataFlowOpInterface op) {
  auto addOwners = [&](auto owners) {
    SlotId first = part.slots.size();
    int32_t withoutEdge = 0;
    SmallVector<SlotId> ofOp;
    for (Value owner : owners) {
      auto shape = staticShape(owner.getType());
      if (!shape)
        continue;
      SmallVector<Value> targets = op.getNonEdgeOwnerTargets(owner);
      targets.push_back(owner);
      DataFlowEdgeOp edge = DataFlowEdgeOp::lookup(owner);
      SlotId slot;
      ValueId notified;
      if (edge) {
        slot = addSlot(edge.getResult(),
                       graph.shardings.read(edge.getShardingAttr()), *shape);
        notified = idOf(edge.getResult());
        part.values[notified].slot = slot;
      } else {
        slot =
            addSlot(owner, graph.shardings.read(op.getEdgeOwnerSharding(owner)),
                    *shape);
        notified = idOf(owner);
        ofOp.push_back(slot);
        ++withoutEdge;
      }
      for (Value target : targets) {
        ValueId id = idOf(target);
        part.values[id].notifies = notified;
        part.values[id].slot = slot;
      }
    }
    // Either all owners of an op have edges or none has.
    if (withoutEdge == int32_t(part.slots.size()) - first)
      for (SlotId slot : ofOp) {
        part.slots[slot].firstSibling = first;
        part.slots[slot].numSiblings = withoutEdge;
      }
  };
  addOwners(op.getBlockArgumentEdgeOwners());
  addOwners(op.getOpResultEdgeOwners());
}

void PartBuilder::addSlotsOfResults(NodeId n) {
  const Node &node = part.nodes[n];
  if (node.numResults == 0)
    return;
  Operation *op = node.op;
  OpKind kind = part.nodeRules[n].kind;
  if (kind == OpKind::DataFlowEdge) {
    // Usually added with its owner; an edge without an owner gets a slot of its
    // own.
    auto edge = cast<DataFlowEdgeOp>(op);
    if (part.values[node.firstResult].slot < 0)
      if (auto shape = staticShape(edge.getResult().getType()))
        part.values[node.firstResult].slot =
            addSlot(edge.getResult(),
                    graph.shardings.read(edge.getShardingAttr()), *shape);
    return;
  }
  bool isProperty = kind != OpKind::Plain && kind != OpKind::Call;
  if (isProperty && node.numResults == 1) {
    OpResult result = op->getResult(0);
    if (auto shape = staticShape(result.getType()))
      part.values[node.firstResult].slot = addSlot(
          result, graph.shardings.read(sdy::getSharding(result)), *shape);
    return;
  }
  SlotId first = part.slots.size();
  ArrayRef<ShardingId> shardings = state.shardingsOf(op);
  for (OpResult result : op->getResults()) {
    auto shape = staticShape(result.getType());
    if (!shape)
      continue;
    size_t i = result.getResultNumber();
    part.values[node.firstResult + i].slot = addSlot(
        result, i < shardings.size() ? shardings[i] : kNoSharding, *shape);
  }
  if (node.numResults == 1)
    return;
  for (SlotId s = first, e = part.slots.size(); s < e; ++s) {
    part.slots[s].firstSibling = first;
    part.slots[s].numSiblings = e - first;
  }
}

} // namespace shardwright
