//===- user_priority.h - dimensions that wait for their turn ----*- C++ -*-===//
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

/// Until its priority comes, a dimension is empty and closed and its axes are
/// replicated, so that nobody takes them:
///
///   [{"a"}, {"b", ?}p1]   ->   [{"a"}, {}], replicated={"b"}
class UserPriorities {
public:
  struct Level {
    int64_t priority = 0;
    /// Slots with a dimension of this priority, and what the user wrote.
    std::vector<std::pair<SlotId, ShardingId>> slots;
  };

  /// Puts every dimension with a priority above 0 to sleep.
  explicit UserPriorities(PropagationGraph &graph);

  /// Ascending, priority 0 left out.
  llvm::ArrayRef<Level> levels() const { return all; }

  /// Gives the dimensions of this level their axes back; calls set(slot, id).
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
