//===- engine_core.h - the state of one propagation -------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The engine's parts, one file each:
//
//   engine         the loops over priorities, set-up and clean-up
//   take_steps     one visit of an op, and the nodes that it adds to the
//   worklist find_dead_ops  removal of unused ops from the worklist
//   tell_observer  reports to the observer
//
// The data that the loops read often is copied from the graph into separate
// arrays, a few bytes per op, so that more of a large module fits into the
// caches.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PROPAGATE_ENGINE_ENGINE_CORE_H
#define SHARDWRIGHT_PROPAGATE_ENGINE_ENGINE_CORE_H

#include "shardwright/propagate/engine/engine.h"
#include "shardwright/propagate/engine/step_cache.h"
#include "shardwright/propagate/engine/worklist.h"
#include "shardwright/propagate/graph/graph.h"

#include <array>
#include <optional>

namespace shardwright {

class PropagationEngine {
public:
  PropagationEngine(const EngineOptions &options, PropagationGraph &graph)
      : options(options), graph(graph), shardings(graph.shardings),
        cache(graph.steps) {}

  void run();
  /// Reports the final shardings of each rule's tensors to the observer.
  void reportEnd();

private:
  void runPriority();
  void propagate();
  void syncFuncResults();
  /// Requires a rule and some direction.
  void visit(NodeId n, FactorDirections directions);
  FactorDirections directionsOf(NodeId n) const {
    const NodeRule &node = graph.nodeRules[n];
    if (node.schedule == Schedule::Fixed)
      return {node.fixedDirection, node.fixedDirection};
    if (waitForOtherUses(node.schedule) && !operandsHaveOneUse(n))
      return {Direction::None, Direction::None};
    return scheduled[size_t(node.schedule)];
  }
  /// True if ops with this schedule are not propagated yet if an operand has
  /// other uses.
  bool waitForOtherUses(Schedule schedule) const {
    return level == 0 && (schedule == Schedule::PassThroughOp ||
                          schedule == Schedule::ForwardFirst);
  }
  void setLevel(int32_t next);
  bool operandsHaveOneUse(NodeId n) const;
  llvm::ArrayRef<StepCache::Change> step(RuleId rule,
                                         llvm::ArrayRef<ShardingId> ids,
                                         FactorDirections directions,
                                         bool isElementwise, bool conservative);
  /// The shardings are the first `numTensors` numbers of `key`, to which the
  /// other inputs of the step are added.
  llvm::ArrayRef<StepCache::Change> stepOfKey(RuleId rule, int32_t numTensors,
                                              FactorDirections directions,
                                              bool isElementwise,
                                              bool conservative);
  void setSlot(SlotId slot, ShardingId id);
  /// Sets the sharding of a value and of its group, and wakes neighbours.
  void update(ValueId value, ShardingId id, NodeId by);
  void wake(ValueId value, NodeId by);
  mlir::Value holderOf(ValueId value) const;
  llvm::SmallVector<mlir::Value> holdersOf(const NodeRule &node) const;
  llvm::SmallVector<const TensorSharding *>
  resolve(llvm::ArrayRef<ShardingId> ids) const;
  llvm::SmallVector<ShardingId, 8> shardingsOf(NodeId n);
  PropagationEvent eventOf(ShardingId after) const;
  void report(mlir::Operation *op, llvm::ArrayRef<mlir::Value> values,
              const FuncResult *result, RuleId rule, int32_t tensor,
              llvm::ArrayRef<ShardingId> before, ShardingId after);
  void reportGroup(ValueId member, ValueId from, ShardingId before,
                   ShardingId after);
  bool eraseIfDead(NodeId n);
  void erase(NodeId n);
  void pushDefiners(NodeId n);
  bool mayDie(mlir::Operation *op, llvm::ArrayRef<CallSite> sites);

  static constexpr int32_t kNumOpPriorities = 5;

  /// The last visit of each node and its directions. A node whose slots have
  /// not changed since need not be visited in the same directions. Time is
  /// counted in visits.
  struct LastVisit {
    int32_t time = 0;
    FactorDirections directions{Direction::None, Direction::None};
    Strategy strategy = Strategy::Aggressive;
  };
  /// The graph's `current`, until storeShardings().
  struct SlotState {
    ShardingId sharding;
    int32_t changedAt : 31;
    bool hasSiblings : 1;
  };

  void loadStates();
  void storeShardings();

  const EngineOptions &options;
  PropagationGraph &graph;
  ShardingTable &shardings;

  /// By node.
  std::vector<LastVisit> visits;
  /// By rule: true if all of its factors are pass-through.
  std::vector<char> onlyPassThrough;
  std::vector<SlotState> slots;
  Worklist worklist;

  StepCache &cache;
  /// The inputs of the step that is taken: a member because most visits end
  /// with a look into the cache, and an allocation would cost as much.
  llvm::SmallVector<int32_t, 16> key;
  FactorPropagation factors;

  Strategy strategy = Strategy::Aggressive;
  StepOptions lastStep; ///< for observers; without mesh
  /// -1: no op priorities.
  int32_t level = -1;
  /// By schedule except Fixed, for this level.
  std::array<FactorDirections, size_t(Schedule::Fixed) + 1> scheduled;
  int64_t userPriority = 0;
  int32_t now = 1;
  /// By body; computed on demand.
  std::vector<std::optional<bool>> bodyMayDie;
};

} // namespace shardwright

#endif // SHARDWRIGHT_PROPAGATE_ENGINE_ENGINE_CORE_H
