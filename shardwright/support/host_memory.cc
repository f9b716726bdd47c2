//===- host_memory.cc - aligned memory, or none ---------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/support/host_memory.h"

#include "shardwright/support/fault_injection.h"
#include "shardwright/support/idle_memory.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <sys/mman.h>
#include <unistd.h>

using namespace shardwright;

static std::atomic<int64_t> inUse{0};

int64_t cpu::hostMemoryInUse() { return inUse; }

int64_t cpu::machineMemory() {
  static const int64_t bytes = [] {
    int64_t pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    return pages > 0 && size > 0 ? pages * size : INT64_MAX;
  }();
  int64_t pretended = pretendedMemory();
  return pretended ? pretended : bytes;
}

/// Counts `size` bytes, if the machine has them.
static bool reserve(int64_t size) {
  if (inUse.fetch_add(size) + size <= cpu::machineMemory())
    return true;
  inUse -= size;
  return false;
}

std::shared_ptr<void> cpu::allocateHost(int64_t bytes) {
  constexpr int64_t hugePage = 2 << 20;
  if (bytes < 0 || bytes > machineMemory() || isFaultDue(FaultKind::Allocation))
    return nullptr;
  bool large = bytes >= 2 * hugePage;
  int64_t alignment = large ? hugePage : 64;
  // aligned_alloc wants a multiple, and an empty array a pointer.
  int64_t size = std::max((bytes + alignment - 1) & -alignment, alignment);
  while (!reserve(size))
    if (!releaseIdle(size))
      return nullptr;
  void *p = std::aligned_alloc(alignment, size);
  while (!p && releaseIdle(size))
    p = std::aligned_alloc(alignment, size);
  if (!p) {
    inUse -= size;
    return nullptr;
  }
#if defined(MADV_HUGEPAGE)
  if (large)
    madvise(p, size, MADV_HUGEPAGE);
#endif
  return std::shared_ptr<void>(p, [size](void *memory) {
    std::free(memory);
    inUse -= size;
  });
}
