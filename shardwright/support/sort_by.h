//===- sort_by.h - stable sorting by a key ----------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_SUPPORT_SORT_BY_H
#define SHARDWRIGHT_SUPPORT_SORT_BY_H

#include "llvm/ADT/STLExtras.h"

#include <utility>
#include <vector>

namespace shardwright {

/// Sorts a vector stably by ascending key. Replaces std::stable_sort, which in
/// libstdc++ 12 calls a function that C++17 deprecates, so that each use is a
/// warning.
template <typename Vector, typename KeyFn>
void sortBy(Vector &list, KeyFn key) {
  using Key = decltype(key(list.front()));
  std::vector<std::pair<Key, size_t>> order;
  for (auto [i, item] : llvm::enumerate(list))
    order.push_back({key(item), i});
  llvm::sort(order);
  Vector sorted;
  sorted.reserve(list.size());
  for (const auto &[itsKey, i] : order)
    sorted.push_back(std::move(list[i]));
  list = std::move(sorted);
}

} // namespace shardwright

#endif // SHARDWRIGHT_SUPPORT_SORT_BY_H
