//===- replica_groups.h - replica groups of collectives ---------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_CPU_READ_REPLICA_GROUPS_H
#define SHARDWRIGHT_CPU_READ_REPLICA_GROUPS_H

#include "shardwright/cpu/program/program.h"

#include "mlir/IR/Operation.h"
#include "mlir/Support/LogicalResult.h"

namespace shardwright::cpu {

/// Fills in the spec of a collective except for the shapes, the element type
/// and the reduction. Device numbers are replica * numPartitions + partition.
/// Errors are emitted at the operation.
mlir::LogicalResult readCollective(mlir::Operation *op, int64_t numReplicas,
                                   int64_t numPartitions, CollectiveSpec &spec);

/// The reduction that the computation consists of, if it is a single known op.
std::optional<ReduceKind> knownReduction(mlir::Region &computation);

} // namespace shardwright::cpu

#endif // SHARDWRIGHT_CPU_READ_REPLICA_GROUPS_H
