//===- op_hash.h - hashes of ops --------------------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_SIMPLIFY_OP_HASH_H
#define SHARDWRIGHT_SIMPLIFY_OP_HASH_H

#include "mlir/IR/Operation.h"

namespace shardwright {

/// A hash of an op without its regions and its location, equal for ops that
/// `OperationEquivalence` calls equivalent. `isCommutative`: the op has this
/// trait. Low bits are as good as high ones. Not the same in every run.
inline size_t hashOfOp(mlir::Operation *op, bool isCommutative) {
  auto mix = [](size_t hash, const void *word) {
    return (hash ^ (uintptr_t(word) >> 3)) * 0x9e3779b97f4a7c15ull;
  };
  size_t operands = 0;
  for (mlir::Value operand : op->getOperands()) {
    const void *word = operand.getAsOpaquePointer();
    operands = isCommutative ? operands + mix(0, word) : mix(operands, word);
  }
  size_t hash = mix(operands ^ size_t(op->hashProperties()),
                    op->getName().getAsOpaquePointer());
  hash = mix(hash, op->getRawDictionaryAttrs().getAsOpaquePointer());
  for (mlir::Type type : op->getResultTypes())
    hash = mix(hash, type.getAsOpaquePointer());
  return hash ^ (hash >> 32);
}

} // namespace shardwright

#endif // SHARDWRIGHT_SIMPLIFY_OP_HASH_H
