//===- rewrite_ops.h - operations that become others ------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// After partitioning, and before blocks are read: operations for which the cpu
// backend has no code of their own, said in terms of those that it has.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_LEGALIZE_REWRITE_OPS_H
#define SHARDWRIGHT_LEGALIZE_REWRITE_OPS_H

#include "shardwright/dialect/stablehlo/stablehlo.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Support/LogicalResult.h"

namespace shardwright::cpu {

/// Rewrites everything inside `function`, of a program for so many devices.
/// Errors are emitted at the operation.
mlir::LogicalResult rewriteOps(mlir::func::FuncOp function, int64_t numReplicas,
                               int64_t numPartitions);

/// Operands of a reduction whose region has a wider element type are converted
/// to it.
void promoteOperands(mlir::Operation *op);

// --- one file each; they replace and erase the operation ---

/// reduce_window over values and indices for the winners, then scatter.
mlir::LogicalResult rewriteSelectAndScatter(stablehlo::SelectAndScatterOp op);
/// The custom calls ApproxTopK and TopK: sort and slice. Exact, so any recall
/// target is met.
bool isTopK(stablehlo::CustomCallOp op);
mlir::LogicalResult rewriteTopK(stablehlo::CustomCallOp op);
/// An all_reduce of which only the root keeps the result.
mlir::LogicalResult rewriteCollectiveReduce(stablehlo::CollectiveReduceOp op,
                                            int64_t numReplicas,
                                            int64_t numPartitions);
/// A collective_broadcast from a root that its last operand names.
mlir::LogicalResult rewriteDynamicBroadcast(stablehlo::CollectiveBroadcastOp op,
                                            int64_t numReplicas,
                                            int64_t numPartitions);
/// The custom call ragged_all_to_all.
bool isRaggedAllToAll(stablehlo::CustomCallOp op);
mlir::LogicalResult rewriteRaggedAllToAll(stablehlo::CustomCallOp op,
                                          int64_t numReplicas,
                                          int64_t numPartitions);
/// Calls that say where a value is to be, or how it is laid out, or that a
/// dimension has a size that simplification knows by now.
bool isAnnotation(stablehlo::CustomCallOp op);
mlir::LogicalResult rewriteAnnotation(stablehlo::CustomCallOp op);
/// The work is done where it starts.
mlir::LogicalResult rewriteAsyncStart(stablehlo::AsyncStartOp op);
/// infeed, outfeed, and send and recv with the host: calls of the function that
/// the host registered as `infeed`, `outfeed`, `send` or `recv`, with the
/// attribute infeed_config, outfeed_config or channel.
void rewriteHostTransfer(mlir::Operation *op);
/// A send and the recv of the same channel, in one block: a collective_permute.
mlir::LogicalResult rewriteSends(mlir::func::FuncOp function);

} // namespace shardwright::cpu

#endif // SHARDWRIGHT_LEGALIZE_REWRITE_OPS_H
