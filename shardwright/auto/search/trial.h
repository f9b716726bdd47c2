//===- trial.h - what a plan costs ------------------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A plan is tried by the real pipeline: it is written into a copy of the
// module, which is propagated and partitioned, and whose step and memory are
// predicted. Trials run in the threads of TrialWorkers. Results and numbers of
// trials depend on the plans that are asked for, in their order, and not on
// threads.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_AUTO_TRIAL_H
#define SHARDWRIGHT_AUTO_TRIAL_H

#include "shardwright/auto/search/blame.h"
#include "shardwright/auto/search/trial_workers.h"
#include "shardwright/compile/compile.h"

#include <limits>
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

  using Plans = llvm::ArrayRef<const Plan *>;
  /// Tries the plans that have not been tried. `next`: those that will probably
  /// be tried then, in the likely order. Threads that would wait try them
  /// ahead; they count when they are asked for.
  void tryAll(Plans plans, Plans next = {});
  /// Equal plans are tried once.
  const Trial &of(const Plan &plan);
  /// The plan's trial; null if it has not been tried.
  const Trial *find(const Plan &plan) const;
  /// The plans that have been tried, in no order.
  std::vector<const Plan *> tried() const;
  /// What the plan's step and memory are spent on. Partitions it once more
  /// unless its trial has noted that. `next`, `nextBlames`: what will probably
  /// be asked for then.
  Blame blame(const Plan &plan, Plans next = {}, Plans nextBlames = {});
  /// Runs `work`, which needs no copy of the module, beside the trials that are
  /// started later. The caller waits for it with `finish`.
  void start(TrialWorkers::Task &work) { workers.start(&work); }
  void finish(TrialWorkers::Task &work) { workers.finish(work); }
  /// Starts the trials of plans that will be asked for.
  void startAll(Plans plans) { workers.start(tasksOf(plans)); }
  /// The trial with the shortest step that takes at most so many bytes, among
  /// all so far; null if there is none.
  const Trial *bestWithin(double bytes) const;
  /// Starts the trial of the module as it is, with the user's annotations only.
  void startAsGiven() { workers.start(&givenTask); }
  /// Its result. If it does not work, its errors go to the handlers of the
  /// context.
  const Trial &asGiven();
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
  /// The run of the pipeline for a plan. All but `task` belongs to the thread
  /// that runs it until the task is done.
  struct Run {
    Run(Plan plan, std::function<void(TrialContext &, Run &)> work)
        : plan(std::move(plan)),
          task([this, work = std::move(work)](TrialContext &worker) {
            work(worker, *this);
          }) {}
    Plan plan;
    TrialWorkers::Task task;
    Trial trial;
    /// Of the shardings after propagation; 0 if that failed.
    uint64_t shardings = 0;
    /// Of trials with the shortest step so far: probably asked for next.
    std::optional<Blame> blame;
    /// A run with equal shardings, which has the trial instead; or null.
    Run *same = nullptr;
  };
  /// Likewise for the blame of a plan.
  struct BlameRun {
    BlameRun(Plan plan, std::function<void(TrialContext &, BlameRun &)> work)
        : plan(std::move(plan)),
          task([this, work = std::move(work)](TrialContext &worker) {
            work(worker, *this);
          }) {}
    Plan plan;
    TrialWorkers::Task task;
    Blame blame;
  };

  Run &runOf(const Plan &plan);
  BlameRun &blameRunOf(const Plan &plan);
  using Tasks = llvm::SmallVector<TrialWorkers::Task *>;
  Tasks tasksOf(Plans plans);
  /// Runs and notes the trial of the module as it is.
  void runGiven(TrialContext &worker);
  /// Waits for the run, and counts it.
  void commit(const Plan &plan);
  /// How the worker compiles a copy that is dropped.
  CompileOptions optionsOfCopy(TrialContext &worker) const;
  void runTrial(TrialContext &worker, Run &run);
  void runBlame(TrialContext &worker, BlameRun &run);
  /// `mesh`: receives that of the program, if it works.
  Trial runPipeline(mlir::ModuleOp module, const CompileOptions &how,
                    Mesh *mesh = nullptr) const;
  Blame blameOf(TrialContext &worker, mlir::ModuleOp local, const Mesh &mesh);
  /// The blame that the plan's trial has found; null if there is none.
  const Blame *findBlame(const Plan &plan) const;

  /// Propagation's share of a trial.
  static constexpr int64_t kEqualPerTrial = 4;

  mlir::ModuleOp imported;
  const AutoProblem &problem;
  CompileOptions options;
  /// Whether trials verify the propagated module. Only in manual computations
  /// can the shardings of a plan be invalid: along the axes of a computation.
  const bool verifies;
  /// By Plan::key(), whether asked for or only expected.
  std::unordered_map<std::string, std::unique_ptr<Run>> runs;
  std::unordered_map<std::string, std::unique_ptr<BlameRun>> blameRuns;
  /// Those that were asked for.
  std::unordered_map<std::string, Trial> known;
  TrialWorkers::Task givenTask;
  Trial given;
  /// Of the plans that were asked for.
  llvm::DenseSet<uint64_t> knownShardings;
  /// Guards what follows, which tasks change.
  std::mutex mutex;
  /// By the shardings after propagation: the first run that had them.
  llvm::DenseMap<uint64_t, Run *> runWith;
  /// Of the runs that are done.
  double shortest = std::numeric_limits<double>::infinity();
  std::vector<double> shares;
  int64_t numTrials = 0, numBlamed = 0, numEqual = 0;
  /// The last member, so that its threads end first.
  TrialWorkers workers;
};

} // namespace shardwright

#endif // SHARDWRIGHT_AUTO_TRIAL_H
