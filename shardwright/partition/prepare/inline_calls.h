//===- inline_calls.h - inline all calls ------------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_PREPARE_INLINE_CALLS_H
#define SHARDWRIGHT_PARTITION_PREPARE_INLINE_CALLS_H

#include "mlir/IR/BuiltinOps.h"

namespace shardwright {

/// Ops of a module after inlining.
struct InlinedOps {
  size_t count = 0;
  /// Pads and concatenations, in program order.
  llvm::SmallVector<mlir::Operation *> joins;
  /// Reductions and scatters, likewise.
  llvm::SmallVector<mlir::Operation *> folds;
  /// Reshapes, likewise.
  llvm::SmallVector<mlir::Operation *> reshapes;
};

/// Replaces every func.call by the callee's body and erases private functions
/// that are no longer referenced. Recursion is an error. `found`, if not null,
/// receives the ops of these kinds, which saves a walk.
mlir::LogicalResult inlineCalls(mlir::ModuleOp module,
                                InlinedOps *found = nullptr);

/// False if an op of this name refers to functions only in its discardable
/// attributes or by calling them (func.call).
bool mayNameFunctions(mlir::OperationName name);

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_PREPARE_INLINE_CALLS_H
