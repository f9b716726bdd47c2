//===- op_classes.h - what propagation asks of an op's kind -----*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PROPAGATE_OP_CLASSES_H
#define SHARDWRIGHT_PROPAGATE_OP_CLASSES_H

#include "shardwright/propagate/graph.h"

#include "llvm/ADT/MapVector.h"

namespace shardwright {

/// When op priority lets axes through an op that is not elementwise.
Schedule scheduleOf(mlir::Operation *op);

/// Fails with a diagnostic at `op` for a type that cannot be sharded: a tuple,
/// or a tensor with a dynamic dimension.
llvm::LogicalResult checkShardable(mlir::Type type, mlir::Operation *op);

/// Collects ops without a rule that nobody said should have none, and warns
/// about each kind once, at its first op.
class UnknownOps {
public:
  void visit(mlir::Operation *op);
  void emitWarnings();

private:
  llvm::MapVector<mlir::OperationName, mlir::Operation *> ops;
  llvm::MapVector<mlir::StringAttr, mlir::Operation *> customCalls;
};

} // namespace shardwright

#endif // SHARDWRIGHT_PROPAGATE_OP_CLASSES_H
