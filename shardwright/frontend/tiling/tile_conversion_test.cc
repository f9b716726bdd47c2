//===- tile_conversion_test.cc - arrays to tiles and back in programs -----===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/tiling/tile_conversion.h"

#include "shardwright/frontend/api/autodiff.h"
#include "shardwright/frontend/api/callbacks.h"
#include "shardwright/frontend/api/jit.h"
#include "shardwright/frontend/array/values_test_util.h"
#include "shardwright/frontend/numpy/numpy.h"
#include "shardwright/frontend/shard_map/collectives.h"
#include "shardwright/frontend/shard_map/shard_map.h"
#include "shardwright/frontend/tiling/gspmd_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

using namespace shardwright::frontend;
using testing::HasSubstr;

namespace {

const bool configured = setDeviceCount(8).ok();

Mesh mesh42() { return *Mesh::get(devices(), {4, 2}, {"x", "y"}); }
Tensor numbered(const Shape &shape) {
  return reshape(arange(shape.elements(), DType::F32), shape) / 16.0f;
}
std::string errorOf(const Expected<Tensor> &x) {
  return x ? "no error" : x.error().str();
}

/// Doubles each tile and adds its position along x.
Tensor shifted(const Tensor &x) {
  ScopedManualAxes scope(mesh42(), {"x"});
  Tensor tile = fullToShard(x, {{"x", 0}}, mesh42(), {"x"});
  Tensor position = lax::convert_element_type(lax::axis_index("x"), DType::F32);
  return shardToFull(tile * 2.0f + position, {{"x", 0}}, mesh42(), {"x"});
}

// Feature: full-to-shard
TEST(TileConversion, RunsPerDevice) {
  Tensor x = numbered({8, 4});
  std::vector<float> expected = values(x);
  for (size_t i = 0; i < expected.size(); ++i)
    expected[i] = expected[i] * 2 + static_cast<float>(i / 8);
  EXPECT_EQ(values(jit(shifted)(x)), expected);
  // As a function that jit calls, and twice in one program.
  auto inner = jit(shifted);
  EXPECT_EQ(values(jit([&](Tensor v) { return *inner(v); })(x)), expected);
  for (size_t i = 0; i < expected.size(); ++i)
    expected[i] = expected[i] * 2 + static_cast<float>(i / 8);
  EXPECT_EQ(values(jit([](Tensor v) { return shifted(shifted(v)); })(x)),
            expected);
}

TEST(TileConversion, Texts) {
  Tensor x = numbered({8, 4});
  Expected<std::string> jaxpr = jaxprText(shifted, x);
  ASSERT_TRUE(jaxpr.ok()) << jaxpr.error().str();
  EXPECT_THAT(*jaxpr, HasSubstr("b:f32[2,4] = full_to_shard[\n"));
  EXPECT_THAT(*jaxpr, HasSubstr("axes=OrderedDict([('x', 0)])"));
  EXPECT_THAT(*jaxpr, HasSubstr("manual_axes=frozenset({'x'})"));
  EXPECT_THAT(*jaxpr, HasSubstr(":f32[8,4] = shard_to_full["));
  auto lowered = jit(shifted).lower(x);
  ASSERT_TRUE(lowered.ok()) << lowered.error().str();
  // Both partitioners' notations.
  Expected<std::string> sdy = lowered->asText();
  EXPECT_THAT(*sdy, HasSubstr("sdy.manual_computation(%arg0) "
                              "in_shardings=[<@mesh, [{\"x\", ?}, {?}]>]"));
  EXPECT_THAT(*sdy, HasSubstr("(%arg1: tensor<2x4xf32>)"));
  Expected<std::string> gspmd = gspmdText(*lowered);
  ASSERT_TRUE(gspmd.ok()) << gspmd.error().str();
  EXPECT_THAT(*gspmd, HasSubstr("@SPMDFullToShardShape"));
  EXPECT_THAT(*gspmd, HasSubstr("@SPMDShardToFullShape"));
}

TEST(TileConversion, ArraysInRegionsAreReplicated) {
  Mesh mesh = mesh42();
  Tensor x = numbered({8, 4}), row = numbered({4});
  auto f = [&](Tensor v, Tensor w) {
    Tensor tile = fullToShard(v, {{"x", 0}, {"y", 1}}, mesh, {"x", "y"});
    // The row is an array, of which each device takes the first elements.
    Tensor part = lax::slice(w, {0}, {2});
    return shardToFull(tile + part, {{"x", 0}, {"y", 1}}, mesh, {"x", "y"});
  };
  std::vector<float> expected = values(x), rows = values(row);
  for (size_t i = 0; i < expected.size(); ++i)
    expected[i] += rows[i % 2];
  EXPECT_EQ(values(jit(f)(x, row)), expected);
}

TEST(TileConversion, OrderedEffectsKeepTheirOrder) {
  Mesh mesh = mesh42();
  std::vector<std::string> seen;
  auto note = [&](const char *what, const Tensor &v) {
    return ioCallback(
        [&seen, what](Tensor w) {
          seen.push_back(what);
          return w;
        },
        shapeDtypeStruct(v.shape(), v.dtype()), IoCallbackOptions{true, {}}, v);
  };
  auto f = [&](Tensor v) {
    ScopedManualAxes scope(mesh, {"x", "y"});
    Tensor tile = fullToShard(v, {{"x", 0}}, mesh, {"x", "y"});
    Tensor first = note("outside", v);
    Tensor out =
        shardToFull(note("inside", tile), {{"x", 0}}, mesh, {"x", "y"});
    return note("after", out + first);
  };
  auto out = jit(f)(numbered({4, 2}));
  ASSERT_TRUE(out.ok()) << out.error().str();
  ASSERT_TRUE(out->blockUntilReady().ok());
  ASSERT_TRUE(effectsBarrier().ok());
  ASSERT_EQ(seen.size(), 10u);
  EXPECT_EQ(seen.front(), "outside");
  EXPECT_EQ(seen[1], "inside");
  EXPECT_EQ(seen.back(), "after");
}

TEST(TileConversion, Errors) {
  Mesh mesh = mesh42();
  Tensor x = numbered({8, 4});
  auto enter = [&](const ArrayMapping &axes, const AxisNames &manual) {
    return errorOf(jit([&](Tensor v) {
      return shardToFull(fullToShard(v, axes, mesh, manual), axes, mesh,
                         manual);
    })(x));
  };
  EXPECT_EQ(enter({{"x", 0}}, {"x"}), "no error");
  EXPECT_EQ(enter({{"x", 0}}, {"z"}),
            "ValueError: Resource axis: z is not found in mesh: ('x', 'y').");
  EXPECT_EQ(enter({{"x", 0}}, {"y"}),
            "ValueError: full_to_shard divides dimension 0 by axis x, which is "
            "not among its manual axes ('y',)");
  EXPECT_EQ(enter({}, {}),
            "ValueError: full_to_shard requires at least one manual axis");
  EXPECT_THAT(enter({{"x", 2}}, {"x"}), HasSubstr("which has rank 2"));
  // A tile that leaves, also outside of jit.
  const std::string leaves =
      "ValueError: A tile float32[2,4] along ('x',) leaves the function that "
      "made it. Apply shardToFull in the same function, and jit the function.";
  auto tile = [&](Tensor v) { return fullToShard(v, {{"x", 0}}, mesh, {"x"}); };
  EXPECT_EQ(errorOf(jit(tile)(x)), leaves);
  ASSERT_FALSE(tile(x).ok());
  EXPECT_EQ(tile(x).error().str(), leaves);
  EXPECT_EQ(errorOf(jit([&](Tensor v) {
              return shardToFull(tile(tile(v)), {{"x", 0}}, mesh, {"x"});
            })(numbered({16, 4}))),
            "ValueError: full_to_shard requires an array, but its operand "
            "float32[4,4] is a tile along ('x',)");
  EXPECT_EQ(errorOf(jit([&](Tensor v) {
              Tensor other = fullToShard(v, {{"x", 0}}, mesh, {"x", "y"});
              return shardToFull(tile(v) + other, {{"x", 0}}, mesh, {"x"});
            })(x)),
            "ValueError: add requires tiles of one mesh along the same axes, "
            "but got tiles along ('x',) and along ('x', 'y')");
  Mesh typed = *makeMesh({8}, {"x"});
  EXPECT_THAT(errorOf(jit([&](Tensor v) {
                return fullToShard(v, {{"x", 0}}, typed, {"x"});
              })(x)),
              HasSubstr("without axes of type Explicit"));
  EXPECT_THAT(errorOf(jit([&](Tensor v) {
                return fullToShard(v, {{"x", 0}}, Mesh(), {"x"});
              })(x)),
              HasSubstr("requires a non-empty mesh"));
}

TEST(TileConversion, DerivativesOfJittedFunctions) {
  Tensor x = numbered({8, 4});
  auto loss = [](Tensor v) {
    ScopedManualAxes scope(mesh42(), {"x"});
    Tensor tile = fullToShard(v, {{"x", 0}}, mesh42(), {"x"});
    Tensor out = shardToFull(lax::sin(tile), {{"x", 0}}, mesh42(), {"x"});
    return sum(out * out);
  };
  auto whole = [](Tensor v) { return sum(lax::sin(v) * lax::sin(v)); };
  std::vector<float> expected = values(*grad(whole)(x));
  EXPECT_EQ(values(jit(grad(loss))(x)).size(), expected.size());
  for (const auto &found :
       {values(jit(grad(loss))(x)), values(grad(jit(loss))(x)),
        values(jit(grad(jit(loss)))(x))}) {
    ASSERT_EQ(found.size(), expected.size());
    for (size_t i = 0; i < found.size(); ++i)
      EXPECT_NEAR(found[i], expected[i], 1e-5f);
  }
}

/// A random program of operations that are the same for tiles as for arrays.
struct Program {
  Mesh mesh = mesh42();
  ArrayMapping axes;
  AxisNames manual, mapped;
  struct Step {
    int op;
    size_t a, b;
  };
  std::vector<Step> steps;

  /// `tiles`: with conversions; without, all values are arrays.
  Tensor run(const Tensor &x, bool tiles) const {
    std::vector<Tensor> found{x};
    std::vector<bool> isTile{false};
    auto to = [&](size_t i, bool tile) {
      if (!tiles || isTile[i] == tile)
        return found[i];
      return tile ? fullToShard(found[i], axes, mesh, manual)
                  : shardToFull(found[i], axes, mesh, manual);
    };
    for (const Step &step : steps) {
      size_t a = step.a % found.size(), b = step.b % found.size();
      bool tile = step.op < 3;
      Tensor p = to(a, tile), q = to(b, tile);
      Tensor out = p;
      switch (step.op % 3) {
      case 0:
        out = lax::sin(p) + q;
        break;
      case 1:
        out = p * lax::cos(q);
        break;
      case 2: {
        Tensor total = sum(lax::tanh(p));
        if (tile && tiles && !mapped.empty())
          total = lax::psum(total, mapped);
        out = q * (total / 32.0f);
        break;
      }
      }
      found.push_back(out);
      isTile.push_back(tile);
    }
    return to(found.size() - 1, false);
  }
};

rc::Gen<Program> programs() {
  return rc::gen::exec([] {
    Program p;
    p.manual =
        *rc::gen::elementOf(std::vector<AxisNames>{{"x"}, {"y"}, {"x", "y"}});
    for (const std::string &axis : p.manual)
      if (*rc::gen::inRange(0, 4)) {
        p.axes.emplace_back(axis, *rc::gen::inRange(0, 2));
        p.mapped.push_back(axis);
      }
    for (int n = *rc::gen::inRange(1, 9); n > 0; --n)
      p.steps.push_back({*rc::gen::inRange(0, 6),
                         *rc::gen::inRange<size_t>(0, 9),
                         *rc::gen::inRange<size_t>(0, 9)});
    return p;
  });
}

void expectClose(const std::vector<float> &a, const std::vector<float> &b) {
  RC_ASSERT(a.size() == b.size());
  // Sums of parts are rounded otherwise.
  float largest = 1;
  for (float value : b)
    largest = std::max(largest, std::abs(value));
  for (size_t i = 0; i < a.size(); ++i)
    RC_ASSERT(std::abs(a[i] - b[i]) <= 1e-4f * largest);
}

RC_GTEST_PROP(TileConversion, TilesComputeWhatArraysDo, ()) {
  const Program p = *programs();
  Tensor x = numbered({8, 8});
  auto both = [&](bool tiles) {
    return [&p, tiles](Tensor v) {
      ScopedManualAxes scope(p.mesh, p.manual);
      return p.run(v, tiles);
    };
  };
  auto derivative = [&](bool tiles) {
    return [&p, tiles](Tensor v) -> Tensor {
      // Transposed collectives need their axes, too.
      ScopedManualAxes scope(p.mesh, p.manual);
      auto out = grad([&](Tensor w) { return sum(p.run(w, tiles)); })(v);
      return out ? *out : Tensor(out.error());
    };
  };
  auto mapped = [&](bool tiles) {
    return [&p, tiles](Tensor v) -> Tensor {
      ScopedManualAxes scope(p.mesh, p.manual);
      auto out = vmap([&](Tensor w) { return p.run(w, tiles); })(v);
      return out ? *out : Tensor(out.error());
    };
  };
  expectClose(values(jit(both(true))(x)), values(both(false)(x)));
  expectClose(values(jit(derivative(true))(x)), values(derivative(false)(x)));
  expectClose(values(jit(mapped(true))(numbered({3, 8, 8}))),
              values(mapped(false)(numbered({3, 8, 8}))));
}

} // namespace
