//===- host_memory.h - aligned host memory ----------------------*- C++ -*-===//
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

/// Allocates uninitialised memory, aligned to 64 bytes; large blocks use huge
/// pages. Returns null if no memory is left, or if all memory allocated here
/// would exceed the machine's: the system would grant it and kill the process
/// at first use. Frees idle memory (idle_memory.h) first.
std::shared_ptr<void> allocateHost(int64_t bytes);
/// As allocateHost, for an owner that calls freeHost.
void *allocateHostRaw(int64_t bytes);
/// Frees `bytes` bytes from allocateHostRaw; null is ignored. Large blocks stay
/// as idle memory for the next array of their size.
void freeHost(void *memory, int64_t bytes);
/// Bytes allocated here and not freed yet, idle memory included.
int64_t hostMemoryInUse();

/// Bytes of memory of this machine.
int64_t machineMemory();

} // namespace shardwright::cpu

#endif // SHARDWRIGHT_SUPPORT_HOST_MEMORY_H
