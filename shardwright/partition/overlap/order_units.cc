//===- order_units.cc - order of kernels and ops --------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/overlap/fuse_kernels.h"

#include <queue>

namespace shardwright {

using Kind = KernelNode::Kind;

std::vector<FusedUnit> inOrder(const KernelNodes &graph,
                               std::vector<FusedUnit> all) {
  auto node = [&](int32_t id) -> const KernelNode & { return graph.nodes[id]; };
  auto count = int32_t(all.size());
  std::vector<int32_t> maker(graph.nodes.size(), -1);
  auto makerOf = [&](int32_t id) {
    return maker[node(id).kind == Kind::Result ? node(id).operands[0] : id];
  };
  std::vector<int64_t> place(count, 0);
  for (int32_t u = 0; u < count; ++u) {
    for (int32_t o : all[u].outputs) {
      maker[o] = u;
      place[u] = std::max(place[u], 2 * int64_t(o) + 1);
    }
    for (int32_t i : all[u].inputs)
      place[u] = std::max(place[u], 2 * int64_t(i));
  }
  std::vector<llvm::SmallVector<int32_t, 4>> after(count);
  std::vector<int32_t> waiting(count, 0);
  int32_t lastOrdered = -1;
  auto depend = [&](int32_t from, int32_t to) {
    if (from < 0 || from == to)
      return;
    after[from].push_back(to);
    ++waiting[to];
  };
  for (int32_t u = count; u-- > 0;) { // in program order of ops
    for (int32_t i : all[u].inputs)
      depend(makerOf(i), u);
    if (node(all[u].root).isOrdered) {
      depend(lastOrdered, u);
      lastOrdered = u;
    }
  }
  using Entry = std::pair<int64_t, int32_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> ready;
  for (int32_t u = 0; u < count; ++u)
    if (!waiting[u])
      ready.push({place[u], u});
  std::vector<FusedUnit> sorted;
  while (!ready.empty()) {
    int32_t u = ready.top().second;
    ready.pop();
    sorted.push_back(std::move(all[u]));
    for (int32_t v : after[u])
      if (--waiting[v] == 0)
        ready.push({place[v], v});
  }
  // A cycle that the bounded search did not see: keep the order of the program.
  if (sorted.size() < all.size())
    for (int32_t u = count; u-- > 0;)
      if (waiting[u] > 0)
        sorted.push_back(std::move(all[u]));
  return sorted;
}

} // namespace shardwright
