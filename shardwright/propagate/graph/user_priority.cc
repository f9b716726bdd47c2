//===- user_priority.cc - dimensions with user priorities -----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/propagate/graph/user_priority.h"

#include "llvm/ADT/STLExtras.h"

namespace shardwright {

UserPriorities::UserPriorities(PropagationGraph &graph) : graph(graph) {
  std::map<int64_t, Level> byPriority;
  // By sharding, since many values share one.
  struct Known {
    ShardingId asleep = kNoSharding;
    llvm::SmallVector<int64_t, 2> priorities;
  };
  std::vector<Known> known;
  for (auto [slotId, current] : llvm::enumerate(graph.current)) {
    if (current == kNoSharding)
      continue;
    ShardingId original = current;
    if (original >= ShardingId(known.size()))
      known.resize(original + 1);
    Known &entry = known[original];
    if (entry.asleep == kNoSharding)
      entry.asleep = putToSleep(original, entry.priorities);
    for (int64_t priority : entry.priorities)
      byPriority[priority].slots.push_back({SlotId(slotId), original});
    current = entry.asleep;
  }
  for (auto &[priority, level] : byPriority) {
    level.priority = priority;
    all.push_back(std::move(level));
  }
}

/// The sharding before its priorities are active; appends these priorities.
ShardingId
UserPriorities::putToSleep(ShardingId original,
                           llvm::SmallVectorImpl<int64_t> &priorities) const {
  TensorSharding asleep = graph.shardings.get(original);
  for (DimSharding &dim : asleep.dims) {
    int64_t priority = dim.priority.value_or(0);
    dim.priority.reset();
    if (priority <= 0)
      continue;
    if (!llvm::is_contained(priorities, priority))
      priorities.push_back(priority);
    asleep.replicated.append(dim.axes.begin(), dim.axes.end());
    dim.axes.clear();
    dim.isClosed = true;
  }
  if (!priorities.empty())
    llvm::sort(asleep.replicated);
  return graph.shardings.add(graph.shardings.meshOf(original), asleep);
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
