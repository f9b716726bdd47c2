//===- reshard_cost_test.cc - cost of plans on links with latency ---------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/reshard/reshard_planner.h"

#include <gtest/gtest.h>

namespace shardwright {
namespace {

TEST(ReshardCost, PlansCountTheRoundsOfTheirSteps) {
  CostModel costs;
  costs.alpha = 1000;
  Mesh mesh({{"x", 8}});
  ReshardPlanner planner(mesh, costs);
  TensorSharding rows = TensorSharding::closed(2),
                 none = TensorSharding::closed(2), columns = none;
  rows.dims[0].axes = {mesh.fullAxis(0)};
  columns.dims[1].axes = {mesh.fullAxis(0)};
  LinkCost link{1000, 1};
  const ReshardPlan &gather = planner.plan(rows, none, {64, 64}, 4);
  EXPECT_DOUBLE_EQ(gather.cost,
                   link.of(CollectiveKind::AllGather, 0, gather.bytes, 8));
  const ReshardPlan &swap = planner.plan(rows, columns, {64, 64}, 4);
  EXPECT_DOUBLE_EQ(swap.cost,
                   link.of(CollectiveKind::AllToAll, 0, swap.bytes, 8));
}

} // namespace
} // namespace shardwright
