//===- idle_memory.cc - memory kept for the next use ----------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/support/idle_memory.h"

#include "shardwright/support/host_memory.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

#include <list>
#include <mutex>

using namespace shardwright;

namespace {

/// An owner and 0, or no owner and a size in bytes.
using Key = std::pair<const void *, int64_t>;

struct Entry {
  Key key;
  int64_t bytes;
  std::shared_ptr<void> memory;
};

struct Kept {
  std::mutex mutex;
  std::list<Entry> entries; ///< the longest idle entry first
  /// Entries of each key, the latest last.
  llvm::DenseMap<Key, llvm::SmallVector<std::list<Entry>::iterator, 4>> byKey;
  int64_t bytes = 0;

  /// Requires the mutex. The caller must free the memory without holding it.
  std::shared_ptr<void> remove(std::list<Entry>::iterator entry) {
    auto it = byKey.find(entry->key);
    llvm::erase(it->second, entry);
    if (it->second.empty())
      byKey.erase(it);
    bytes -= entry->bytes;
    std::shared_ptr<void> memory = std::move(entry->memory);
    entries.erase(entry);
    return memory;
  }
};

using Ended = llvm::SmallVector<std::shared_ptr<void>, 4>;

/// One block per concurrent run of a program, up to this limit.
constexpr size_t mostOfOne = 4;
/// All blocks except the latest must fit in this share of the machine's memory.
constexpr int64_t shareOfMachine = 4;

} // namespace

static Kept &kept() {
  // Never destroyed: executors may outlive static objects.
  static auto *all = new Kept;
  return *all;
}

static void keep(Key key, int64_t bytes, size_t most,
                 std::shared_ptr<void> memory) {
  Ended ended;
  Kept &k = kept();
  std::lock_guard lock(k.mutex);
  auto &own = k.byKey[key];
  if (own.size() >= most) {
    ended.push_back(std::move(memory));
    return;
  }
  own.push_back(
      k.entries.insert(k.entries.end(), {key, bytes, std::move(memory)}));
  k.bytes += bytes;
  while (k.entries.size() > 1 &&
         k.bytes > cpu::machineMemory() / shareOfMachine)
    ended.push_back(k.remove(k.entries.begin()));
}

static std::shared_ptr<void> take(Key key) {
  Kept &k = kept();
  std::lock_guard lock(k.mutex);
  auto it = k.byKey.find(key);
  return it == k.byKey.end() ? nullptr : k.remove(it->second.back());
}

void cpu::keepIdle(const void *owner, int64_t bytes,
                   std::shared_ptr<void> memory) {
  keep({owner, 0}, bytes, mostOfOne, std::move(memory));
}

std::shared_ptr<void> cpu::takeIdle(const void *owner) {
  return take({owner, 0});
}

void cpu::keepIdleBlock(int64_t bytes, std::shared_ptr<void> memory) {
  if (bytes <= machineMemory() / shareOfMachine)
    keep({nullptr, bytes}, bytes, SIZE_MAX, std::move(memory));
}

std::shared_ptr<void> cpu::takeIdleBlock(int64_t bytes) {
  return take({nullptr, bytes});
}

void cpu::dropIdle(const void *owner) {
  Ended ended;
  Kept &k = kept();
  std::lock_guard lock(k.mutex);
  for (auto it = k.byKey.find({owner, 0}); it != k.byKey.end();
       it = k.byKey.find({owner, 0}))
    ended.push_back(k.remove(it->second.back()));
}

bool cpu::releaseIdle(int64_t bytes) {
  Ended ended;
  Kept &k = kept();
  std::lock_guard lock(k.mutex);
  for (int64_t freed = 0; freed < bytes && !k.entries.empty();) {
    freed += k.entries.front().bytes;
    ended.push_back(k.remove(k.entries.begin()));
  }
  return !ended.empty();
}

int64_t cpu::idleBytes() {
  Kept &k = kept();
  std::lock_guard lock(k.mutex);
  return k.bytes;
}
