//===- op_map.h - numbers of ops, by address --------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A map from ops to small values, for the ops of a whole module. Ops that are
// near each other in a program are mostly near each other in memory; here their
// entries are too, so that a walk through a module that the caches do not hold
// reads its entries in order. (A hash table reads one at random for each.)
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PROPAGATE_INDEX_OP_MAP_H
#define SHARDWRIGHT_PROPAGATE_INDEX_OP_MAP_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"

#include <array>
#include <memory>

namespace shardwright {

template <typename T> class OpMap {
public:
  T &operator[](mlir::Operation *op) {
    uintptr_t key = keyOf(op);
    if (key / kPageSize != lastNumber || !last) {
      auto &page = pages[key / kPageSize];
      if (!page)
        page = std::make_unique<Page>();
      last = page.get();
      lastNumber = key / kPageSize;
    }
    return (*last)[key % kPageSize];
  }

  /// T() for an op without an entry.
  T lookup(mlir::Operation *op) const {
    uintptr_t key = keyOf(op);
    if (last && key / kPageSize == lastNumber)
      return (*last)[key % kPageSize];
    auto it = pages.find(key / kPageSize);
    return it == pages.end() ? T() : (*it->second)[key % kPageSize];
  }

private:
  // No two ops begin in the same 64 bytes.
  static constexpr uintptr_t kGranule = 64, kPageSize = 256;
  static_assert(sizeof(mlir::Operation) >= kGranule);
  using Page = std::array<T, kPageSize>;

  static uintptr_t keyOf(mlir::Operation *op) {
    return reinterpret_cast<uintptr_t>(op) / kGranule;
  }

  llvm::DenseMap<uintptr_t, std::unique_ptr<Page>> pages;
  Page *last = nullptr;
  uintptr_t lastNumber = 0;
};

} // namespace shardwright

#endif // SHARDWRIGHT_PROPAGATE_INDEX_OP_MAP_H
