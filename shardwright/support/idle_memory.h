//===- idle_memory.h - memory kept for the next use -------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Executors keep their arenas between runs, and large arrays that are freed
// wait for arrays of the same size, since fresh pages can cost more than a run.
// This is the process-wide list of such idle memory. The least recently used
// blocks are freed if idle memory exceeds a share of the machine's memory, or
// if another allocation needs it.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_SUPPORT_IDLE_MEMORY_H
#define SHARDWRIGHT_SUPPORT_IDLE_MEMORY_H

#include <cstdint>
#include <memory>

namespace shardwright::cpu {

/// Keeps `memory`, of `bytes` in all, until `owner` takes or drops it or it is
/// freed for others. All functions here are thread-safe.
void keepIdle(const void *owner, int64_t bytes, std::shared_ptr<void> memory);
/// Returns the memory that `owner` kept last, or null if none is left.
std::shared_ptr<void> takeIdle(const void *owner);
/// Frees all memory that `owner` kept.
void dropIdle(const void *owner);
/// Likewise for memory that any allocation of this size can use.
void keepIdleBlock(int64_t bytes, std::shared_ptr<void> memory);
std::shared_ptr<void> takeIdleBlock(int64_t bytes);
/// Frees the memory that has been idle for longest, until `bytes` are freed.
/// Returns false if there was none.
bool releaseIdle(int64_t bytes);
/// Bytes kept now.
int64_t idleBytes();

} // namespace shardwright::cpu

#endif // SHARDWRIGHT_SUPPORT_IDLE_MEMORY_H
