//===- device_groups_test.cc - replica groups of mesh axes ----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/sdy/device_groups.h"
#include "shardwright/dialect/sdy/sdy.h"
#include "shardwright/mesh/axes_of_groups.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/STLExtras.h"

#include <gtest/gtest.h>

#include <limits>

using namespace mlir;
using namespace shardwright;

namespace {

class DeviceGroupsTest : public ::testing::Test {
protected:
  DeviceGroupsTest() { context.loadDialect<sdy::SdyDialect>(); }

  static std::vector<int64_t> listOf(DenseIntElementsAttr groups) {
    auto values = groups.getValues<int64_t>();
    return {values.begin(), values.end()};
  }
  static std::vector<int64_t> expected(const Mesh &mesh, AxisRefs axes) {
    DeviceGroups groups = deviceGroups(mesh, axes);
    return {groups.ids.begin(), groups.ids.end()};
  }

  MLIRContext context;
};

} // namespace

TEST_F(DeviceGroupsTest, AreThoseOfTheMesh) {
  SmallVector<int64_t, 0> reversed;
  for (int64_t id = 512; id-- > 0;)
    reversed.push_back(id);
  // Equal axes of different meshes, of which the first is too small to be kept.
  for (const Mesh &mesh :
       {Mesh({{"a", 2}, {"b", 4}}), Mesh({{"a", 16}, {"b", 32}}),
        Mesh({{"a", 32}, {"b", 16}}), Mesh({{"a", 16}, {"b", 32}}, reversed)})
    for (const AxisList &axes :
         {AxisList{mesh.fullAxis(0)}, AxisList{mesh.fullAxis(1)},
          AxisList{mesh.fullAxis(1), mesh.fullAxis(0)}, AxisList{{1, 1, 2}}}) {
      DenseIntElementsAttr groups = sdy::deviceGroupsAttr(&context, mesh, axes);
      int64_t size = totalSize(axes);
      EXPECT_EQ(groups.getType().getDimSize(1), size);
      EXPECT_EQ(listOf(groups), expected(mesh, axes));
      EXPECT_EQ(groups, sdy::deviceGroupsAttr(&context, mesh, axes));
      for (int time = 0; time < 2; ++time)
        EXPECT_EQ(sdy::axesOfGroupsAttr(mesh, groups, size),
                  axesOfGroups(mesh, listOf(groups), size));
    }
}

TEST_F(DeviceGroupsTest, ReplicasFollow) {
  Mesh mesh({{"a", 16}, {"b", 16}});
  AxisList axes{mesh.fullAxis(1)};
  for (int64_t replicas : {1, 3, 2}) {
    DenseIntElementsAttr groups =
        sdy::deviceGroupsAttr(&context, mesh, axes, replicas);
    std::vector<int64_t> all;
    for (int64_t r = 0; r < replicas; ++r)
      for (int64_t id : expected(mesh, axes))
        all.push_back(r * 256 + id);
    EXPECT_EQ(listOf(groups), all);
    EXPECT_EQ(sdy::axesOfGroupsAttr(mesh, groups, 16).has_value(),
              replicas == 1);
  }
}

TEST_F(DeviceGroupsTest, PairsAreMadeOnce) {
  Mesh mesh({{"a", 16}, {"b", 32}});
  TensorSharding from = TensorSharding::closed(1), to = from;
  from.dims[0].axes = {mesh.fullAxis(0)};
  to.dims[0].axes = {mesh.fullAxis(1)};
  int times = 0;
  auto attr = [&](const TensorSharding &source, const TensorSharding &target) {
    return sdy::permutePairsAttr(&context, mesh, source, mesh, target, [&] {
      ++times;
      // Each device of the first 64 sends to the next one along b.
      SmallVector<int64_t> pairs;
      for (int64_t id = 0; id < 64; ++id)
        pairs.append({id, id / 32 * 32 + (id + 1) % 32});
      return source == target ? SmallVector<int64_t>() : pairs;
    });
  };
  DenseIntElementsAttr pairs = attr(from, to);
  EXPECT_EQ(pairs, attr(from, to));
  EXPECT_EQ(times, 1);
  EXPECT_FALSE(attr(from, from));
  EXPECT_FALSE(attr(from, from));
  EXPECT_EQ(times, 2);
  EXPECT_EQ(pairs, attr(to, from));
  EXPECT_EQ(times, 3);
  for (int i = 0; i < 2; ++i) {
    sdy::PermuteTraffic traffic = sdy::readPermutePairs(mesh, pairs);
    EXPECT_EQ(traffic.senders, 64);
    EXPECT_EQ(traffic.crosses, (SmallVector<bool, 4>{false, true}));
    // A mesh without these devices.
    Mesh small({{"a", 4}, {"b", 4}});
    EXPECT_EQ(sdy::readPermutePairs(small, pairs).crosses,
              (SmallVector<bool, 4>{true, true}));
  }
}

TEST_F(DeviceGroupsTest, SendersHaveIdsOfAnyValue) {
  constexpr int64_t largest = std::numeric_limits<int64_t>::max();
  int64_t ids[][2] = {{0, 1}, {largest, 0}, {largest - 1, 2}, {largest, 3}};
  auto pairs = DenseIntElementsAttr::get(
      RankedTensorType::get({4, 2}, IntegerType::get(&context, 64)),
      ArrayRef<int64_t>(ids[0], 8));
  EXPECT_EQ(sdy::readPermutePairs(Mesh({{"a", 4}}), pairs).senders, 3);
}

TEST_F(DeviceGroupsTest, OtherGroupsHaveNoAxes) {
  Mesh mesh({{"a", 16}, {"b", 32}});
  std::vector<int64_t> ids;
  for (int64_t id = 0; id < 512; ++id)
    ids.push_back(id ^ 1);
  std::swap(ids[3], ids[300]);
  auto groups = DenseIntElementsAttr::get(
      RankedTensorType::get({16, 32}, IntegerType::get(&context, 64)),
      ArrayRef<int64_t>(ids));
  for (int time = 0; time < 2; ++time)
    EXPECT_FALSE(sdy::axesOfGroupsAttr(mesh, groups, 32));
}
