//===- combine_collectives.h - merge collectives ----------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_COMBINE_COMBINE_COLLECTIVES_H
#define SHARDWRIGHT_PARTITION_COMBINE_COMBINE_COLLECTIVES_H

#include "shardwright/partition/cost/machine_model.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace shardwright {

/// Merges collectives of a local function; part of `localize`. `collectives`
/// are all its ops that `mayBeJoined`, in program order.
void combineCollectives(mlir::func::FuncOp func,
                        llvm::ArrayRef<mlir::Operation *> collectives,
                        const JoinLimits &limits);

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_COMBINE_COMBINE_COLLECTIVES_H
