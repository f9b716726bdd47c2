//===- region.h - ops in regions --------------------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_SIMPLIFY_REGION_H
#define SHARDWRIGHT_SIMPLIFY_REGION_H

#include "shardwright/simplify/rewrite.h"

#include "llvm/ADT/SmallBitVector.h"

namespace shardwright::simplifier {

/// True if a block holds only elementwise ops on scalars.
bool isScalarBlock(mlir::Block &block);

/// Applies such a block to tensors of one shape, whose element types are those
/// of the block's arguments: one value for each operand of its terminator.
llvm::SmallVector<mlir::Value> applyToTensors(mlir::PatternRewriter &rewriter,
                                              mlir::Location loc,
                                              mlir::Block &block,
                                              mlir::ValueRange arguments);

/// The ops and arguments of a block that are live: used, directly or not, by
/// the given operands of the terminator or by an op with effects.
class Needed {
public:
  Needed(mlir::Block &block)
      : block(block), arguments(block.getNumArguments()) {}

  void addEffects();
  void add(mlir::Value value);
  /// Erases the dead ops. The terminator must have its final operands.
  void eraseOthers(mlir::RewriterBase &rewriter);

  const llvm::SmallBitVector &neededArguments() const { return arguments; }

private:
  mlir::Block &block;
  llvm::SmallBitVector arguments;
  llvm::DenseSet<mlir::Operation *> ops; // only for membership tests
};

/// Drops the dead carried values of all loops in `root`. Not a rewrite pattern,
/// because it reads whole bodies, and patterns run again after each change.
bool dropDeadLoopValues(mlir::RewriterBase &rewriter, mlir::Operation *root);

} // namespace shardwright::simplifier

#endif // SHARDWRIGHT_SIMPLIFY_REGION_H
