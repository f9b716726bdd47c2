//===- replica_groups.h - replica groups of collectives ---------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_LEGALIZE_REPLICA_GROUPS_H
#define SHARDWRIGHT_LEGALIZE_REPLICA_GROUPS_H

#include "shardwright/dialect/stablehlo/stablehlo.h"

#include "mlir/IR/Operation.h"
#include "mlir/Support/LogicalResult.h"

#include <utility>
#include <vector>

namespace shardwright::legalize {

/// Groups of devices, members in order; a device is in at most one. Devices are
/// numbered replica * numPartitions + partition.
using ReplicaGroups = std::vector<llvm::SmallVector<int32_t, 8>>;

/// Reads the groups of a collective op other than a collective_permute. Errors
/// are emitted at the op.
mlir::FailureOr<ReplicaGroups> readReplicaGroups(mlir::Operation *op,
                                                 int64_t numReplicas,
                                                 int64_t numPartitions);

/// Reads (source, target) of each transfer, as devices of ReplicaGroups. Errors
/// are emitted at the op.
mlir::FailureOr<std::vector<std::pair<int32_t, int32_t>>>
readSourceTargetPairs(stablehlo::CollectivePermuteOp op, int64_t numReplicas,
                      int64_t numPartitions);

} // namespace shardwright::legalize

#endif // SHARDWRIGHT_LEGALIZE_REPLICA_GROUPS_H
