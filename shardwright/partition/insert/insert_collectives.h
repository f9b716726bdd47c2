//===- insert_collectives.h - stage 1: conflicts become collectives -*- C++
//-*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// On global shapes: each op computes in the layout of its `sdy.sharding`, each
// value is used in the layout it has, and whatever lies between is an sdy
// collective.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_INSERT_INSERT_COLLECTIVES_H
#define SHARDWRIGHT_PARTITION_INSERT_INSERT_COLLECTIVES_H

#include "shardwright/partition/cost/machine_model.h"

#include "mlir/IR/BuiltinOps.h"

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

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_INSERT_INSERT_COLLECTIVES_H
