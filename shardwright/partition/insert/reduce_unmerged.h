//===- reduce_unmerged.h - reductions of merged dimensions ------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_INSERT_REDUCE_UNMERGED_H
#define SHARDWRIGHT_PARTITION_INSERT_REDUCE_UNMERGED_H

#include "shardwright/dialect/stablehlo/stablehlo.h"

namespace shardwright {

/// If a reshape merges dimensions and one after the first of them is sharded,
/// the merged dimension cannot have the same shards. Replaces a reduction of
/// the merged dimension by one over its source dimensions. True if it did; the
/// op is erased then.
bool reduceUnmerged(stablehlo::ReduceOp reduce);

/// True if the reshape may merge a sharded dimension with one before it. If no
/// reshape of a module does, reduceUnmerged() does nothing there.
bool mayMergeSharded(stablehlo::ReshapeOp reshape);

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_INSERT_REDUCE_UNMERGED_H
