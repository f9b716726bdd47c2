//===- idle_memory.h - memory kept for the next use -------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pages that are fresh cost more than many a program's run, so executors keep
// their arenas from run to run. That memory is known here, for the process as a
// whole: what has not been used for longest goes when it is more than a share
// of the machine's memory, or when somebody else needs memory.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_SUPPORT_IDLE_MEMORY_H
#define SHARDWRIGHT_SUPPORT_IDLE_MEMORY_H

#include <cstdint>
#include <memory>

namespace shardwright::cpu {

/// Keeps `memory`, of `bytes` in all, until `owner` takes or drops it or it has
/// to go. Thread-safe, as are the others.
void keepIdle(const void *owner, int64_t bytes, std::shared_ptr<void> memory);
/// What `owner` has kept last; null: nothing is left.
std::shared_ptr<void> takeIdle(const void *owner);
/// Ends all that `owner` has kept.
void dropIdle(const void *owner);
/// Ends the memory that has been idle for longest, until `bytes` are free;
/// false: there was none.
bool releaseIdle(int64_t bytes);
/// Bytes that are kept now.
int64_t idleBytes();

} // namespace shardwright::cpu

#endif // SHARDWRIGHT_SUPPORT_IDLE_MEMORY_H
