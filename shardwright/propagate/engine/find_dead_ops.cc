//===- find_dead_ops.cc - find unused ops ---------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/propagate/engine/engine_core.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace shardwright {

/// After an op is erased, the definers of its operands may be dead too.
/// Definers with several other users keep their position in the worklist.
void PropagationEngine::pushDefiners(NodeId n) {
  // In a spliced body, op numbers are relative to its first node.
  int32_t site = graph.siteOf(n);
  NodeId base = site < 0 ? 0 : graph.sites[site].node + 1;
  for (Value operand : graph.nodes[n].op->getOperands()) {
    Operation *definer = operand.getDefiningOp();
    if (!definer)
      continue;
    NodeId d = base + graph.nodeOf(definer);
    if (worklist.is(d, Worklist::kErased))
      continue;
    worklist.state[d] |= Worklist::kMayBeUnused;
    NodeId otherUser = -1;
    bool several = false;
    for (Operation *user : operand.getUsers()) {
      NodeId u = base + graph.nodeOf(user);
      if (u == n || u == otherUser || worklist.is(u, Worklist::kErased))
        continue;
      several |= otherUser >= 0;
      otherUser = u;
    }
    if (!several)
      worklist.push(d);
  }
}

void PropagationEngine::erase(NodeId n) {
  for (NodeId i = graph.nodes[n].subtreeEnd; i-- > n;) {
    if (worklist.is(i, Worklist::kErased))
      continue;
    pushDefiners(i);
    worklist.erase(i);
    const Node &node = graph.nodes[i];
    for (int32_t o = node.firstOperand;
         o < node.firstOperand + node.numOperands; ++o)
      --graph.values[graph.tensorValues[o]].numUses;
  }
  graph.deadNodes.push_back(n);
}

/// True if the op, of the part with these sites, could be erased if it were
/// unused. A call with a spliced body has the effects of the body.
bool PropagationEngine::mayDie(Operation *op, ArrayRef<CallSite> sites) {
  if (graph.bodies.empty())
    return wouldOpBeTriviallyDead(op);
  auto allMayDie = [&](Region &region, ArrayRef<CallSite> sites) {
    return llvm::all_of(region.getOps(), [&](Operation &nested) {
      return nested.hasTrait<OpTrait::IsTerminator>() || mayDie(&nested, sites);
    });
  };
  if (isa<func::CallOp>(op)) {
    const CallSite *site = llvm::lower_bound(
        sites, graph.nodeOf(op),
        [](const CallSite &site, NodeId n) { return site.node < n; });
    if (site == sites.end() || func::CallOp(site->call) != op)
      return false;
    std::optional<bool> &known = bodyMayDie[site->body];
    if (!known) {
      FunctionBody &body = graph.bodies[site->body];
      known = allMayDie(body.func.getBody(), body.sites);
    }
    return *known;
  }
  if (op->getNumRegions() == 0 ||
      !op->hasTrait<OpTrait::HasRecursiveMemoryEffects>())
    return wouldOpBeTriviallyDead(op);
  return llvm::all_of(op->getRegions(),
                      [&](Region &region) { return allMayDie(region, sites); });
}

bool PropagationEngine::eraseIfDead(NodeId n) {
  if (!worklist.is(n, Worklist::kMayBeUnused))
    return false;
  const Node &node = graph.nodes[n];
  for (int32_t i = 0; i < node.numResults; ++i)
    if (graph.values[node.firstResult + i].numUses != 0) {
      worklist.state[n] &= ~Worklist::kMayBeUnused;
      return false;
    }
  int32_t site = graph.bodies.empty() ? -1 : graph.siteOf(n);
  if (!mayDie(node.op, site < 0 ? ArrayRef<CallSite>(graph.sites)
                                : graph.bodies[graph.sites[site].body].sites)) {
    worklist.state[n] &= ~Worklist::kMayBeUnused;
    return false;
  }
  erase(n);
  return true;
}

} // namespace shardwright
