//===- error_texts_test.cc - texts of errors and of the log ---------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Texts that no other test in C++ has. docs/frontend-table.md lists all texts
// of effects, pmap, tiles, kernels and settings with their tests.
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/frontend.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>

using namespace shardwright::frontend;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::MatchesRegex;

namespace {

const bool configured = setDeviceCount(8).ok();

Mesh mesh42() {
  return *Mesh::get(devices(), {4, 2}, {"x", "y"},
                    {AxisType::Auto, AxisType::Auto});
}
Tensor rows() { return ones({8, 2}); }
/// The error of a call of a pmapped function.
std::string pmapped(PmapOptions options) {
  return pmap([](Tensor v) { return v * 2; }, std::move(options))(rows())
      .error()
      .text;
}
std::string vmapped(VmapOptions options) {
  return vmap([](Tensor v) { return v * 2; }, std::move(options))(rows())
      .error()
      .text;
}
Tensor orderedCall(Tensor v) {
  return ioCallback([](Tensor w) { return w; },
                    shapeDtypeStruct(v.shape(), v.dtype()),
                    IoCallbackOptions{true, {}}, v);
}
Tensor orderedDebug(Tensor v) {
  debugCallback(DebugOptions{.ordered = true}, [](Tensor) {}, v);
  return v;
}

// Feature: ordered-effects
TEST(OrderedEffects, AreRefusedOnManyDevices) {
  const std::string inPmap = "Ordered effects not supported in `pmap`.",
                    inMesh =
                        "Ordered effects not supported in mesh computations.";
  for (auto *body : {&orderedCall, &orderedDebug}) {
    auto inner = jit([body](Tensor v) { return body(v); });
    // Known before, and found in a cache.
    ASSERT_TRUE(inner.trace(ones({2})).ok());
    EXPECT_EQ(pmap([body](Tensor v) { return body(v); })(rows()).error().text,
              inPmap);
    EXPECT_EQ(pmap(inner)(rows()).error().text, inPmap);
    EXPECT_EQ(jit(pmap(inner))(rows()).error().text, inPmap);
    for (const Tiling &tiling : {Tiling::vectorize(), Tiling::manual()}) {
      TilingOptions options{.mesh = mesh42(), .tiling = tiling};
      options.in = {P("x")};
      options.out = {P("x")};
      auto tiles = mapWithTiling([body](Tensor v) { return body(v); }, options);
      // Outside of programs, the error of a debug callback waits for the
      // barrier.
      Expected<Tensor> out = tiles(rows());
      Status effects = effectsBarrier();
      EXPECT_EQ(out ? effects.error().text : out.error().text, inMesh);
      EXPECT_EQ(jit(tiles)(rows()).error().text, inMesh);
    }
  }
  Tensor x = devicePut(rows(), *Sharding::named(mesh42(), P("x")));
  EXPECT_EQ(jit(orderedDebug)(x).error().text,
            "The following ordered effects are not supported for more than 1 "
            "device: [OrderedDebug]");
  // They have an order again.
  EXPECT_TRUE(jit(orderedCall)(rows()).ok());
  EXPECT_TRUE(jit(orderedDebug)(rows()).ok());
  EXPECT_TRUE(effectsBarrier().ok());
}

TEST(PmapTexts, Arguments) {
  EXPECT_EQ(pmapped({.inAxes = "x"}),
            "pmap in_axes must be an int, None, or (nested) container with "
            "those types as leaves, but got x.");
  EXPECT_EQ(pmapped({.outAxes = "x"}),
            "pmap out_axes must be an int, None, or (nested) container with "
            "those types as leaves, but got x.");
  for (int64_t axis : {std::numeric_limits<int64_t>::max(),
                       std::numeric_limits<int64_t>::min(), int64_t(2)})
    EXPECT_EQ(pmapped({.outAxes = axis}),
              cat("axis ", axis, " is out of bounds for array of dimension 2"));
  EXPECT_EQ(pmapped({.inAxes = None}),
            "pmap requires at least one argument with a mapped axis.");
  EXPECT_EQ(pmapped({.axisSize = 4}),
            "Specified axis_size 4 doesn't match received axis_size 8.");
  EXPECT_EQ(pmapped({.staticBroadcasted = {1}}),
            "pmapped function has static_broadcasted_argnums=(1,) but was "
            "called with only 1 positional argument. All static broadcasted "
            "arguments must be passed positionally.");
  EXPECT_EQ(pmapped({.devices = std::vector<Device>()}),
            "'devices' argument to pmap must be non-empty, or None.");
  EXPECT_THAT(
      pmapped({.inAxes = {0, 0}}),
      EndsWith("The 'full pytree' here is the tuple of arguments passed "
               "positionally to the pmapped function, and the value of "
               "`in_axes` must be a tree prefix of that tuple. But it was not "
               "a prefix.\n\nCheck that the value of the `in_axes` argument to "
               "`pmap` is a tree prefix of the tuple of arguments passed "
               "positionally to the pmapped function."));
}

TEST(VmapTexts, Arguments) {
  auto two =
      vmap([](Tensor a, Tensor b) { return a; }, {.argNames = {"a", "b"}});
  EXPECT_THAT(two(rows(), ones({4, 2})).error().text,
              HasSubstr("vmap got inconsistent sizes for array axes to be "
                        "mapped:\n  * one axis had size 8: axis 0 of argument "
                        "a of type float32[8,2];\n  * one axis had size 4: "
                        "axis 0 of argument b of type float32[4,2]"));
  EXPECT_EQ(vmapped({.inAxes = {-1}}),
            "vmap must have at least one non-None value in in_axes or "
            "axis_size must be specified");
  EXPECT_EQ(vmapped({.inAxes = {5}}),
            "vmap was requested to map its argument along axis 5, which "
            "implies that its rank should be at least 6, but is only 2 (its "
            "shape is (8, 2))");
  EXPECT_EQ(vmap([](Tensor a, Tensor b) { return a; },
                 {.inAxes = {0, 0, 0}})(rows(), rows())
                .error()
                .text,
            "vmap in_axes must be an int, None, or a tuple of entries "
            "corresponding to the positional arguments passed to the function, "
            "but got len(in_axes)=3, len(args)=2");
}

TEST(ResourceTexts, NamesThatMeet) {
  TilingOptions options{.mesh = mesh42()};
  options.in = {P("a", "b")};
  options.axisResources = {{"a", {"x"}}, {"b", {"x"}}};
  EXPECT_EQ(
      mapWithTiling([](Tensor a) { return a; }, options)(ones({8, 8}))
          .error()
          .text,
      "Axes `a` and `b` are both mapped to the resource `x`, but they coincide "
      "in the named_shape of an input");
}

// Feature: config
TEST(SettingTexts, LogOfCompilation) {
  static std::vector<std::string> lines;
  lines.clear();
  setWarningHandler([](const std::string &line) { lines.push_back(line); });
  Mesh mesh = mesh42();
  Tensor x = devicePut(ones({8}), *Sharding::named(mesh, P("x")));
  {
    ScopedConfig logged(config::logCompiles, true);
    auto f = jit([](Tensor a, Tensor b) { return a + 13.0 * b; },
                 {.name = "logged"});
    EXPECT_EQ(f(x, Tensor(2.0f))->toVector<float>()->front(), 27);
    EXPECT_EQ(f(x, Tensor(3.0f))->toVector<float>()->front(), 40);
  }
  setWarningHandler(nullptr);
  EXPECT_THAT(
      lines,
      ElementsAre(
          MatchesRegex("Finished tracing logged for jit in [0-9.]+ sec"),
          MatchesRegex("Finished jaxpr to MLIR module conversion jit.logged. "
                       "in [0-9.]+ sec"),
          MatchesRegex("Compiling jit.logged. with global shapes and types "
                       ".ShapedArray.float32.8.., ShapedArray.float32.*. "
                       "Argument mapping: .NamedSharding.*UnspecifiedValue.*"),
          MatchesRegex("Finished XLA compilation of jit.logged. in [0-9.]+ "
                       "sec")));
  ScopedConfig none(config::noTracing, true);
  EXPECT_EQ(jit([](Tensor a) { return a; }, {.name = "f"})(x).error().text,
            "re-tracing function f for `jit`, but 'no_tracing' is set");
}

} // namespace
