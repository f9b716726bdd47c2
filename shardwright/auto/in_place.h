//===- in_place.h - shardings found for a module in place -------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// autoShard returns an annotated copy. Here the module itself gets the
// shardings, and no op changes: as a pass, and as Shardy's hook between
// propagation and the export pipeline.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_AUTO_IN_PLACE_H
#define SHARDWRIGHT_AUTO_IN_PLACE_H

#include "shardwright/auto/auto_shard.h"
#include "shardwright/partition/shardy/pipelines.h"

#include "mlir/Pass/PassManager.h"

namespace shardwright {

/// Adds the shardings that a search finds to the arguments, results and inner
/// values of a module of StableHLO and sdy. The module has passed stage Import;
/// it may also have passed Shardy's import pipeline and propagation. Its own
/// shardings stay as in autoShard. Changes no op, but adds a mesh if the module
/// has none. Emits a diagnostic on failure, also if nothing fits in memory.
mlir::LogicalResult autoShardInPlace(mlir::ModuleOp module,
                                     const AutoOptions &options);

/// Copies the shardings of `from` to `to`, which has the same ops, but for data
/// flow edges.
void copyShardings(mlir::ModuleOp from, mlir::ModuleOp to);

/// The passes for PropagateOptions::addAutoPartitioner: autoShardInPlace, then
/// propagation of the shardings that it has added.
void addAutoPartitioner(mlir::OpPassManager &pm, const AutoOptions &options,
                        const PropagateOptions &propagation);

/// Registers the pass `sw-auto-shard{mesh= machine= memory= effort=}`.
void registerAutoPasses();

} // namespace shardwright

#endif // SHARDWRIGHT_AUTO_IN_PLACE_H
