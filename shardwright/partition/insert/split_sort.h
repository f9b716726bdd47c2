//===- split_sort.h - sorts along a sharded dimension -----------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_INSERT_SPLIT_SORT_H
#define SHARDWRIGHT_PARTITION_INSERT_SPLIT_SORT_H

#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/partition/layout/layout.h"

namespace shardwright {

/// Sorts along a dimension that is sharded in the given layout of the inputs
/// and wanted so, in four rounds of sorting shards and exchanging rows, if that
/// sends less than a gather. Returns the replacement ops, in order (the sort
/// itself if it stays), with their shardings.
llvm::SmallVector<mlir::Operation *> splitSort(stablehlo::SortOp sort,
                                               const Layout &layout,
                                               const Layout &wanted,
                                               const MeshTable &meshes);

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_INSERT_SPLIT_SORT_H
