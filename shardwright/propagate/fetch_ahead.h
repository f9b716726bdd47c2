//===- fetch_ahead.h - walks over lists of ops ------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A list says where the ops to come are, which in a large module the caches do
// not hold.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PROPAGATE_FETCH_AHEAD_H
#define SHARDWRIGHT_PROPAGATE_FETCH_AHEAD_H

#include "shardwright/propagate/op_order.h"

#include "llvm/ADT/ArrayRef.h"

namespace shardwright {

/// Calls fn(op) for each, while those after it are fetched, then what most ask
/// them for: the location, which knows the context, and the attributes. `fn`
/// may erase its op.
template <typename Fn>
void forEachFetched(llvm::ArrayRef<mlir::Operation *> ops, Fn fn) {
  constexpr size_t kAhead = 12, kNear = 5;
  for (size_t i = 0; i < ops.size(); ++i) {
    if (i + kAhead < ops.size())
      prefetchOp(ops[i + kAhead]);
    if (i + kNear < ops.size()) {
      mlir::Operation *near = ops[i + kNear];
      __builtin_prefetch(near->getLoc().getAsOpaquePointer());
      __builtin_prefetch(near->getRawDictionaryAttrs().getAsOpaquePointer());
    }
    fn(ops[i]);
  }
}

} // namespace shardwright

#endif // SHARDWRIGHT_PROPAGATE_FETCH_AHEAD_H
