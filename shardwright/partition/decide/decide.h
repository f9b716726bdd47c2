//===- decide.h - which axes an op computes on ------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Given how the operands of an op lie, how its results are wanted and the op's
// sharding rule: the axes of each factor that make the predicted time smallest.
// Value types only; no IR.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_DECIDE_DECIDE_H
#define SHARDWRIGHT_PARTITION_DECIDE_DECIDE_H

#include "shardwright/partition/decide/factor_axes.h"
#include "shardwright/partition/decide/row_window.h"
#include "shardwright/partition/reshard/partial_sums.h"
#include "shardwright/partition/reshard/reshard_planner.h"

#include <vector>

namespace shardwright {

/// An operand or result of the op to decide on.
struct TensorSite {
  llvm::SmallVector<int64_t, 4> shape;
  double elementBytes = 4;
  /// Operands: every layout in which the value is at hand (same mesh, closed).
  /// Results: the one layout that is wanted.
  llvm::SmallVector<TensorSharding, 1> layouts;
  /// Operands: the value can be made anew in any layout (constants, iota).
  bool isFree = false;
  /// Operands: the part of moving it that is paid each time the op runs. What
  /// comes from outside of a loop moves once, in front of it.
  double moveShare = 1;
  /// The op reads as much of it as its result has.
  bool isReadInPart = false;
  /// Operands: taken as a partial sum along DecideProblem::carried.
  bool carriesSum = false;
};

/// A factor whose shards need rows of their neighbours.
struct FactorWindow {
  int32_t factor = 0;
  int64_t operand = 0, operandDim = 0;
  WindowMap map;
  /// Every shard gives one row to all others, and nothing else travels.
  bool isScan = false;
  /// Rows beyond the end would count: none of the shards may have any.
  bool isEven = false;
};

/// One way to compute an op.
struct WeighedWay {
  /// What the op computes with and makes (partial sums not completed).
  llvm::SmallVector<TensorSharding, 3> operands;
  llvm::SmallVector<TensorSharding, 1> results;
  /// In units of CostModel, local work included.
  double cost = 0;
};

struct DecideProblem {
  const ShardingRule *rule = nullptr;
  llvm::SmallVector<TensorSite, 3> operands;
  llvm::SmallVector<TensorSite, 1> results;
  /// Factors that must stay whole whatever the rule says, by index.
  llvm::SmallVector<bool, 6> keepWhole;
  /// Factors along which the op computes on uneven shards as well, by index.
  llvm::SmallVector<bool, 6> mayBeUneven;
  /// Those among the factors that may be sharded whatever kind they have.
  llvm::SmallVector<FactorWindow, 2> windows;
  /// Partial results can be combined across devices.
  bool canReduce = true;
  /// The op multiplies and adds over all its factors (contractions).
  bool isContraction = false;
  /// Axes along which the op computes on partial sums and gives such: it is
  /// linear in the operands that `carriesSum`. No factor gets them. Sorted.
  AxisList carried;
  /// Not null: receives every way that is thought of.
  std::vector<WeighedWay> *weighed = nullptr;
  /// The part of a sum's cost that is paid each time the op runs: the sum of a
  /// result that a loop only adds up is delayed to its end
  /// (delay_reductions.h).
  double sumShare = 1;
  /// Fixed cost of a step beside that of CostModel::alpha: paid each time the
  /// op runs, or moveShare of it.
  double repeated = 0;
  /// As large may an operand be that moves with a moveShare; one that does not
  /// grow may be larger.
  double heldBytes = 0;
};

struct OpDecision {
  FactorAxes factors;
  llvm::SmallVector<TensorSharding, 3> operands;
  /// As computed, before the completion.
  llvm::SmallVector<TensorSharding, 1> results;
  /// Axes of the reduction factors, mesh order: without completions, each
  /// result is a partial sum along them.
  AxisList reduceAxes;
  /// One a result; empty where it is wanted unreduced.
  llvm::SmallVector<Completion, 1> completions;
  double cost = 0;
};

/// Always finds one: with no axes at all every op can be computed.
OpDecision decide(const DecideProblem &problem, ReshardPlanner &planner);

/// Where the wanted sharding of a result is uneven: what its operands are at
/// hand in, so that a value keeps its shards from op to op; else the leading
/// axes that divide the dimension, if there are any.
void settleUneven(TensorSharding &wanted, const DecideProblem &problem,
                  int64_t result);

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_DECIDE_DECIDE_H
