//===- sharding_spec_test.cc - how pmap divides arrays --------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/pmap/sharding_spec.h"

#include "shardwright/frontend/numpy/numpy.h"
#include "shardwright/frontend/pmap/axis_env.h"
#include "shardwright/frontend/pmap/pmap_sharding.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

using namespace shardwright::frontend;

namespace {

using Dims = std::vector<DimSharding>;
using Mapping = std::vector<MeshDim>;

// Feature: pmap-specs
TEST(ShardingSpec, WorkedExamplesOfPmap) {
  ShardingSpec mapped = *pmapShardingSpec(8, 8, {2}, 0);
  EXPECT_EQ(mapped,
            ShardingSpec({Unstacked{8}, NoSharding()}, {ShardedAxis{0}}));
  std::vector<ShardIndex> indices = *mapped.indices({8, 2});
  ASSERT_EQ(indices.size(), 8u);
  EXPECT_EQ(str(indices[3]), "(3, slice(None))");
  EXPECT_EQ(*mapped.shardShape({8, 2}), (Shape{2}));
  EXPECT_EQ(*pmapShardingSpec(8, 4, {2}, {}),
            ShardingSpec({NoSharding()}, {Replicated{4}, Replicated{2}}));
  EXPECT_EQ(
      createPmapShardingSpec({4, 3}, 1)->str(),
      "ShardingSpec((NoSharding(), Unstacked(3)), (ShardedAxis(axis=0),))");
}

TEST(ShardingSpec, NestedPmapsShiftTheInnerAxes) {
  ShardingSpec inner = *pmapShardingSpec(2, 2, {5}, 0);
  // The outer axis comes after the inner one.
  EXPECT_EQ(*pmapShardingSpec(3, 3, {2, 5}, 1, inner),
            ShardingSpec({Unstacked{2}, Unstacked{3}, NoSharding()},
                         {ShardedAxis{1}, ShardedAxis{0}}));
  EXPECT_EQ(*pmapShardingSpec(3, 3, {2, 5}, 0, inner),
            ShardingSpec({Unstacked{3}, Unstacked{2}, NoSharding()},
                         {ShardedAxis{0}, ShardedAxis{1}}));
}

TEST(ShardingSpec, AxesOfAMesh) {
  auto spec =
      meshShardingSpec({4, 2}, {"x", "y"}, {16, 3}, {{"y", 0}, {"x", 0}});
  ASSERT_TRUE(spec.ok()) << spec.error().str();
  EXPECT_EQ(*spec, ShardingSpec({Chunked{{2, 4}}, NoSharding()},
                                {ShardedAxis{1}, ShardedAxis{0}}));
  EXPECT_EQ(*spec->hloText(), "{devices=[8,1]<=[4,2]T(1,0)}");
  EXPECT_EQ(
      *meshShardingSpec({4, 2}, {"x", "y"}, {4, 8}, {{"y", 1}})->hloText(),
      "{devices=[1,2,4]<=[4,2]T(1,0) last_tile_dim_replicate}");
  EXPECT_EQ(*tokenShardingSpec({4, 2}).hloText(), "{replicated}");
  EXPECT_EQ(
      meshShardingSpec({4, 2}, {"x", "y"}, {8, 7}, {{"x", 0}, {"y", 1}})
          .error()
          .str(),
      "ValueError: The aval shape on dimension 1 is 7 and the size of axis y "
      "is 2. The aval shape % axis size should be zero but got 1");
  EXPECT_FALSE(meshShardingSpec({4}, {"x"}, {8}, {{"z", 0}}).ok());
  EXPECT_FALSE(meshShardingSpec({4}, {"x"}, {8}, {{"x", 1}}).ok());
  EXPECT_FALSE(meshShardingSpec({4}, {"x"}, {8, 8}, {{"x", 0}, {"x", 1}}).ok());
}

TEST(ShardingSpec, InvalidSpecs) {
  auto text = [](Dims dims, Mapping mapping) {
    return ShardingSpec(dims, mapping).meshShape().error().text;
  };
  EXPECT_EQ(text({Unstacked{2}}, {}),
            "Sharded axis 0 of ShardingSpec((Unstacked(2),), ()) is not "
            "assigned to a mesh dimension");
  EXPECT_NE(
      text({Unstacked{2}}, {ShardedAxis{0}, ShardedAxis{0}}).find("twice"),
      std::string::npos);
  EXPECT_NE(text({}, {ShardedAxis{0}}).find("0 sharded axes"),
            std::string::npos);
  EXPECT_NE(text({Chunked{{0}}}, {ShardedAxis{0}}).find("at least 1"),
            std::string::npos);
  EXPECT_NE(text({}, {Replicated{1 << 15}, Replicated{1 << 15}}).find("more"),
            std::string::npos);
  ShardingSpec rows({Unstacked{4}}, {ShardedAxis{0}});
  EXPECT_FALSE(rows.indices({3}).ok());
  EXPECT_FALSE(rows.indices({4, 4}).ok());
  EXPECT_FALSE(
      ShardingSpec({Chunked{{3}}}, {ShardedAxis{0}}).indices({4}).ok());
  EXPECT_EQ(rows.hloText().error().str(),
            "RuntimeError: Cannot convert unstacked sharding specs to XLA "
            "OpSharding");
  EXPECT_FALSE(pmapShardingSpec(8, 3, {}, 0).ok());
  EXPECT_FALSE(pmapShardingSpec(8, 8, {}, 1).ok());
  EXPECT_FALSE(createPmapShardingSpec({4}, 1).ok());
  EXPECT_FALSE(createPmapShardingSpec({4}, None).ok());
}

/// A spec and a shape that it divides.
std::pair<ShardingSpec, Shape> randomSpec() {
  ShardingSpec spec;
  Shape shape;
  int64_t axes = 0;
  for (int rank = *rc::gen::inRange(0, 4); rank-- > 0;) {
    int64_t size = *rc::gen::inRange(1, 4);
    switch (*rc::gen::inRange(0, 3)) {
    case 0:
      spec.sharding.emplace_back(NoSharding());
      break;
    case 1:
      spec.sharding.emplace_back(Unstacked{size});
      spec.meshMapping.emplace_back(ShardedAxis{axes++});
      break;
    default:
      Ints chunks;
      for (int k = *rc::gen::inRange(1, 3); k-- > 0;) {
        chunks.push_back(*rc::gen::inRange<int64_t>(1, 4));
        size *= chunks.back();
        spec.meshMapping.emplace_back(ShardedAxis{axes++});
      }
      spec.sharding.emplace_back(Chunked{chunks});
    }
    shape.push_back(size);
  }
  for (int k = *rc::gen::inRange(0, 3); k-- > 0;)
    spec.meshMapping.emplace_back(Replicated{*rc::gen::inRange<int64_t>(1, 4)});
  // Any order of the mesh dimensions.
  for (size_t i = spec.meshMapping.size(); i > 1; --i)
    std::swap(spec.meshMapping[i - 1],
              spec.meshMapping[*rc::gen::inRange<size_t>(0, i)]);
  return {spec, shape};
}

RC_GTEST_PROP(ShardingSpecProperty, IndicesAgreeWithBruteForce, ()) {
  auto [spec, shape] = randomSpec();
  Shape mesh = *spec.meshShape();
  auto indices = spec.indices(shape);
  RC_ASSERT(indices.ok());
  RC_ASSERT(static_cast<int64_t>(indices->size()) == mesh.elements());
  int64_t replicas = 1;
  for (const MeshDim &dim : spec.meshMapping)
    if (const auto *r = std::get_if<Replicated>(&dim))
      replicas *= r->replicas;
  auto holds = [&](const ShardIndex &index, const Ints &element) {
    for (size_t d = 0; d < element.size(); ++d)
      if (index[d].kind != ShardDim::Kind::All &&
          (element[d] < index[d].begin || element[d] >= index[d].end))
        return false;
    return true;
  };
  // Every element is on as many devices as there are replicas.
  for (int64_t flat = 0; flat < shape.elements(); ++flat) {
    Ints element(shape.size());
    int64_t rest = flat;
    for (size_t d = shape.size(); d-- > 0; rest /= shape[d])
      element[d] = rest % shape[d];
    int64_t count = 0;
    for (const ShardIndex &index : *indices)
      count += holds(index, element);
    RC_ASSERT(count == replicas);
  }
  // Devices that differ along a sharded axis only hold neighbouring chunks in
  // the order of the axis; replicas hold the same.
  int64_t stride = 1;
  for (size_t m = mesh.size(); m-- > 0;) {
    for (int64_t device = 0; device + stride < mesh.elements(); ++device) {
      if (device / stride % mesh[m] + 1 == mesh[m])
        continue;
      bool same = (*indices)[device] == (*indices)[device + stride];
      RC_ASSERT(same ==
                std::holds_alternative<Replicated>(spec.meshMapping[m]));
    }
    stride *= mesh[m];
  }
}

RC_GTEST_PROP(ShardingSpecProperty, NamedShardingsPlaceTheSame, ()) {
  auto [spec, shape] = randomSpec();
  Shape mesh = *spec.meshShape();
  RC_PRE(mesh.elements() <= 8);
  std::vector<Device> list = devices();
  list.resize(mesh.elements());
  PmapSharding sharding = *PmapSharding::get(list, spec);
  Sharding named = *sharding.named();
  std::vector<ShardIndex> indices = *sharding.devicesIndicesMap(shape);
  for (int64_t device = 0; device < mesh.elements(); ++device) {
    IndexBox box = named.boxOf(shape, device);
    for (size_t d = 0; d < shape.size(); ++d) {
      const ShardDim &own = indices[device][d];
      bool isAll = own.kind == ShardDim::Kind::All;
      RC_ASSERT(box[d].begin == (isAll ? 0 : own.begin));
      RC_ASSERT(box[d].end == (isAll ? shape[d] : own.end));
    }
  }
  // The shards of an array are the slices that the indices say.
  Tensor x = reshape(arange(shape.elements(), DType::F32), shape);
  auto shards = pmapShards(devicePut(x, named), sharding);
  RC_ASSERT(shards.ok());
  for (size_t k = 0; k < shards->size(); ++k)
    RC_ASSERT((*shards)[k].shape() == *sharding.shardShape(shape));
}

TEST(PmapSharding, OfAnArray) {
  Sharding rows = *PmapSharding::defaultFor({4, 2})->named();
  Tensor x = devicePut(ones({4, 2}), rows);
  auto own = PmapSharding::of(x);
  ASSERT_TRUE(own.ok()) << own.error().str();
  EXPECT_EQ(*own, *PmapSharding::defaultFor({4, 2}));
  EXPECT_EQ(own->str(),
            "PmapSharding(sharding_spec=ShardingSpec((Unstacked(4), "
            "NoSharding()), (ShardedAxis(axis=0),)), device_ids=[0, 1, 2, 3], "
            "device_platform=CPU, device_shape=(4,))");
  EXPECT_FALSE(own->isFullyReplicated());
  EXPECT_TRUE(PmapSharding::defaultFor({4}, None)->isFullyReplicated());
  EXPECT_FALSE(PmapSharding::of(ones({2})).ok());
}

TEST(PmapSharding, NumberOfDevices) {
  EXPECT_EQ(PmapSharding::get({{0}, {1}, {2}}, *pmapShardingSpec(2, 2, {}, 0))
                .error()
                .text,
            "compiling computation that creates 2 shards, but 3 devices were "
            "specified");
}

TEST(AxisEnv, GroupsOfReplicas) {
  using Groups = std::vector<Ints>;
  AxisEnv env{{"i", "j"}, {2, 2}, 8};
  EXPECT_EQ(*axisGroups(env, {"i"}), (Groups{{0, 4}, {1, 5}, {2, 6}, {3, 7}}));
  EXPECT_EQ(*axisGroups(env, {"j"}), (Groups{{0, 2}, {1, 3}, {4, 6}, {5, 7}}));
  EXPECT_EQ(*axisGroups(env, {"j", "i"}), (Groups{{0, 4, 2, 6}, {1, 5, 3, 7}}));
  // The innermost of one name.
  EXPECT_EQ(*axisGroups({{"i", "i"}, {2, 2}, 4}, {"i"}),
            (Groups{{0, 1}, {2, 3}}));
  EXPECT_EQ(axisGroups(env, {"k"}).error().str(),
            "NameError: unbound axis name: k");
  EXPECT_FALSE(axisGroups({{"i"}, {3}, 4}, {"i"}).ok());
  EXPECT_FALSE(axisGroups({{"i"}, {3, 2}, 6}, {"i"}).ok());
}

} // namespace
