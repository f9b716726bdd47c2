//===- uneven.h - dimensions that their axes do not divide ------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A dimension of N over n shards: each has ceil(N / n) rows, of which the last
// shards' lie partly or all beyond N. Such rows hold anything; no row below N
// may ever depend on them.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_MESH_UNEVEN_H
#define SHARDWRIGHT_MESH_UNEVEN_H

#include "shardwright/mesh/shard_size.h"

namespace shardwright {

/// Each of `coarse` shards is a run of whole ones of the `fine` shards, a
/// multiple: gathers and slices lead from the one to the other. A whole
/// dimension may be cut in any way that leaves no more shards than rows.
inline bool refines(int64_t size, int64_t coarse, int64_t fine) {
  if (fine > size)
    return false;
  return coarse == 1 ||
         shardSize(size, coarse) == fine / coarse * shardSize(size, fine);
}

} // namespace shardwright

#endif // SHARDWRIGHT_MESH_UNEVEN_H
