//===- named_sharding_test.cc - partition specs on meshes -----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/mesh/hlo/named_sharding.h"

#include "shardwright/mesh/compose.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <rapidcheck/gtest.h>

#include <map>

using namespace shardwright;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

Mesh mesh42() { return Mesh({{"x", 4}, {"y", 2}}); }

NamedSharding make(llvm::StringRef spec, Mesh mesh = mesh42(),
                   llvm::ArrayRef<AxisType> types = {},
                   std::string memory = "") {
  return llvm::cantFail(NamedSharding::get(
      std::move(mesh), llvm::cantFail(PartitionSpec::parse(spec)), types,
      std::move(memory)));
}

std::string why(llvm::StringRef spec, llvm::ArrayRef<AxisType> types = {}) {
  auto made = NamedSharding::get(
      mesh42(), llvm::cantFail(PartitionSpec::parse(spec)), types);
  return made ? "" : llvm::toString(made.takeError());
}

/// A random sharding by full axes on a mesh of x=2, y=3, z=2.
TensorSharding anySharding(const Mesh &mesh, int64_t rank,
                           llvm::ArrayRef<int32_t> axes) {
  TensorSharding s = TensorSharding::closed(rank);
  for (int32_t axis : axes) {
    int64_t d = *rc::gen::inRange<int64_t>(-1, rank);
    if (d >= 0)
      s.dims[d].axes.push_back(mesh.fullAxis(axis));
  }
  return s;
}

TEST(NamedSharding, DevicesHoldWhatJaxSays) {
  // Checked with jax: P(('y', 'x')) of 8 elements on 4x2.
  NamedSharding s = make("P(('y', 'x'))");
  int64_t starts[] = {0, 4, 1, 5, 2, 6, 3, 7};
  for (int64_t k = 0; k < 8; ++k)
    EXPECT_THAT(llvm::cantFail(s.shardBox({8}, k)),
                ElementsAre(IndexRange{starts[k], starts[k] + 1}));
  EXPECT_THAT(llvm::cantFail(make("P('x', 'y')").shardShape({8, 6})),
              ElementsAre(2, 3));
}

TEST(NamedSharding, EqualAndEquivalent) {
  EXPECT_NE(make("P('x')"), make("P('x', None)"));
  EXPECT_TRUE(make("P('x')").isEquivalentTo(make("P('x', None)"), 2));
  EXPECT_FALSE(make("P('x')").isEquivalentTo(make("P('x', None)"), 1));
  EXPECT_FALSE(make("P('x')").isEquivalentTo(make("P('y')"), 2));
  EXPECT_FALSE(make("P('x')").isEquivalentTo(
      make("P('x')", mesh42(), {}, "pinned_host"), 2));
  EXPECT_FALSE(make("P('x')").isEquivalentTo(
      make("P('x')", Mesh({{"x", 4}, {"y", 2}}, {7, 6, 5, 4, 3, 2, 1, 0})), 2));
  EXPECT_NE(make("P('x')"),
            make("P('x')", mesh42(), {AxisType::Explicit, AxisType::Auto}));
}

TEST(NamedSharding, ReplicatedWithAxesOfOneDeviceToo) {
  EXPECT_TRUE(make("P()").isFullyReplicated());
  EXPECT_TRUE(make("P('x')", Mesh({{"x", 1}, {"y", 2}})).isFullyReplicated());
  EXPECT_FALSE(make("P(None, 'y')").isFullyReplicated());
  EXPECT_TRUE(isFullyReplicated(llvm::cantFail(make("P()").hlo(2))));
  EXPECT_FALSE(isFullyReplicated(llvm::cantFail(make("P('x')").hlo(2))));
}

TEST(NamedSharding, SaysWhatDoesNotFit) {
  EXPECT_THAT(why("P('z')"), HasSubstr("'z' is not an axis of the mesh"));
  EXPECT_THAT(why("P('x', 'x')"), HasSubstr("axis 'x' occurs twice"));
  EXPECT_THAT(why("P(UNCONSTRAINED)", {AxisType::Explicit, AxisType::Manual}),
              HasSubstr("decided on Auto axes"));
  EXPECT_THAT(why("P(unreduced={'x'})"), HasSubstr("is not Explicit"));
  EXPECT_EQ(why("P(unreduced={'x'})", {AxisType::Explicit, AxisType::Auto}),
            "");
  auto uneven = make("P('x')").shardShape({6, 6});
  EXPECT_EQ(llvm::toString(uneven.takeError()),
            "NamedSharding(mesh=Mesh('x': 4, 'y': 2, axis_types=(Auto, Auto)), "
            "spec=P('x',)) cuts dimension 0 of size 6 into 4 parts; use axes "
            "that divide it");
  auto shallow = make("P('x', 'y')").shardShape({8});
  EXPECT_THAT(llvm::toString(shallow.takeError()), HasSubstr("2 entries"));
}

TEST(NamedSharding, CostsTheSameForAMillionDevices) {
  NamedSharding s = make("P('x', 'y')", Mesh({{"x", 1 << 20}, {"y", 1 << 18}}));
  EXPECT_THAT(llvm::cantFail(s.shardBox({1 << 20, 1 << 18}, (1 << 18) + 3)),
              ElementsAre(IndexRange{1, 2}, IndexRange{3, 4}));
}

} // namespace

RC_GTEST_PROP(NamedShardingAlgebra, TransposingMovesTheBoxes, ()) {
  Mesh mesh({{"x", 2}, {"y", 3}, {"z", 2}});
  TensorSharding s = anySharding(mesh, 3, {0, 1, 2});
  std::vector<int64_t> perm =
      *rc::gen::elementOf(std::vector<std::vector<int64_t>>{
          {0, 1, 2}, {2, 0, 1}, {1, 0, 2}, {2, 1, 0}, {0, 2, 1}, {1, 2, 0}});
  PartitionSpec spec;
  for (const DimSharding &dim : s.dims) {
    auto &entry = spec.entries.emplace_back();
    for (AxisRef a : dim.axes)
      entry.axes.push_back(mesh.axisName(a.axis).str());
  }
  HloSharding hlo = llvm::cantFail(toTiled(spec, mesh, 3));
  HloSharding moved = transposed(hlo, perm);
  llvm::SmallVector<int64_t> shape = {12, 24, 36}, movedShape;
  for (int64_t d : perm)
    movedShape.push_back(shape[d]);
  auto holder = [](const HloSharding &h, int64_t position) {
    return h.isTiled() ? h.devices().deviceAt(position) : position;
  };
  // Each device holds the same part, with transposed dimensions.
  std::map<int64_t, llvm::SmallVector<IndexRange, 4>> before, after;
  for (int64_t k = 0; k < mesh.numDevices(); ++k) {
    before[holder(hlo, k)] = shardBox(shape, hlo, k);
    after[holder(moved, k)] = shardBox(movedShape, moved, k);
  }
  for (auto &[device, box] : before)
    for (size_t d = 0; d < perm.size(); ++d)
      RC_ASSERT(after[device][d] == box[perm[d]]);
  RC_ASSERT(transposed(s, perm).dims[0] == s.dims[perm[0]]);
}

RC_GTEST_PROP(NamedShardingAlgebra, ComposingIsAPartOfAPart, ()) {
  Mesh mesh({{"x", 2}, {"y", 3}, {"z", 2}});
  TensorSharding outer = anySharding(mesh, 2, {0, 1});
  TensorSharding inner = anySharding(mesh, 2, {2});
  auto both = composed(outer, inner);
  RC_ASSERT(both.has_value());
  llvm::SmallVector<int64_t> shape = {24, 36};
  auto part = localShape(shape, outer);
  for (int64_t k = 0; k < mesh.numDevices(); ++k)
    for (int64_t d = 0; d < 2; ++d) {
      int64_t whole = mesh.shardIndex(k, both->dims[d].axes);
      int64_t in = mesh.shardIndex(k, inner.dims[d].axes);
      int64_t out = mesh.shardIndex(k, outer.dims[d].axes);
      int64_t size = localShape(shape, *both)[d];
      RC_ASSERT(whole * size == out * part[d] + in * size);
    }
  RC_ASSERT(composed(outer, outer).has_value() == outer.isReplicated());
  RC_ASSERT(composed(outer, TensorSharding::closed(1)) == std::nullopt);
}
