//===- explicit_axes_test.cc - shardings in types -------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/api/explicit_axes.h"

#include "shardwright/frontend/numpy/numpy.h"

#include <gtest/gtest.h>

using namespace shardwright::frontend;

namespace {

Mesh explicitMesh() { return *makeMesh({4, 2}, {"x", "y"}); }

TEST(ExplicitAxes, ReshardMovesDataAndType) {
  ScopedMesh in(explicitMesh());
  Tensor x = reshard(arange(8, DType::F32), P("x"));
  ASSERT_TRUE(x.ok()) << x.error().str();
  EXPECT_EQ(x.aval().str(), "f32[8@x]");
  auto f = jit([](Tensor a) { return reshard(a * 2.0f, P("y")); });
  auto y = f(x);
  ASSERT_TRUE(y.ok()) << y.error().str();
  EXPECT_EQ(y->aval().str(), "f32[8@y]");
  EXPECT_EQ(*y->toVector<float>(),
            (std::vector<float>{0, 2, 4, 6, 8, 10, 12, 14}));
}

TEST(ExplicitAxes, AxesChangeTheirTypeInAFunction) {
  ScopedMesh in(explicitMesh());
  Tensor x = reshard(arange(8, DType::F32), P("x"));
  std::string inner;
  auto f = autoAxes(
      [&](Tensor a) {
        inner = a.aval().str();
        auto g = explicitAxes([](Tensor b) { return b * 3.0f; },
                              {.specs = {P("y")}});
        return Tensor(g(a));
      },
      {.specs = {P("y")}});
  auto y = f(x);
  ASSERT_TRUE(y.ok()) << y.error().str();
  EXPECT_EQ(inner, "f32[8]");
  EXPECT_EQ(y->aval().str(), "f32[8@y]");
  EXPECT_EQ((*y->toVector<float>())[7], 21);
  EXPECT_EQ(autoAxes([](Tensor a) { return a; }, {})(x).error().str(),
            "TypeError: Missing required keyword argument: 'out_sharding'");
}

TEST(ExplicitAxes, ReshardNeedsAMesh) {
  EXPECT_EQ(reshard(arange(8), P("x")).error().text,
            "Using PartitionSpec when you are not under a mesh context is not "
            "allowed. Please pass a NamedSharding instance or enter into a "
            "mesh context via `jax.set_mesh`. Got P('x',)");
  EXPECT_EQ(reshard(arange(8), Sharding()).error().text,
            "Reshard should only be used with out_shardings which are non-None "
            "and have a non-empty mesh. Got sharding None.");
}

} // namespace
