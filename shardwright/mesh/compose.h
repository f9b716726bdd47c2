//===- compose.h - compose and transpose shardings --------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_MESH_COMPOSE_H
#define SHARDWRIGHT_MESH_COMPOSE_H

#include "shardwright/mesh/sharding.h"

namespace shardwright {

/// Dimension d of the result is dimension `perm[d]`, a permutation.
TensorSharding transposed(const TensorSharding &sharding,
                          llvm::ArrayRef<int64_t> perm);
/// The sharding of a value whose shards under `outer` are sharded by `inner`.
/// None if the ranks differ, an axis is in both, or both are partial values of
/// different kinds. Open dimensions and
/// priorities are those of `inner`.
std::optional<TensorSharding> composed(const TensorSharding &outer,
                                       const TensorSharding &inner);

} // namespace shardwright

#endif // SHARDWRIGHT_MESH_COMPOSE_H
