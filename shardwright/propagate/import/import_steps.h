//===- import_steps.h - passes that also run as steps of others -*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The work of the import passes of these names, for callers that run it without
// a pass manager.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PROPAGATE_IMPORT_IMPORT_STEPS_H
#define SHARDWRIGHT_PROPAGATE_IMPORT_IMPORT_STEPS_H

#include "shardwright/dialect/sdy/sdy.h"
#include "shardwright/rules/shardy_version.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseSet.h"

namespace shardwright {

/// sdy-apply-sharding-constraints, for the given constraints and manual
/// computations of a function, in post-order. The functions in `bodies` are
/// bodies of named computations: their return ops count as uses.
void applyShardingConstraints(llvm::ArrayRef<mlir::Operation *> ops,
                              const llvm::DenseSet<mlir::Operation *> &bodies,
                              ShardyVersion shardy);

/// sdy-sharding-group-import.
llvm::LogicalResult importShardingGroups(mlir::ModuleOp module);

/// sdy-propagate-to-func-results, for one function; does nothing if it has no
/// body. In main, results that have a sharding keep it. Since jaxlib 0.11, main
/// counts too, and results on a single device get no sharding.
void propagateToFuncResults(mlir::func::FuncOp func, bool isMain,
                            ShardyVersion shardy);

/// Inserts an sdy.func_data_flow_edge after each of `values` that has a static
/// shape: the arguments of a function, or the results of a call. It takes over
/// the value's uses.
void addFuncDataFlowEdges(mlir::ValueRange values);

/// sdy-sink-func-data-flow-edges, for one function.
void sinkFuncDataFlowEdges(mlir::func::FuncOp func);

/// Inserts an sdy.data_flow_edge after each of `owners` that has a static
/// shape; it carries the entry of `shardings` and takes over the owner's uses.
void addDataFlowEdges(mlir::ValueRange owners,
                      llvm::ArrayRef<sdy::TensorShardingAttr> shardings);

} // namespace shardwright

#endif // SHARDWRIGHT_PROPAGATE_IMPORT_IMPORT_STEPS_H
