//===- trial.cc - what a plan costs ---------------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/auto/trial.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace shardwright {

Trials::Trials(ModuleOp imported, const AutoProblem &problem,
               CompileOptions given)
    : imported(imported), problem(problem), options(std::move(given)) {
  options.isImported = true;
  options.stopAfter = Stage::Local;
  options.observer = nullptr;
  options.afterStage = nullptr;
  options.partition.observer = nullptr;
}

Trial Trials::partition(ModuleOp module) {
  ++numTrials;
  Trial trial;
  FailureOr<Compiled> compiled = compile(module, options);
  if (failed(compiled))
    return trial;
  trial.works = true;
  trial.step = compiled->report.predicted.time;
  trial.sent = compiled->report.collectives.totalBytes();
  trial.peak = double(compiled->report.predictedPeak->bytes);
  return trial;
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

const Trial &Trials::of(const Plan &plan) {
  auto [it, isNew] = known.try_emplace(plan.key());
  if (isNew) {
    ScopedDiagnosticHandler quiet(imported.getContext(), dropDiagnostic);
    OwningOpRef<ModuleOp> copy = annotated(plan);
    it->second = partition(*copy);
  }
  return it->second;
}

const Trial *Trials::find(const Plan &plan) const {
  auto it = known.find(plan.key());
  return it == known.end() ? nullptr : &it->second;
}

Trial Trials::asGiven() {
  OwningOpRef<ModuleOp> copy = imported.clone();
  return partition(*copy);
}

} // namespace shardwright
