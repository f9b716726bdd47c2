//===- axis_planner.h - the assignment of one axis --------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes the assignment problem of one axis of a program, given what the other
// axes do, and reads its solution.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_AUTO_ASSIGN_AXIS_PLANNER_H
#define SHARDWRIGHT_AUTO_ASSIGN_AXIS_PLANNER_H

#include "shardwright/auto/assign/assignment.h"
#include "shardwright/auto/assign/program_model.h"

namespace shardwright {

/// What each axis does: by class of values and of ops, and axis.
struct AxisDecisions {
  std::vector<llvm::SmallVector<AxisLayout, 4>> made;
  /// As `made`, but of a partial value the layout into which it is reduced.
  std::vector<llvm::SmallVector<AxisLayout, 4>> reduced;
  std::vector<AxisFactors> factors;
};

class AxisPlanner {
public:
  /// What `decisions` say about `axis` is ignored.
  AxisPlanner(const PlannerInput &input, const ProgramModel &model,
              const StrategyMaker &maker, const AxisDecisions &decisions,
              int32_t axis);

  /// Without live sets and limit.
  AssignmentProblem &get() { return problem; }
  /// Writes the solution into the decisions for the axis.
  void apply(const AssignmentSolution &solution,
             AxisDecisions &decisions) const;
  /// Of the ops under a solution, without moves.
  double kernelSeconds(const AssignmentSolution &solution) const;
  /// Bytes of a value of the class, as the other axes shard it.
  double localBytes(int32_t value) const { return bytes[value]; }

private:
  void readValue(int32_t value);
  void addOp(const OpClass &op, int32_t index);
  void addFixed(const OpClass &op);
  void addEdge(const EdgeClass &edge);
  void addMissingMakers();
  /// Adds a strategy, and others for layouts in which its results may be.
  void addStrategies(const OpClass &op, const OpStrategy &strategy,
                     double kernel, AssignmentChoice &choice,
                     std::vector<std::pair<int32_t, double>> &origin);
  bool mayBe(int32_t value, AxisLayout layout) const;
  /// Drops strategies that compute the same on all devices where a factor could
  /// have the axis for less.
  void dropRepeatedWork();

  const PlannerInput &input;
  const ProgramModel &model;
  const StrategyMaker &maker;
  const AxisDecisions &decisions;
  int32_t axis;
  AssignmentProblem problem;
  /// By value: bytes, and layouts in which it may be made.
  std::vector<double> bytes;
  std::vector<llvm::SmallVector<AxisLayout, 6>> layouts;
  /// By choice and strategy: the factor, and the kernels' seconds. Choices of
  /// ops come first, in their order.
  std::vector<std::vector<std::pair<int32_t, double>>> origins;
};

} // namespace shardwright

#endif // SHARDWRIGHT_AUTO_ASSIGN_AXIS_PLANNER_H
