//===- describe.h - what a plan says, in the user's names -------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_AUTO_DESCRIBE_H
#define SHARDWRIGHT_AUTO_DESCRIBE_H

#include "shardwright/auto/auto_shard.h"
#include "shardwright/auto/search.h"

namespace shardwright {

/// Fills `shardings` from the plan, with the best other layouts among those
/// that were tried.
void describePlan(const AutoProblem &problem, mlir::ModuleOp imported,
                  const Plan &plan, Trials &trials, const Objective &objective,
                  AutoResult &result);

/// Fills `shardings` from the user's own annotations.
void describeGiven(const AutoProblem &problem, mlir::ModuleOp imported,
                   AutoResult &result);

} // namespace shardwright

#endif // SHARDWRIGHT_AUTO_DESCRIBE_H
