//===- improve_assignment.h - integral from fractional ----------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_AUTO_ASSIGN_IMPROVE_ASSIGNMENT_H
#define SHARDWRIGHT_AUTO_ASSIGN_IMPROVE_ASSIGNMENT_H

#include "shardwright/auto/assign/assignment.h"

namespace shardwright {

/// Changes one strategy after the other, to the one that costs least while all
/// others stay, until none saves anything or after a number of passes.
/// Strategies that disagree come to an agreement where there is one. Live sets
/// do not count. Deterministic.
void improveAssignment(const AssignmentProblem &problem,
                       std::vector<int32_t> &strategies);

} // namespace shardwright

#endif // SHARDWRIGHT_AUTO_ASSIGN_IMPROVE_ASSIGNMENT_H
