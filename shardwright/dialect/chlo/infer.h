//===- infer.h - result types of CHLO ops -------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_DIALECT_CHLO_INFER_H
#define SHARDWRIGHT_DIALECT_CHLO_INFER_H

#include "shardwright/dialect/chlo/chlo.h"

namespace shardwright::chlo {

using MaybeLoc = std::optional<mlir::Location>;
using Types = llvm::SmallVectorImpl<mlir::Type>;

mlir::LogicalResult
inferSameTypeOrUnranked(MaybeLoc loc, mlir::ValueRange operands, Types &types);
mlir::LogicalResult inferTopK(MaybeLoc loc, mlir::Value operand, int64_t k,
                              Types &types);

// Infers the broadcast of two shapes. Dimension i of the operand of lower rank
// maps to dimension `broadcastDimensions[i]`; by default it is aligned to the
// right. A null element type means that of `lhs`.
mlir::LogicalResult
inferBroadcastBinary(MaybeLoc loc, mlir::Value lhs, mlir::Value rhs,
                     std::optional<llvm::ArrayRef<int64_t>> broadcastDimensions,
                     mlir::Type elementType, Types &types);
mlir::LogicalResult inferBroadcastSelect(MaybeLoc loc, mlir::Value pred,
                                         mlir::Value onTrue,
                                         mlir::Value onFalse, Types &types);

} // namespace shardwright::chlo

#endif // SHARDWRIGHT_DIALECT_CHLO_INFER_H
