//===- legalize.h - ops that backends need not know -------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rewrites ops of the program of one device in terms of more basic StableHLO
// ops, so that backends need no code for them.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_LEGALIZE_LEGALIZE_H
#define SHARDWRIGHT_LEGALIZE_LEGALIZE_H

#include "shardwright/dialect/stablehlo/stablehlo.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Support/LogicalResult.h"

namespace shardwright::legalize {

/// Legalizes all ops in `function`, which belongs to a program of `numReplicas`
/// times `numPartitions` devices. Errors are emitted at the op.
mlir::LogicalResult legalizeOps(mlir::func::FuncOp function,
                                int64_t numReplicas, int64_t numPartitions);

/// Converts the operands of a reduction whose region has a wider element type
/// to that type.
void promoteOperands(mlir::Operation *op);

// --- One file each. The functions below replace and erase the op. ---

/// Becomes a reduce_window over values and indices, which selects, and a
/// scatter.
mlir::LogicalResult legalizeSelectAndScatter(stablehlo::SelectAndScatterOp op);
/// True for the custom calls ApproxTopK and TopK.
bool isTopK(stablehlo::CustomCallOp op);
/// Becomes a sort and slices: exact, so that any recall target is met.
mlir::LogicalResult legalizeTopK(stablehlo::CustomCallOp op);
/// Becomes an all_reduce, of which all devices but the root drop the result.
mlir::LogicalResult legalizeCollectiveReduce(stablehlo::CollectiveReduceOp op,
                                             int64_t numReplicas,
                                             int64_t numPartitions);
/// Becomes an all_reduce of the root's bits and zeros. The root is the first
/// member of a group, or the one that the last operand names. legalizeOps
/// leaves the former to backends.
mlir::LogicalResult legalizeBroadcast(stablehlo::CollectiveBroadcastOp op,
                                      int64_t numReplicas,
                                      int64_t numPartitions);
/// True for the custom call ragged_all_to_all.
bool isRaggedAllToAll(stablehlo::CustomCallOp op);
mlir::LogicalResult legalizeRaggedAllToAll(stablehlo::CustomCallOp op,
                                           int64_t numReplicas,
                                           int64_t numPartitions);
/// True for custom calls that only annotate a value: with its memory, its
/// layout, or the size of a dimension that has become static.
bool isAnnotation(stablehlo::CustomCallOp op);
mlir::LogicalResult legalizeAnnotation(stablehlo::CustomCallOp op);
/// Computes the result where the op starts, not where it is awaited.
mlir::LogicalResult legalizeAsyncStart(stablehlo::AsyncStartOp op);
/// infeed, outfeed, and send and recv with the host become calls of the
/// function that the host registered as `infeed`, `outfeed`, `send` or `recv`,
/// with the attribute infeed_config, outfeed_config or channel.
void legalizeHostTransfer(mlir::Operation *op);
/// A send and the recv of the same channel in one block become a
/// collective_permute.
mlir::LogicalResult legalizeSends(mlir::func::FuncOp function);

} // namespace shardwright::legalize

#endif // SHARDWRIGHT_LEGALIZE_LEGALIZE_H
