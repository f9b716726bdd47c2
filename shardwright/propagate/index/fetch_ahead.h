//===- fetch_ahead.h - walks over lists of ops ------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Walks over lists of ops with prefetching. In a large module the ops are not
// in the caches, but a list holds the addresses of the next ones.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PROPAGATE_INDEX_FETCH_AHEAD_H
#define SHARDWRIGHT_PROPAGATE_INDEX_FETCH_AHEAD_H

#include "shardwright/propagate/index/op_order.h"

#include "llvm/ADT/ArrayRef.h"

namespace shardwright {

/// Prefetches the parts of an op that most passes read: its location (from
/// which the context is read) and its attributes.
inline void prefetchSaid(mlir::Operation *op) {
  __builtin_prefetch(op->getLoc().getAsOpaquePointer());
  __builtin_prefetch(op->getRawDictionaryAttrs().getAsOpaquePointer());
}

/// Calls fn(op) for each op and prefetches the next ops, their locations and
/// their attributes. `fn` may erase its op.
template <typename Fn>
void forEachFetched(llvm::ArrayRef<mlir::Operation *> ops, Fn fn) {
  constexpr size_t kAhead = 12, kNear = 5;
  for (size_t i = 0; i < ops.size(); ++i) {
    if (i + kAhead < ops.size())
      prefetchOp(ops[i + kAhead]);
    if (i + kNear < ops.size())
      prefetchSaid(ops[i + kNear]);
    fn(ops[i]);
  }
}

} // namespace shardwright

#endif // SHARDWRIGHT_PROPAGATE_INDEX_FETCH_AHEAD_H
