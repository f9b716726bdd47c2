//===- planned_cost.h - sum of the planner's costs --------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Adds up what the planner took its decisions to cost, to compare it with the
// predicted step: seconds if there is a machine.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_LAYOUT_PLANNED_COST_H
#define SHARDWRIGHT_PARTITION_LAYOUT_PLANNED_COST_H

#include "mlir/IR/Block.h"
#include "llvm/ADT/DenseMap.h"

namespace shardwright {

struct PlannedCost {
  /// Work of the devices, and exchanges between them.
  double work = 0, communication = 0;

  double total() const { return work + communication; }
  void add(const PlannedCost &other, double times = 1) {
    work += times * other.work;
    communication += times * other.communication;
  }
};

/// The costs of one run of each block, regions of its ops excluded.
using PlannedCosts = llvm::DenseMap<mlir::Block *, PlannedCost>;

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_LAYOUT_PLANNED_COST_H
