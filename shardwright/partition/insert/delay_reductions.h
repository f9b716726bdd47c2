//===- delay_reductions.h - sums of partial sums ----------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_INSERT_DELAY_REDUCTIONS_H
#define SHARDWRIGHT_PARTITION_INSERT_DELAY_REDUCTIONS_H

#include "shardwright/partition/layout/layout.h"

namespace shardwright {

/// Values that are partial sums along the same axes are added up before one
/// all_reduce instead of after one each; what a loop adds up (or writes part by
/// part) is reduced after the loop instead of in every iteration. Ops that are
/// linear may be between. Works on what `insertCollectives` makes; `sums` are
/// the ops that add up, those in a loop before the loop. Keeps `reduces`, the
/// all_reduces that there are, up to date.
void delayReductions(MeshTable &meshes, llvm::ArrayRef<mlir::Operation *> sums,
                     llvm::SmallVectorImpl<sdy::AllReduceOp> &reduces);
/// An addition, or a loop that may hold some.
bool addsUp(mlir::Operation *op);

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_INSERT_DELAY_REDUCTIONS_H
