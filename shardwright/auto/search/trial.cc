//===- trial.cc - what a plan costs ---------------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/auto/search/trial.h"

#include "shardwright/support/start_thread.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace shardwright {

/// Trials that run at the same time. Fixed, so that all machines try the same
/// plans; a machine with one core runs them one after the other.
constexpr size_t kWorkers = 2;

Trials::Trials(ModuleOp imported, const AutoProblem &problem,
               CompileOptions given)
    : imported(imported), problem(problem), options(std::move(given)) {
  options.isImported = true;
  options.stopAfter = Stage::Local;
  options.observer = nullptr;
  options.afterStage = nullptr;
  options.partition.observer = nullptr;
}

Trial Trials::runPipeline(ModuleOp module, const CompileOptions &how) const {
  Trial trial;
  FailureOr<Compiled> compiled = compile(module, how);
  if (failed(compiled))
    return trial;
  trial.works = true;
  trial.step = compiled->report.predicted.time;
  trial.sent = compiled->report.collectives.totalBytes();
  trial.peak = double(compiled->report.predictedPeak->bytes);
  return trial;
}

Trial Trials::partition(ModuleOp module) {
  ++numTrials;
  return runPipeline(module, options);
}

OwningOpRef<ModuleOp> Trials::annotated(const Plan &plan) const {
  IRMapping mapping;
  OwningOpRef<ModuleOp> copy = cast<ModuleOp>(imported->clone(mapping));
  annotate(*copy, problem, plan,
           [&](Value value) { return mapping.lookup(value); });
  return copy;
}

/// A plan that cannot be partitioned is no error of the user's.
static LogicalResult dropDiagnostic(Diagnostic &) { return success(); }

ArrayRef<std::unique_ptr<TrialContext>> Trials::workers() {
  if (!made.empty())
    return made;
  size_t wanted = std::min<size_t>(
      kWorkers, std::max(std::thread::hardware_concurrency(), 1u));
  // Functions of the caller expect its context, and one call at a time.
  if (options.beforePropagate || options.beforePartition)
    wanted = 0;
  for (size_t i = 0; i < wanted; ++i) {
    std::unique_ptr<TrialContext> worker =
        TrialContext::create(imported, problem);
    if (!worker)
      break;
    made.push_back(std::move(worker));
  }
  if (made.empty())
    made.push_back(TrialContext::createInContext(imported, problem));
  return made;
}

Trials::Outcome Trials::run(TrialContext &worker, const Plan &plan) const {
  OwningOpRef<ModuleOp> copy = worker.annotated(plan);
  ScopedDiagnosticHandler quiet(copy->getContext(), dropDiagnostic);
  Outcome outcome;
  CompileOptions mine = options;
  mine.partition.planners = &worker.getPlanners();
  mine.beforePartition = [&](ModuleOp propagated) {
    outcome.shardings = worker.hashShardings(propagated);
    auto it = byShardings.find(outcome.shardings);
    if (it == byShardings.end())
      return options.beforePartition ? options.beforePartition(propagated)
                                     : success();
    outcome.trial = it->second;
    outcome.isEqual = true;
    return failure();
  };
  Trial trial = runPipeline(*copy, mine);
  if (!outcome.isEqual)
    outcome.trial = trial;
  return outcome;
}

void Trials::tryAll(ArrayRef<const Plan *> plans) {
  SmallVector<std::pair<const Plan *, Trial *>, 4> untried;
  for (const Plan *plan : plans) {
    auto [it, isNew] = known.try_emplace(plan->key());
    if (isNew)
      untried.push_back({plan, &it->second});
  }
  for (size_t i = 0; i < untried.size(); i += kWorkers)
    tryBatch(ArrayRef(untried).slice(i).take_front(kWorkers));
}

void Trials::tryBatch(ArrayRef<std::pair<const Plan *, Trial *>> batch) {
  ArrayRef<std::unique_ptr<TrialContext>> copies = workers();
  SmallVector<Outcome, kWorkers> outcomes(batch.size());
  SmallVector<std::thread, kWorkers> others;
  auto work = [&](size_t i) {
    outcomes[i] = run(*copies[i % copies.size()], *batch[i].first);
  };
  // The calling thread does what no other thread does.
  SmallVector<size_t, kWorkers> own;
  for (size_t i = 0; i < batch.size(); ++i) {
    std::thread thread;
    if (i > 0 && i < copies.size() &&
        cpu::startThread(thread, [&work, i] { work(i); }))
      others.push_back(std::move(thread));
    else
      own.push_back(i);
  }
  llvm::for_each(own, work);
  for (std::thread &thread : others)
    thread.join();
  for (auto [entry, outcome] : llvm::zip_equal(batch, outcomes)) {
    *entry.second = outcome.trial;
    ++(outcome.isEqual ? numEqual : numTrials);
    if (outcome.shardings)
      byShardings.try_emplace(outcome.shardings, outcome.trial);
  }
}

const Trial &Trials::of(const Plan &plan) {
  tryAll(&plan);
  return known.find(plan.key())->second;
}

const Trial *Trials::find(const Plan &plan) const {
  auto it = known.find(plan.key());
  return it == known.end() ? nullptr : &it->second;
}

const Trial *Trials::bestWithin(double bytes) const {
  const Trial *best = nullptr;
  auto rank = [](const Trial &trial) {
    return std::pair(trial.seconds(), trial.peak);
  };
  for (const auto &[key, trial] : known)
    if (trial.works && trial.peak <= bytes &&
        (!best || rank(trial) < rank(*best)))
      best = &trial;
  return best;
}

Blame Trials::blame(const Plan &plan) {
  TrialContext &worker = *workers().front();
  const MachineModel machine =
      options.partition.machine.value_or(MachineModel());
  ++numBlamed;
  if (shares.empty())
    shares = evenShares(worker.getBase(), problem.mesh, machine);
  OwningOpRef<ModuleOp> copy = worker.annotated(plan);
  ScopedDiagnosticHandler quiet(copy->getContext(), dropDiagnostic);
  CompileOptions mine = options;
  mine.partition.planners = &worker.getPlanners();
  FailureOr<Compiled> compiled = compile(*copy, mine);
  if (failed(compiled))
    return {};
  return blameOf(*copy, compiled->report.mesh, machine, shares);
}

Trial Trials::asGiven() {
  OwningOpRef<ModuleOp> copy = imported.clone();
  return partition(*copy);
}

} // namespace shardwright
