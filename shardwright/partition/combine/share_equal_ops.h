//===- share_equal_ops.h - CSE for local programs ---------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_COMBINE_SHARE_EQUAL_OPS_H
#define SHARDWRIGHT_PARTITION_COMBINE_SHARE_EQUAL_OPS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseSet.h"

namespace shardwright {

/// Common subexpression elimination like MLIR's CSE, for structured control
/// flow: replaces ops without effects by equal ops before them, in their block
/// or an enclosing one, and erases unused ops. Locations may differ; the first
/// op's stays. Returns the ops with effects that are left, except terminators.
llvm::DenseSet<mlir::Operation *> shareEqualOps(mlir::func::FuncOp func);

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_COMBINE_SHARE_EQUAL_OPS_H
