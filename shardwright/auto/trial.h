//===- trial.h - what a plan costs ------------------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A plan is tried by the real pipeline: it is written into a copy of the
// module, which is propagated and partitioned, and whose step and memory are
// predicted.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_AUTO_TRIAL_H
#define SHARDWRIGHT_AUTO_TRIAL_H

#include "shardwright/auto/plan.h"
#include "shardwright/compile/compile.h"

#include <string>
#include <unordered_map>

namespace shardwright {

struct Trial {
  /// False: the module cannot be partitioned so.
  bool works = false;
  StepTime step;
  /// Bytes of memory of a device, and bytes that it sends in a step.
  double peak = 0, sent = 0;

  double seconds() const { return step.total(); }
};

class Trials {
public:
  /// `imported` has passed stage Import and is not changed. Both must outlive
  /// the trials.
  Trials(mlir::ModuleOp imported, const AutoProblem &problem,
         CompileOptions options);

  /// Equal plans are tried once.
  const Trial &of(const Plan &plan);
  /// The plan's trial; null if it has not been tried.
  const Trial *find(const Plan &plan) const;
  /// The module as it is, with the user's annotations only.
  Trial asGiven();
  /// Number of partitionings so far.
  int64_t count() const { return numTrials; }
  /// A copy of the module with the plan's annotations.
  mlir::OwningOpRef<mlir::ModuleOp> annotated(const Plan &plan) const;
  /// Partitions a module after stage Import, which is changed. Errors go to
  /// the handlers of the context.
  Trial partition(mlir::ModuleOp module);

private:
  mlir::ModuleOp imported;
  const AutoProblem &problem;
  CompileOptions options;
  std::unordered_map<std::string, Trial> known;
  int64_t numTrials = 0;
};

} // namespace shardwright

#endif // SHARDWRIGHT_AUTO_TRIAL_H
