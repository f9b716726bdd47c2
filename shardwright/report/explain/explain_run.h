//===- explain_run.h - propagation with reasons -----------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_REPORT_EXPLAIN_EXPLAIN_RUN_H
#define SHARDWRIGHT_REPORT_EXPLAIN_EXPLAIN_RUN_H

#include "shardwright/dialect/sdy/sdy.h"
#include "shardwright/propagate/reasons/reasons.h"
#include "shardwright/report/explain/user_values.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace shardwright {

/// A module after propagation, with all its ops, also dead ones.
struct ExplainRun {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  Reasons reasons;
  /// Values that had a sharding before constraints were applied.
  llvm::DenseSet<mlir::Value> annotated;
  /// The sharding that each place had at the start.
  llvm::DenseMap<mlir::Value, sdy::TensorShardingAttr> initial;
  std::vector<sdy::TensorShardingAttr> initialResults;
  std::vector<llvm::SmallVector<mlir::Value, 1>> values;
};

/// Propagates `module`, a module after import, and records the reasons.
mlir::FailureOr<std::unique_ptr<ExplainRun>>
propagateForExplain(mlir::OwningOpRef<mlir::ModuleOp> module,
                    const UserValues &user, ShardyVersion shardy);

/// The value that holds the sharding of `value`.
mlir::Value shardingHolder(mlir::Value value);

} // namespace shardwright

#endif // SHARDWRIGHT_REPORT_EXPLAIN_EXPLAIN_RUN_H
