//===- host_memory.cc - aligned host memory -------------------------------===//
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
#include <cstddef>
#include <cstdlib>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

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

/// Counts `size` bytes as in use; returns false if the machine lacks them.
static bool reserve(int64_t size) {
  if (inUse.fetch_add(size) + size <= cpu::machineMemory())
    return true;
  inUse -= size;
  return false;
}

static constexpr int64_t hugePage = 2 << 20, cacheLine = 64;
static bool isLarge(int64_t bytes) { return bytes >= 2 * hugePage; }

/// Bytes that are allocated for `bytes`: aligned_alloc requires a multiple of
/// the alignment, and an empty array needs a pointer.
static int64_t sizeTaken(int64_t bytes) {
  int64_t alignment = isLarge(bytes) ? hugePage : cacheLine;
  return std::max((bytes + alignment - 1) & -alignment, alignment);
}

/// Sanitizers get aligned_alloc and free, so that they see every byte beyond
/// the end and every use of freed memory.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SHARDWRIGHT_SANITIZED_MEMORY
#endif
#endif
#ifdef SHARDWRIGHT_SANITIZED_MEMORY
static constexpr bool isSanitized = true;
#else
static constexpr bool isSanitized = false;
#endif

/// Small blocks are aligned by hand: malloc gives out again what the thread has
/// freed, which takes a tenth of the time of aligned_alloc.
static bool isSmall(int64_t size) { return !isSanitized && size <= 32 << 10; }

/// The block of malloc lies in front of the aligned address.
static void *allocateSmall(int64_t size) {
  auto *block = static_cast<char *>(std::malloc(size + cacheLine));
  if (!block)
    return nullptr;
  // malloc aligns to 16 bytes: at least that much is left for the pointer.
  static_assert(alignof(std::max_align_t) >= sizeof(void *));
  char *aligned = block + cacheLine -
                  reinterpret_cast<uintptr_t>(block) % uintptr_t(cacheLine);
  reinterpret_cast<void **>(aligned)[-1] = block;
  return aligned;
}

static void *allocateAligned(int64_t alignment, int64_t size) {
  return isSmall(size) ? allocateSmall(size)
                       : std::aligned_alloc(alignment, size);
}

static void freeAligned(void *memory, int64_t size) {
  std::free(isSmall(size) ? static_cast<void **>(memory)[-1] : memory);
  inUse -= size;
}

namespace {

/// A freed large block. The next array of its size takes it: clearing its pages
/// anew takes longer than most operations on them (the exponential of 8 MiB a
/// device on 8 devices, of which it was nine tenths).
struct IdleBlock {
  IdleBlock(void *memory, int64_t size) : memory(memory), size(size) {}
  IdleBlock(const IdleBlock &) = delete;
  ~IdleBlock() {
    if (memory)
      freeAligned(memory, size);
  }
  void *memory;
  int64_t size;
};

} // namespace

void *cpu::allocateHostRaw(int64_t bytes) {
  if (bytes < 0 || bytes > machineMemory() || isFaultDue(FaultKind::Allocation))
    return nullptr;
  int64_t alignment = isLarge(bytes) ? hugePage : cacheLine,
          size = sizeTaken(bytes);
  if (isLarge(bytes))
    if (std::shared_ptr<void> idle = takeIdleBlock(size))
      return std::exchange(static_cast<IdleBlock *>(idle.get())->memory,
                           nullptr);
  while (!reserve(size))
    if (!releaseIdle(size))
      return nullptr;
  void *p = allocateAligned(alignment, size);
  while (!p && releaseIdle(size))
    p = allocateAligned(alignment, size);
  if (!p) {
    inUse -= size;
    return nullptr;
  }
#if defined(MADV_HUGEPAGE)
  if (isLarge(bytes))
    madvise(p, size, MADV_HUGEPAGE);
#endif
  return p;
}

void cpu::freeHost(void *memory, int64_t bytes) {
  if (!memory)
    return;
  int64_t size = sizeTaken(bytes);
  if (isLarge(bytes) && !isSanitized)
    keepIdleBlock(size, std::make_shared<IdleBlock>(memory, size));
  else
    freeAligned(memory, size);
}

std::shared_ptr<void> cpu::allocateHost(int64_t bytes) {
  void *memory = allocateHostRaw(bytes);
  if (!memory)
    return nullptr;
  return std::shared_ptr<void>(
      memory, [bytes](void *memory) { freeHost(memory, bytes); });
}
