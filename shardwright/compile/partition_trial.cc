//===- partition_trial.cc - what a partitioned copy costs -----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/compile/partition_trial.h"

using namespace mlir;

namespace shardwright {

std::optional<PartitionTrial>
tryPartition(ModuleOp module, const CompileOptions &options,
             const UserValues &user, double wholeAbove, PlannedMoves &moves,
             CollectiveCost *collectives) {
  PartitionTrial trial;
  CompileOptions mine = options;
  mine.stopAfter = Stage::Local;
  mine.partition.observer = &moves;
  mine.afterStage = [&](Stage stage, ModuleOp m) {
    if (stage == Stage::Reshard)
      trial.whole = wholeValues(m, wholeAbove, &user, &moves);
  };
  FailureOr<Compiled> compiled = compile(module, mine);
  if (failed(compiled))
    return std::nullopt;
  ProgramReport &report = compiled->report;
  trial.bytesSent = report.collectives.totalBytes();
  trial.stepSeconds = report.predicted.time.total();
  trial.peakBytes = report.predictedPeak->bytes;
  if (collectives)
    *collectives = std::move(report.collectives);
  return trial;
}

TrialPartitioner trialPartitioner(const CompileOptions &options,
                                  const UserValues &user) {
  return [&options, &user](ModuleOp module, int64_t wholeBytes) {
    PlannedMoves moves(user, /*weighsRoutes=*/false);
    auto trial =
        tryPartition(module, options, user, double(wholeBytes) - 1, moves);
    if (trial)
      for (WholeValue &value : trial->whole)
        value.reason = nullptr; // points into `moves`
    return trial;
  };
}

} // namespace shardwright
