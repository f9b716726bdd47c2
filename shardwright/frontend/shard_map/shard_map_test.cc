//===- shard_map_test.cc - bodies that run on each device -----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/api/control.h"
#include "shardwright/frontend/numpy/numpy.h"
#include "shardwright/frontend/shard_map/shard_map.h"

#include "shardwright/frontend/api/explicit_axes.h"

#include <cmath>

#include <gtest/gtest.h>

using namespace shardwright::frontend;

namespace {

using Floats = std::vector<float>;
Floats values(const Tensor &x) {
  auto v = x.toVector<float>();
  EXPECT_TRUE(v.ok()) << v.error().str();
  return *v;
}
Mesh mesh42() { return *Mesh::get(devices(), {4, 2}, {"x", "y"}); }
Tensor rows() { return arange(8, DType::F32); }

TEST(ShardMap, EachDeviceSeesItsPiece) {
  auto f = shardMap([](Tensor a) { return lax::psum(a, "x"); },
                    {.mesh = mesh42(), .in = P("x"), .out = P()});
  EXPECT_EQ(values(f(rows())), (Floats{12, 16}));
  auto jaxpr = jaxprText(f, rows());
  ASSERT_TRUE(jaxpr.ok()) << jaxpr.error().str();
  EXPECT_NE(jaxpr->find("psum_invariant[axes=('x',)]"), std::string::npos);
  EXPECT_NE(jaxpr->find("f32[2]{V:x}"), std::string::npos);
}

TEST(ShardMap, EagerCallsCompileOnce) {
  auto f = shardMap([](Tensor a) { return lax::pmax(a, "x"); },
                    {.mesh = mesh42(), .in = P("x"), .out = P()});
  EXPECT_EQ(values(f(rows())), (Floats{6, 7}));
  JitCounts before = jitCounts();
  EXPECT_EQ(values(f(rows())), (Floats{6, 7}));
  EXPECT_EQ(jitCounts().traces, before.traces);
  EXPECT_EQ(jitCounts().dispatchMisses, before.dispatchMisses);
}

TEST(ShardMap, TreesTakeOneSpecPerArgument) {
  using Pair = std::pair<Tensor, Tensor>;
  auto f = shardMap(
      [](Pair p, Tensor s) {
        return std::map<std::string, Tensor>{{"a", p.first * s},
                                             {"b", lax::psum(p.second, "x")}};
      },
      {.mesh = mesh42(),
       .in = {P("x"), P()},
       .out = std::map<std::string, ShardingTree>{{"a", P("x")}, {"b", P()}}});
  auto out = f(Pair{rows(), rows()}, Tensor(2.0f));
  ASSERT_TRUE(out.ok()) << out.error().str();
  EXPECT_EQ(values(out->at("a")), (Floats{0, 2, 4, 6, 8, 10, 12, 14}));
  EXPECT_EQ(values(out->at("b")), (Floats{12, 16}));
}

TEST(ShardMap, BroadcastsFromOneDevice) {
  auto f = shardMap([](Tensor a) { return lax::pbroadcast(a, "x", 2); },
                    {.mesh = mesh42(), .in = P("x"), .out = P("x")});
  EXPECT_EQ(values(f(rows())), (Floats{4, 5, 4, 5, 4, 5, 4, 5}));
  auto g = grad([&](Tensor x) { return sum(f(x) * arange(8, DType::F32)); });
  EXPECT_EQ(values(g(rows())), (Floats{0, 0, 0, 0, 12, 16, 0, 0}));
}

TEST(ShardMap, GradientsOfReplicatedArgumentsAreSums) {
  for (bool check : {true, false}) {
    auto loss = shardMap(
        [](Tensor w, Tensor x) { return lax::psum(sum(w * x * x), "x"); },
        {.mesh = mesh42(), .in = {P(), P("x")}, .checkVma = check});
    auto g = grad(loss)(Tensor(3.0f), rows());
    ASSERT_TRUE(g.ok()) << g.error().str();
    EXPECT_EQ(values(*g), Floats{140});
  }
}

TEST(ShardMap, AxesOfVmapAreAxesOfCollectives) {
  auto f = vmap(
      [](Tensor a) {
        return std::tuple{lax::psum(a, "i"), lax::axis_index("i"),
                          lax::ppermute(a, "i", {{0, 1}, {1, 0}}),
                          lax::all_gather(a, "i"),
                          lax::psum_scatter(lax::all_gather(a, "i"), "i")};
      },
      {.axisName = "i"});
  auto out = f(arrayOf<float>({1, 2}, {2}));
  ASSERT_TRUE(out.ok()) << out.error().str();
  EXPECT_EQ(values(std::get<0>(*out)), (Floats{3, 3}));
  EXPECT_EQ(*std::get<1>(*out).toVector<int32_t>(),
            (std::vector<int32_t>{0, 1}));
  EXPECT_EQ(values(std::get<2>(*out)), (Floats{2, 1}));
  EXPECT_EQ(values(std::get<3>(*out)), (Floats{1, 2, 1, 2}));
  EXPECT_EQ(values(std::get<4>(*out)), (Floats{2, 4}));
  auto exchange =
      vmap([](Tensor a) { return lax::all_to_all(a, "i", 0, 0, true); },
           {.axisName = "i"});
  EXPECT_EQ(values(exchange(arrayOf<float>({1, 2, 3, 4, 5, 6, 7, 8}, {2, 4}))),
            (Floats{1, 2, 5, 6, 3, 4, 7, 8}));
}

TEST(ShardMap, AxesOfVmapReachValuesWithoutBatchInInnerPrograms) {
  Tensor two(2.0f);
  auto total = [](Tensor b) { return lax::psum(b, "i"); };
  auto f = vmap(
      [&](Tensor a) {
        auto looped =
            scan([&](Tensor carry,
                     Tensor) { return std::pair{carry + total(two), carry}; },
                 two, Tensor(arrayOf<float>({1, 1}, {2})));
        return std::tuple{a + jit(total)(two), a + looped->first,
                          a + checkpoint(total)(two)};
      },
      {.axisName = "i"});
  auto out = f(arrayOf<float>({1, 2, 3}, {3}));
  ASSERT_TRUE(out.ok()) << out.error().str();
  EXPECT_EQ(values(std::get<0>(*out)), (Floats{7, 8, 9}));
  EXPECT_EQ(values(std::get<1>(*out)), (Floats{15, 16, 17}));
  EXPECT_EQ(values(std::get<2>(*out)), (Floats{7, 8, 9}));
}

TEST(ShardMap, UnknownAxesAreNamed) {
  auto text = [](auto f) { return jit(std::move(f))(rows()).error().str(); };
  EXPECT_EQ(text([](Tensor a) { return lax::psum(a, "q"); }),
            "NameError: Found an unbound axis name: q. To fix this, please "
            "call psum under `jax.shard_map`.");
  EXPECT_EQ(text([](Tensor a) { return lax::all_gather(a, "q"); }),
            "NameError: unbound axis name: q");
  EXPECT_FALSE(lax::axis_size("q").ok());
}

/// Partial sums enter and leave a body, also outside of jit, under vmap and
/// grad.
TEST(ShardMap, SpecsHaveUnreducedAndReducedAxes) {
  Mesh mesh = *makeMesh({4, 2}, {"x", "y"});
  ScopedMesh context(mesh);
  PartitionSpec sums = *P::get({"x"}, {"y"}),
                copies = *P::get({"x"}, {}, {"y"});
  Tensor x = devicePut(rows(), *NamedSharding(mesh, P("x")));
  auto twice =
      shardMap([](Tensor a) { return a + a; }, {.in = sums, .out = sums});
  auto total = shardMap([](Tensor a) { return lax::psum(a, "y"); },
                        {.in = sums, .out = P("x")});
  auto f = [=](Tensor a) -> Tensor {
    Tensor summands = jit([=](Tensor v) { return reshard(v, sums); })(a);
    Tensor doubled = twice(summands);
    return total(doubled);
  };
  for (const auto &out : {Expected<Tensor>(f(x)), jit(f)(x)}) {
    ASSERT_TRUE(out.ok()) << out.error().str();
    EXPECT_EQ(values(*out), (Floats{0, 2, 4, 6, 8, 10, 12, 14}));
  }
  auto square =
      shardMap([](Tensor a) { return a * a; }, {.in = copies, .out = copies});
  auto g = grad([=](Tensor a) -> Tensor {
    Tensor y = square(reshard(a, copies));
    return sum(reshard(y, P()));
  });
  for (const auto &out : {g(x), jit(g)(x)}) {
    ASSERT_TRUE(out.ok()) << out.error().str();
    EXPECT_EQ(values(*out), (Floats{0, 2, 4, 6, 8, 10, 12, 14}));
  }
}

/// None in place of a spec gives the body the argument as it is.
TEST(ShardMap, ArgumentsWithoutSpecsStay) {
  auto f = shardMap([](Tensor a, Tensor b) { return a * 0.0 + sum(b); },
                    {.mesh = mesh42(), .in = {P("x"), None}, .out = P("x")});
  for (const auto &out : {f(rows(), rows()), jit(f)(rows(), rows())}) {
    ASSERT_TRUE(out.ok()) << out.error().str();
    EXPECT_EQ(values(*out), Floats(8, 28));
  }
}

TEST(ShardMap, GroupsMustCoverEachPositionOnce) {
  auto run = [](AxisIndexGroups groups) {
    return shardMap(
        [=](Tensor a) { return lax::psum(a, "x", groups); },
        {.mesh = mesh42(), .in = P("x"), .out = P("x"), .checkVma = false})(
        rows());
  };
  EXPECT_EQ(values(run({{0, 1}, {2, 3}})),
            (Floats{2, 4, 2, 4, 10, 12, 10, 12}));
  EXPECT_EQ(run({{0, 1}, {1, 3}}).error().text,
            "axis_index_groups must cover all indices exactly once");
  EXPECT_EQ(run({{0, 1, 2}, {3}}).error().text,
            "axis_index_groups must all be the same size");
}

/// Primitives that are lowered as functions of others do not need the axes of
/// the mesh, which are not bound any more.
TEST(ShardMap, CompositesAreLoweredInTheBody) {
  Mesh mesh = *Mesh::get(devices(), {8}, {"x"});
  auto f = shardMap([](Tensor a) { return power(a, -3); },
                    {.mesh = mesh, .in = P("x"), .out = P("x")});
  auto r = jit(f)(Tensor(ones({8}) * 2.0));
  ASSERT_TRUE(r.ok()) << r.error().str();
  EXPECT_EQ(*r->toVector<float>(), std::vector<float>(8, 0.125));
  auto g = shardMap([](Tensor a) { return a / (a * a); },
                    {.mesh = mesh, .in = P("x"), .out = P("x")});
  auto slope = jit(grad([&](Tensor x) { return sum(Tensor(g(x))); }))(
      Tensor(ones({8}) * 2.0));
  ASSERT_TRUE(slope.ok()) << slope.error().str();
  EXPECT_EQ(*slope->toVector<float>(), std::vector<float>(8, -0.25));
}

/// Outside of jit values that are the same on all devices are known.
TEST(ShardMap, BodiesLookAtValuesOutsideOfJit) {
  int64_t branches = 0;
  std::string block, summed;
  auto body = [&](Tensor x) -> Tensor {
    Tensor total = lax::psum(sum(x), {"x", "y"});
    block = x.str();
    summed = total.str();
    EXPECT_FALSE(sum(x).item().ok());
    auto known = total.item();
    if (!known)
      return known.error();
    branches += *known > 10;
    return *known > 10 ? Tensor(x * 2.0) : x;
  };
  auto f =
      shardMap(body, {.mesh = mesh42(), .in = P("x", "y"), .out = P("x", "y")});
  Expected<Tensor> out = f(reshape(arange(8, DType::F32), {4, 2}));
  ASSERT_TRUE(out.ok()) << out.error().str();
  EXPECT_EQ(values(*out), (Floats{0, 2, 4, 6, 8, 10, 12, 14}));
  EXPECT_EQ(branches, 1);
  EXPECT_EQ(summed, "28.0");
  EXPECT_EQ(block.substr(0, 61),
            "On cpu:0 at mesh coordinates (x, y,) = (0, 0):\n[[0.]]\n\nOn cpu");
  // In jit they are not.
  Expected<Tensor> traced = jit(f)(ones({4, 2}));
  ASSERT_FALSE(traced.ok());
  EXPECT_EQ(traced.error().kind, ErrorKind::Concretization);
}

} // namespace
