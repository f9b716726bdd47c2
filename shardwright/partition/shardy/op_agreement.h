//===- op_agreement.h - ops with incompatible shardings ---------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shardy's sdy-insert-explicit-reshards does not change the shardings of ops
// without a sharding rule, or of ops with values on meshes with different axes.
// Such ops have no local form, so they are handled here.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_SHARDY_OP_AGREEMENT_H
#define SHARDWRIGHT_PARTITION_SHARDY_OP_AGREEMENT_H

#include "shardwright/partition/layout/layout.h"

#include "shardwright/dialect/stablehlo/stablehlo.h"

namespace shardwright {

/// True if each device can run the StableHLO op on its shards: all values that
/// have a factor of its rule are sharded alike along it, or the op is handled
/// separately (loops, collectives, random numbers, ...).
bool isAgreed(mlir::Operation *op, MeshTable &meshes);

/// By operand and then by result of a custom call: its sharded dimensions that
/// each device needs whole. Empty if there are none.
llvm::SmallVector<llvm::SmallBitVector> dimsReadWhole(mlir::Operation *op,
                                                      MeshTable &meshes);

/// True if all users reduce the op's results along sharded reduction factors,
/// or the results are marked as unreduced.
bool isCompleted(mlir::Operation *op, MeshTable &meshes);

/// If a result is marked as unreduced along axes along which the op makes no
/// partial sums (its operands are replicated): one device of each group keeps
/// the result, and the others get zeros.
void makeParts(mlir::Operation *op, MeshTable &meshes);

/// Operand dimensions that a scatter would write only at their first row:
/// inserted, sharded, and without an index. All inputs have the same ones.
llvm::SmallVector<int64_t> fixedDims(stablehlo::ScatterOp op,
                                     MeshTable &meshes);

/// Reshards the branches' results to the shardings of the op's results.
void reshardReturns(stablehlo::IfOp op, MeshTable &meshes);

/// Splits a reshard between meshes with different axes into two via the
/// replicated value.
void splitBetweenMeshes(sdy::ReshardOp op, MeshTable &meshes);

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_SHARDY_OP_AGREEMENT_H
