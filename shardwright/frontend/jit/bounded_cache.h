//===- bounded_cache.h - caches of limited size -----------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_JIT_BOUNDED_CACHE_H
#define SHARDWRIGHT_FRONTEND_JIT_BOUNDED_CACHE_H

#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace shardwright::frontend {

/// Values by key. Beyond `limit` entries, the older half is forgotten.
/// Thread-safe.
template <typename V> class BoundedCache {
public:
  explicit BoundedCache(size_t limit) : limit(limit) {}
  std::optional<V> find(const std::string &key) {
    std::lock_guard lock(mutex);
    auto found = table.find(key);
    if (found == table.end())
      return {};
    return found->second;
  }
  void insert(const std::string &key, V value) {
    std::lock_guard lock(mutex);
    if (table.emplace(key, std::move(value)).second)
      order.push_back(key);
    if (order.size() > limit) {
      for (size_t i = 0; i < limit / 2; ++i)
        table.erase(order[i]);
      order.erase(order.begin(), order.begin() + limit / 2);
    }
  }

  size_t size() {
    std::lock_guard lock(mutex);
    return table.size();
  }

private:
  std::mutex mutex;
  const size_t limit;
  std::unordered_map<std::string, V> table;
  std::vector<std::string> order;
};

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_JIT_BOUNDED_CACHE_H
