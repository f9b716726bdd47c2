//===- planner.h - layouts of a whole program -------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Decides one mesh axis after the other, the largest first: an assignment each
// (assignment.h), within the memory limit times the devices along the axes that
// are still to come. Then each axis again while all others stay, as long as
// that saves time. With a limit also so that each axis alone makes room, and in
// the reverse order where the program is small; the best of these stays.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_AUTO_ASSIGN_PLANNER_H
#define SHARDWRIGHT_AUTO_ASSIGN_PLANNER_H

#include "shardwright/auto/assign/live_ranges.h"
#include "shardwright/auto/assign/solved_assignments.h"

namespace shardwright {

struct PlannedLayouts {
  /// False: there is no solution. `missing` says why.
  bool works = false;
  std::string missing;
  /// By class of values and axis (indices in ProgramModel::values and
  /// PlannerInput::axes).
  std::vector<llvm::SmallVector<AxisLayout, 4>> made;
  /// As `made`, but of a partial value the layout into which it is reduced.
  std::vector<llvm::SmallVector<AxisLayout, 4>> reduced;
  /// By class of ops and axis: what the axis is used for.
  std::vector<AxisFactors> factors;
  /// What the model predicts for a step: seconds, and bytes of a device.
  double seconds = 0, peak = 0;
  /// No layouts take less seconds in this model; minus infinity if it is
  /// unknown. Known for one axis.
  double bound = -LinearProgram::infinity;
  /// Seconds that a byte more of memory saves.
  double secondsPerByte = 0;
};

/// Not thread-safe.
class Planner {
public:
  /// The machine must outlive the planner. Effort 0 decides the axes of large
  /// programs once, in one order.
  Planner(PlannerInput input, const MachineModel &machine, int effort = 1);

  /// `limit`: bytes of a device; may be infinite.
  PlannedLayouts plan(double limit) const;
  const ProgramModel &getModel() const { return model; }
  int getEffort() const { return effort; }

private:
  /// Axes in the order in which they are decided.
  llvm::SmallVector<int32_t, 4> axisOrder() const;

  PlannerInput input;
  const MachineModel &machine;
  int effort;
  OpCosts costs;
  ProgramModel model;
  LiveRanges ranges;
  StrategyMaker maker;
  SolverLimits limits;
  mutable SolvedAssignments solved;
};

} // namespace shardwright

#endif // SHARDWRIGHT_AUTO_ASSIGN_PLANNER_H
