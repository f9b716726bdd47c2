//===- permute_pairs.h - source-target pairs of a permute -------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_RESHARD_PERMUTE_PAIRS_H
#define SHARDWRIGHT_PARTITION_RESHARD_PERMUTE_PAIRS_H

#include "shardwright/mesh/sharding.h"

namespace shardwright {

/// Returns (source, target) device ids, flat, by ascending source, that move
/// every shard from one layout to another with equal shard counts per
/// dimension. A device that already holds its part sends to itself. Empty if
/// all do.
llvm::SmallVector<int64_t> permutePairs(const Mesh &fromMesh,
                                        const TensorSharding &from,
                                        const Mesh &toMesh,
                                        const TensorSharding &to);

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_RESHARD_PERMUTE_PAIRS_H
