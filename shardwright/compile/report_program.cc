//===- report_program.cc - the report document of a program ---------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/compile/report_program.h"

#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/report/document/document.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Config/llvm-config.h"

#include <algorithm>

using namespace mlir;

namespace shardwright {

/// Limits the ops that trials partition, so that large programs get fewer.
static size_t defaultTrials(ModuleOp module) {
  constexpr size_t kMostOps = 200000, kFewest = 4, kMost = 64;
  size_t ops = 1;
  module.walk([&](Operation *) { ++ops; });
  return std::clamp(kMostOps / ops, kFewest, kMost);
}

static llvm::json::Object optionsJson(const CompileOptions &options) {
  static constexpr llvm::StringLiteral overlaps[] = {"off", "rings", "on",
                                                     "force"};
  static constexpr llvm::StringLiteral targets[] = {"cpu", "gpu", "tpu"};
  return llvm::json::Object{
      {"shardy",
       options.shardy == ShardyVersion::Jaxlib0_10_2 ? "0.10.2" : "0.12.0"},
      {"partition_effort", int(options.partition.effort)},
      {"overlap", overlaps[int(options.overlap)]},
      {"target", targets[int(options.partition.target)]}};
}

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
  parts.mostTrials = request.mostTrials.value_or(defaultTrials(module));
  llvm::json::Object document = makeDocument(parts);
  document["made_by"] =
      "shardwright " SHARDWRIGHT_VERSION " (LLVM " LLVM_VERSION_STRING ")";
  return document;
}

} // namespace shardwright
