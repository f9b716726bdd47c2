//===- step_time.h - the predicted time of a step of a program --*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_OVERLAP_STEP_TIME_H
#define SHARDWRIGHT_PARTITION_OVERLAP_STEP_TIME_H

#include "shardwright/partition/overlap/op_cost.h"

#include "mlir/IR/BuiltinOps.h"

namespace shardwright {

/// Predicts how long ops take in the order in which they stand: an async_start
/// lets the device go on until its async_done. Loops count by their trip count
/// (once where it is unknown), branches as the longest.
class StepTimes {
public:
  StepTimes(mlir::ModuleOp module, OpCosts &costs)
      : module(module), costs(costs) {}

  StepTime ofBlock(mlir::Block &block);
  /// Of what is in the op's regions or in the function that it calls; nothing
  /// for other ops.
  StepTime ofRegions(mlir::Operation *op);

private:
  mlir::ModuleOp module;
  OpCosts &costs;
  llvm::DenseMap<mlir::Operation *, StepTime> functions;
};

/// Of one device's run of @main (or the only function) of a local module.
StepTime predictStepTime(mlir::ModuleOp local, const Mesh &mesh,
                         const MachineModel &machine);

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_OVERLAP_STEP_TIME_H
