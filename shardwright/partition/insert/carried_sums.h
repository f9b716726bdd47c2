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

/// The operand in which the op is linear while all others are the same on every
/// device, and which is all that it depends on; null if there is none.
mlir::OpOperand *linearOperand(mlir::Operation *op);

/// A value that a loop carries and that nothing reads but what changes it, by
/// ops that are linear in it and in what is added to it or written into it.
struct CarriedSum {
  stablehlo::WhileOp loop;
  unsigned index = 0;
  /// The uses of what is added to it or written into it, in order.
  llvm::SmallVector<mlir::OpOperand *, 2> terms;
  /// An all_reduce of it that is undone in the next iteration: where it is made
  /// partial for a loop within, and reduced behind that.
  struct Undone {
    sdy::ReplicatedToUnreducedOp parts;
    sdy::AllReduceOp reduce;
  };
  llvm::SmallVector<Undone, 1> undone;
  /// Another loop within carries it as well, and not as parts.
  bool hasInnerLoop = false;
  /// The carried value before each change.
  llvm::SmallVector<mlir::Value, 2> path;
};

/// None if the loop does something else with the value.
std::optional<CarriedSum> carriedSum(stablehlo::WhileOp loop, unsigned index);

/// How many times loops add the op's result to what they carry, before anything
/// else reads either: 1 where they do not, or not a known number of times.
int64_t timesAddedUp(mlir::Operation *op);

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_INSERT_CARRIED_SUMS_H
