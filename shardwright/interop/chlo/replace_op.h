//===- replace_op.h - puts expansions in the place of ops --------------===//
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
// attributes go to the ops that make the results. A result more static than the
// one it replaces is converted; `results` must be compatible otherwise.
void replaceOp(mlir::Operation *op, mlir::ValueRange results);

} // namespace shardwright::chlo_expansion

#endif // SHARDWRIGHT_INTEROP_CHLO_REPLACE_OP_H
