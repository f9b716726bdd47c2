//===- carried_sums.h - sums that loops carry -------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_INSERT_CARRIED_SUMS_H
#define SHARDWRIGHT_PARTITION_INSERT_CARRIED_SUMS_H

#include "shardwright/dialect/sdy/sdy.h"
#include "shardwright/dialect/stablehlo/stablehlo.h"

#include <optional>

namespace shardwright {

/// A value that a loop carries and that is read only by ops that update it and
/// are linear in it and in the terms that are added to it or written into it.
struct CarriedSum {
  stablehlo::WhileOp loop;
  unsigned index = 0;
  /// The uses of the terms, in order.
  llvm::SmallVector<mlir::OpOperand *, 2> terms;
  /// An all_reduce of the value that the next iteration undoes: the value is
  /// made unreduced for an inner loop and reduced after that loop.
  struct Undone {
    sdy::ReplicatedToUnreducedOp parts;
    sdy::AllReduceOp reduce;
  };
  llvm::SmallVector<Undone, 1> undone;
  /// An inner loop carries it as well, as a reduced value.
  bool hasInnerLoop = false;
  /// The carried value before each change.
  llvm::SmallVector<mlir::Value, 2> path;
};

/// None if the loop uses the value in another way.
std::optional<CarriedSum> carriedSum(stablehlo::WhileOp loop, unsigned index);

/// Number of times that loops add the op's result to carried values before
/// anything else reads either; 1 if they do not or the number is unknown.
int64_t timesAddedUp(mlir::Operation *op);

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_INSERT_CARRIED_SUMS_H
