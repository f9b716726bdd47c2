//===- pipelines.h - Shardy's pipelines, from C++ ---------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// sdy-import-pipeline, sdy-propagation-pipeline and sdy-export-pipeline with
// the same steps as in Shardy. They include passes of the partitioner, so they
// cannot be in the propagate layer.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_SHARDY_PIPELINES_H
#define SHARDWRIGHT_PARTITION_SHARDY_PIPELINES_H

#include "shardwright/propagate/engine/engine.h"

#include "mlir/Pass/PassManager.h"

#include <functional>
#include <string>

namespace shardwright {

/// Names and defaults match Shardy's C++ entry point.
struct PropagateOptions {
  bool keepShardingRules = false;
  /// Directory for dumps of the module after the main steps; empty: no dumps.
  std::string dumpDirectory;
  bool conservativePropagation = false;
  /// Use rules also for ops that have none in Shardy; our own pipeline sets it.
  bool extraRules = false;
  /// Behave like this version of Shardy.
  ShardyVersion shardy = kNewestShardy;
  bool debugShardingOrigins = false;
  bool debugPropagationEdgeSharding = false;
  /// Keep constraints and groups, insert no reshards.
  bool avoidExportForPartitioning = false;
  /// Turn reshards into collectives.
  bool enableInsertExplicitCollectives = false;
  bool removeAllGatherReduceScatterForCMV1 = false;
  /// Make reductions of partial sums explicit if reshards are not inserted in
  /// full. False: a partitioner plans them (sw-partition), as in our commands.
  bool insertReductions = true;
  /// Instead, make each op that the filter selects local separately.
  bool enablePerInstructionPartitioning = false;
  std::string perInstructionPartitioningFilter;
  /// Greater than 1: the devices are replicas, or partitions. At most one of
  /// both.
  int64_t replicaCount = 1, partitionCount = 1;
  /// Keep one copy of each function, whatever its callers' shardings.
  bool dedupFunctionsFully = false;
  bool updateNonDivisibleInputOutputShardings = true;
  bool enableExplicitGatherScatterBatching = false;
  /// Inline meshes into shardings at the end.
  bool inlineMeshes = false;
  /// propagate() verifies the module at the end. False: for copies that are
  /// measured and dropped, whose program is propagated once more with the
  /// verifier.
  bool verifies = true;
  /// Adds passes between propagation and the export pipeline, which may add
  /// shardings, but change no op; may be null. Shardy's hook for automatic
  /// partitioners; it gets these options.
  std::function<void(mlir::OpPassManager &, const PropagateOptions &)>
      addAutoPartitioner;
  /// Notified of every change that propagation makes; may be null.
  PropagationObserver *observer = nullptr;
  /// Rules and steps of earlier propagations; may be null.
  KeptSteps *kept = nullptr;
};

/// Runs sdy-propagation-pipeline: infers a sharding for every value where the
/// given ones imply one. Fails with a diagnostic.
llvm::LogicalResult propagate(mlir::ModuleOp module,
                              const PropagateOptions &options = {});

void addImportPipeline(mlir::OpPassManager &pm, const PropagateOptions &options,
                       int64_t &dumpIndex);
void addPropagationPipeline(mlir::OpPassManager &pm,
                            const PropagateOptions &options);
/// Two of its steps, before propagation and without `dedupFunctionsFully`: give
/// each call its own callee; then apply constraints and groups, and turn calls
/// into named computations.
void addCallFlattening(mlir::OpPassManager &pm);
void addConstraintAndCallImport(mlir::OpPassManager &pm,
                                const PropagateOptions &options);
void addExportPipeline(mlir::OpPassManager &pm, const PropagateOptions &options,
                       int64_t &dumpIndex);

struct LocalizationOptions {
  bool enableHaloExchange = true;
  bool rngBitGeneratorUnsafe = true;
  int64_t replicaCount = 1, partitionCount = 1;
  ShardyVersion shardy = kNewestShardy;
};
/// From a propagated module to the program of one device.
void addLocalizationPasses(mlir::OpPassManager &pm,
                           const LocalizationOptions &options);

/// Registers the pipelines and the passes of this folder.
void registerShardyPipelines();

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_SHARDY_PIPELINES_H
