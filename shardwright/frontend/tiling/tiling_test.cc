//===- tiling_test.cc - functions of tiles of arrays ----------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/tiling/tiling.h"

#include "shardwright/frontend/api/jit.h"
#include "shardwright/frontend/array/values_test_util.h"
#include "shardwright/frontend/numpy/numpy.h"
#include "shardwright/frontend/pmap/pmap.h"
#include "shardwright/frontend/shard_map/collectives.h"
#include "shardwright/frontend/tiling/gspmd_text.h"
#include "shardwright/frontend/tiling/split_axes.h"

#include <algorithm>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

using namespace shardwright::frontend;

namespace {

Mesh mesh42() { return *Mesh::get(devices(), {4, 2}, {"x", "y"}); }
AbstractMesh abstract42() { return mesh42().abstractMesh(); }
Tensor numbered(const Shape &shape) {
  return reshape(arange(shape.elements(), DType::F32), shape);
}
const Tiling tilings[] = {Tiling::vectorize(), Tiling::manual(),
                          Tiling::manual({"x"}), Tiling::manual({"y"})};

// Feature: global-local
TEST(TileTypes, TilesDivideAndUntileMultiplies) {
  Aval type{DType::F32, {16, 6}};
  ArrayMapping axes =
      *getArrayMapping(P(shardwright::frontend::axes("y", "x"), None));
  EXPECT_EQ(axes, (ArrayMapping{{"y", 0}, {"x", 0}}));
  EXPECT_EQ(tileAval(abstract42(), axes, type)->str(), "f32[2,6]");
  EXPECT_EQ(untileAval(abstract42(), axes, *tileAval(abstract42(), axes, type))
                ->str(),
            "f32[16,6]");
  EXPECT_EQ(meshGlobalToLocal(mesh42(), axes, type)->str(), "f32[16,6]");
  EXPECT_EQ(meshLocalToGlobal(mesh42(), axes, type)->str(), "f32[16,6]");
  EXPECT_EQ(tileAval(abstract42(), {{"x", 1}}, type).error().str(),
            "ValueError: The aval shape on dimension 1 is 6 and the size of "
            "axis x is 4. The aval shape % axis size should be zero but got 2");
  EXPECT_FALSE(tileAval(abstract42(), {{"z", 0}}, type).ok());
  EXPECT_FALSE(tileAval(abstract42(), {{"x", 2}}, type).ok());
  EXPECT_FALSE(tileAval(abstract42(), {{"x", 0}, {"x", 1}}, type).ok());
  EXPECT_FALSE(
      untileAval(abstract42(), {{"x", 0}}, Aval{DType::F32, {int64_t(1) << 62}})
          .ok());
}

TEST(TileTypes, ManualProto) {
  EXPECT_EQ(*manualProto(2, {"x"}, abstract42()),
            "{devices=[1,1,2,4]<=[4,2]T(1,0) last_tile_dims={replicated, "
            "manual}}");
  EXPECT_EQ(*manualProto(2, {"y"}, abstract42()),
            "{devices=[1,1,4,2]<=[8] last_tile_dims={replicated, manual}}");
  EXPECT_FALSE(manualProto(2, {"z"}, abstract42()).ok());
}

TEST(SplitAxes, BatchDimensionsAreInMeshOrder) {
  Tensor x = numbered({8, 3});
  ArrayMapping axes{{"y", 0}, {"x", 0}};
  Tensor split = splitAxes(x, axes, abstract42(), {"x", "y"});
  EXPECT_EQ(split.shape(), (Shape{4, 2, 1, 3}));
  // y is major: the tile at x = 1, y = 1 is row 5.
  EXPECT_EQ(values(split[1][1]), (Floats{15, 16, 17}));
  EXPECT_EQ(values(joinAxes(split, axes, abstract42(), {"x", "y"})), values(x));
  // Axes that stay are parts of their dimension.
  Tensor some = splitAxes(x, axes, abstract42(), {"x"});
  EXPECT_EQ(some.shape(), (Shape{4, 2, 3}));
  EXPECT_EQ(values(some[1]), (Floats{3, 4, 5, 15, 16, 17}));
  EXPECT_EQ(values(joinAxes(some, axes, abstract42(), {"x"})), values(x));
}

// Feature: tiling
TEST(Tiling, AllMethodsGiveTheSame) {
  for (const Tiling &tiling : tilings) {
    auto f = mapWithTiling(
        [](Tensor a, Tensor b) {
          Tensor c = lax::psum(matmul(a, b), "y");
          return c + lax::pmax(lax::reduce_max(c, {0, 1}), {"x", "y"});
        },
        {.mesh = mesh42(),
         .in = {P("x", "y"), P("y", None)},
         .out = {P("x")},
         .tiling = tiling});
    Tensor a = numbered({8, 4}), b = numbered({4, 3});
    Tensor want = matmul(a, b) + max(matmul(a, b));
    EXPECT_EQ(values(f(a, b)), values(want));
    EXPECT_EQ(values(jit(f)(a, b)), values(want));
  }
}

TEST(Tiling, ResultsHaveTheDimensionsOfTheirSpecs) {
  for (const Tiling &tiling : tilings) {
    auto f = mapWithTiling([](Tensor a) { return lax::reduce_sum(a, {0, 1}); },
                           {.mesh = mesh42(),
                            .in = {P("x", "y")},
                            .out = {P("x", "y")},
                            .tiling = tiling});
    auto out = f(numbered({8, 4}));
    ASSERT_FALSE(out.ok());
    EXPECT_FALSE(out.error().text.empty());
    EXPECT_FALSE(jit(f)(numbered({8, 4})).ok());
  }
}

TEST(Tiling, VectorizedProgramsAreDividedByThePartitioner) {
  auto f = mapWithTiling(
      [](Tensor a) { return lax::sin(a); },
      {.mesh = mesh42(), .in = {P("x", "y")}, .out = {P("x", "y")}});
  auto out = jit(f)(numbered({8, 4}));
  ASSERT_TRUE(out.ok()) << out.error().str();
  EXPECT_EQ(out->sharding().spec().str(), "P('x', 'y')");
  auto lowered = jit(f).lower(numbered({8, 4}));
  EXPECT_EQ(lowered->asText()->find("manual_computation"), std::string::npos);
}

TEST(Tiling, NamesOfAxesStandForThoseOfTheMesh) {
  for (const Tiling &tiling : tilings) {
    TilingOptions options{.mesh = mesh42(),
                          .in = {P("rows")},
                          .out = {P("rows")},
                          .tiling = tiling,
                          .axisResources = {{"rows", {"y", "x"}}}};
    auto f = mapWithTiling(
        [](Tensor a) {
          return a * 0 + astype(lax::axis_index("rows"), DType::F32);
        },
        options);
    EXPECT_EQ(values(f(numbered({8}))), (Floats{0, 1, 2, 3, 4, 5, 6, 7}));
  }
}

TEST(Tiling, TextsOfBothPartitioners) {
  auto f = mapWithTiling([](Tensor a) { return lax::psum(a, "x"); },
                         {.mesh = mesh42(),
                          .in = {P("x")},
                          .out = {P()},
                          .tiling = Tiling::manual({"x"})});
  auto lowered = jit(f).lower(numbered({8, 2}));
  ASSERT_TRUE(lowered.ok()) << lowered.error().str();
  std::string sdy = *lowered->asText();
  EXPECT_NE(sdy.find("sdy.manual_computation"), sdy.npos);
  EXPECT_NE(sdy.find("manual_axes={\"x\"}"), sdy.npos);
  auto gspmd = gspmdText(*lowered);
  ASSERT_TRUE(gspmd.ok()) << gspmd.error().str();
  EXPECT_EQ(gspmd->find("sdy.manual_computation"), gspmd->npos);
  EXPECT_EQ(gspmd->find("sdy.mesh"), gspmd->npos);
  size_t enter = gspmd->find("custom_call @SPMDFullToShardShape"),
         leave = gspmd->find("custom_call @SPMDShardToFullShape");
  EXPECT_LT(gspmd->find("custom_call @Sharding"), enter);
  EXPECT_LT(enter, leave);
  EXPECT_NE(leave, gspmd->npos);
  EXPECT_NE(gspmd->find("manual"), gspmd->npos);
}

/// A random spec whose axes divide a shape of that rank.
PartitionSpec randomSpec(int64_t rank, AxisNames free) {
  std::vector<SpecEntry> entries;
  for (int64_t d = 0; d < rank; ++d) {
    AxisNames own;
    for (int k = *rc::gen::inRange(0, 3); k-- > 0 && !free.empty();) {
      size_t at = *rc::gen::inRange<size_t>(0, free.size());
      own.push_back(free[at]);
      free.erase(free.begin() + static_cast<int64_t>(at));
    }
    entries.emplace_back(own);
  }
  return *PartitionSpec::get(entries);
}

RC_GTEST_PROP(TilingProperty, VectorizeManualAndVmapAgree, ()) {
  AxisNames names{"x", "y", "z"};
  Mesh mesh = *Mesh::get(devices(), {2, 2, 2}, names);
  int64_t rank = *rc::gen::inRange(1, 4);
  PartitionSpec in = randomSpec(rank, names), other = randomSpec(rank, names);
  // Both arguments have tiles of one shape.
  Shape tile;
  for (int64_t d = 0; d < rank; ++d)
    tile.push_back(*rc::gen::inRange(1, 4));
  auto whole = [&](const PartitionSpec &spec) {
    return untileAval(mesh.abstractMesh(), *getArrayMapping(spec),
                      Aval{DType::F32, tile})
        ->shape;
  };
  AxisNames sums;
  for (const std::string &name : names)
    if (*rc::gen::inRange(0, 2))
      sums.push_back(name);
  int kind = *rc::gen::inRange(0, 4);
  auto body = [=](Tensor a, Tensor b) {
    Tensor c = lax::sin(a) * b + b;
    if (!sums.empty())
      c = c * 0.5 + lax::psum(c, sums);
    if (kind == 1)
      c = lax::all_gather(c, names[0], {.axis = 0, .tiled = true});
    if (kind == 2)
      c = c * astype(lax::axis_index({"z", "x"}), DType::F32);
    if (kind == 3)
      c = lax::ppermute(c, "y", {{0, 1}, {1, 0}});
    return c;
  };
  // Every axis along which the result may differ is in its spec.
  std::vector<SpecEntry> entries(rank);
  for (const std::string &name : names)
    entries[*rc::gen::inRange<int64_t>(0, rank)].axes.push_back(name);
  PartitionSpec out = *PartitionSpec::get(entries);
  Tensor a = numbered(whole(in)) * 0.01, b = numbered(whole(other)) * 0.01;
  std::optional<Floats> first;
  std::vector<Tiling> all{Tiling::vectorize(), Tiling::manual()};
  AxisNames some;
  for (const std::string &name : names)
    if (*rc::gen::inRange(0, 2))
      some.push_back(name);
  if (!some.empty())
    all.push_back(Tiling::manual(some));
  for (const Tiling &tiling : all) {
    auto f = mapWithTiling(
        body,
        {.mesh = mesh, .in = {in, other}, .out = {out}, .tiling = tiling});
    auto result = jit(f)(a, b);
    if (!result)
      RC_FAIL(result.error().str());
    Floats got = values(*result);
    if (!first)
      first = got;
    RC_ASSERT(got.size() == first->size());
    for (size_t i = 0; i < got.size(); ++i)
      RC_ASSERT(std::abs(got[i] - (*first)[i]) <=
                1e-4 * (1 + std::abs((*first)[i])));
  }
}

// Feature: resource-typing
TEST(TilingErrors, Texts) {
  auto error = [](TilingOptions options) {
    options.mesh = options.mesh.empty() ? mesh42() : options.mesh;
    return mapWithTiling([](Tensor a) { return a; }, options)(numbered({8, 8}))
        .error()
        .str();
  };
  EXPECT_EQ(error({.tiling = Tiling()}),
            "NotImplementedError: Unrecognized tiling method: None");
  EXPECT_EQ(error({.in = {P("a", "b")},
                   .axisResources = {{"a", {"x"}}, {"b", {"x"}}}}),
            "TypeError: Axes `a` and `b` are both mapped to the resource `x`, "
            "but they coincide in the named_shape of an input");
  EXPECT_EQ(error({.in = {P("a")},
                   .out = {P("x")},
                   .axisResources = {{"a", {"y", "x"}}}}),
            "TypeError: Axes `a` and `x` are both mapped to the resource `x`, "
            "but they coincide in the named_shape of a value of the function");
  EXPECT_EQ(error({.tiling = Tiling::manual({"z"})}),
            "ValueError: Resource axis: z is not found in mesh: ('x', 'y').");
  EXPECT_EQ(error({.in = {P(), P()}}),
            "ValueError: mapWithTiling requires one entry in in for each leaf, "
            "or one for all, but got 2 entries for 1 leaves");
  EXPECT_FALSE(error({.in = {P(None, None, "x")}}).empty());
  // A result that differs along an axis that its spec does not mention.
  EXPECT_EQ(error({.in = {P("x")}, .out = {P()}}),
            "ValueError: at vmap out_axes, got axis spec None but output was "
            "batched on axis 0");
  auto nested = mapWithTiling(
      [](Tensor a) -> Tensor {
        return Tensor() = pmap([](Tensor v) { return v; })(a);
      },
      {.mesh = mesh42(), .in = {P("x")}, .out = {P("x")}});
  EXPECT_EQ(nested(numbered({8, 2})).error().str(),
            "TypeError: Nesting pmap inside xmaps not supported!");
}

} // namespace
