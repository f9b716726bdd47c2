//===- order_units.cc - topological order of units ------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/fusion/fusion.h"

#include "llvm/ADT/STLExtras.h"

#include <queue>

namespace shardwright::cpu {

std::vector<Unit> orderUnits(const BlockGraph &block, std::vector<Unit> units) {
  auto n = static_cast<int32_t>(units.size());
  std::vector<int32_t> makerOf(block.graph.nodes.size(), -1);
  std::vector<int64_t> place(n, 0);
  for (int32_t u = 0; u < n; ++u) {
    const Unit &unit = units[u];
    for (int32_t o : unit.outputs) {
      makerOf[o] = u;
      place[u] = std::max<int64_t>(place[u], 2 * o + 1);
    }
    for (int32_t i : unit.inputs)
      place[u] = std::max<int64_t>(place[u], 2 * i);
  }
  std::vector<std::vector<int32_t>> after(n);
  std::vector<int32_t> waiting(n, 0);
  auto depend = [&](int32_t from, int32_t to) {
    if (from < 0 || from == to)
      return;
    after[from].push_back(to);
    ++waiting[to];
  };
  int32_t lastOrdered = -1;
  std::vector<int32_t> orderedUnits;
  for (int32_t u = 0; u < n; ++u) {
    for (int32_t i : units[u].inputs)
      if (i >= 0)
        depend(makerOf[i], u);
    if (units[u].kind == Unit::Kind::Opaque &&
        block.opaque[units[u].opaque].ordered)
      orderedUnits.push_back(u);
  }
  llvm::sort(orderedUnits, [&](int32_t a, int32_t b) {
    return units[a].opaque < units[b].opaque;
  });
  for (int32_t u : orderedUnits) {
    depend(lastOrdered, u);
    lastOrdered = u;
  }
  using Entry = std::pair<int64_t, int32_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> ready;
  for (int32_t u = 0; u < n; ++u)
    if (!waiting[u])
      ready.push({place[u], u});
  std::vector<Unit> sorted;
  while (!ready.empty()) {
    int32_t u = ready.top().second;
    ready.pop();
    sorted.push_back(std::move(units[u]));
    for (int32_t v : after[u])
      if (--waiting[v] == 0)
        ready.push({place[v], v});
  }
  return sorted;
}

} // namespace shardwright::cpu
