//===- describe.h - what a plan says, in the user's names -------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_AUTO_DESCRIBE_H
#define SHARDWRIGHT_AUTO_DESCRIBE_H

#include "shardwright/auto/auto_shard.h"
#include "shardwright/auto/search/search.h"

namespace shardwright {

/// Fills `shardings` and the roles of axes from the plan, with the best other
/// layouts among those that were tried, and the constraints that forced each.
void describePlan(const AutoProblem &problem, mlir::ModuleOp imported,
                  const Plan &plan, Trials &trials, const Objective &objective,
                  AutoResult &result);

/// Fills `shardings` from the user's own annotations.
void describeGiven(const AutoProblem &problem, mlir::ModuleOp imported,
                   AutoResult &result);

/// Tries every other place of one axis in the ten largest classes of arguments,
/// within `budget` trials, so that the report can compare them. Takes a better
/// plan where it finds one.
void tryOthers(const AutoProblem &problem, Trials &trials,
               const Objective &objective, int64_t budget, Candidate &best);

/// Calls `visit` with all texts that name mesh axes.
void forEachText(AutoResult &result,
                 llvm::function_ref<void(std::string &)> visit);

} // namespace shardwright

#endif // SHARDWRIGHT_AUTO_DESCRIBE_H
