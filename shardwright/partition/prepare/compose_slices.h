//===- compose_slices.h - slices of pads and concatenations -----*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_PREPARE_COMPOSE_SLICES_H
#define SHARDWRIGHT_PARTITION_PREPARE_COMPOSE_SLICES_H

#include "mlir/IR/BuiltinOps.h"

namespace shardwright {

// Parts of `insertCollectives`. `joins` holds the pads and concatenations of
// the module in program order.

/// Rewrites slices of pads and concatenations along sharded dimensions to
/// slices of the padded or concatenated values. Keeps `joins` up to date.
void composeSlices(mlir::ModuleOp module,
                   llvm::SmallVectorImpl<mlir::Operation *> &joins);

/// Replaces concatenations of slices along sharded dimensions by pads of the
/// sliced values.
void widenSlices(llvm::ArrayRef<mlir::Operation *> joins);

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_PREPARE_COMPOSE_SLICES_H
