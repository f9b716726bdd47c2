//===- ordered.h - lists in order -------------------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_AUTO_ORDERED_H
#define SHARDWRIGHT_AUTO_ORDERED_H

#include "llvm/ADT/STLExtras.h"

#include <vector>

namespace shardwright {

/// Inserts behind what is equal or less.
template <typename T, typename Less>
void insertOrdered(std::vector<T> &list, T item, Less less) {
  list.insert(llvm::upper_bound(list, item, less), std::move(item));
}

} // namespace shardwright

#endif // SHARDWRIGHT_AUTO_ORDERED_H
