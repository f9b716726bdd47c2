//===- uneven.h - unevenly sharded dimensions -------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A dimension of size N over n shards: each shard has ceil(N / n) rows. Rows of
// the last shards may lie beyond N; their contents are undefined, and no row
// below N may depend on them.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_MESH_UNEVEN_H
#define SHARDWRIGHT_MESH_UNEVEN_H

#include "shardwright/mesh/shard_size.h"

namespace shardwright {

/// True if each of the `coarse` shards is the concatenation of complete `fine`
/// shards, so that gathers and slices convert between them. An unsharded
/// dimension may be cut into any number of shards up to its number of rows.
inline bool refines(int64_t size, int64_t coarse, int64_t fine) {
  if (fine > size)
    return false;
  return coarse == 1 ||
         shardSize(size, coarse) == fine / coarse * shardSize(size, fine);
}

} // namespace shardwright

#endif // SHARDWRIGHT_MESH_UNEVEN_H
