//===- fusion_order.cc - incremental topological order --------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/fusion/fusion_order.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

namespace shardwright::cpu {

// Nodes are numbered in program order. An operation is placed after its inputs,
// and an ordered operation after the previous ordered one; both precede its
// results.
FusionOrder::FusionOrder(const BlockGraph &block)
    : numNodes(block.graph.nodes.size()),
      places(block.graph.nodes.size() + block.opaque.size()) {
  /// Pairs of (preceding node, operation).
  std::vector<std::pair<int32_t, int32_t>> operations;
  int32_t ordered = -1;
  for (auto [i, opaque] : llvm::enumerate(block.opaque)) {
    int32_t after = -1;
    for (int32_t input : opaque.inputs)
      after = std::max(after, input);
    if (opaque.ordered)
      ordered = after = std::max(after, ordered);
    operations.push_back({after, int32_t(i)});
  }
  llvm::sort(operations);
  auto next = operations.begin();
  auto add = [&](int32_t item) {
    places[item] = steps.size();
    steps.push_back({item});
  };
  for (int32_t node = -1; node < numNodes; ++node) {
    if (node >= 0)
      add(node);
    for (; next != operations.end() && next->first == node; ++next)
      add(numNodes + next->second);
  }
}

void FusionOrder::join(llvm::ArrayRef<int32_t> nodes,
                       llvm::ArrayRef<int32_t> laterNodes,
                       llvm::ArrayRef<int32_t> laterOpaque) {
  int32_t last = 0;
  for (int32_t node : nodes)
    last = std::max(last, places[node]);
  llvm::SmallVector<int32_t, 1> joined(nodes);
  // Steps that must move behind the joined step, in their order.
  std::vector<int32_t> later;
  for (int32_t node : laterNodes)
    later.push_back(places[node]);
  for (int32_t i : laterOpaque)
    later.push_back(places[numNodes + i]);
  llvm::sort(later);
  later.erase(llvm::unique(later), later.end());
  for (int32_t node : nodes) {
    auto &step = steps[places[node]];
    step.erase(llvm::find(step, node));
  }

  auto put = [&](int32_t place, llvm::SmallVector<int32_t, 1> step) {
    for (int32_t item : step)
      places[item] = place;
    steps[place] = std::move(step);
  };
  if (later.empty()) {
    // The step at `last` is one of `nodes`, or is empty.
    put(last, std::move(joined));
    return;
  }
  std::vector<llvm::SmallVector<int32_t, 1>> moved;
  for (int32_t place : later)
    moved.push_back(std::move(steps[place]));
  int32_t to = later.front();
  auto isLater = later.begin();
  for (int32_t place = later.front(); place <= last; ++place) {
    if (isLater != later.end() && *isLater == place) {
      ++isLater;
      continue;
    }
    if (!steps[place].empty()) {
      if (place != to)
        put(to, std::move(steps[place]));
      ++to;
    }
  }
  put(to++, std::move(joined));
  for (auto &step : moved)
    put(to++, std::move(step));
  for (; to <= last; ++to)
    steps[to].clear();
}

} // namespace shardwright::cpu
