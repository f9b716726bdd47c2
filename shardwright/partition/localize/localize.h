//===- localize.h - stage 2: the program of one device ----------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_LOCALIZE_LOCALIZE_H
#define SHARDWRIGHT_PARTITION_LOCALIZE_LOCALIZE_H

#include "shardwright/partition/cost/target.h"

#include "mlir/IR/BuiltinOps.h"

namespace shardwright {

/// In: a module as `insertCollectives` leaves it. Out: per-device StableHLO.
/// `mhlo.num_partitions` is the number of devices of the mesh; each of the
/// `mhlo.num_replicas` replicas has its own mesh.
/// Joins collectives where that saves time on `machine`, and where the target's
/// compiler does not do it better.
mlir::LogicalResult localize(mlir::ModuleOp module,
                             const MachineModel &machine = {},
                             Target target = Target::Cpu);

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_LOCALIZE_LOCALIZE_H
