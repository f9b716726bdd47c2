//===- assignment.h - layouts along one mesh axis ---------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Chooses a strategy for each op along one mesh axis, so that the seconds of
// ops and moves are least and the live sets fit in memory:
//
//   s(c, w)     choice c takes strategy w; one per choice
//   x(v, l)     value v is made in layout l: the sum of strategies that do so
//   y(v, l)     v is at hand in l, because a strategy needs it so
//   z(v, l, m)  v moves from the layout l in which it is made to m
//
// A move is paid once, however many strategies need its result. A replicated
// value is sliced for nothing. Value types; no IR.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_AUTO_ASSIGN_ASSIGNMENT_H
#define SHARDWRIGHT_AUTO_ASSIGN_ASSIGNMENT_H

#include "shardwright/auto/assign/assignment_solver.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <vector>

namespace shardwright {

/// The dimension that an axis shards, or one of these.
using AxisLayout = int8_t;
inline constexpr AxisLayout kReplicatedLayout = -1;
/// Every device along the axis holds a summand.
inline constexpr AxisLayout kPartialLayout = -2;

struct LayoutOfValue {
  int32_t value = 0;
  AxisLayout layout = kReplicatedLayout;
  friend auto operator<=>(const LayoutOfValue &,
                          const LayoutOfValue &) = default;
};

struct AssignmentStrategy {
  /// A value occurs once in each list, except in `needs`, where it may be
  /// needed in several layouts.
  llvm::SmallVector<LayoutOfValue, 4> needs;
  llvm::SmallVector<LayoutOfValue, 2> makes;
  double seconds = 0;
};

/// One strategy of them is taken.
struct AssignmentChoice {
  std::vector<AssignmentStrategy> strategies;
};

/// Seconds of moves of a value, for all its runs in a step.
struct AssignmentValue {
  double gather = 0;    ///< a dimension to replicated
  double exchange = 0;  ///< a dimension to another
  double allReduce = 0; ///< partial to replicated
  double scatter = 0;   ///< partial to a dimension

  /// Infinite if it cannot move so.
  double moveSeconds(AxisLayout from, AxisLayout to) const;
  /// The cheapest moves to all of `wanted`, which is sorted and does not have
  /// `made`; `throughReplicated`: as slices of the replicated value.
  double copySeconds(AxisLayout made, llvm::ArrayRef<AxisLayout> wanted,
                     bool &throughReplicated) const;
};

/// Values that are in memory at the same time.
struct LiveSet {
  struct Held {
    int32_t value = 0;
    /// Bytes as it is made, and of a copy in another layout; if replicated
    /// along the axis.
    double bytes = 0, copyBytes = 0;
  };
  std::vector<Held> held;
  /// Where in the program it is; -1: unknown.
  int32_t place = -1;
};

struct AssignmentProblem {
  /// Devices along the axis.
  int64_t shards = 1;
  std::vector<AssignmentValue> values;
  /// Each value is made by one choice or more, which must agree, in every of
  /// their strategies.
  std::vector<AssignmentChoice> choices;
  std::vector<LiveSet> liveSets;
  /// Bytes that a live set may take.
  double limit = LinearProgram::infinity;
};

struct AssignmentSolution {
  LinearSolution::Status status = LinearSolution::Status::NoSolver;
  /// By choice: the strategy. Empty if there is no solution.
  std::vector<int32_t> strategies;
  /// By value.
  std::vector<AxisLayout> made;
  /// What is at hand beside `made`, by value; also `made` itself if it is
  /// partial and read so.
  std::vector<LayoutOfValue> copies;
  double seconds = 0;
  /// No assignment takes less; minus infinity if it is unknown.
  double bound = -LinearProgram::infinity;
  /// By live set: seconds that one byte more saves, by the relaxation. Empty if
  /// it is unknown.
  std::vector<double> secondsPerByte;

  bool works() const { return !strategies.empty(); }
};

/// Where a limit ends the search without a solution, and there are no live
/// sets, the solution is the rounded relaxation.
AssignmentSolution solveAssignment(const AssignmentProblem &problem,
                                   const SolverLimits &limits);

/// The cost of these strategies with the cheapest moves, as the solver counts
/// it; fills all fields but `status`, `bound` and `secondsPerByte`. Infinite
/// seconds if choices disagree or a value cannot move so.
AssignmentSolution evaluateAssignment(const AssignmentProblem &problem,
                                      std::vector<int32_t> strategies);

/// Rounds all costs to multiples of a power of two that is some 2^-40 of the
/// largest. Sums of such costs are exact, so that strategies of equal cost are
/// equal in whatever order, and by whatever processor, costs are added.
void roundCosts(AssignmentProblem &problem);

/// Instead of a limit: what is in the live set costs so many seconds a byte.
void addPrice(AssignmentProblem &problem, const LiveSet &set,
              double secondsPerByte);

/// Bytes that a live set takes under a solution.
double liveBytes(const AssignmentProblem &problem, const LiveSet &set,
                 const AssignmentSolution &solution);

} // namespace shardwright

#endif // SHARDWRIGHT_AUTO_ASSIGN_ASSIGNMENT_H
