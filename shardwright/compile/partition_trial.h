//===- partition_trial.h - what a partitioned copy costs --------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_COMPILE_PARTITION_TRIAL_H
#define SHARDWRIGHT_COMPILE_PARTITION_TRIAL_H

#include "shardwright/compile/compile.h"
#include "shardwright/report/explain/annotation_search.h"

namespace shardwright {

/// Partitions a module after stage Import, which it changes, up to stage Local
/// of `options`, and lists replicated values of more than `wholeAbove` bytes.
/// `moves` observes; reasons of the listed values point into it. `collectives`,
/// unless null, receives those of the module. Nothing if it fails.
std::optional<PartitionTrial>
tryPartition(mlir::ModuleOp module, const CompileOptions &options,
             const UserValues &user, double wholeAbove, PlannedMoves &moves,
             CollectiveCost *collectives = nullptr);

/// The same for AnnotationSearch: values without reasons. `options` and `user`
/// must outlive it.
TrialPartitioner trialPartitioner(const CompileOptions &options,
                                  const UserValues &user);

} // namespace shardwright

#endif // SHARDWRIGHT_COMPILE_PARTITION_TRIAL_H
