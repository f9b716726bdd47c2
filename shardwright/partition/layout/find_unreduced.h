//===- find_unreduced.h - does a function have partial sums? ----*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_LAYOUT_FIND_UNREDUCED_H
#define SHARDWRIGHT_PARTITION_LAYOUT_FIND_UNREDUCED_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace shardwright {

/// True if some sharding in the function has unreduced axes: of an argument, a
/// result, a value, or in an attribute of an sdy op. Most programs have none,
/// and need not be searched for partial sums.
bool hasUnreducedAxes(mlir::func::FuncOp func);

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_LAYOUT_FIND_UNREDUCED_H
