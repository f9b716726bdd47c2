//===- process_traffic_test.cc - closed forms against lists of devices ----===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/cost/process_traffic.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace shardwright {
namespace {

using Kind = ExchangeShape::Kind;

Mesh randomMesh() {
  llvm::SmallVector<MeshAxis, 4> axes;
  int64_t count = *rc::gen::inRange<int64_t>(1, 5);
  for (int64_t a = 0; a < count; ++a)
    axes.push_back({std::string(1, char('a' + a)),
                    *rc::gen::element<int64_t>(1, 2, 3, 4, 6, 8)});
  return Mesh(axes);
}

/// Some axes of the mesh, whole or a part of them.
AxisList randomAxes(const Mesh &mesh) {
  AxisList axes;
  for (int32_t axis = 0; axis < mesh.numAxes(); ++axis) {
    int64_t size = mesh.axisSize(axis);
    if (*rc::gen::inRange(0, 3) == 0)
      continue;
    AxisRef ref = mesh.fullAxis(axis);
    if (size % 4 == 0 && *rc::gen::arbitrary<bool>())
      ref = {axis, *rc::gen::element<int64_t>(1, 2), 2};
    axes.push_back(ref);
  }
  if (axes.size() > 1 && *rc::gen::arbitrary<bool>())
    std::swap(axes.front(), axes.back());
  return axes;
}

ExchangeShape randomShape() {
  ExchangeShape shape;
  shape.kind =
      *rc::gen::element(Kind::AllReduce, Kind::ReduceScatter, Kind::AllGather,
                        Kind::AllToAll, Kind::Broadcast);
  // A multiple of all sizes of groups that are made here, and of 64.
  shape.elements = *rc::gen::inRange<int64_t>(0, 4) * 8 * 8 * 8 * 8 * 81;
  shape.width = *rc::gen::element<int64_t>(1, 2, 4, 8);
  shape.sumWidth = std::max<int64_t>(shape.width, 4);
  return shape;
}

RC_GTEST_PROP(ProcessTraffic, ClosedFormsEqualListsOfDevices, ()) {
  Mesh mesh = randomMesh();
  AxisList axes = randomAxes(mesh);
  int64_t each =
      *rc::gen::element<int64_t>(1, 2, 3, 4, 6, 8, 12, 16, 24, 64, 4096);
  RC_PRE(mesh.numDevices() / each < kMostListedProcesses);
  auto closed = placeAxes(mesh, axes, each);
  RC_CLASSIFY(closed.has_value(), "closed");
  RC_PRE(closed.has_value() && closed->processes <= 64);
  DeviceGroups groups = deviceGroups(mesh, axes);
  GroupPlacement listed = placeGroups(groups.ids, groups.groupSize, each);
  RC_ASSERT(closed->processes == listed.processes);
  RC_ASSERT(closed->ownMembers == listed.ownMembers);
  RC_ASSERT(closed->isLocal() == listed.isLocal());
  ExchangeShape shape = randomShape();
  double inlineBytes = *rc::gen::element<double>(1e3, 1e5, 1e7);
  ProcessTraffic fast = trafficOf(shape, *closed, inlineBytes);
  ProcessTraffic slow = trafficOf(shape, listed, inlineBytes);
  // The closed form is that of the process that sends most in each group. A
  // process may be the root of some groups only, and slices of uneven sizes, or
  // of other subtrees, may fall to different ones.
  RC_ASSERT(fast.bytes() >= slow.bytes());
  int64_t own = closed->ownMembers;
  bool isEven = (own & (own - 1)) == 0 && shape.kind != Kind::Broadcast &&
                shape.elements % (64 * closed->processes) == 0;
  RC_ASSERT(fast.rounds >= slow.rounds);
  if (isEven) {
    RC_ASSERT(fast.bytes() == slow.bytes());
    RC_ASSERT(fast.packets == slow.packets);
    RC_ASSERT(fast.rounds == slow.rounds);
  }
}

// Groups that hold process boundaries at other places are left to lists.
TEST(ProcessTraffic, ProcessesThatAreNotAlikeHaveNoClosedForm) {
  Mesh mesh({{"x", 3}, {"y", 4}});
  EXPECT_FALSE(placeAxes(mesh, mesh.fullAxis(0), 6));
  EXPECT_FALSE(placeAxes(mesh, mesh.fullAxis(0), 5));
  EXPECT_TRUE(placeAxes(mesh, mesh.fullAxis(0), 4));
  EXPECT_TRUE(placeAxes(mesh, mesh.fullAxis(1), 2));
  EXPECT_FALSE(placeAxes(Mesh({{"x", 4}}, {3, 2, 1, 0}), AxisRef{0, 1, 4}, 2));
  // Devices 0 to 4 and 5 to 7: groups {0, 4}, {1, 5}, {2, 6}, {3, 7}.
  DeviceGroups groups =
      deviceGroups(Mesh({{"x", 2}, {"y", 4}}), AxisRef{0, 1, 2});
  GroupPlacement placement = placeGroups(groups.ids, 2, 5);
  EXPECT_EQ(placement.processes, 2);
  EXPECT_EQ(placement.ownMembers, 2);
  ASSERT_EQ(placement.shares.size(), 2u);
  ProcessTraffic traffic =
      trafficOf({Kind::AllGather, 10, 4, 4}, placement, 1e3);
  EXPECT_EQ(traffic.bytesOf[0], 120);
  EXPECT_EQ(traffic.bytesOf[1], 120);
  // Of three operands, each with a message of its own.
  EXPECT_EQ(traffic.packets, 3);
  EXPECT_EQ(traffic.rounds, 1);
}

// 10^6 devices take no longer than 10.
TEST(ProcessTraffic, ClosedFormsDoNotListDevices) {
  Mesh mesh({{"x", int64_t(1) << 40}, {"y", 8}});
  auto placement = placeAxes(mesh, mesh.fullAxis(0), 8);
  ASSERT_TRUE(placement);
  EXPECT_EQ(placement->processes, int64_t(1) << 40);
  EXPECT_EQ(placement->ownMembers, 1);
  // Eight groups: 2 (N - 1) / N of each operand, in two rounds.
  ProcessTraffic traffic =
      trafficOf({Kind::AllReduce, int64_t(1) << 50, 4, 4}, *placement, 1e3);
  EXPECT_EQ(traffic.rounds, 6);
  double operand = double(int64_t(1) << 52);
  EXPECT_NEAR(traffic.bytes(), 8 * 2 * operand, operand * 1e-9);
}

TEST(ProcessTraffic, PairsWithinAProcessSendNothing) {
  int64_t pairs[] = {0, 1, 1, 2, 2, 3, 3, 0};
  ProcessTraffic traffic = trafficOfPairs(pairs, 100, 2, 100);
  EXPECT_EQ(traffic.bytes(), 100);
  EXPECT_EQ(traffic.rounds, 1);
  EXPECT_EQ(traffic.packets, 1);
  EXPECT_EQ(trafficOfPairs(pairs, 100, 4, 100).rounds, 0);
  // A longer message is announced and asked for.
  EXPECT_EQ(trafficOfPairs(pairs, 101, 2, 100).rounds, 3);
  EXPECT_EQ(trafficOfPairs(pairs, 101, 2, 100).packets, 3);
}

TEST(ProcessTraffic, ProcessesOfACoreWorkOneAfterAnother) {
  ProcessTraffic traffic;
  traffic.add(trafficOfPairs({0, 1}, 100, 1, 100), 3);
  EXPECT_EQ(traffic.bytes(), 300);
  ProcessesModel link;
  link.bytesPerSecond = 100;
  link.latencySeconds = 0.5;
  link.messageSeconds = 0.25;
  EXPECT_EQ(traffic.seconds(link, 800, 1), 3 * 0.5 + 3 * 0.25 + 3);
  EXPECT_EQ(traffic.seconds(link, 800, 2), 3 * 0.5 + 2 * (3 * 0.25 + 3));
  // A quarter of the caches holds what is copied.
  link.cachedBytesPerSecond = 400;
  EXPECT_EQ(traffic.seconds(link, 800, 1), 3 * 0.5 + 3 * 0.25 + 1 + 0.5);
  EXPECT_EQ(traffic.seconds(link, 0, 1), 3 * 0.5 + 3 * 0.25 + 3);
}

RC_GTEST_PROP(ExchangeSizes, SubtreesAreThoseOfTheOwners, ()) {
  int64_t n = *rc::gen::inRange<int64_t>(1, 70);
  int64_t first = *rc::gen::inRange<int64_t>(0, n);
  int64_t count = *rc::gen::inRange<int64_t>(1, n - first + 1);
  std::vector<int32_t> owners(n, 1);
  std::fill_n(owners.begin() + first, count, 0);
  SubtreeCounts expected;
  for (const ReductionSubtree &tree : ownedSubtrees(owners))
    if (tree.owner == 0)
      ++(tree.count == 1 ? expected.ofOne : expected.ofSeveral);
  RC_ASSERT(countSubtrees(n, first, count) == expected);
}

RC_GTEST_PROP(ExchangeSizes, SlicesCoverTheElementsOnce, ()) {
  int64_t elements = *rc::gen::inRange<int64_t>(0, 100000);
  int64_t processes = *rc::gen::inRange<int64_t>(1, 40), next = 0;
  for (int64_t rank = 0; rank < processes; ++rank) {
    auto [begin, end] = sliceOfProcess(elements, rank, processes);
    RC_ASSERT(begin == next);
    RC_ASSERT(end >= begin);
    next = end;
  }
  RC_ASSERT(next == elements);
}

} // namespace
} // namespace shardwright
