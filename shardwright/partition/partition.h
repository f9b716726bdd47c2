//===- partition.h - partition a module -------------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two stages. `insertCollectives` makes all communication explicit on global
// shapes: each op computes in the layout of its `sdy.sharding`, each value is
// used in its layout, and every reshard is an sdy collective. `localize` turns
// that into the program of one device, with StableHLO collectives over device
// groups and without sdy.
//
// Guarantee: a program's results do not depend on its shardings, except that
// floating point sums may be reordered.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_PARTITION_H
#define SHARDWRIGHT_PARTITION_PARTITION_H

#include "shardwright/partition/insert/insert_collectives.h"
#include "shardwright/partition/localize/localize.h"

#include "mlir/Pass/PassManager.h"

namespace shardwright {

/// Adds both stages.
void buildPartitionPipeline(mlir::OpPassManager &pm);

/// Registers `sw-insert-collectives`, `sw-localize` and `sw-partition`.
void registerPartitionPasses();

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_PARTITION_H
