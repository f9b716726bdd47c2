//===- share_equal_ops.h - CSE for local programs ---------------*- C++ -*-===//
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

/// Analyses of the function after CSE.
struct SharedOps {
  BlockOrder order;
  /// Ops with effects, except terminators.
  llvm::DenseSet<mlir::Operation *> withEffects;
};

/// Common subexpression elimination like MLIR's CSE, for structured control
/// flow: replaces ops without effects by equal ops before them, in their block
/// or an enclosing one, and erases unused ops. Locations may differ; the first
/// op's stays. `order` is a prefetch hint.
SharedOps shareEqualOps(mlir::func::FuncOp func, const BlockOrder &order);

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_COMBINE_SHARE_EQUAL_OPS_H
