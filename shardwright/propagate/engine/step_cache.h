//===- step_cache.h - cache of propagation steps ----------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A cache of propagation steps. A step depends only on ids, and the layers of a
// program repeat the same rules with the same shardings. The hash table is
// specialized for keys of a few numbers.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PROPAGATE_ENGINE_STEP_CACHE_H
#define SHARDWRIGHT_PROPAGATE_ENGINE_STEP_CACHE_H

#include "shardwright/propagate/graph/sharding_table.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Allocator.h"

#include <vector>

namespace shardwright {

class StepCache {
public:
  struct Change {
    int32_t tensor;
    ShardingId sharding;
  };

  StepCache() : table(1024, 0) {}

  size_t size() const { return entries.size(); }

  /// Returns the cached step, or null.
  const llvm::ArrayRef<Change> *find(llvm::ArrayRef<int32_t> key) {
    lastHash = hashOf(key);
    for (size_t i = lastHash & (table.size() - 1); table[i] != 0;
         i = (i + 1) & (table.size() - 1)) {
      const Entry &entry = entries[table[i] - 1];
      if (entry.hash == lastHash && entry.key == key)
        return &entry.changes;
    }
    return nullptr;
  }

  /// Inserts the step for the key of the last find().
  llvm::ArrayRef<Change> insert(llvm::ArrayRef<int32_t> key,
                                llvm::ArrayRef<Change> changes) {
    entries.push_back({lastHash, key.copy(allocator), changes.copy(allocator)});
    if (entries.size() * 2 > table.size()) {
      table.assign(table.size() * 2, 0);
      for (size_t e = 0; e < entries.size(); ++e)
        place(e);
    } else {
      place(entries.size() - 1);
    }
    return entries.back().changes;
  }

private:
  struct Entry {
    uint32_t hash;
    llvm::ArrayRef<int32_t> key;
    llvm::ArrayRef<Change> changes;
  };

  static uint32_t hashOf(llvm::ArrayRef<int32_t> key) {
    uint64_t h = key.size();
    for (int32_t k : key)
      h = (h ^ uint32_t(k)) * 0x9E3779B97F4A7C15ull;
    return h >> 32;
  }

  void place(size_t entry) {
    size_t i = entries[entry].hash & (table.size() - 1);
    while (table[i] != 0)
      i = (i + 1) & (table.size() - 1);
    table[i] = entry + 1;
  }

  llvm::BumpPtrAllocator allocator;
  std::vector<Entry> entries;
  std::vector<uint32_t> table;
  uint32_t lastHash = 0;
};

} // namespace shardwright

#endif // SHARDWRIGHT_PROPAGATE_ENGINE_STEP_CACHE_H
