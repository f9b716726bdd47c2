//===- worklist.h - visit order of ops --------------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The worklist starts with all ops in program order. An op that is added while
// it is not on the list becomes the next one; an op that is on the list keeps
// its place. This is the order of MLIR's greedy driver, which Shardy uses.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PROPAGATE_ENGINE_WORKLIST_H
#define SHARDWRIGHT_PROPAGATE_ENGINE_WORKLIST_H

#include "shardwright/propagate/graph/graph.h"

#include <vector>

namespace shardwright {

class Worklist {
public:
  /// The state of a node, in one byte.
  enum : uint8_t {
    kHasRule = 1,
    /// Clear if the node has users or must be kept.
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
  /// Removes and returns the next node that is not erased; -1 if there is none.
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
