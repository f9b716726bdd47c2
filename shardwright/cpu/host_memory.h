//===- host_memory.h - aligned memory, or none ------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_CPU_HOST_MEMORY_H
#define SHARDWRIGHT_CPU_HOST_MEMORY_H

#include <cstdint>
#include <memory>

namespace shardwright::cpu {

/// Memory aligned to 64 bytes, not initialised; large pieces on huge pages.
/// Null when there is none left, and for more than the machine has: the system
/// would grant that, and end the process when it is touched.
std::shared_ptr<void> allocateHost(int64_t bytes);

/// Bytes of memory of this machine.
int64_t machineMemory();

} // namespace shardwright::cpu

#endif // SHARDWRIGHT_CPU_HOST_MEMORY_H
