//===- read_wakes.cc - nodes to visit on a change -------------------------===//
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

/// Adds the node if it has a rule; other nodes are never woken.
void PartBuilder::wake(NodeId node) {
  if (part.nodeRules[node].rule >= 0)
    part.wakes.push_back(node);
}

void PartBuilder::wakeUsers(Value value) {
  for (Operation *user : value.getUsers())
    wake(graph.nodeOf(user));
}

/// True if a use wakes only its own op.
static bool isSimpleUser(OpKind kind) {
  return kind != OpKind::DataFlow && kind != OpKind::Terminator &&
         kind != OpKind::Call;
}

void PartBuilder::wakeUse(OpOperand &use) {
  Operation *user = use.getOwner();
  // The node number is enough for most users, so the op is not read.
  if (NodeId node = graph.nodeOf(user); isSimpleUser(part.nodeRules[node].kind))
    return wake(node);
  Operation *holder =
      user->hasTrait<OpTrait::IsTerminator>() ? user->getParentOp() : user;
  if (body && holder == body->func) {
    // The edge of that result of the call; set when the body is connected to a
    // call.
    body->resultWakes.push_back(
        {int32_t(part.wakes.size()), int32_t(use.getOperandNumber())});
    part.wakes.push_back(-1);
    return;
  }
  NodeId node = graph.nodeOf(holder);
  if (part.nodeRules[node].kind == OpKind::DataFlow) {
    auto op = cast<ShardableDataFlowOpInterface>(holder);
    // Shardy does not wake the edge of a block argument when an operand
    // changes.
    if (auto owner = dyn_cast_or_null<OpResult>(op.getEdgeOwnerFromSource(use)))
      if (DataFlowEdgeOp edge = DataFlowEdgeOp::lookup(owner)) {
        wake(graph.nodeOf(edge));
        return;
      }
    wake(node);
    return;
  }
  if (holder != user) {
    if (auto func = dyn_cast<func::FuncOp>(holder))
      for (func::CallOp call : state.callsOf.lookup(func.getSymNameAttr()))
        if (use.getOperandNumber() < call->getNumResults())
          wakeUsers(call->getResult(use.getOperandNumber()));
    if (!isa<func::FuncOp>(holder))
      wake(node);
    return;
  }
  if (part.nodeRules[node].kind == OpKind::Call) {
    // Spliced bodies have edges for their arguments.
    if (siteOf(user))
      return;
    auto call = cast<func::CallOp>(user);
    func::FuncOp callee = state.funcOf.lookup(call.getCalleeAttr().getAttr());
    if (callee && !callee.isExternal() &&
        use.getOperandNumber() < callee.getNumArguments())
      wakeUsers(callee.getArgument(use.getOperandNumber()));
    return;
  }
  wake(node);
}

/// `definer` is -1 for an argument.
void PartBuilder::addWakes(Value value, ValueId id, NodeId definer) {
  GraphValue &v = part.values[id];
  if (v.notifies != id)
    return;
  NodeId user = lastUser(v);
  v.wakes.begin = part.wakes.size();
  if (definer >= 0)
    wake(definer);
  bool isEdge =
      definer >= 0 && part.nodeRules[definer].kind == OpKind::DataFlowEdge;
  if (!isEdge && v.numUses == 0) {
    // The definer is the only node to wake.
  } else if (!isEdge && v.numUses == 1 &&
             isSimpleUser(part.nodeRules[user].kind)) {
    wake(user);
  } else {
    for (OpOperand &use : value.getUses())
      wakeUse(use);
  }
  if (isEdge) {
    auto edge = cast<DataFlowEdgeOp>(part.nodes[definer].op);
    if (ShardableDataFlowOpInterface op = edgeOwner(edge))
      for (Value target : op.getNonEdgeOwnerTargets(edge.getInput()))
        for (OpOperand &use : target.getUses())
          wakeUse(use);
  }
  v.wakes.end = part.wakes.size();
}

void PartBuilder::addWakes() {
  if (body)
    for (BlockArgument arg : body->func.getArguments())
      addWakes(arg, arg.getArgNumber(), -1);
  forOwnNodes([&](NodeId n, const OwnSite *) {
    Operation *op = part.nodes[n].op;
    for (int32_t i = 0, e = part.nodes[n].numResults; i < e; ++i)
      addWakes(op->getResult(i), part.nodes[n].firstResult + i, n);
    if (part.nodes[n].subtreeEnd == n + 1)
      return;
    for (Region &region : op->getRegions())
      for (Block &block : region) {
        ValueId id = graph.firstArgument.lookup(&block);
        for (Value argument : block.getArguments())
          addWakes(argument, id++, -1);
      }
  });
}

} // namespace shardwright
