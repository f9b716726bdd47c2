//===- solved_assignments.h - assignments are solved once -------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A planner asks for equal assignments again: the first axis has the same
// problem for each memory limit, and so have later ones, where earlier ones
// were decided alike.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_AUTO_ASSIGN_SOLVED_ASSIGNMENTS_H
#define SHARDWRIGHT_AUTO_ASSIGN_SOLVED_ASSIGNMENTS_H

#include "shardwright/auto/assign/assignment.h"

#include <map>

namespace shardwright {

/// Not thread-safe.
class SolvedAssignments {
public:
  /// As solveAssignment().
  AssignmentSolution solve(const AssignmentProblem &problem,
                           const SolverLimits &limits);
  /// Number of assignments that were solved.
  size_t size() const { return known.size(); }

private:
  /// By 128 bits of a hash of the problem and the limits.
  std::map<std::pair<uint64_t, uint64_t>, AssignmentSolution> known;
};

} // namespace shardwright

#endif // SHARDWRIGHT_AUTO_ASSIGN_SOLVED_ASSIGNMENTS_H
