//===- step_time.h - predicted time of a step -------------------*- C++ -*-===//
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

/// Predicts the time of ops in program order. From an async_start to its
/// async_done the device continues. Loops count by their trip count (once if it
/// is unknown), branches as the longest.
class StepTimes {
public:
  StepTimes(mlir::ModuleOp module, OpCosts &costs)
      : module(module), costs(costs) {}

  StepTime ofBlock(mlir::Block &block);
  /// Time of the op's regions or of the function that it calls; zero for other
  /// ops.
  StepTime ofRegions(mlir::Operation *op);

private:
  mlir::ModuleOp module;
  OpCosts &costs;
  llvm::DenseMap<mlir::Operation *, StepTime> functions;
};

/// Time of one device's run of @main (or the only function) of a local module.
StepTime predictStepTime(mlir::ModuleOp local, const Mesh &mesh,
                         const MachineModel &machine);

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_OVERLAP_STEP_TIME_H
