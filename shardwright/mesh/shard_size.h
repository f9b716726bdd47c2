//===- shard_size.h - size of a shard ---------------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_MESH_SHARD_SIZE_H
#define SHARDWRIGHT_MESH_SHARD_SIZE_H

#include <cstdint>

namespace shardwright {

/// ceil(size / shards) for size >= 0, without overflow at huge shard counts.
inline int64_t shardSize(int64_t size, int64_t shards) {
  return size / shards + (size % shards != 0);
}

} // namespace shardwright

#endif // SHARDWRIGHT_MESH_SHARD_SIZE_H
