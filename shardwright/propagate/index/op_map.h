//===- op_map.h - map from ops to small values ------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A map from ops to small values, for all ops of a module. Ops that are close
// in a program are usually close in memory, and so are their entries: a walk
// through a module that is larger than the caches reads the entries in order,
// where a hash table would read them at random.
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

  /// T() if the op has no entry.
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
