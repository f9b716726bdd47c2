//===- worklist.h - which ops are visited, and in what order ----*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All ops wait from the start and come in program order; an op woken while it
// does not wait comes next. One that already waits keeps its place. (Shardy
// runs on MLIR's greedy driver, whose order this is.)
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PROPAGATE_ENGINE_WORKLIST_H
#define SHARDWRIGHT_PROPAGATE_ENGINE_WORKLIST_H

#include "shardwright/propagate/graph/graph.h"

#include <vector>

namespace shardwright {

class Worklist {
public:
  /// What is to be known of a node, in one byte.
  enum : uint8_t {
    kHasRule = 1,
    /// Off where something uses the node, or it must stay anyway.
    kMayBeUnused = 2,
    kToVisit = kHasRule | kMayBeUnused,
    kWaits = 4,
    kErased = 8,
  };
  std::vector<uint8_t> state;

  bool is(NodeId n, uint8_t what) const { return state[n] & what; }

  void reset() {
    for (uint8_t &s : state)
      s |= kWaits;
    cursor = 0;
    woken.clear();
  }
  void push(NodeId n) {
    if (state[n] & (kWaits | kErased))
      return;
    state[n] |= kWaits;
    woken.push_back(n);
  }
  void erase(NodeId n) { state[n] = (state[n] & ~kWaits) | kErased; }
  /// A node to visit, no erased one; -1 when there are none.
  NodeId pop() {
    while (!woken.empty()) {
      NodeId n = woken.pop_back_val();
      if (take(n))
        return n;
    }
    for (NodeId e = state.size(); cursor < e;) {
      NodeId n = cursor++;
      if (take(n))
        return n;
    }
    return -1;
  }

private:
  bool take(NodeId n) {
    uint8_t before = state[n];
    state[n] = before & ~kWaits;
    return (before & kWaits) && (before & kToVisit) && !(before & kErased);
  }

  NodeId cursor = 0;
  llvm::SmallVector<NodeId> woken;
};

} // namespace shardwright

#endif // SHARDWRIGHT_PROPAGATE_ENGINE_WORKLIST_H
