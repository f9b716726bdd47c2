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

/// A symbol that nothing uses erased.
void addErasedSymbols(mlir::Operation *op, Changes &changes);
/// The op erased, its results replaced by operands of their types, by a region
/// of the op, or by constants.
void addReplacements(mlir::Operation *op, Changes &changes);
/// A constant of one value instead of many.
void addSimplerConstants(mlir::Operation *op, Changes &changes);
/// Discardable attributes dropped: all at once, then one by one; of functions
/// those of arguments and results too.
void addDroppedAttributes(mlir::Operation *op, Changes &changes);
/// Of a function that nothing calls: unused arguments and single results
/// dropped, operands of a result's producer returned instead of the result.
void addShorterSignatures(mlir::Operation *op, Changes &changes);

} // namespace shardwright

#endif // SHARDWRIGHT_REDUCE_CANDIDATES_H
