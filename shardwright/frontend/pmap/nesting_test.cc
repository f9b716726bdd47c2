//===- nesting_test.cc - pmaps inside of pmaps ----------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/pmap/nesting.h"

#include "shardwright/frontend/api/autodiff.h"
#include "shardwright/frontend/array/values_test_util.h"
#include "shardwright/frontend/numpy/numpy.h"
#include "shardwright/frontend/pmap/emap.h"
#include "shardwright/frontend/pmap/replicas.h"
#include "shardwright/frontend/shard_map/collectives.h"

#include <gtest/gtest.h>

using namespace shardwright::frontend;

namespace {

Tensor grid(int64_t a, int64_t b) {
  return reshape(arange(a * b, DType::F32), {a, b});
}
/// pmap over `i` of pmap over `j`.
template <typename F> auto twice(F f) {
  return pmap(
      [f](Tensor row) -> Tensor {
        return Tensor() = pmap(f, {.axisName = "j"})(row);
      },
      {.axisName = "i"});
}

// Feature: pmap
TEST(NestedPmap, CollectivesNameEitherAxisOrBoth) {
  Tensor x = grid(2, 4);
  EXPECT_EQ(values(twice([](Tensor v) { return lax::psum(v, "j"); })(x)),
            (Floats{6, 6, 6, 6, 22, 22, 22, 22}));
  EXPECT_EQ(values(twice([](Tensor v) { return lax::psum(v, "i"); })(x)),
            (Floats{4, 6, 8, 10, 4, 6, 8, 10}));
  EXPECT_EQ(values(twice([](Tensor v) { return lax::psum(v, {"i", "j"}); })(x)),
            Floats(8, 28));
  EXPECT_EQ(
      values(twice([](Tensor v) { return lax::all_gather(v, {"j", "i"}); })(x))
          .size(),
      64u);
}

TEST(NestedPmap, DevicesAreRowMajor) {
  auto f = twice([](Tensor v) {
    return v * 0 + astype(lax::axis_index({"i", "j"}), DType::F32);
  });
  auto out = f(grid(2, 3));
  EXPECT_EQ(values(out), (Floats{0, 1, 2, 3, 4, 5}));
  const Mesh &mesh = out->sharding().mesh();
  EXPECT_EQ(mesh.str(), "Mesh('i': 2, 'j': 3, axis_types=(Auto, Auto))");
  EXPECT_EQ(idsText(mesh.devices()), "[0, 1, 2, 3, 4, 5]");
  // Devices of one slice hold the same, as the classic spec says.
  EXPECT_EQ(out->sharding().spec().normalized(2).str(), "P('i', None)");
  auto classic = PmapSharding::of(*out);
  ASSERT_TRUE(classic.ok()) << classic.error().str();
  EXPECT_EQ(classic->spec(), *pmapShardingSpec(6, 2, {3}, 0));
}

TEST(NestedPmap, PmapsSideBySideShareTheMesh) {
  // Sizes 2 and 4 inside of 2, with names of their own.
  auto f = pmap(
      [](Tensor x) {
        auto small = pmap([](Tensor v) { return v + lax::psum(v, {"i", "k"}); },
                          {.axisName = "k"});
        auto large = pmap([](Tensor v) { return lax::psum(v, "j"); },
                          {.axisName = "j", .outAxes = None});
        Tensor head = small(lax::slice(x, {0}, {2}));
        Tensor total = large(x);
        return std::pair{head, total};
      },
      {.axisName = "i"});
  auto out = f(grid(2, 4));
  ASSERT_TRUE(out.ok()) << out.error().str();
  EXPECT_EQ(values(out->first), (Floats{10, 11, 14, 15}));
  EXPECT_EQ(values(out->second), (Floats{6, 22}));
  EXPECT_EQ(out->first.sharding().mesh().size(), 8);
}

TEST(NestedPmap, OneNameTwiceIsThatOfTheInnermost) {
  auto f = pmap(
      [](Tensor row) {
        Tensor sums = pmap([](Tensor v) { return lax::psum(v, "i"); },
                           {.axisName = "i"})(row);
        return sums + lax::psum(row, "i");
      },
      {.axisName = "i"});
  EXPECT_EQ(values(f(grid(2, 2))), (Floats{3, 5, 7, 9}));
}

TEST(NestedPmap, AxesOfOneElement) {
  EXPECT_EQ(values(twice([](Tensor v) {
              return lax::psum(v, "i") + lax::psum(v, "j");
            })(grid(1, 3))),
            (Floats{3, 4, 5}));
  EXPECT_EQ(values(twice([](Tensor v) {
              return lax::psum(v, "i") + lax::psum(v, "j");
            })(grid(3, 1))),
            (Floats{3, 4, 5}));
  EXPECT_EQ(values(twice([](Tensor v) {
              return lax::psum(v, "i") + lax::psum(v, "j");
            })(grid(1, 1))),
            (Floats{0}));
}

TEST(NestedPmap, ThreeLevels) {
  auto inner = [](Tensor v) { return lax::psum(v, {"i", "k"}); };
  auto f = pmap(
      [&](Tensor x) -> Tensor {
        return Tensor() = pmap(
                   [&](Tensor y) -> Tensor {
                     return Tensor() = pmap(inner, {.axisName = "k"})(y);
                   },
                   {.axisName = "j"})(x);
      },
      {.axisName = "i"});
  EXPECT_EQ(values(f(reshape(arange(8, DType::F32), {2, 2, 2}))),
            (Floats{10, 10, 18, 18, 10, 10, 18, 18}));
}

TEST(NestedPmap, GradientsAndBatchesAgreeWithVmap) {
  auto body = [](Tensor v) {
    return lax::sin(v) * lax::psum(v * v, {"i", "j"}) + lax::psum(v, "j");
  };
  auto nested = twice(body);
  auto mapped = vmap(vmap(body, {.axisName = "j"}), {.axisName = "i"});
  Tensor x = grid(2, 3) * 0.1;
  auto loss = [](auto f) {
    return [f](Tensor v) { return sum(lax::cos(Tensor() = f(v))); };
  };
  EXPECT_EQ(values(nested(x)).size(), 6u);
  auto close = [](const Floats &a, const Floats &b) {
    ASSERT_EQ(a.size(), b.size());
    for (size_t i = 0; i < a.size(); ++i)
      EXPECT_NEAR(a[i], b[i], 1e-5);
  };
  close(values(nested(x)), values(mapped(x)));
  close(values(grad(loss(nested))(x)), values(grad(loss(mapped))(x)));
  close(values(jit(grad(loss(nested)))(x)), values(grad(loss(mapped))(x)));
  Tensor batch = stack({x, x * 2}, 0);
  close(values(vmap(nested)(batch)), values(vmap(mapped)(batch)));
}

TEST(NestedPmap, FinishedProgramsTraceNothing) {
  auto f = twice([](Tensor v) { return lax::psum(v, "j"); });
  EXPECT_TRUE(f(grid(2, 2)).ok());
  JitCounts before = jitCounts();
  EXPECT_TRUE(f(grid(2, 2)).ok());
  EXPECT_EQ(jitCounts().traces, before.traces);
  EXPECT_EQ(jitCounts().dispatchMisses, before.dispatchMisses);
}

TEST(NestedPmap, RunsWithoutJit) {
  auto inner = [](Tensor v) { return lax::psum(v, {"i", "j"}); };
  auto f = emap(
      [&](Tensor row) -> Tensor {
        return Tensor() = pmap(inner, {.axisName = "j"})(row);
      },
      {.axisName = "i"});
  EXPECT_EQ(values(f(grid(2, 2))), Floats(4, 6));
}

TEST(NestedPmap, Replicas) {
  auto f = pmap(
      [](Tensor x) {
        Tensor two =
            pmap([](Tensor v) { return v + 1; })(lax::slice(x, {0}, {2}));
        Tensor four = pmap([](Tensor v) { return v * 2; })(x);
        return std::pair{two, four};
      },
      {.axisName = "i"});
  auto traced = f.trace(grid(2, 4));
  ASSERT_TRUE(traced.ok()) << traced.error().str();
  auto replicas = findReplicas(*traced);
  ASSERT_TRUE(replicas.ok()) << replicas.error().str();
  EXPECT_EQ(*replicas, (ReplicaInfo{4, 8, 8}));
  auto plain = jit([](Tensor x) { return x; }).trace(grid(2, 4));
  EXPECT_FALSE(findReplicas(*plain).ok());
}

TEST(NestedPmapErrors, Devices) {
  std::vector<Device> some{{0}, {1}};
  auto inner = [&](PmapOptions in, PmapOptions out) {
    return pmap(
               [in](Tensor row) -> Tensor {
                 return Tensor() = pmap([](Tensor v) { return v; }, in)(row);
               },
               out)(grid(2, 2))
        .error()
        .str();
  };
  EXPECT_EQ(inner({.devices = some}, {}),
            "ValueError: Nested pmap with explicit devices argument.");
  EXPECT_EQ(inner({}, {.devices = some}),
            "ValueError: Nested pmap with explicit devices argument.");
}

TEST(NestedPmapErrors, TooFewDevices) {
  EXPECT_EQ(
      twice([](Tensor v) { return v; })(grid(3, 4)).error().str(),
      "ValueError: pmapped function requires 12 local devices to run due to "
      "nested pmapped or other parallel functions, but only 8 are "
      "available.\n(outer axis size: 3, local devices available to pmap: "
      "cpu:0, cpu:1, cpu:2, cpu:3, cpu:4, cpu:5, cpu:6, cpu:7)");
}

TEST(NestedPmapErrors, SizesWithoutACommonMesh) {
  auto f = pmap([](Tensor x) {
    auto g = pmap([](Tensor v) { return v; });
    Tensor a = g(lax::slice(x, {0}, {2})), b = g(lax::slice(x, {0}, {3}));
    return std::pair{a, b};
  });
  EXPECT_EQ(f(grid(2, 4)).error().str(),
            "ValueError: Nested pmaps side by side must divide each other: "
            "they would run on 4 and on 6 devices, which have no common "
            "mesh.");
}

TEST(EmapErrors, ClassicCalls) {
  auto same = [](Tensor v) { return v; };
  EXPECT_EQ(emap(same, {.donate = {0}})(grid(2, 2)).error().str(),
            "NotImplementedError: Buffer donation not supported in eager "
            "pmap.");
  EXPECT_EQ(emap(same, {.axisSize = 2})(grid(2, 2)).error().str(),
            "NotImplementedError: Non-default global_axis_size not supported "
            "in eager pmap.");
}

// Feature: emap
TEST(Emap, PrintsValuesOfEachDevice) {
  std::string text;
  auto f = emap(
      [&](Tensor v) {
        text = v.str();
        return v + lax::psum(v, "i");
      },
      {.axisName = "i"});
  EXPECT_EQ(values(f(arange(2, DType::F32))), (Floats{1, 2}));
  EXPECT_NE(text.find("On cpu:1 at mesh coordinates (i,) = (1,):\n1.0"),
            text.npos)
      << text;
}

// Feature: replicate
TEST(Replicate, PutsTheValueOnDevices) {
  Tensor x = grid(1, 2);
  Tensor out = replicate(x, {.axisSize = 2, .numReplicas = 4, .inAxis = 1});
  ASSERT_TRUE(out.ok()) << out.error().str();
  EXPECT_EQ(out.shape(), (Shape{1, 2, 2}));
  EXPECT_EQ(values(out), (Floats{0, 1, 0, 1}));
  EXPECT_EQ(idsText(out.devices()), "[0, 1, 2, 3]");
  EXPECT_EQ(PmapSharding::of(out)->spec(), *pmapShardingSpec(4, 2, {1, 2}, 1));
  Tensor whole =
      replicate(x, {.axisSize = 3, .numReplicas = 3, .inAxis = None});
  EXPECT_EQ(values(whole), (Floats{0, 1}));
  EXPECT_TRUE(whole.isFullyReplicated());
  EXPECT_EQ(replicate(x, {.numReplicas = 9}).error().text,
            "Cannot replicate across 9 replicas because only 8 local devices "
            "are available.");
  EXPECT_EQ(replicate(x, {.axisSize = 2,
                          .numReplicas = 2,
                          .devices = std::vector<Device>{{3}}})
                .error()
                .text,
            "Cannot replicate across 2 replicas because only 1 local devices "
            "are available. (local devices = cpu:3)");
}

// Feature: shard-args
TEST(ShardArgs, PiecesLackTheMappedDimension) {
  PmapSharding rows = *PmapSharding::defaultFor({4, 2}),
               columns = *PmapSharding::defaultFor({4, 2}, 1);
  auto pieces = shardArgs({rows, columns}, {grid(4, 2), grid(4, 2)});
  ASSERT_TRUE(pieces.ok()) << pieces.error().str();
  EXPECT_EQ((*pieces)[0].size(), 4u);
  EXPECT_EQ(values((*pieces)[0][2]), (Floats{4, 5}));
  EXPECT_EQ(values((*pieces)[1][1]), (Floats{1, 3, 5, 7}));
  EXPECT_EQ((*pieces)[1][1].devices(), std::vector<Device>{{1}});
  EXPECT_FALSE(shardArgs({rows}, {}).ok());
  EXPECT_FALSE(shardArgs({rows}, {grid(3, 2)}).ok());
}

TEST(BatchedDevicePut, UsesShardsThatAreInPlace) {
  Sharding sharding = *PmapSharding::defaultFor({2, 2})->named();
  Tensors shards{devicePut(ones({1, 2}), Device{0}),
                 devicePut(zeros({1, 2}), Device{0})};
  Tensor out =
      batchedDevicePut(ones({2, 2}).aval(), sharding, shards, {{0}, {1}});
  EXPECT_EQ(values(out), (Floats{1, 1, 0, 0}));
  EXPECT_EQ(*addressableShards(out)->at(0).data.unsafeBufferPointer(),
            *shards[0].unsafeBufferPointer());
  EXPECT_FALSE(
      batchedDevicePut(ones({2, 2}).aval(), sharding, shards, {{0}}).ok());
}

TEST(ShardAval, RemovesTheDimension) {
  Aval type{DType::F32, {8, 2}};
  EXPECT_EQ(shardAval(8, 0, type)->str(), "f32[2]");
  EXPECT_EQ(shardAval(2, 1, type)->str(), "f32[8]");
  EXPECT_EQ(shardAval(4, 0, type).error().str(),
            "ValueError: Axis size 4 does not match dimension 0 of shape "
            "(8, 2)");
  EXPECT_FALSE(shardAval(2, 2, type).ok());
  EXPECT_FALSE(shardAval(2, -1, type).ok());
}

} // namespace
