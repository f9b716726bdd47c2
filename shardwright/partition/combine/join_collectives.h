//===- join_collectives.h - one collective for several ----------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Collectives over the same groups as one of several operands, where the op has
// them and XLA's CPU backend takes them; elsewhere their parts are packed into
// one operand.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_COMBINE_JOIN_COLLECTIVES_H
#define SHARDWRIGHT_PARTITION_COMBINE_JOIN_COLLECTIVES_H

#include "mlir/IR/Builders.h"

#include <optional>
#include <tuple>

namespace shardwright {

/// What makes two collectives the same exchange of other values; permutes (see
/// join_permutes.h) are all of one class. Only for comparing.
using CollectiveClass =
    std::tuple<const void *, const void *, const void *, int64_t, int64_t>;

/// Whether ops of this name have a class; quick.
bool mayBeJoined(mlir::Operation *op);

/// The class of a collective that can be joined with others; none for any other
/// op.
std::optional<CollectiveClass> collectiveClass(mlir::Operation *op);

/// What counts towards a joined collective's size, and the most that one has.
double joinedBytes(mlir::Operation *op);
double mostJoinedBytes(mlir::Operation *op);

/// Replaces several collectives of a class (no permutes), in program order,
/// none of which waits for another. New ops, of which the listener hears, are
/// right before the last one: uses may come before them.
void joinCollectives(llvm::ArrayRef<mlir::Operation *> members,
                     mlir::OpBuilder::Listener *listener);

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_COMBINE_JOIN_COLLECTIVES_H
