//===- trial.cc - what a plan costs ---------------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/auto/search/trial.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace shardwright {

Trials::Trials(ModuleOp imported, const AutoProblem &problem,
               CompileOptions given)
    : imported(imported), problem(problem), options(std::move(given)),
      verifies(hasManualComputations(imported)),
      givenTask([this](TrialContext &worker) { runGiven(worker); }),
      // Functions of the caller expect its context, and one call at a time.
      workers(imported, problem,
              !options.beforePropagate && !options.beforePartition) {
  options.isImported = true;
  options.stopAfter = Stage::Local;
  options.observer = nullptr;
  options.afterStage = nullptr;
  options.partition.observer = nullptr;
}

Trial Trials::runPipeline(ModuleOp module, const CompileOptions &how,
                          Mesh *mesh) const {
  Trial trial;
  FailureOr<Compiled> compiled = compile(module, how);
  if (failed(compiled))
    return trial;
  trial.works = true;
  trial.step = compiled->report.predicted.time;
  trial.sent = compiled->report.collectives.totalBytes();
  trial.peak = double(compiled->report.predictedPeak->bytes);
  if (mesh)
    *mesh = compiled->report.mesh;
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

CompileOptions Trials::optionsOfCopy(TrialContext &worker) const {
  CompileOptions mine = options;
  mine.partition.kept = &worker.getKept();
  mine.keptSteps = &worker.getKeptSteps();
  mine.verifies = verifies;
  return mine;
}

void Trials::runTrial(TrialContext &worker, Run &run) {
  OwningOpRef<ModuleOp> copy = worker.annotated(run.plan);
  ScopedDiagnosticHandler quiet(copy->getContext(), dropDiagnostic);
  CompileOptions mine = optionsOfCopy(worker);
  mine.beforePartition = [&](ModuleOp propagated) {
    run.shardings = worker.hashShardings(propagated);
    {
      std::lock_guard lock(mutex);
      auto [it, isNew] = runWith.try_emplace(run.shardings, &run);
      if (!isNew) {
        run.same = it->second;
        return failure();
      }
    }
    return options.beforePartition ? options.beforePartition(propagated)
                                   : success();
  };
  Mesh mesh;
  run.trial = runPipeline(*copy, mine, &mesh);
  if (!run.trial.works)
    return;
  {
    std::lock_guard lock(mutex);
    if (run.trial.seconds() >= shortest)
      return;
    shortest = run.trial.seconds();
  }
  run.blame = blameOf(worker, *copy, mesh);
}

Blame Trials::blameOf(TrialContext &worker, ModuleOp local, const Mesh &mesh) {
  const MachineModel machine =
      options.partition.machine.value_or(MachineModel());
  {
    std::lock_guard lock(mutex);
    if (shares.empty())
      shares = evenShares(worker.getBase(), problem.mesh, machine);
  }
  return shardwright::blameOf(local, mesh, machine, shares);
}

Trials::Run &Trials::runOf(const Plan &plan) {
  std::unique_ptr<Run> &run = runs[plan.key()];
  if (!run)
    run = std::make_unique<Run>(plan, [this](TrialContext &worker, Run &own) {
      runTrial(worker, own);
    });
  return *run;
}

void Trials::commit(const Plan &plan) {
  auto [it, isNew] = known.try_emplace(plan.key());
  if (!isNew)
    return;
  Run &run = runOf(plan);
  workers.finish(run.task);
  if (run.same)
    workers.finish(run.same->task);
  it->second = run.same ? run.same->trial : run.trial;
  bool isEqual = run.shardings && !knownShardings.insert(run.shardings).second;
  ++(isEqual ? numEqual : numTrials);
}

Trials::Tasks Trials::tasksOf(Plans plans) {
  Tasks tasks;
  for (const Plan *plan : plans)
    if (!known.count(plan->key()))
      tasks.push_back(&runOf(*plan).task);
  return tasks;
}

void Trials::tryAll(Plans plans, Plans next) {
  workers.start(tasksOf(plans));
  workers.expect(tasksOf(next));
  for (const Plan *plan : plans)
    commit(*plan);
}

const Trial &Trials::of(const Plan &plan) {
  tryAll(&plan);
  return known.find(plan.key())->second;
}

const Trial *Trials::find(const Plan &plan) const {
  auto it = known.find(plan.key());
  return it == known.end() ? nullptr : &it->second;
}

std::vector<const Plan *> Trials::tried() const {
  std::vector<const Plan *> plans;
  for (const auto &[key, trial] : known)
    plans.push_back(&runs.at(key)->plan);
  return plans;
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

void Trials::runBlame(TrialContext &worker, BlameRun &run) {
  OwningOpRef<ModuleOp> copy = worker.annotated(run.plan);
  ScopedDiagnosticHandler quiet(copy->getContext(), dropDiagnostic);
  CompileOptions mine = optionsOfCopy(worker);
  FailureOr<Compiled> compiled = compile(*copy, mine);
  if (succeeded(compiled))
    run.blame = blameOf(worker, *copy, compiled->report.mesh);
}

const Blame *Trials::findBlame(const Plan &plan) const {
  // Other runs may not be done.
  if (!known.count(plan.key()))
    return nullptr;
  const Run *run = runs.at(plan.key()).get();
  if (run->same)
    run = run->same;
  return run->blame ? &*run->blame : nullptr;
}

Trials::BlameRun &Trials::blameRunOf(const Plan &plan) {
  std::unique_ptr<BlameRun> &run = blameRuns[plan.key()];
  if (!run)
    run = std::make_unique<BlameRun>(
        plan,
        [this](TrialContext &worker, BlameRun &own) { runBlame(worker, own); });
  return *run;
}

Blame Trials::blame(const Plan &plan, Plans next, Plans nextBlames) {
  ++numBlamed;
  if (const Blame *found = findBlame(plan))
    return *found;
  BlameRun &run = blameRunOf(plan);
  workers.start(&run.task);
  Tasks expected = tasksOf(next);
  for (const Plan *later : nextBlames)
    if (!findBlame(*later))
      expected.push_back(&blameRunOf(*later).task);
  workers.expect(expected);
  workers.finish(run.task);
  return run.blame;
}

void Trials::runGiven(TrialContext &worker) {
  OwningOpRef<ModuleOp> copy = worker.getBase().clone();
  ScopedDiagnosticHandler quiet(copy->getContext(), dropDiagnostic);
  given = runPipeline(*copy, options);
}

const Trial &Trials::asGiven() {
  workers.finish(givenTask);
  ++numTrials;
  if (!given.works) {
    OwningOpRef<ModuleOp> copy = imported.clone();
    runPipeline(*copy, options);
  }
  return given;
}

} // namespace shardwright
