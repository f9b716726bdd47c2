//===- candidates.h - the simplifications of one op -------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_REDUCE_CANDIDATES_H
#define SHARDWRIGHT_REDUCE_CANDIDATES_H

#include "shardwright/reduce/tried_change.h"

namespace shardwright {

using Changes = llvm::SmallVector<Change, 8>;

// Each function appends the changes to try on `op`, the largest simplification
// first. Every change removes something, so that reduction terminates.

/// Erases an unused symbol.
void addErasedSymbols(mlir::Operation *op, Changes &changes);
/// Erases the op, replacing its results by operands of their types, by a region
/// of the op, or by constants.
void addReplacements(mlir::Operation *op, Changes &changes);
/// Replaces a constant by a splat.
void addSimplerConstants(mlir::Operation *op, Changes &changes);
/// Drops discardable attributes: all at once, then one by one; for functions
/// also those of arguments and results.
void addDroppedAttributes(mlir::Operation *op, Changes &changes);
/// For a function without calls: drops unused arguments and single results, and
/// returns operands of a result's producer instead of the result.
void addShorterSignatures(mlir::Operation *op, Changes &changes);

} // namespace shardwright

#endif // SHARDWRIGHT_REDUCE_CANDIDATES_H
