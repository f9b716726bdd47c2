//===- op_agreement.h - ops whose shardings do not go together --*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shardy's sdy-insert-explicit-reshards leaves ops without a sharding rule, and
// ops with values on meshes with other axes, with the shardings that they have.
// Nothing later could make them local as they are.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_SHARDY_OP_AGREEMENT_H
#define SHARDWRIGHT_PARTITION_SHARDY_OP_AGREEMENT_H

#include "shardwright/partition/layout/layout.h"

#include "shardwright/dialect/stablehlo/stablehlo.h"

namespace shardwright {

/// Each device can do the StableHLO op on its shards: there is a rule, of which
/// all values that have a factor are sharded alike along it, or the op has
/// parts of its own that see to it (loops, collectives, random numbers, ...).
bool isAgreed(mlir::Operation *op, MeshTable &meshes);

/// What the op's results are parts of along sharded reduction factors is made
/// whole by their users, or unreduced and said to be.
bool isCompleted(mlir::Operation *op, MeshTable &meshes);

/// What a result says of unreduced axes along which the op makes no parts (it
/// has whole operands) becomes true: one device of each group keeps the result,
/// and the others get zeros.
void makeParts(mlir::Operation *op, MeshTable &meshes);

/// Operand dimensions, all of them the same, that a scatter would have to write
/// at their first row alone: inserted, sharded, and named by no index.
llvm::SmallVector<int64_t> fixedDims(stablehlo::ScatterOp op,
                                     MeshTable &meshes);

/// The shape of the result is a value, and that of the whole program.
bool hasShapeOperand(mlir::Operation *op);

/// What the branches give has the shardings of the results.
void reshardReturns(stablehlo::IfOp op, MeshTable &meshes);

/// From one mesh to another with other axes the way is by all devices.
void splitBetweenMeshes(sdy::ReshardOp op, MeshTable &meshes);

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_SHARDY_OP_AGREEMENT_H
