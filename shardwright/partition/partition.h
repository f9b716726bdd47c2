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
