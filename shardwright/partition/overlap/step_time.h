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
#include "llvm/ADT/SmallVector.h"

#include <vector>

namespace shardwright {

/// A block, or a function, that an op runs. Times are seconds.
struct InnerSchedule {
  int32_t block = -1; ///< in StepSchedule::blocks
  double start = 0;   ///< of its first run, from the start of the op's block
  double times = 1;   ///< runs for each run of the op
};

struct ScheduledOp {
  enum class Kind {
    Compute,
    Transfer, ///< a collective, beside computing or not
    Control,  ///< a loop, a conditional or a call, with what it runs
  };
  Kind kind = Kind::Compute;
  mlir::Operation *op = nullptr;
  /// From the start of its block, for one run of the block.
  double start = 0, seconds = 0;
  /// Of a transfer: the lanes of Transfer::lanes.
  uint32_t lanes = 0;
  /// Of control flow: what runs, in a conditional only the slowest branch.
  llvm::SmallVector<InnerSchedule, 2> inner;
};

struct StepSchedule {
  struct Block {
    StepTime time;
    std::vector<ScheduledOp> ops;
  };
  /// A block comes after the blocks that it runs.
  std::vector<Block> blocks;
  /// The number of @main's block; -1 without @main.
  int32_t main = -1;

  /// By block: its runs in one step. Loops of unknown trip count run once.
  std::vector<double> runs() const;
};

/// Predicts the time of ops in program order. From an async_start to its
/// async_done the device continues. Loops count by their trip count (once if it
/// is unknown), branches as the longest.
class StepTimes {
public:
  /// `record`, if given, receives the schedule of each block that is timed.
  StepTimes(mlir::ModuleOp module, OpCosts &costs,
            StepSchedule *record = nullptr)
      : module(module), costs(costs), record(record) {}

  StepTime ofBlock(mlir::Block &block);
  /// Time of the op's regions or of the function that it calls; zero for other
  /// ops.
  StepTime ofRegions(mlir::Operation *op);

private:
  StepTime ofRegions(mlir::Operation *op,
                     llvm::SmallVectorImpl<InnerSchedule> &inner);
  mlir::ModuleOp module;
  OpCosts &costs;
  StepSchedule *record;
  struct Function {
    StepTime time;
    int32_t block = -1; ///< in the record
  };
  llvm::DenseMap<mlir::Operation *, Function> functions;
};

/// Time of one device's run of @main (or the only function) of a local module.
StepTime predictStepTime(mlir::ModuleOp local, const Mesh &mesh,
                         const MachineModel &machine);

/// The schedule whose times predictStepTime adds up, without the overhead of a
/// step (MachineModel::stepSeconds).
StepSchedule predictSchedule(mlir::ModuleOp local, const Mesh &mesh,
                             const MachineModel &machine);

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_OVERLAP_STEP_TIME_H
