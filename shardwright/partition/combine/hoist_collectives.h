//===- hoist_collectives.h - collectives that loops repeat ------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_COMBINE_HOIST_COLLECTIVES_H
#define SHARDWRIGHT_PARTITION_COMBINE_HOIST_COLLECTIVES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace shardwright {

/// In a program of one device: moves collectives that give the same in every
/// iteration of a loop, and what makes their operands, in front of it. A loop
/// keeps at most as many bytes of them as its largest op reads and writes.
void hoistCollectives(mlir::func::FuncOp func);

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_COMBINE_HOIST_COLLECTIVES_H
