//===- inline_calls.h - a program without calls -----------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_PREPARE_INLINE_CALLS_H
#define SHARDWRIGHT_PARTITION_PREPARE_INLINE_CALLS_H

#include "shardwright/partition/support/block_order.h"

#include "mlir/IR/BuiltinOps.h"

namespace shardwright {

/// What a module has after its calls were inlined.
struct InlinedOps {
  size_t count = 0;
  /// Pads and concatenations, in program order.
  llvm::SmallVector<mlir::Operation *> joins;
  /// Reductions and scatters, likewise.
  llvm::SmallVector<mlir::Operation *> folds;
  /// Of functions' blocks.
  BlockOrder order;
};

/// Replaces every func.call by the callee's body and erases private functions
/// that nothing refers to any more. Recursion is an error. `found`, if not
/// null, receives what a walk afterwards would find.
mlir::LogicalResult inlineCalls(mlir::ModuleOp module,
                                InlinedOps *found = nullptr);

/// False: apart from its discardable attributes, an op of this name refers to
/// no function, or calls it (func.call).
bool mayNameFunctions(mlir::OperationName name);

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_PREPARE_INLINE_CALLS_H
