//===- host_memory.h - aligned memory, or none ------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_SUPPORT_HOST_MEMORY_H
#define SHARDWRIGHT_SUPPORT_HOST_MEMORY_H

#include <cstdint>
#include <memory>

namespace shardwright::cpu {

/// Memory aligned to 64 bytes, not initialised; large pieces on huge pages.
/// Null when there is none left, and when all that was given out here would be
/// more than the machine has: the system would grant that, and end the process
/// when it is touched. What is idle (idle_memory.h) goes first.
std::shared_ptr<void> allocateHost(int64_t bytes);
/// Bytes that allocateHost has given out and that are not free again.
int64_t hostMemoryInUse();

/// Bytes of memory of this machine.
int64_t machineMemory();

} // namespace shardwright::cpu

#endif // SHARDWRIGHT_SUPPORT_HOST_MEMORY_H
