//===- share_equal_ops.h - one op for equal ones ----------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_COMBINE_SHARE_EQUAL_OPS_H
#define SHARDWRIGHT_PARTITION_COMBINE_SHARE_EQUAL_OPS_H

#include "shardwright/partition/support/block_order.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace shardwright {

/// What a walk finds after equal ops were shared.
struct SharedOps {
  BlockOrder order;
  /// Ops with effects, but for terminators.
  llvm::DenseSet<mlir::Operation *> withEffects;
};

/// Replaces ops without effects by equal ones before them, in their block or
/// around it, and erases unused ones: what MLIR's CSE does where control flow
/// is structured. Locations may differ; the first op's stays. `order` is where
/// the ops are, as a hint.
SharedOps shareEqualOps(mlir::func::FuncOp func, const BlockOrder &order);

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_COMBINE_SHARE_EQUAL_OPS_H
