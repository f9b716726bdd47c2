//===- mixed_axes_test.cc - collectives along axes of vmap and of a mesh --===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A collective along an axis of vmap and one of a mesh does what it does on a
// mesh that has both axes.
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/api/autodiff.h"
#include "shardwright/frontend/numpy/numpy.h"
#include "shardwright/frontend/primitives/lax.h"
#include "shardwright/frontend/shard_map/shard_map.h"

#include <gtest/gtest.h>

using namespace shardwright::frontend;

namespace {

const bool configured = setDeviceCount(8).ok();

using Body = std::function<Tensor(const Tensor &, const CollectiveAxes &)>;

/// On a mesh of both axes: `x` is [2, 32, 8], divided by v and x.
Expected<Tensor> onMesh(const Body &body, const CollectiveAxes &axes,
                        const Tensor &x) {
  Mesh mesh = *makeMesh({4, 2}, {"x", "v"}, {AxisType::Auto, AxisType::Auto});
  return jit(shardMap(
      [&](Tensor piece) {
        return expandDims(body(lax::squeeze(piece, {0}), axes), 0);
      },
      {.mesh = mesh,
       .in = P("v", "x"),
       .out = P("v", "x"),
       .checkVma = false}))(x);
}

/// On a mesh of x, with v as an axis of vmap.
Expected<Tensor> mixed(const Body &body, const CollectiveAxes &axes,
                       const Tensor &x, bool isJitted) {
  Mesh mesh = *makeMesh({4}, {"x"}, {AxisType::Auto});
  auto each = [&](Tensor row) -> Tensor {
    if (!isJitted)
      return body(row, axes);
    return jit([&](Tensor row) { return body(row, axes); })(row);
  };
  return jit(shardMap(
      [&](Tensor piece) -> Tensor {
        return vmap(each, {.axisName = "v"})(piece);
      },
      {.mesh = mesh,
       .in = P(nullptr, "x"),
       .out = P(nullptr, "x"),
       .checkVma = false}))(x);
}

void check(const char *name, const Body &body) {
  Tensor x = reshape(lax::sin(arange(2 * 32 * 8, DType::F32)), {2, 32, 8});
  for (const CollectiveAxes &axes :
       {CollectiveAxes{"v", "x"}, CollectiveAxes{"x", "v"}})
    for (bool isJitted : {false, true}) {
      Expected<Tensor> a = onMesh(body, axes, x),
                       b = mixed(body, axes, x, isJitted);
      ASSERT_TRUE(a.ok()) << name << ": " << a.error().str();
      ASSERT_TRUE(b.ok()) << name << ": " << b.error().str();
      ASSERT_EQ(a->shape(), b->shape()) << name;
      auto u = *a->toVector<float>(), w = *b->toVector<float>();
      for (size_t i = 0; i < u.size(); ++i)
        ASSERT_NEAR(u[i], w[i], 1e-4) << name << " at " << i;
    }
}

TEST(MixedAxes, Sums) {
  check("psum", [](const Tensor &x, const CollectiveAxes &axes) {
    return lax::psum(x, axes);
  });
  check("pmax", [](const Tensor &x, const CollectiveAxes &axes) {
    return lax::pmax(x, axes);
  });
  check("pmean", [](const Tensor &x, const CollectiveAxes &axes) {
    return lax::pmean(x, axes);
  });
}

TEST(MixedAxes, ValuesThatAreNotBatched) {
  check("psum of one", [](const Tensor &x, const CollectiveAxes &axes) {
    Tensor fixed = lax::full({8, 8}, 0.5, DType::F32);
    return lax::add(x, lax::psum(lax::sin(fixed), axes));
  });
  check("all_gather", [](const Tensor &x, const CollectiveAxes &axes) {
    Tensor fixed = reshape(arange(8, DType::F32), {1, 8});
    return lax::add(x, lax::all_gather(fixed, axes, {.tiled = true}));
  });
  check("psum_scatter", [](const Tensor &x, const CollectiveAxes &axes) {
    Tensor fixed = reshape(arange(64, DType::F32), {8, 8});
    return x + lax::psum_scatter(fixed, axes);
  });
}

TEST(MixedAxes, Gathers) {
  for (int64_t axis : {0, 1})
    for (bool tiled : {false, true}) {
      check("all_gather", [=](const Tensor &x, const CollectiveAxes &axes) {
        Tensor all = lax::all_gather(x, axes, {.axis = axis, .tiled = tiled});
        return reshape(all, {8, 64});
      });
      check("psum_scatter", [=](const Tensor &x, const CollectiveAxes &axes) {
        return reshape(lax::psum_scatter(
                           x, axes, {.scatterDimension = axis, .tiled = tiled}),
                       {8, 1});
      });
    }
}

TEST(MixedAxes, Exchanges) {
  for (int64_t split : {0, 1})
    for (int64_t concat : {0, 1})
      for (bool tiled : {false, true})
        check("all_to_all", [=](const Tensor &x, const CollectiveAxes &axes) {
          return reshape(lax::all_to_all(x, axes, split, concat, tiled),
                         {8, 8});
        });
  lax::Permutation ring, few{{1, 0}, {2, 7}, {5, 1}};
  for (int64_t i = 0; i < 8; ++i)
    ring.emplace_back(i, (i + 3) % 8);
  for (const lax::Permutation &perm : {ring, few})
    check("ppermute", [=](const Tensor &x, const CollectiveAxes &axes) {
      return lax::ppermute(x, axes, perm);
    });
  for (int64_t source : {0, 3, 6})
    check("pbroadcast", [=](const Tensor &x, const CollectiveAxes &axes) {
      return lax::pbroadcast(x, axes, source);
    });
}

} // namespace
