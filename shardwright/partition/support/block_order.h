//===- block_order.h - prefetch the ops of a walk ---------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A walk over a module that does not fit into the caches waits for memory at
// each op, because only the previous op holds the address of the next. The
// first walk records the ops of each block in order, and later walks prefetch
// the ops ahead of them:
//
//   BlockOrder::Walk ahead = order.walk(block);
//   for (Operation &op : block) {
//     ahead.reach(&op);
//     ...
//
// The record is a hint and may be out of date: its addresses are compared and
// prefetched, never dereferenced.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_SUPPORT_BLOCK_ORDER_H
#define SHARDWRIGHT_PARTITION_SUPPORT_BLOCK_ORDER_H

#include "shardwright/propagate/index/op_order.h"

namespace shardwright {

class BlockOrder {
public:
  using Ops = llvm::SmallVector<mlir::Operation *, 0>;

  /// The ops of the block, in order.
  void note(mlir::Block &block, Ops ops) { opsOf[&block] = std::move(ops); }

  class Walk {
  public:
    explicit Walk(llvm::ArrayRef<mlir::Operation *> ops) : ops(ops) {}

    /// Call this for each op of the block in order.
    void reach(const mlir::Operation *op) {
      // Ops may have been added or erased since the record was made.
      size_t end = std::min(next + kAhead, ops.size());
      for (size_t i = next; i < end; ++i)
        if (ops[i] == op) {
          next = i + 1;
          if (i + kAhead < ops.size())
            prefetchOp(ops[i + kAhead]);
          return;
        }
    }

  private:
    static constexpr size_t kAhead = 12;
    llvm::ArrayRef<mlir::Operation *> ops;
    /// Index of the op that the walk is expected to reach next.
    size_t next = 0;
  };
  /// Valid until the next note().
  Walk walk(mlir::Block &block) const {
    auto it = opsOf.find(&block);
    return Walk(it == opsOf.end() ? llvm::ArrayRef<mlir::Operation *>()
                                  : llvm::ArrayRef(it->second));
  }

  /// Number of recorded ops of the block.
  size_t size(mlir::Block &block) const {
    auto it = opsOf.find(&block);
    return it == opsOf.end() ? 0 : it->second.size();
  }

private:
  llvm::DenseMap<mlir::Block *, Ops> opsOf;
};

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_SUPPORT_BLOCK_ORDER_H
