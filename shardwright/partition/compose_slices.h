//===- compose_slices.h - slices of pads and concatenations -----*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_COMPOSE_SLICES_H
#define SHARDWRIGHT_PARTITION_COMPOSE_SLICES_H

#include "mlir/IR/BuiltinOps.h"

namespace shardwright {

/// Slices of pads and concatenations along sharded dimensions take their rows
/// from what was padded or concatenated; part of `insertCollectives`.
void composeSlices(mlir::ModuleOp module);

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_COMPOSE_SLICES_H
