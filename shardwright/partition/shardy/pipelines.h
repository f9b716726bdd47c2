//===- pipelines.h - Shardy's pipelines, from C++ ---------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// sdy-import-pipeline, sdy-propagation-pipeline and sdy-export-pipeline, step
// for step as Shardy has them. They end in passes of the partitioner, which is
// why they are here and not in the propagate layer.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_SHARDY_PIPELINES_H
#define SHARDWRIGHT_PARTITION_SHARDY_PIPELINES_H

#include "shardwright/propagate/engine/engine.h"

#include "mlir/Pass/PassManager.h"

#include <string>

namespace shardwright {

/// Names and defaults are those of Shardy's C++ entry point.
struct PropagateOptions {
  bool keepShardingRules = false;
  /// Where to write the module after the main steps; empty: nowhere.
  std::string dumpDirectory;
  bool conservativePropagation = false;
  /// Also rules for ops for which Shardy has none; our own pipeline sets it.
  bool extraRules = false;
  bool debugShardingOrigins = false;
  bool debugPropagationEdgeSharding = false;
  /// Keep constraints and groups, insert no reshards.
  bool avoidExportForPartitioning = false;
  /// Turn reshards into collectives.
  bool enableInsertExplicitCollectives = false;
  bool removeAllGatherReduceScatterForCMV1 = false;
  /// Make reductions of partial sums explicit where reshards are not inserted
  /// in full. Off: a partitioner plans them (sw-partition). Our commands set it
  /// off.
  bool insertReductions = true;
  /// Make each op that the filter selects local by itself, instead.
  bool enablePerInstructionPartitioning = false;
  std::string perInstructionPartitioningFilter;
  /// More than 1: the devices are replicas, or partitions. Not both.
  int64_t replicaCount = 1, partitionCount = 1;
  /// One copy of each function, whatever its callers' shardings.
  bool dedupFunctionsFully = false;
  bool updateNonDivisibleInputOutputShardings = true;
  bool enableExplicitGatherScatterBatching = false;
  /// Write meshes into shardings at the end.
  bool inlineMeshes = false;
  /// Told of every change that propagation makes; may be null.
  PropagationObserver *observer = nullptr;
};

/// What sdy-propagation-pipeline does: every value of the module gets a
/// sharding where one follows from those given. Fails with a diagnostic.
llvm::LogicalResult propagate(mlir::ModuleOp module,
                              const PropagateOptions &options = {});

void addImportPipeline(mlir::OpPassManager &pm, const PropagateOptions &options,
                       int64_t &dumpIndex);
void addPropagationPipeline(mlir::OpPassManager &pm,
                            const PropagateOptions &options);
/// Two of its steps, before propagation and without `dedupFunctionsFully`:
/// calls become named computations, and constraints and groups count.
void addCallImport(mlir::OpPassManager &pm);
void addConstraintImport(mlir::OpPassManager &pm,
                         const PropagateOptions &options);
void addExportPipeline(mlir::OpPassManager &pm, const PropagateOptions &options,
                       int64_t &dumpIndex);

struct LocalizationOptions {
  bool enableHaloExchange = true;
  int64_t replicaCount = 1, partitionCount = 1;
};
/// From a propagated module to the program of one device.
void addLocalizationPasses(mlir::OpPassManager &pm,
                           const LocalizationOptions &options);

/// Makes the pipelines and the passes of this folder known to the command line.
void registerShardyPipelines();

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_SHARDY_PIPELINES_H
