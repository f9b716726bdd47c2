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

#include "shardwright/partition/layout.h"

#include "shardwright/dialect/stablehlo/stablehlo.h"

namespace shardwright {

/// Each device can do the StableHLO op on its shards: there is a rule, of which
/// all values that have a factor are sharded alike along it, or the op has
/// parts of its own that see to it (loops, collectives, random numbers, ...).
bool isAgreed(mlir::Operation *op, MeshTable &meshes);

/// The shape of the result is a value, and that of the whole program.
bool hasShapeOperand(mlir::Operation *op);

/// What the branches give has the shardings of the results.
void reshardReturns(stablehlo::IfOp op, MeshTable &meshes);

/// From one mesh to another with other axes the way is by all devices.
void splitBetweenMeshes(sdy::ReshardOp op, MeshTable &meshes);

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_SHARDY_OP_AGREEMENT_H
