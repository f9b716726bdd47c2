//===- join_collectives.h - build merged collectives ------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Merges collectives over the same groups into one with several operands, if
// the op supports that and XLA's CPU backend executes it correctly; otherwise
// their operands are packed into one.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_COMBINE_JOIN_COLLECTIVES_H
#define SHARDWRIGHT_PARTITION_COMBINE_JOIN_COLLECTIVES_H

#include "shardwright/partition/cost/machine_model.h"

#include "mlir/IR/Builders.h"

#include <optional>
#include <tuple>

namespace shardwright {

/// Collectives of equal class perform the same exchange on different values.
/// All permutes (join_permutes.h) have one class. Only for comparison.
using CollectiveClass =
    std::tuple<const void *, const void *, const void *, int64_t, int64_t>;

/// True if ops of this name may have a class; fast.
bool mayBeJoined(mlir::Operation *op);

/// The class of a collective that can be merged with others; none for other
/// ops.
std::optional<CollectiveClass> collectiveClass(mlir::Operation *op);

/// Bytes that count towards a merged collective's size, and the limit of the
/// size.
double joinedBytes(mlir::Operation *op);
double mostJoinedBytes(mlir::Operation *op, const JoinLimits &limits);

/// Replaces several collectives of one class (not permutes), in program order,
/// none of which depends on another. New ops are inserted right before the last
/// one and reported to the listener; uses may come before them.
void joinCollectives(llvm::ArrayRef<mlir::Operation *> members,
                     mlir::OpBuilder::Listener *listener);

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_COMBINE_JOIN_COLLECTIVES_H
