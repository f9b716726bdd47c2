//===- insert_collectives.h - stage 1: insert collectives -------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Output, on global shapes: each op computes in the layout of its
// `sdy.sharding`, each value is used in its layout, and every reshard is an sdy
// collective.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_INSERT_INSERT_COLLECTIVES_H
#define SHARDWRIGHT_PARTITION_INSERT_INSERT_COLLECTIVES_H

#include "shardwright/partition/cost/target.h"
#include "shardwright/partition/layout/planned_cost.h"

#include "mlir/IR/BuiltinOps.h"

#include <optional>

namespace shardwright {

class KeptPlans;
class PlanObserver;

struct PartitionOptions {
  CostModel costs;
  Effort effort = Effort::Normal;
  /// Records why collectives are inserted; may be null.
  PlanObserver *observer = nullptr;
  /// Keeps plans from one partitioning to the next; may be null.
  KeptPlans *kept = nullptr;
  /// If set, seconds on this machine replace `costs`.
  std::optional<MachineModel> machine;
  /// If not null, receives what the planner took one run of the entry function
  /// to cost.
  PlannedCost *planned = nullptr;
  /// The compiler of the program of one device.
  Target target = Target::Cpu;
};

/// The costs for this module: seconds if there is a machine, whose links depend
/// on which axes of the module's meshes cross processes.
CostModel plannerCosts(mlir::ModuleOp module, const PartitionOptions &options);

/// In: a module as `sdy-propagation-pipeline` leaves it. Values without a
/// sharding are replicated. Calls are inlined. Arguments and results of
/// functions are sharded by the longest prefix of axes that divides each
/// dimension, and get the resulting sharding attribute. Out: see above. Emits a
/// diagnostic and fails if the module cannot be partitioned.
mlir::LogicalResult insertCollectives(mlir::ModuleOp module,
                                      const PartitionOptions &options = {});

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_INSERT_INSERT_COLLECTIVES_H
