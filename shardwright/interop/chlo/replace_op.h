//===- replace_op.h - replace ops by expansions -----------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_INTEROP_CHLO_REPLACE_OP_H
#define SHARDWRIGHT_INTEROP_CHLO_REPLACE_OP_H

#include "mlir/IR/Operation.h"

namespace shardwright::chlo_expansion {

// Replaces the uses of `op` by `results` and erases it. Its discardable
// attributes are moved to the ops that define the results. A result more static
// than the one it replaces is converted; otherwise `results` must be
// compatible.
void replaceOp(mlir::Operation *op, mlir::ValueRange results);

} // namespace shardwright::chlo_expansion

#endif // SHARDWRIGHT_INTEROP_CHLO_REPLACE_OP_H
