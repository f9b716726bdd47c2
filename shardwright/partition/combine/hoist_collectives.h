//===- hoist_collectives.h - hoist collectives out of loops -----*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_COMBINE_HOIST_COLLECTIVES_H
#define SHARDWRIGHT_PARTITION_COMBINE_HOIST_COLLECTIVES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace shardwright {

/// In a program of one device: moves loop-invariant collectives, and the ops
/// that compute their operands, in front of the loop. The gathered bytes
/// hoisted out of a loop are at most the bytes that its largest op reads and
/// writes.
void hoistCollectives(mlir::func::FuncOp func);

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_COMBINE_HOIST_COLLECTIVES_H
