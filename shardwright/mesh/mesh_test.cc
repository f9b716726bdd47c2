//===- mesh_test.cc - coordinates, device ids and groups ------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/mesh/mesh.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

using namespace shardwright;
using testing::ElementsAre;

namespace {

Mesh xy(int64_t x, int64_t y, llvm::SmallVector<int64_t, 0> ids = {}) {
  return Mesh({{"x", x}, {"y", y}}, std::move(ids));
}

TEST(Mesh, EmptyAndMaximal) {
  EXPECT_TRUE(Mesh().isEmpty());
  Mesh maximal({}, {3});
  EXPECT_TRUE(maximal.isMaximal());
  EXPECT_EQ(maximal.linearIndex(3), 0);
  EXPECT_EQ(maximal.linearIndex(0), -1);
  EXPECT_EQ(maximal.deviceId(0), 3);
  EXPECT_TRUE(Mesh({}, {0}).isMaximal());
  EXPECT_FALSE(Mesh({{"a", 1}}, {0}).isMaximal());
}

TEST(Mesh, OrderedIdsAreDropped) {
  EXPECT_EQ(xy(2, 2, {0, 1, 2, 3}), xy(2, 2));
  EXPECT_THAT(xy(2, 2, {1, 0, 2, 3}).deviceIds(), ElementsAre(1, 0, 2, 3));
}

TEST(Mesh, Text) {
  Mesh mesh = xy(4, 2);
  EXPECT_EQ(mesh.str({0, 1, 4}), "\"x\"");
  EXPECT_EQ(mesh.str({0, 2, 2}), "\"x\":(2)2");
  EXPECT_EQ(mesh.find("y"), 1);
  EXPECT_EQ(mesh.find("z"), std::nullopt);
}

TEST(Mesh, Overflow) {
  llvm::SmallVector<MeshAxis, 4> axes{{"a", int64_t(1) << 32},
                                      {"b", int64_t(1) << 32}};
  EXPECT_TRUE(Mesh::numDevicesOverflows(axes));
  EXPECT_EQ(Mesh(axes).numDevices(), INT64_MAX);
  axes.pop_back();
  EXPECT_FALSE(Mesh::numDevicesOverflows(axes));
}

TEST(DeviceGroups, Examples) {
  Mesh cube({{"x", 2}, {"y", 2}, {"z", 2}});
  DeviceGroups y = deviceGroups(cube, cube.fullAxis(1));
  EXPECT_EQ(y.numGroups, 4);
  EXPECT_EQ(y.groupSize, 2);
  EXPECT_THAT(y.ids, ElementsAre(0, 2, 1, 3, 4, 6, 5, 7));

  Mesh permuted = xy(2, 2, {3, 1, 2, 0});
  EXPECT_THAT(deviceGroups(permuted, permuted.fullAxis(1)).ids,
              ElementsAre(3, 1, 2, 0));

  EXPECT_THAT(deviceGroups(xy(4, 2), AxisRef{0, 2, 2}).ids,
              ElementsAre(0, 2, 1, 3, 4, 6, 5, 7));

  // Members of a group are in the order of the axis list, not of the mesh.
  Mesh mesh = xy(2, 2);
  EXPECT_THAT(deviceGroups(mesh, {mesh.fullAxis(1), mesh.fullAxis(0)}).ids,
              ElementsAre(0, 2, 1, 3));
  EXPECT_THAT(deviceGroups(mesh, {}).ids, ElementsAre(0, 1, 2, 3));
}

TEST(Complement, SplitsAtSubAxes) {
  Mesh mesh({{"x", 16}, {"y", 2}});
  EXPECT_EQ(complement(mesh, AxisRef{0, 2, 4}),
            (AxisList{{0, 1, 2}, {0, 8, 2}, {1, 1, 2}}));
  EXPECT_EQ(complement(mesh, {mesh.fullAxis(1), mesh.fullAxis(0)}), AxisList{});
}

/// A mesh of random axes and permuted devices, and random disjoint sub-axes of
/// it.
struct Case {
  Mesh mesh;
  AxisList chosen;
};

Case anyCase() {
  llvm::SmallVector<MeshAxis, 4> axes;
  AxisList parts;
  int numAxes = *rc::gen::inRange(1, 4);
  for (int i = 0; i < numAxes; ++i) {
    int64_t pre = 1;
    int numDigits = *rc::gen::inRange(1, 4);
    for (int d = 0; d < numDigits; ++d) {
      int64_t size = *rc::gen::inRange<int64_t>(2, 4);
      parts.push_back({i, pre, size});
      pre *= size;
    }
    axes.push_back({std::string(1, char('a' + i)), pre});
  }
  Mesh plain(axes);
  RC_PRE(plain.numDevices() <= 5000);
  std::vector<int64_t> ids(plain.numDevices());
  std::iota(ids.begin(), ids.end(), 0);
  if (*rc::gen::arbitrary<bool>())
    std::rotate(ids.begin(), ids.begin() + ids.size() / 3, ids.end());
  AxisList chosen;
  for (AxisRef part : parts)
    if (*rc::gen::arbitrary<bool>())
      chosen.insert(chosen.begin() +
                        *rc::gen::inRange<size_t>(0, chosen.size() + 1),
                    part);
  return {Mesh(axes, {ids.begin(), ids.end()}), chosen};
}

RC_GTEST_PROP(DeviceGroups, AreTheDevicesThatDifferAlongTheAxes, ()) {
  auto [mesh, chosen] = anyCase();
  DeviceGroups groups = deviceGroups(mesh, chosen);
  RC_ASSERT(groups.groupSize == totalSize(chosen));
  RC_ASSERT(groups.numGroups * groups.groupSize == mesh.numDevices());
  AxisList others = complement(mesh, chosen);
  std::vector<bool> seen(mesh.numDevices());
  for (int64_t g = 0; g < groups.numGroups; ++g)
    for (int64_t m = 0; m < groups.groupSize; ++m) {
      int64_t id = groups.ids[g * groups.groupSize + m];
      int64_t linear = mesh.linearIndex(id);
      RC_ASSERT(mesh.deviceId(linear) == id);
      RC_ASSERT(mesh.shardIndex(linear, chosen) == m);
      RC_ASSERT(mesh.shardIndex(linear, others) == g);
      RC_ASSERT(!seen[id]);
      seen[id] = true;
    }
}

TEST(Mesh, MillionDevicesCostNothing) {
  Mesh mesh({{"x", int64_t(1) << 30}, {"y", int64_t(1) << 30}});
  int64_t linear = (int64_t(5) << 30) + 7;
  EXPECT_EQ(mesh.coordinate(linear, mesh.fullAxis(0)), 5);
  EXPECT_EQ(mesh.coordinate(linear, mesh.fullAxis(1)), 7);
  EXPECT_EQ(mesh.coordinate(linear, {1, int64_t(1) << 28, 4}), 3);
  EXPECT_EQ(mesh.linearIndex(linear), linear);
}

} // namespace
