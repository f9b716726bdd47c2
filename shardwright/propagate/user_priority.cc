//===- user_priority.cc - dimensions that wait for their turn -------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/propagate/user_priority.h"

#include "llvm/ADT/STLExtras.h"

namespace shardwright {

UserPriorities::UserPriorities(PropagationGraph &graph) : graph(graph) {
  std::map<int64_t, Level> byPriority;
  for (auto [slotId, current] : llvm::enumerate(graph.current)) {
    if (current == kNoSharding)
      continue;
    ShardingId original = current;
    TensorSharding asleep = graph.shardings.get(original);
    llvm::SmallVector<int64_t, 2> seen;
    for (DimSharding &dim : asleep.dims) {
      int64_t priority = dim.priority.value_or(0);
      dim.priority.reset();
      if (priority <= 0)
        continue;
      if (!llvm::is_contained(seen, priority))
        seen.push_back(priority);
      asleep.replicated.append(dim.axes.begin(), dim.axes.end());
      dim.axes.clear();
      dim.isClosed = true;
    }
    for (int64_t priority : seen)
      byPriority[priority].slots.push_back({SlotId(slotId), original});
    if (!seen.empty())
      llvm::sort(asleep.replicated);
    current = graph.shardings.add(graph.shardings.meshOf(original), asleep);
  }
  for (auto &[priority, level] : byPriority) {
    level.priority = priority;
    all.push_back(std::move(level));
  }
}

void UserPriorities::activate(
    const Level &level,
    llvm::function_ref<void(SlotId, ShardingId)> set) const {
  for (auto [slot, original] : level.slots) {
    ShardingId id = graph.current[slot];
    TensorSharding awake = graph.shardings.get(id);
    const TensorSharding &wanted = graph.shardings.get(original);
    for (auto [dim, wantedDim] : llvm::zip_equal(awake.dims, wanted.dims)) {
      if (wantedDim.priority.value_or(0) != level.priority)
        continue;
      dim.axes = wantedDim.axes;
      dim.isClosed = wantedDim.isClosed;
      for (AxisRef axis : wantedDim.axes)
        if (auto *it = llvm::find(awake.replicated, axis);
            it != awake.replicated.end())
          awake.replicated.erase(it);
    }
    set(slot, graph.shardings.add(graph.shardings.meshOf(id), awake));
  }
}

} // namespace shardwright
