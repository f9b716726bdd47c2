//===- delay_reductions.h - delay reductions of partial sums ----*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_INSERT_DELAY_REDUCTIONS_H
#define SHARDWRIGHT_PARTITION_INSERT_DELAY_REDUCTIONS_H

#include "shardwright/partition/layout/layout.h"

namespace shardwright {

/// Adds values that are partial sums along the same axes before one all_reduce
/// instead of after one each; reduces a value that a loop accumulates (or
/// writes in slices) after the loop instead of in every iteration. Linear ops
/// may be in between. Works on the output of `insertCollectives`. `sums` holds
/// the ops that `addsUp`, those in a loop before the loop. Keeps `reduces`, the
/// all_reduces of the function, up to date.
void delayReductions(MeshTable &meshes, llvm::ArrayRef<mlir::Operation *> sums,
                     llvm::SmallVectorImpl<sdy::AllReduceOp> &reduces);
/// True for an addition, or a loop that may contain one.
bool addsUp(mlir::Operation *op);

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_INSERT_DELAY_REDUCTIONS_H
