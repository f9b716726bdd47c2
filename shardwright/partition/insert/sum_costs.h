//===- sum_costs.h - sum of planned costs over a function -------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_INSERT_SUM_COSTS_H
#define SHARDWRIGHT_PARTITION_INSERT_SUM_COSTS_H

#include "shardwright/partition/layout/planned_cost.h"

#include "mlir/IR/Region.h"

namespace shardwright {

/// The cost of one run of the region. Loops count by their trip count (once if
/// it is unknown), conditionals as their most expensive branch, as in the
/// predicted step.
PlannedCost sumCosts(mlir::Region &region, const PlannedCosts &costs);

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_INSERT_SUM_COSTS_H
