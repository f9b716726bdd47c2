//===- expand_op.h - expansion of one CHLO op ----------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_INTEROP_CHLO_EXPAND_OP_H
#define SHARDWRIGHT_INTEROP_CHLO_EXPAND_OP_H

#include "mlir/IR/Builders.h"
#include "shardwright/dialect/chlo/chlo.h"

namespace shardwright::chlo_expansion {

using Results = llvm::SmallVectorImpl<mlir::Value>;

// Builds the replacement of `op` before it and appends one value for each
// result, or emits an error and fails. May build further CHLO ops, which it
// appends to `more`.
mlir::LogicalResult expandOp(mlir::Operation *op, Results &results,
                             llvm::SmallVectorImpl<mlir::Operation *> &more);

// Expands the ops with NumPy-style broadcasting.
mlir::LogicalResult
expandBroadcast(mlir::Operation *op, Results &results,
                llvm::SmallVectorImpl<mlir::Operation *> &more);
bool isBroadcastOp(mlir::Operation *op);

// Expands functions applied to each element; fails without a diagnostic on
// other ops.
bool isElementwiseOp(mlir::Operation *op);
mlir::LogicalResult expandElementwise(mlir::Operation *op, Results &results);

mlir::LogicalResult expandConstantLike(chlo::ConstantLikeOp op,
                                       Results &results);
mlir::LogicalResult expandTopK(chlo::TopKOp op, Results &results);
mlir::LogicalResult expandRaggedDot(chlo::RaggedDotOp op, Results &results);

// Consumes the body. Discardable attributes are moved to the loop.
mlir::LogicalResult expandScan(chlo::ScanOp op, Results &results);

} // namespace shardwright::chlo_expansion

#endif // SHARDWRIGHT_INTEROP_CHLO_EXPAND_OP_H
