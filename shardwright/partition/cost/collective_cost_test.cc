//===- collective_cost_test.cc - rounds of collectives and of plans -------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/cost/collective_cost.h"
#include "shardwright/partition/reshard/reshard_planner.h"

#include <gtest/gtest.h>

namespace shardwright {
namespace {

TEST(CollectiveCost, WithoutLatencyOnlyBytesCount) {
  for (auto kind : {CollectiveKind::AllGather, CollectiveKind::AllToAll,
                    CollectiveKind::ReduceScatter, CollectiveKind::AllReduce,
                    CollectiveKind::Permute, CollectiveKind::Broadcast})
    EXPECT_EQ((LinkCost{0, 2}).of(kind, 100, 8), 200);
}

TEST(CollectiveCost, RoundsGrowWithTheLogarithmOfTheGroup) {
  LinkCost latency{1, 0};
  for (auto [n, rounds] : {std::pair{2, 1}, {3, 2}, {4, 2}, {5, 3}, {8, 3}}) {
    EXPECT_EQ(latency.of(CollectiveKind::AllGather, 10, n), rounds);
    EXPECT_EQ(latency.of(CollectiveKind::ReduceScatter, 10, n), rounds);
    EXPECT_EQ(latency.of(CollectiveKind::AllReduce, 10, n), 2 * rounds);
    EXPECT_EQ(latency.of(CollectiveKind::Permute, 10, n), 1);
  }
}

TEST(CollectiveCost, AllToAllTakesFewRoundsOrFewBytes) {
  constexpr auto kind = CollectiveKind::AllToAll;
  double sent = bytesSent(kind, 800, 8);
  EXPECT_EQ(sent, 700);
  // Directly: 7 rounds and 700 bytes; in 3 rounds: 1200 bytes.
  EXPECT_EQ((LinkCost{10, 1}).of(kind, sent, 8), 770);
  EXPECT_EQ((LinkCost{1000, 1}).of(kind, sent, 8), 4200);
}

TEST(CollectiveCost, PlansCountTheRoundsOfTheirSteps) {
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
                   link.of(CollectiveKind::AllGather, gather.bytes, 8));
  const ReshardPlan &swap = planner.plan(rows, columns, {64, 64}, 4);
  EXPECT_DOUBLE_EQ(swap.cost, link.of(CollectiveKind::AllToAll, swap.bytes, 8));
}

} // namespace
} // namespace shardwright
