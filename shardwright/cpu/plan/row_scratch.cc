//===- row_scratch.cc - rows kept in scratch memory -----------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/plan/kernel_planner.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"

namespace shardwright::cpu {

// A node is kept if several loops over the tail need it, it is expensive, and
// it is not merely a step towards another kept node.
std::vector<RowPlan::Scratch> Planner::chooseScratch(const RowPlan &plan,
                                                     Walk &w) const {
  std::vector<RowPlan::Scratch> scratch;
  int64_t rowElements = product(plan.tail.sizes);
  size_t n = graph.nodes.size();
  int finalLoop = static_cast<int>(plan.levels.size());
  std::vector<uint32_t> loops(n, 0);
  if (finalLoop >= 31 || rowElements > 16384)
    return scratch;
  auto dependsOnTail = [&](int32_t id) {
    for (int32_t index : w.visitor->visits[id])
      for (const IndexExpr &e : w.space.interned(index))
        for (AtomId v : w.tailVars)
          if (w.space.dependsOn(e, v))
            return true;
    return false;
  };
  std::vector<bool> full(n);
  for (size_t i = 0; i < n; ++i)
    full[i] = dependsOnTail(i);
  for (auto [level, reduces] : llvm::enumerate(plan.levels))
    for (int32_t r : reduces)
      for (int32_t o : graph[r].operands)
        loops[o] |= uint32_t(1) << level;
  for (int32_t output : cluster.outputs)
    if (full[valueNode(graph, output)])
      loops[valueNode(graph, output)] |= uint32_t(1) << finalLoop;
  for (int i = static_cast<int>(n) - 1; i >= 0; --i) {
    if (!full[i])
      loops[i] = 0;
    const Node &node = graph[i];
    if (node.op == Op::Reduce || node.op == Op::Proj)
      continue;
    for (int32_t o : node.operands)
      loops[o] |= loops[i];
  }
  std::vector<bool> kept(n, false);
  // True if all users of a node are in the same loops; then the user is kept,
  // not the node.
  auto sameAsUsers = [&](int32_t id) {
    bool any = false;
    for (size_t u = id + 1; u < n; ++u) {
      const Node &user = graph[u];
      if (!llvm::is_contained(user.operands, id) || user.op == Op::Reduce)
        continue;
      if (loops[u] != loops[id])
        return false;
      any = true;
    }
    for (const auto &reduces : plan.levels)
      for (int32_t r : reduces)
        if (llvm::is_contained(graph[r].operands, id))
          return false;
    if (llvm::is_contained(cluster.outputs, id))
      return false;
    return any;
  };
  IndexExpr element =
      w.space.linearize(w.fullIndex(), rowMajorStrides(domain.full()));
  int64_t bytes = 0;
  for (int i = static_cast<int>(n) - 1; i >= 0; --i) {
    const Node &node = graph[i];
    if (llvm::popcount(loops[i]) < 2 || !isElementwise(node.op) ||
        isComplex(node.type) || w.visitor->visits[i].size() != 1 ||
        sameAsUsers(i))
      continue;
    // Scratch holds only rows of the domain, in its element order.
    IndexVector index = w.space.interned(*w.visitor->visits[i].begin());
    if (node.elements() != product(plan.rows.sizes) * rowElements ||
        !(w.space.linearize(index, rowMajorStrides(node.shape)) == element))
      continue;
    // Cost of recomputing: the operations below, down to loads.
    int cost = 0;
    std::vector<int32_t> stack{i};
    std::set<int32_t> seen;
    while (!stack.empty()) {
      int32_t id = stack.back();
      stack.pop_back();
      if (!full[id] || kept[id] || !seen.insert(id).second)
        continue;
      cost += graph[id].op == Op::Param ? 1 : operationCost(graph[id]);
      if (graph[id].op != Op::Reduce && graph[id].op != Op::Proj)
        llvm::append_range(stack, graph[id].operands);
    }
    // Floats are stored as wide as in registers, at least 4 bytes.
    int64_t width = isFloat(node.type)
                        ? std::max<int64_t>(4, byteWidth(node.type))
                        : byteWidth(node.type);
    if (cost < 6 || bytes + width * rowElements > 65536)
      continue;
    bytes += width * rowElements;
    kept[i] = true;
    scratch.push_back({i, llvm::countr_zero(loops[i])});
  }
  return scratch;
}

} // namespace shardwright::cpu
