//===- signatures.h - ops that are equal with their neighbours --*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Layers of a model repeat: their ops have equal names, attributes, types and
// regions, and so have the ops around them. Equal values share one decision, so
// that a search does not grow with the number of layers. Neighbours count up to
// a radius of 3 ops, so that layer 7 is not told from layer 8 by its distance
// from the loss.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_AUTO_SIGNATURES_H
#define SHARDWRIGHT_AUTO_SIGNATURES_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"

namespace shardwright {

/// Of an argument of a block without its users: its type and attributes, not
/// its number, which counts layers.
uint64_t hashArgument(mlir::BlockArgument argument);

/// Of an op without its neighbours: its name, types and the names of the ops in
/// its regions, with a hash of those of its attributes that count.
uint64_t hashOp(mlir::Operation *op, uint64_t attributes);

class Signatures {
public:
  /// Reads a module after stage Import. Linear.
  explicit Signatures(mlir::ModuleOp module);

  /// Equal for values that nothing tells apart. Valid only in this run of the
  /// process.
  uint64_t of(mlir::Value value) const { return hashes.lookup(value); }

private:
  llvm::DenseMap<mlir::Value, uint64_t> hashes;
};

} // namespace shardwright

#endif // SHARDWRIGHT_AUTO_SIGNATURES_H
