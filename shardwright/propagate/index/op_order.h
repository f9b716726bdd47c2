//===- op_order.h - prefetch the ops of a walk ------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prefetching for walks over a module that is larger than the caches. Such a
// walk waits for each op, since only the previous op has the next one's
// address. OpOrder records the addresses of the ops in one walk; later walks
// prefetch the ops that they are about to reach:
//
//   OpOrder::Walk ahead(order);
//   module.walk<WalkOrder::PreOrder>([&](Operation *op) {
//     ahead.reach(op);
//     ...
//
// The order is a hint and may be out of date: addresses are compared and
// prefetched, never dereferenced. New ops are skipped, and functions may be
// visited in any order.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PROPAGATE_INDEX_OP_ORDER_H
#define SHARDWRIGHT_PROPAGATE_INDEX_OP_ORDER_H

#include "mlir/IR/Operation.h"
#include "mlir/Pass/AnalysisManager.h"
#include "llvm/ADT/DenseMap.h"

namespace shardwright {

/// Prefetches what most walks read: results, the op itself, its operands.
inline void prefetchOp(const mlir::Operation *op) {
  // Use an integer, because arithmetic on a null pointer is undefined.
  auto address = reinterpret_cast<uintptr_t>(op);
  for (intptr_t offset : {-32, 32, 96})
    __builtin_prefetch(reinterpret_cast<const void *>(address + offset));
}

/// An analysis of a module; empty until `addFunction` and `add` are called.
class OpOrder {
public:
  OpOrder() = default;
  explicit OpOrder(mlir::Operation *) {}
  /// Always valid: an outdated order is only slower.
  bool isInvalidated(const mlir::AnalysisManager::PreservedAnalyses &) {
    return false;
  }

  void add(mlir::Operation *op) { ops.push_back(op); }
  /// Starts `func`: the ops added next are in it.
  void addFunction(mlir::Operation *func) {
    placeOf[func] = starts.size();
    starts.push_back(ops.size());
    add(func);
  }
  /// Prefetches the first ops of `func`, which will be walked soon: the walk of
  /// a small function ends before its prefetches help.
  void fetch(mlir::Operation *func) const {
    constexpr size_t kMost = 40;
    auto it = placeOf.find(func);
    if (it == placeOf.end())
      return;
    size_t begin = starts[it->second];
    // Stop at the end of the function; other functions may be visited next.
    size_t next =
        it->second + 1 < starts.size() ? starts[it->second + 1] : ops.size();
    for (size_t i = begin; i < std::min(begin + kMost, next); ++i)
      prefetchOp(ops[i]);
  }

  class Walk {
  public:
    /// Null: no prefetching.
    explicit Walk(const OpOrder *order) : order(order) {}

    /// Call this for each op, before its nested ops.
    void reach(mlir::Operation *op) {
      if (!order || !find(op))
        return;
      ++next;
      if (next + kAhead < order->ops.size())
        prefetchOp(order->ops[next + kAhead]);
    }

    /// Call this before the ops of a function that is not passed to reach().
    void enter(mlir::Operation *func) {
      if (order && jump(func))
        ++next;
    }

  private:
    static constexpr size_t kAhead = 12;

    bool find(mlir::Operation *op) {
      size_t end = std::min(next + kAhead, order->ops.size());
      for (size_t i = next; i < end; ++i)
        if (order->ops[i] == op) {
          next = i;
          return true;
        }
      return op->getNumRegions() != 0 && jump(op);
    }

    bool jump(mlir::Operation *func) {
      auto it = order->placeOf.find(func);
      if (it == order->placeOf.end())
        return false;
      next = order->starts[it->second];
      return true;
    }

    const OpOrder *order;
    /// Index of the op that the walk is expected to reach next.
    size_t next = 0;
  };

private:
  llvm::SmallVector<mlir::Operation *, 0> ops;
  /// Start of each function, and index of each function in `starts`.
  llvm::SmallVector<size_t, 0> starts;
  llvm::DenseMap<mlir::Operation *, size_t> placeOf;
};

} // namespace shardwright

#endif // SHARDWRIGHT_PROPAGATE_INDEX_OP_ORDER_H
