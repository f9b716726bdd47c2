//===- user_priority.h - dimensions with user priorities --------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PROPAGATE_GRAPH_USER_PRIORITY_H
#define SHARDWRIGHT_PROPAGATE_GRAPH_USER_PRIORITY_H

#include "shardwright/propagate/graph/graph.h"

#include <map>

namespace shardwright {

/// Hides dimensions with a priority until that priority is active. Until then
/// such a dimension is empty and closed, and its axes are replicated, so that
/// no other dimension can use them:
///
///   [{"a"}, {"b", ?}p1]   ->   [{"a"}, {}], replicated={"b"}
class UserPriorities {
public:
  struct Level {
    int64_t priority = 0;
    /// Slots with a dimension of this priority, and their original shardings.
    std::vector<std::pair<SlotId, ShardingId>> slots;
  };

  /// Hides every dimension with a priority above 0.
  explicit UserPriorities(PropagationGraph &graph);

  /// Ascending, priority 0 left out.
  llvm::ArrayRef<Level> levels() const { return all; }

  /// Restores the axes of the dimensions of this priority with set(slot, id).
  void activate(const Level &level,
                llvm::function_ref<void(SlotId, ShardingId)> set) const;

private:
  ShardingId putToSleep(ShardingId original,
                        llvm::SmallVectorImpl<int64_t> &priorities) const;

  PropagationGraph &graph;
  std::vector<Level> all;
};

} // namespace shardwright

#endif // SHARDWRIGHT_PROPAGATE_GRAPH_USER_PRIORITY_H
