//===- collective_cost_test.cc - bytes and rounds of collectives ----------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/cost/collective_cost.h"

#include <gtest/gtest.h>

#include <utility>

namespace shardwright {
namespace {

TEST(CollectiveCost, WithoutLatencyOnlyBytesCount) {
  for (auto kind : {CollectiveKind::AllGather, CollectiveKind::AllToAll,
                    CollectiveKind::ReduceScatter, CollectiveKind::AllReduce,
                    CollectiveKind::Reduce, CollectiveKind::Permute,
                    CollectiveKind::Broadcast})
    EXPECT_EQ((LinkCost{0, 2}).of(kind, 50, 100, 8), 200);
}

TEST(CollectiveCost, RoundsGrowWithTheLogarithmOfTheGroup) {
  LinkCost latency{1, 0};
  for (auto [n, rounds] : {std::pair{2, 1}, {3, 2}, {4, 2}, {5, 3}, {8, 3}}) {
    EXPECT_EQ(latency.of(CollectiveKind::AllGather, 10, 10, n), rounds);
    EXPECT_EQ(latency.of(CollectiveKind::ReduceScatter, 10, 10, n), rounds);
    EXPECT_EQ(latency.of(CollectiveKind::AllReduce, 10, 10, n), 2 * rounds);
    EXPECT_EQ(latency.of(CollectiveKind::Permute, 10, 10, n), 1);
  }
}

TEST(CollectiveCost, AllToAllTakesFewRoundsOrFewBytes) {
  constexpr auto kind = CollectiveKind::AllToAll;
  double sent = bytesSent(kind, 800, 8);
  EXPECT_EQ(sent, 700);
  // Directly: 7 rounds and 700 bytes; in 3 rounds: 1200 bytes.
  EXPECT_EQ((LinkCost{10, 1}).of(kind, 800, sent, 8), 770);
  EXPECT_EQ((LinkCost{1000, 1}).of(kind, 800, sent, 8), 4200);
}

} // namespace
} // namespace shardwright
