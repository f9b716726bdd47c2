//===- sharding_test.cc - local shapes, shard boxes, text -----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/mesh/sharding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <vector>

using namespace shardwright;
using testing::ElementsAre;

namespace {

const Mesh mesh({{"x", 4}, {"y", 2}, {"z", 3}});
const AxisRef x = mesh.fullAxis(0), y = mesh.fullAxis(1), z = mesh.fullAxis(2);

TensorSharding of(std::vector<AxisList> dims) {
  TensorSharding sharding = TensorSharding::closed(dims.size());
  for (size_t i = 0; i < dims.size(); ++i)
    sharding.dims[i].axes = dims[i];
  return sharding;
}

TEST(TensorSharding, Text) {
  TensorSharding s = of({{x}, {}, {AxisRef{1, 1, 2}}});
  s.dims[0].isClosed = false;
  s.dims[0].priority = 1;
  EXPECT_EQ(str(s, mesh), "[{\"x\", ?}p1, {}, {\"y\"}]");
  TensorSharding t = TensorSharding::open(1);
  t.replicated = {AxisRef{0, 2, 2}};
  t.unreduced = {z};
  EXPECT_EQ(str(t, mesh), "[{?}], replicated={\"x\":(2)2}, unreduced={\"z\"}");
  EXPECT_EQ(str(TensorSharding::open(0), mesh), "[]");
}

TEST(TensorSharding, EquivalenceIgnoresWhatIsNotData) {
  TensorSharding s = of({{x}, {}});
  TensorSharding t = s;
  t.dims[1].isClosed = false;
  t.dims[0].priority = 3;
  t.replicated = {y};
  EXPECT_TRUE(s.isEquivalent(t));
  EXPECT_NE(s, t);
  EXPECT_EQ(t.closedLike().replicated.size(), 0u);
  EXPECT_EQ(t.closedLike().dims[0].priority, 3);
  EXPECT_TRUE(t.closedLike().isFullyClosed());
  t.unreduced = {z};
  EXPECT_FALSE(s.isEquivalent(t));
  EXPECT_FALSE(t.isReplicated());
}

TEST(UnreducedAxes, TheKindBelongsToTheAxes) {
  TensorSharding sum = of({{x}, {}}), max = sum, none = sum;
  sum.unreduced = {z};
  max.unreduced = UnreducedAxes::of({z}, ReductionKind::Max);
  EXPECT_EQ(str(max, mesh), "[{\"x\"}, {}], unreduced=max{\"z\"}");
  EXPECT_NE(sum, max);
  EXPECT_FALSE(sum.isEquivalent(max));
  EXPECT_TRUE(commonUnreduced(sum.unreduced, max.unreduced).empty());
  EXPECT_EQ(commonUnreduced(max.unreduced, max.unreduced), max.unreduced);
  // Without axes there is no kind; assigning a list keeps it.
  TensorSharding copy = max;
  copy.unreduced = AxisList{y};
  EXPECT_EQ(copy.unreduced.kind, ReductionKind::Max);
  copy.unreduced = AxisList();
  EXPECT_EQ(copy, none);
  copy.unreduced.clear();
  EXPECT_EQ(copy.unreduced.kind, ReductionKind::Sum);
}

TEST(LocalShape, RoundsUp) {
  TensorSharding s = of({{x, y}, {z}, {}});
  EXPECT_THAT(localShape({16, 7, 5}, s), ElementsAre(2, 3, 5));
  EXPECT_FALSE(dividesEvenly({16, 7, 5}, s));
  EXPECT_TRUE(dividesEvenly({16, 6, 5}, s));
  EXPECT_THAT(localShape({0, 1, 5}, s), ElementsAre(0, 1, 5));
}

TEST(DivisiblePrefix, Examples) {
  EXPECT_EQ(divisiblePrefix(6, {x}), (AxisList{{0, 1, 2}}));
  EXPECT_EQ(divisiblePrefix(6, {y, AxisRef{0, 1, 2}}), AxisList{y});
  EXPECT_EQ(divisiblePrefix(8, {x, y}), (AxisList{x, y}));
  EXPECT_EQ(divisiblePrefix(7, {x, y}), AxisList{});
  EXPECT_EQ(divisiblePrefix(0, {x, y}), (AxisList{x, y}));
}

RC_GTEST_PROP(DivisiblePrefix, IsTheLongest, ()) {
  int64_t dim = *rc::gen::inRange<int64_t>(1, 100);
  AxisList axes{x, z, y};
  AxisList prefix = divisiblePrefix(dim, axes);
  RC_ASSERT(dim % totalSize(prefix) == 0);
  RC_ASSERT(listPrefix(prefix, axes) != ListPrefix::None);
  // No longer prefix divides the dimension.
  for (size_t n = 0; n < axes.size(); ++n)
    for (int64_t size = 1; size <= axes[n].size; ++size) {
      if (axes[n].size % size)
        continue;
      AxisList other(axes.begin(), axes.begin() + n);
      if (size > 1)
        other.push_back({axes[n].axis, 1, size});
      if (dim % totalSize(other) == 0)
        RC_ASSERT(totalSize(other) <= totalSize(prefix));
    }
}

RC_GTEST_PROP(ShardBox, TilesTheIndexSpace, ()) {
  llvm::SmallVector<int64_t, 2> shape{*rc::gen::inRange<int64_t>(0, 12),
                                      *rc::gen::inRange<int64_t>(0, 12)};
  std::vector<AxisRef> parts{{0, 1, 2}, {0, 2, 2}, y, z};
  std::vector<AxisList> dims(2);
  for (AxisRef part : parts)
    if (int where = *rc::gen::inRange(0, 3); where < 2)
      dims[where].insert(dims[where].begin() + *rc::gen::inRange<size_t>(
                                                   0, dims[where].size() + 1),
                         part);
  TensorSharding s = of(dims);
  auto local = localShape(shape, s);
  // The devices that hold an element all hold the same shard.
  std::map<std::pair<int64_t, int64_t>, int64_t> holders;
  for (int64_t device = 0; device < mesh.numDevices(); ++device) {
    auto box = shardBox(shape, s, mesh, device);
    for (int d = 0; d < 2; ++d) {
      RC_ASSERT(0 <= box[d].begin && box[d].begin <= box[d].end);
      RC_ASSERT(box[d].end <= shape[d]);
      RC_ASSERT(box[d].size() <= local[d]);
    }
    for (int64_t i = box[0].begin; i < box[0].end; ++i)
      for (int64_t j = box[1].begin; j < box[1].end; ++j)
        ++holders[{i, j}];
  }
  RC_ASSERT(int64_t(holders.size()) == shape[0] * shape[1]);
  int64_t copies = mesh.numDevices() / totalSize(s.allAxes());
  for (auto &[index, count] : holders)
    RC_ASSERT(count == copies);
}

} // namespace
