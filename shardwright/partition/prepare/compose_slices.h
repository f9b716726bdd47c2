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

// Parts of `insertCollectives`. `joins` are the pads and concatenations of the
// module, in program order.

/// Slices of pads and concatenations along sharded dimensions take their rows
/// from what was padded or concatenated. Keeps `joins` up to date.
void composeSlices(mlir::ModuleOp module,
                   llvm::SmallVectorImpl<mlir::Operation *> &joins);

/// Takes the parts of concatenations along sharded dimensions straight from
/// what they are slices of.
void widenSlices(llvm::ArrayRef<mlir::Operation *> joins);

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_PREPARE_COMPOSE_SLICES_H
