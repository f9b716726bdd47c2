//===- trial.h - what a plan costs ------------------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A plan is tried by the real pipeline: it is written into a copy of the
// module, which is propagated and partitioned, and whose step and memory are
// predicted. Two plans are tried at a time, on two threads that share nothing
// that changes; results do not depend on threads.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_AUTO_TRIAL_H
#define SHARDWRIGHT_AUTO_TRIAL_H

#include "shardwright/auto/search/blame.h"
#include "shardwright/auto/search/trial_context.h"
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

  /// Tries the plans that have not been tried, two at a time.
  void tryAll(llvm::ArrayRef<const Plan *> plans);
  /// Equal plans are tried once.
  const Trial &of(const Plan &plan);
  /// The plan's trial; null if it has not been tried.
  const Trial *find(const Plan &plan) const;
  /// What the plan's step and memory are spent on. Partitions it once more.
  Blame blame(const Plan &plan);
  /// The trial with the shortest step that takes at most so many bytes, among
  /// all so far; null if there is none.
  const Trial *bestWithin(double bytes) const;
  /// The module as it is, with the user's annotations only.
  Trial asGiven();
  /// Number of partitionings so far.
  int64_t count() const { return numTrials; }
  /// What was spent, in trials: a plan whose shardings propagate to those of an
  /// earlier one is not partitioned again, and counts as a part of a trial.
  int64_t spent() const {
    return numTrials + numBlamed + numEqual / kEqualPerTrial;
  }
  /// A copy of the module with the plan's annotations.
  mlir::OwningOpRef<mlir::ModuleOp> annotated(const Plan &plan) const;
  /// Partitions a module after stage Import, which is changed. Errors go to
  /// the handlers of the context.
  Trial partition(mlir::ModuleOp module);

private:
  /// Tries at most as many plans as there are workers.
  void tryBatch(llvm::ArrayRef<std::pair<const Plan *, Trial *>> batch);
  /// The copies of the module; at least one, made when first needed.
  llvm::ArrayRef<std::unique_ptr<TrialContext>> workers();
  struct Outcome {
    Trial trial;
    /// Of the shardings after propagation; 0 if that failed.
    uint64_t shardings = 0;
    /// The trial is that of an earlier plan with these shardings.
    bool isEqual = false;
  };
  /// Changes only the worker.
  Outcome run(TrialContext &worker, const Plan &plan) const;
  Trial runPipeline(mlir::ModuleOp module, const CompileOptions &how) const;

  /// Propagation's share of a trial.
  static constexpr int64_t kEqualPerTrial = 4;

  mlir::ModuleOp imported;
  const AutoProblem &problem;
  CompileOptions options;
  std::vector<std::unique_ptr<TrialContext>> made;
  std::vector<double> shares;
  std::unordered_map<std::string, Trial> known;
  /// By the shardings after propagation.
  llvm::DenseMap<uint64_t, Trial> byShardings;
  int64_t numTrials = 0, numBlamed = 0, numEqual = 0;
};

} // namespace shardwright

#endif // SHARDWRIGHT_AUTO_TRIAL_H
