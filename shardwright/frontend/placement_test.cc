//===- placement_test.cc - arrays on devices, in memories, of parts -------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// frontend_arrays.py compares placement with JAX; here is what JAX cannot say.
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/base/exceptions.h"
#include "shardwright/frontend/frontend.h"

#include <gtest/gtest.h>

using namespace shardwright::frontend;

namespace {

const bool configured = setDeviceCount(8).ok();

using Floats = std::vector<float>;
Floats values(const Tensor &x) {
  auto v = x.toVector<float>();
  EXPECT_TRUE(v.ok()) << v.error().str();
  return *v;
}
Mesh meshOf(std::vector<int32_t> ids, const char *axis = "x") {
  std::vector<Device> list;
  for (int32_t id : ids)
    list.push_back(Device{id});
  return *Mesh::get(list, {static_cast<int64_t>(ids.size())}, {axis});
}

TEST(Placement, OnePrimitiveRunsWhereItsOperandIs) {
  ASSERT_TRUE(configured);
  for (int32_t id : {6, 0, 3, 6}) {
    Tensor x = devicePut(arrayOf<float>({1, 2}), Device{id});
    Tensor y = x + 1.0f;
    EXPECT_EQ(values(y), (Floats{2, 3}));
    EXPECT_EQ(y.devices()[0].id, id);
    Tensor z = jit([](Tensor a) { return a * 2.0f; })(x);
    EXPECT_EQ(values(z), (Floats{2, 4}));
    EXPECT_EQ(z.devices()[0].id, id);
  }
}

// Feature: semantic-key
TEST(Placement, ProgramsWithEqualTilesRunOnEachMesh) {
  auto f = jit([](Tensor a) { return a + 1.0f; });
  for (const Mesh &mesh : {meshOf({0, 1}), meshOf({3, 2}), meshOf({0, 1}, "z"),
                           meshOf({5, 4}, "z")}) {
    Sharding s = *NamedSharding(mesh, P(mesh.names()[0]));
    Tensor y = f(devicePut(arange(8, DType::F32), s));
    EXPECT_EQ(values(y), (Floats{1, 2, 3, 4, 5, 6, 7, 8}));
    EXPECT_EQ(y.devices(), mesh.devices());
    EXPECT_TRUE(y.sharding().isEquivalentTo(s, 1)) << y.sharding().str();
  }
}

TEST(Placement, PartialSumsAreNotReadAsValues) {
  Mesh mesh = *makeMesh({4, 2}, {"x", "y"});
  ScopedMesh in(mesh);
  Tensor a = devicePut(ones({4, 8}), *NamedSharding(mesh, P(None, "x")));
  Tensor b = devicePut(ones({8, 4}), *NamedSharding(mesh, P("x")));
  Sharding parts = *NamedSharding(mesh, *P::get({None, None}, {"x"}));
  auto f = jit([](Tensor x, Tensor y) { return matmul(x, y); },
               {.outShardings = {parts}});
  Tensor c = f(a, b);
  if (c.ok()) {
    EXPECT_FALSE(c.toVector<float>().ok());
    EXPECT_FALSE(devicePut(c, *NamedSharding(mesh, P())).ok());
    EXPECT_EQ(c.str(), c.repr());
  }
  Tensor put = devicePut(ones({4}), *NamedSharding(mesh, *P::get({}, {"x"})));
  EXPECT_EQ(put.error().kind, ErrorKind::NotImplemented);
}

// Feature: donation
TEST(Placement, DonationMovesMemory) {
  Tensor x = devicePut(arrayOf<float>({1, 2}), Device{1});
  const void *before = *x.unsafeBufferPointer();
  Tensor y = devicePut(x, Sharding::single(Device{1}), {.donate = true});
  EXPECT_TRUE(x.isDeleted());
  EXPECT_EQ(*y.unsafeBufferPointer(), before);
  EXPECT_EQ(values(y), (Floats{1, 2}));
  Tensor z = devicePut(y, y.sharding(), {.mayAlias = false});
  EXPECT_NE(*z.unsafeBufferPointer(), before);
  EXPECT_EQ(values(z), values(y));
  EXPECT_EQ(devicePut(y, y.sharding(), {.donate = true, .mayAlias = true})
                .error()
                .text,
            "may_alias and donate cannot be True at the same time.");
}

TEST(Placement, PartsOfAnotherTypeAreRefused) {
  Sharding s = *NamedSharding(meshOf({0, 1}), P("x"));
  Tensor made = makeArrayFromCallback({4}, s, [](const IndexBox &box) {
    return box[0].begin ? ones({2}) : astype(ones({2}), DType::I32);
  });
  EXPECT_EQ(made.error().text,
            "Input buffers to `Array` must have matching dtypes. Got float32, "
            "expected int32 for buffer: [1. 1.]");
}

TEST(Meshes, ChangeOneFieldAtATime) {
  Mesh mesh = meshOf({0, 1, 2, 3});
  EXPECT_EQ(mesh.repr(), "Mesh(axis_sizes=(4,), axis_names=('x',), "
                         "axis_types=(Auto,))");
  Mesh square = *mesh.update({.sizes = Ints{2, 2},
                              .names = AxisNames{"a", "b"},
                              .types = std::vector<AxisType>{}});
  EXPECT_EQ(square.str(), "Mesh('a': 2, 'b': 2, axis_types=(Auto, Auto))");
  EXPECT_FALSE(mesh.update({.names = AxisNames{"a", "b"}}).ok());
  EXPECT_EQ(square.abstractMesh().update({.sizes = Ints{8, 4}})->str(),
            "AbstractMesh('a': 8, 'b': 4, axis_types=(Auto, Auto), "
            "device_kind=cpu, num_cores=None, platform=cpu)");
  // A mesh that the user describes has no device, unless it is given one.
  AbstractMesh plain = *AbstractMesh::get({2, 2}, {"a", "b"});
  EXPECT_FALSE(plain == square.abstractMesh());
  EXPECT_TRUE(*plain.update({.device = AbstractDevice{"cpu"}}) ==
              square.abstractMesh());
  EXPECT_EQ(
      AbstractMesh::get({4}, {"x"}, {}, AbstractDevice{"TPU v4", 2, "tpu"})
          ->str(),
      "AbstractMesh('x': 4, axis_types=(Auto,), device_kind=TPU v4, "
      "num_cores=2, platform=tpu)");
}

// Feature: hlo-sharding
TEST(Meshes, ShardingsComeFromHloText) {
  Sharding s = *Sharding::fromHlo("{devices=[2,1,4]<=[4,2]T(1,0) "
                                  "last_tile_dim_replicate}",
                                  devices());
  EXPECT_EQ(s.hloText(2), "{devices=[2,1,4]<=[4,2]T(1,0) "
                          "last_tile_dim_replicate}");
  EXPECT_EQ(s.devices(), devices());
  Sharding listed = *Sharding::fromHlo("{devices=[2]1,0}", {{4}, {5}});
  EXPECT_EQ(listed.devices()[0].id, 5);
  EXPECT_EQ(specOfHlo("{devices=[2,4]<=[4,2]T(1,0)}",
                      meshOf({0, 1, 2, 3, 4, 5, 6, 7}).abstractMesh())
                .ok(),
            false);
  AbstractMesh grid = *AbstractMesh::get({4, 2}, {"x", "y"});
  EXPECT_EQ(specOfHlo("{devices=[2,4]<=[4,2]T(1,0)}", grid)->str(),
            "P('y', 'x')");
  for (const char *bad : {"", "{devices=[3]<=[3]}", "{manual}",
                          "{maximal "
                          "device=9}",
                          "{devices=[8]<=[8] x}"})
    EXPECT_FALSE(Sharding::fromHlo(bad, devices()).ok()) << bad;
}

TEST(Exceptions, CarryTheError) {
  EXPECT_EQ(orThrow(NamedSharding(meshOf({0}), P())).numDevices(), 1);
  EXPECT_THROW(orThrow(NamedSharding(meshOf({0}), P("q"))), ValueException);
  EXPECT_THROW(orThrow(lax::add(ones({2}), ones({3}))), TypeException);
  EXPECT_THROW(orThrow(Tensor().remove()), TypeException);
  try {
    orThrow(NamedSharding(meshOf({0}), P("x", "x")));
    ADD_FAILURE();
  } catch (const Exception &e) {
    EXPECT_EQ(e.kind(), ErrorKind::DuplicateSpec);
  }
}

} // namespace
