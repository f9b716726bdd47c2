//===- passes.h - Shardy's way to explicit reshards -------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_SHARDY_PASSES_H
#define SHARDWRIGHT_PARTITION_SHARDY_PASSES_H

#include "shardwright/dialect/sdy/sdy.h"
#include "shardwright/propagate/index/call_order.h"
#include "shardwright/propagate/index/module_contents.h"
#include "shardwright/propagate/index/op_index.h"
#include "shardwright/rules/shardy_version.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace shardwright {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "shardwright/partition/shardy/passes.h.inc"

/// Runs sdy-insert-explicit-reshards on all functions. If `insertReductions` is
/// false, unreduced values stay so until a partitioner reduces them.
llvm::LogicalResult
insertExplicitReshards(mlir::ModuleOp module, const ModuleContents &contents,
                       const OpIndex &index, const CallsByFunction &calls,
                       bool full, bool insertReductions, ShardyVersion shardy);

/// Runs sdy-verify-unreduced-axes on all functions.
llvm::LogicalResult verifyUnreducedAxes(mlir::ModuleOp module);

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_SHARDY_PASSES_H
