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
template <typename K, typename V, typename Hash = std::hash<K>,
          typename Equal = std::equal_to<K>>
class BoundedCache {
public:
  explicit BoundedCache(size_t limit) : limit(limit) {}
  /// `key`: a K, or what Hash and Equal compare with one.
  template <typename Query> std::optional<V> find(const Query &key) {
    std::lock_guard lock(mutex);
    auto found = table.find(key);
    if (found == table.end())
      return {};
    return found->second;
  }
  void insert(K key, V value) {
    std::lock_guard lock(mutex);
    auto [at, isNew] = table.emplace(std::move(key), std::move(value));
    if (isNew)
      order.push_back(&at->first);
    if (order.size() > limit) {
      for (size_t i = 0; i < limit / 2; ++i)
        table.erase(table.find(*order[i]));
      order.erase(order.begin(), order.begin() + limit / 2);
    }
  }

  void clear() {
    std::lock_guard lock(mutex);
    table.clear();
    order.clear();
  }
  size_t size() {
    std::lock_guard lock(mutex);
    return table.size();
  }

private:
  std::mutex mutex;
  const size_t limit;
  std::unordered_map<K, V, Hash, Equal> table;
  std::vector<const K *> order; ///< keys of the table, the oldest first
};

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_JIT_BOUNDED_CACHE_H
