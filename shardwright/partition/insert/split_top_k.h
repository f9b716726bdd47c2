//===- split_top_k.h - top_k along a sharded dimension ----------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_INSERT_SPLIT_TOP_K_H
#define SHARDWRIGHT_PARTITION_INSERT_SPLIT_TOP_K_H

#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/partition/layout/layout.h"

namespace shardwright {

/// For a sort along a sharded dimension of which only the first rows are used:
/// sorts within each shard of the given layout of the inputs, then sorts the
/// first rows of all shards. Returns the replacement ops, in order (the sort
/// itself if it stays); their shardings keep the first step local.
llvm::SmallVector<mlir::Operation *> splitTopK(stablehlo::SortOp sort,
                                               const Layout &layout,
                                               const MeshTable &meshes);

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_INSERT_SPLIT_TOP_K_H
