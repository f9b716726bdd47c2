//===- sum_costs.cc - sum of planned costs over a function ----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/insert/sum_costs.h"

#include "shardwright/dialect/sdy/sdy.h"
#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/partition/ops/op_traits.h"
#include "shardwright/partition/ops/trip_count.h"

using namespace mlir;

namespace shardwright {

static PlannedCost costOfRegions(Operation *op, const PlannedCosts &costs) {
  PlannedCost sum;
  double times =
      isa<stablehlo::WhileOp>(op) ? double(knownTripCount(op).value_or(1)) : 1;
  bool isBranch = isa<stablehlo::IfOp, stablehlo::CaseOp>(op);
  for (Region &region : op->getRegions()) {
    PlannedCost one = sumCosts(region, costs);
    if (!isBranch)
      sum.add(one, times);
    else if (one.total() > sum.total())
      sum = one;
  }
  return sum;
}

PlannedCost sumCosts(Region &region, const PlannedCosts &costs) {
  PlannedCost sum;
  for (Block &block : region) {
    sum.add(costs.lookup(&block));
    for (Operation &op : block)
      if (isControlFlow(&op) || isa<sdy::ManualComputationOp>(op))
        sum.add(costOfRegions(&op, costs));
  }
  return sum;
}

} // namespace shardwright
