//===- tile_scatters.h - reduce_scatters of full tiles ----------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_COMBINE_TILE_SCATTERS_H
#define SHARDWRIGHT_PARTITION_COMBINE_TILE_SCATTERS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace shardwright {

/// Gives reduce_scatters of a local function results of full tiles: matrices of
/// 8 rows with a multiple of 256 columns. XLA for TPUs replaces all others by
/// an all_reduce of twice the bytes. A result is padded, or its last elements
/// get a reduce_scatter of their own, whichever sends less; results that are
/// too small for either stay as they are. `nextChannel` is the next unused
/// number of a channel.
void tileScatters(mlir::func::FuncOp func, int64_t &nextChannel);

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_COMBINE_TILE_SCATTERS_H
