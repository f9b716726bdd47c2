//===- partition.h - from shardings to a program for one device -*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two stages. `insertCollectives` makes every conflict explicit on global
// shapes: each op computes in the layout of its `sdy.sharding`, each value is
// used in the layout it has, and whatever lies between is an sdy collective.
// `localize` turns that into the program of one device, with StableHLO
// collectives over device groups and no sdy left.
//
// Semantics: a program's results do not depend on its shardings. Floating point
// sums may be taken in another order.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_PARTITION_H
#define SHARDWRIGHT_PARTITION_PARTITION_H

#include "shardwright/partition/cost/machine_model.h"
#include "shardwright/partition/support/block_order.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"

#include <optional>

namespace shardwright {

class PlanObserver;

struct PartitionOptions {
  CostModel costs;
  Effort effort = Effort::Normal;
  /// Told why collectives are made; may be null.
  PlanObserver *observer = nullptr;
  /// Instead of `costs`: the weights of this machine.
  std::optional<MachineModel> machine;
};

/// The weights that `options` mean for this module: a machine's depend on the
/// axes of its meshes and on what most of its contractions multiply.
CostModel plannerCosts(mlir::ModuleOp module, const PartitionOptions &options);

/// In: a module as `sdy-propagation-pipeline` leaves it. Values without a
/// sharding are replicated. Calls are inlined. Dimensions that their shards do
/// not divide are sharded by the leading axes that do; arguments and results of
/// functions get the sharding that results from it. Out: see above. Emits a
/// diagnostic and fails on what cannot be partitioned.
mlir::LogicalResult insertCollectives(mlir::ModuleOp module,
                                      const PartitionOptions &options = {});

/// In: a module as `insertCollectives` leaves it. Out: per-device StableHLO;
/// `mhlo.num_partitions` is the number of devices of the mesh, of which each of
/// `mhlo.num_replicas` has its own.
mlir::LogicalResult localize(mlir::ModuleOp module);

/// What a module has after its calls were inlined.
struct InlinedOps {
  size_t count = 0;
  /// Pads and concatenations, in program order.
  llvm::SmallVector<mlir::Operation *> joins;
  /// Reductions and scatters, likewise.
  llvm::SmallVector<mlir::Operation *> folds;
  /// Of functions' blocks.
  BlockOrder order;
};

/// Replaces every func.call by the callee's body and erases private functions
/// that nothing refers to any more. Recursion is an error. `found`, if not
/// null, receives what a walk afterwards would find.
mlir::LogicalResult inlineCalls(mlir::ModuleOp module,
                                InlinedOps *found = nullptr);

/// False: apart from its discardable attributes, an op of this name refers to
/// no function, or calls it (func.call).
bool mayNameFunctions(mlir::OperationName name);

/// Adds both stages.
void buildPartitionPipeline(mlir::OpPassManager &pm);

/// Registers `sw-insert-collectives`, `sw-localize` and `sw-partition`.
void registerPartitionPasses();

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_PARTITION_H
