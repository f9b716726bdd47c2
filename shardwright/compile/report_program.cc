//===- report_program.cc - the report document of a program ---------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/compile/report_program.h"

#include "shardwright/compile/partition_trial.h"
#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/report/document/document.h"
#include "shardwright/support/sort_by.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Config/llvm-config.h"

#include <algorithm>

using namespace mlir;

namespace shardwright {

/// Limits the ops that trials partition, so that large programs get fewer.
static size_t defaultTrials(ModuleOp module) {
  constexpr size_t kMostOps = 100000, kFewest = 4, kMost = 64;
  size_t ops = 1;
  module.walk([&](Operation *) { ++ops; });
  return std::clamp(kMostOps / ops, kFewest, kMost);
}

static llvm::json::Object optionsJson(const CompileOptions &options) {
  return llvm::json::Object{
      {"shardy",
       options.shardy == ShardyVersion::Jaxlib0_10_2 ? "0.10.2" : "0.12.0"},
      {"partition_effort", int(options.partition.effort)},
      {"overlap", str(options.overlap)},
      {"target", traitsOf(options.partition.target).name}};
}

namespace {

/// Annotations that make a program cheaper, each tried by partitioning a copy.
class WhatIf {
public:
  WhatIf(ModuleOp imported, const UserValues &user, const PlannedMoves &moves,
         const CompileOptions &options, const ProgramReport &report)
      : imported(imported), user(user), moves(moves), options(options),
        report(report) {}

  /// Those that help with the costliest collectives and the largest replicated
  /// values, from at most `mostTrials` trials.
  std::vector<TriedAnnotation> search(ArrayRef<WholeValue> whole,
                                      size_t mostTrials);

private:
  void keep(const AnnotationAdvice &advice);
  bool isBetter(const TriedAnnotation &tried) const {
    return tried.stepSeconds < report.predicted.time.total() ||
           tried.bytesSent < report.collectives.totalBytes() ||
           tried.peakBytes < report.predictedPeak->bytes;
  }

  ModuleOp imported;
  const UserValues &user;
  const PlannedMoves &moves;
  const CompileOptions &options;
  const ProgramReport &report;
  std::vector<TriedAnnotation> found;
};

void WhatIf::keep(const AnnotationAdvice &advice) {
  if (!advice.best || !isBetter(*advice.best) ||
      llvm::any_of(found, [&](const TriedAnnotation &other) {
        return other.text() == advice.best->text();
      }))
    return;
  found.push_back(*advice.best);
}

std::vector<TriedAnnotation> WhatIf::search(ArrayRef<WholeValue> whole,
                                            size_t mostTrials) {
  constexpr size_t kMostCauses = 8;
  if (mostTrials == 0 || report.devices == 1)
    return {};
  auto created = AnnotationSearch::create(
      imported, user, moves, trialPartitioner(options, user),
      report.collectives.totalBytes(), options.shardy);
  if (failed(created))
    return {};
  AnnotationSearch &search = **created;
  size_t left = mostTrials;
  auto ask = [&](llvm::function_ref<AnnotationAdvice()> answer) {
    search.limitTrials(left);
    AnnotationAdvice advice = answer();
    left -= advice.numTried;
    keep(advice);
  };
  std::vector<CollectiveUse> uses = report.collectives.uses;
  sortBy(uses, [](const CollectiveUse &use) { return -use.bytes; });
  size_t causes = 0;
  for (size_t i = 0; i < std::max(uses.size(), whole.size()); ++i) {
    if (left == 0 || ++causes > kMostCauses)
      break;
    if (i < uses.size())
      for (const RecordedReason *reason : moves.reasonsOf(uses[i].location)) {
        ask([&] { return search.sendLess(*reason); });
        break;
      }
    if (i < whole.size() && left > 0)
      ask([&] { return search.keepSharded(whole[i]); });
  }
  return std::move(found);
}

} // namespace

FailureOr<llvm::json::Object> reportProgram(ModuleOp module,
                                            const UserValues &user,
                                            const DocumentRequest &request) {
  const UserOps ops(module, user);
  if (request.prepare && failed(request.prepare(module)))
    return failure();
  OwningOpRef<ModuleOp> local(module.clone());

  CompileOptions options = request.compile;
  PlannedMoves moves(user);
  std::vector<WholeValue> whole;
  options.partition.observer = &moves;
  options.observer = nullptr;
  options.stopAfter = Stage::Local;
  options.form = ProgramForm::Device;
  options.nameOfValue = [&](Value value) { return user.shortNameOf(value); };
  options.afterStage = [&](Stage stage, ModuleOp m) {
    if (stage == Stage::Reshard)
      whole = wholeValues(m, 0, &user, &moves);
  };
  FailureOr<Compiled> compiled = compile(*local, options);
  if (failed(compiled))
    return failure();

  if (!options.isImported && failed(importModule(module, options.import)))
    return failure();
  if (failed(simplifyForDevices(module, options.import.devices)))
    return failure();
  if (options.beforePropagate && failed(options.beforePropagate(module)))
    return failure();
  FailureOr<std::unique_ptr<Explainer>> explainer =
      Explainer::create(module, user, options.shardy);
  if (failed(explainer))
    return failure();

  ProgramReport report = compiled->report;
  if (request.report) {
    // The ops of the collectives are those of `local`.
    report = *request.report;
    report.collectives = compiled->report.collectives;
  }
  DocumentParts parts{.title = request.title,
                      .options = optionsJson(options),
                      .user = user,
                      .ops = ops,
                      .explainer = **explainer,
                      .imported = module,
                      .local = *local,
                      .report = report,
                      .moves = moves,
                      .whole = whole};
  parts.machine = options.partition.machine.value_or(MachineModel());
  parts.isMachineGiven = report.predicted.isAsked;
  size_t trials = request.mostTrials.value_or(defaultTrials(module));
  CompileOptions again = options;
  again.isImported = false;
  std::vector<TriedAnnotation> whatIf =
      WhatIf(module, user, moves, again, compiled->report)
          .search(whole, trials);
  parts.whatIf = whatIf;
  parts.mostTrials = trials;
  llvm::json::Object document = makeDocument(parts);
  document["made_by"] =
      "shardwright " SHARDWRIGHT_VERSION " (LLVM " LLVM_VERSION_STRING ")";
  return document;
}

} // namespace shardwright
