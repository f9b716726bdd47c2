//===- decide.h - axes that an op computes on -------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Chooses the axes of each factor that minimize the predicted time, given the
// layouts of the op's operands, the wanted layouts of its results, and its
// sharding rule. Value types only; no IR.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_DECIDE_DECIDE_H
#define SHARDWRIGHT_PARTITION_DECIDE_DECIDE_H

#include "shardwright/partition/cost/predicted_seconds.h"
#include "shardwright/partition/decide/factor_axes.h"
#include "shardwright/partition/decide/row_window.h"
#include "shardwright/partition/reshard/partial_sums.h"
#include "shardwright/partition/reshard/reshard_planner.h"

#include <vector>

namespace shardwright {

/// An operand or result of the op.
struct TensorSite {
  llvm::SmallVector<int64_t, 4> shape;
  double elementBytes = 4;
  /// Operands: every layout in which the value exists (same mesh, closed).
  /// Results: the one wanted layout.
  llvm::SmallVector<TensorSharding, 1> layouts;
  /// Operands: the value can be rematerialized in any layout (constants, iota).
  bool isRematerializable = false;
  /// Operands: fraction of the cost of moving it that counts for each run of
  /// the op (amortization factor). A value from outside of a loop moves once,
  /// in front of it.
  double amortization = 1;
  /// The op reads only as many elements of it as its result has.
  bool isReadInPart = false;
  /// Operands: a partial value along DecideProblem::carried.
  bool carriesSum = false;
  /// Operands: the kernel of the op computes the value in the first of its
  /// layouts, so that nothing is read from memory.
  bool isInKernel = false;
  /// Operands: how often the op's kernel moves each of its bytes.
  double reads = 1;
};

/// The kernel of an op, for costs in seconds.
struct OpKernel {
  /// On all elements, and their rate on one device.
  double operations = 0, operationsPerSecond = 1;
  /// The tensor with whose elements the operations grow: operands, then
  /// results; -1: the points of all factors.
  int32_t countedTensor = -1;
  OutputColumns columns;
  /// How often each byte of the results is moved.
  double writes = 1;
  /// Of each operand, at most as many bytes as the results have are read.
  bool readsPart = false;
  /// The result is computed in the kernels of its users.
  bool isFused = false;
  /// Producers of the operands may run in the kernel.
  bool fusesProducers = false;
  bool isLaunched = true;
  /// Takes no time: a view.
  bool isFree = false;
};

/// A factor whose shards need halo rows.
struct FactorWindow {
  int32_t factor = 0;
  int64_t operand = 0, operandDim = 0;
  WindowMap map;
  /// A prefix operation: every shard sends one row to all others.
  bool isScan = false;
  /// Padding rows would change the result, so shards must be even.
  bool isEven = false;
};

/// A candidate: one choice of layouts to compute an op.
struct WeighedWay {
  /// Layouts of the operands and results (before partial sums are reduced).
  llvm::SmallVector<TensorSharding, 3> operands;
  llvm::SmallVector<TensorSharding, 1> results;
  /// In units of CostModel, including local work.
  double cost = 0;
  /// The unit is seconds, because there is a machine.
  bool isSeconds = false;
};

struct DecideProblem {
  const ShardingRule *rule = nullptr;
  llvm::SmallVector<TensorSite, 3> operands;
  llvm::SmallVector<TensorSite, 1> results;
  /// By factor: it must not be sharded, whatever the rule says.
  llvm::SmallVector<bool, 6> keepUnsharded;
  /// By factor: the op also computes on uneven shards along it.
  llvm::SmallVector<bool, 6> mayBeUneven;
  /// Factors with windows; they may be sharded whatever their kind.
  llvm::SmallVector<FactorWindow, 2> windows;
  /// Partial results can be reduced across devices.
  bool canReduce = true;
  /// The op multiplies and adds over all its factors (contractions).
  bool isContraction = false;
  OpKernel kernel;
  /// The kind of the partial values that sharded reduction factors produce;
  /// none if no sharding can name it.
  std::optional<ReductionKind> reduction = ReductionKind::Sum;
  /// Axes along which the op maps partial values to partial values of the same
  /// kind: it commutes with the reduction in the operands that have
  /// `carriesSum`. No factor gets these axes. Sorted.
  UnreducedAxes carried;
  /// If not null: receives every candidate that is evaluated.
  std::vector<WeighedWay> *weighed = nullptr;
  /// Fraction of the cost of a reduction that counts for each run of the op: a
  /// result that a loop only accumulates is reduced after the loop
  /// (delay_reductions.h).
  double sumShare = 1;
  /// Latency of a step in addition to CostModel::alpha; scaled by amortization
  /// for operands.
  double repeated = 0;
  /// Bytes up to which an operand may grow if its amortization is below 1.
  double heldBytes = 0;
};

struct OpDecision {
  FactorAxes factors;
  llvm::SmallVector<TensorSharding, 3> operands;
  /// Layouts before partial sums are reduced.
  llvm::SmallVector<TensorSharding, 1> results;
  /// Axes of the reduction factors, mesh order: each result is a partial sum
  /// along them until it is reduced.
  AxisList reduceAxes;
  /// One per result; empty if the result is wanted unreduced.
  llvm::SmallVector<SumResolution, 1> resolutions;
  /// Of each: the fraction of its cost that counts for each run of the op.
  llvm::SmallVector<double, 1> sumShares;
  double cost = 0;
  /// The parts of the cost that are local work, and exchanges of halo rows.
  double work = 0, halo = 0;
};

/// True if the op can be computed with the factor sharded, along axes that fit.
bool mayShard(const DecideProblem &problem, int32_t factor);

/// True if the factor is one of the output columns of a contraction: in its
/// right operand and its result, not in its left operand.
bool isColumn(const ShardingRule &rule, int32_t factor);

/// Always succeeds: every op can be computed without sharding.
OpDecision decide(const DecideProblem &problem, ReshardPlanner &planner);

/// If the wanted sharding of a result is uneven: uses the sharding of its
/// operands, so that a value keeps its shards from op to op, if they have one;
/// otherwise the longest prefix of the axes that divides the dimension.
void settleUneven(TensorSharding &wanted, const DecideProblem &problem,
                  int64_t result);

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_DECIDE_DECIDE_H
