//===- caches_test.cc - what a second call does again ---------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/frontend.h"
#include "shardwright/frontend/jit/program.h"

#include <array>
#include <thread>

#include <gtest/gtest.h>

using namespace shardwright::frontend;

namespace {

/// Traces, lowerings, compilations and dispatch misses.
using Counts = std::array<int64_t, 4>;

template <typename Step> Counts countsOf(const Step &step) {
  JitCounts a = jitCounts();
  auto result = step();
  EXPECT_TRUE(result.ok()) << result.error().str();
  JitCounts b = jitCounts();
  return {b.traces - a.traces, b.lowerings - a.lowerings,
          b.compiles - a.compiles, b.dispatchMisses - a.dispatchMisses};
}

/// The scenarios A1 to A15: m1 has devices 0 and 1, m2 has 2 and 3; a1 and a2
/// are replicated over them. Each test compiles a program of its own, because
/// equal modules are compiled once in a process.
class Caches : public testing::Test {
protected:
  Mesh m1 = *Mesh::get({{0}, {1}}, {2}, {"x"});
  Mesh m2 = *Mesh::get({{2}, {3}}, {2}, {"x"});
  Tensor on(const Mesh &mesh, const PartitionSpec &spec = P(),
            Shape shape = {8}) {
    return devicePut(ones(shape), *NamedSharding(mesh, spec));
  }
  Tensor a1 = on(m1), a2 = on(m2);
  const Counts first{1, 1, 1, 1}, otherDevices{0, 0, 1, 1},
      otherTiles{0, 1, 1, 1}, onlyDispatch{0, 0, 0, 1}, none{0, 0, 0, 0};
};

// Feature: abstract-mesh
TEST_F(Caches, A1ConstraintOnAbstractMesh) {
  Sharding rows = *NamedSharding(m1.abstractMesh(), P("x"));
  auto f =
      jit([rows](Tensor x) { return withShardingConstraint(x, rows) * 2.0; },
          {.name = "a1"});
  EXPECT_EQ(countsOf([&] { return f(a1); }), first);
  EXPECT_EQ(countsOf([&] { return f(a2); }), otherDevices);
}

TEST_F(Caches, A2ConstraintOnConcreteMesh) {
  Sharding rows = *NamedSharding(m1, P("x"));
  auto f =
      jit([rows](Tensor x) { return withShardingConstraint(x, rows) * 2.0; },
          {.name = "a2", .argNames = {"x"}});
  EXPECT_EQ(countsOf([&] { return f(a1); }), first);
  EXPECT_EQ(f(a2).error().text,
            "Received incompatible devices for jitted computation. Got "
            "argument x of a2 with shape float32[8] and with device ids [2, 3] "
            "on platform CPU and sharding_constraint inside jit with device "
            "ids [0, 1] on platform CPU");
}

TEST_F(Caches, A3ShardMapOnAbstractMesh) {
  auto inner = shardMap(
      [](Tensor x) { return x; },
      {.abstractMesh = m1.abstractMesh(), .in = P("x"), .out = P("x")});
  auto f = jit(
      [inner](Tensor x) {
        auto y = inner(x);
        return y.ok() ? *y * 2.0 : Tensor(y.error());
      },
      {.name = "a3"});
  EXPECT_EQ(countsOf([&] { return f(a1); }), first);
  EXPECT_EQ(countsOf([&] { return f(a2); }), otherDevices);
}

// Feature: semantic-key
TEST_F(Caches, A4ToA6OtherDevicesTilesAndNames) {
  auto f = jit([](Tensor x) { return x + 1.0; }, {.name = "a4"});
  EXPECT_EQ(countsOf([&] { return f(a1); }), first);
  EXPECT_EQ(countsOf([&] { return f(a2); }), otherDevices);
  EXPECT_EQ(countsOf([&] { return f(on(m1, P("x"))); }), otherTiles);
  Mesh z = *Mesh::get({{0}, {1}}, {2}, {"z"});
  EXPECT_EQ(countsOf([&] { return f(on(z, P("z"))); }), first);
}

TEST_F(Caches, A7CommittedOrNot) {
  auto f = jit([](Tensor x) { return x + 1.0; }, {.name = "a7"});
  Tensor host = arrayOf<float>(std::vector<float>(8, 1));
  EXPECT_EQ(countsOf([&] { return f(host); }), first);
  // Host elements and arrays that are not committed look the same here: JAX
  // counts a dispatch miss.
  Tensor uncommitted = ones({8});
  Counts again = countsOf([&] { return f(uncommitted); });
  EXPECT_EQ((std::array{again[0], again[1], again[2]}),
            (std::array<int64_t, 3>{0, 0, 0}));
  EXPECT_EQ(countsOf([&] { return f(devicePut(host, Device{0})); }),
            otherTiles);
  EXPECT_EQ(countsOf([&] { return f(devicePut(host, Device{1})); }),
            otherDevices);
}

TEST_F(Caches, A8ExplicitTypes) {
  Mesh e1 = *Mesh::get({{0}, {1}}, {2}, {"x"}, {AxisType::Explicit});
  Mesh e2 = *Mesh::get({{2}, {3}}, {2}, {"x"}, {AxisType::Explicit});
  auto f = jit([](Tensor x) { return x + 1.0; }, {.name = "a8"});
  EXPECT_EQ(countsOf([&] { return f(on(e1, P("x"))); }), first);
  EXPECT_EQ(countsOf([&] { return f(on(e2, P("x"))); }), otherDevices);
  EXPECT_EQ(countsOf([&] { return f(on(e2, P())); }), first);
}

// Feature: mesh-context
TEST_F(Caches, A9MeshInContext) {
  auto f = jit([](Tensor x) { return x + 1.0; }, {.name = "a9"});
  auto under = [&](const Mesh &mesh, const Tensor &x) {
    ScopedMesh scope(mesh);
    return countsOf([&] { return f(x); });
  };
  EXPECT_EQ(under(m1, a1), first);
  EXPECT_EQ(under(m2, a2), otherDevices);
}

/// Both meshes in context are part of the key of a call; traces know only the
/// abstract one.
TEST_F(Caches, AbstractMeshInContext) {
  auto f = jit([](Tensor x) { return x + 1.0; }, {.name = "abstract"});
  EXPECT_EQ(countsOf([&] { return f(a1); }), first);
  {
    ScopedAbstractMesh scope(m1.abstractMesh());
    EXPECT_EQ(countsOf([&] { return f(a1); })[0], 1);
    EXPECT_EQ(countsOf([&] { return f(a1); }), none);
  }
  {
    ScopedMesh scope(m1);
    // The same trace under a mesh with devices.
    EXPECT_EQ(countsOf([&] { return f(a1); })[0], 0);
    EXPECT_EQ(countsOf([&] { return f(a1); }), none);
  }
  EXPECT_EQ(countsOf([&] { return f(a1); }), none);
}

TEST_F(Caches, A10TrailingNone) {
  auto f = jit([](Tensor x) { return x + 1.0; }, {.name = "a10"});
  Tensor a = on(m1, P("x"), {8, 2}), b = on(m1, P("x", nullptr), {8, 2});
  EXPECT_EQ(countsOf([&] { return f(a); }), first);
  EXPECT_EQ(countsOf([&] { return f(b); }), otherDevices);
}

TEST_F(Caches, A11PermutedDevices) {
  auto f = jit([](Tensor x) { return x + 1.0; }, {.name = "a11"});
  EXPECT_EQ(countsOf([&] { return f(on(m1, P("x"))); }), first);
  Mesh swapped = *Mesh::get({{1}, {0}}, {2}, {"x"});
  EXPECT_EQ(countsOf([&] { return f(on(swapped, P("x"))); }), otherDevices);
}

TEST_F(Caches, A12WeakTypes) {
  auto f = jit([](Tensor x) { return x + 1.0; }, {.name = "a12"});
  Tensor strong = arrayOf<float>({1}, {});
  EXPECT_EQ(countsOf([&] { return f(Tensor(1.0)); }), first);
  EXPECT_EQ(countsOf([&] { return f(strong); }), first);
  EXPECT_EQ(countsOf([&] { return f(Tensor(2.0)); }), none);
}

// Feature: config
TEST_F(Caches, A13Configuration) {
  auto f = jit([](Tensor x) { return x + 1.0; }, {.name = "a13"});
  Tensor x = ones({8});
  EXPECT_EQ(countsOf([&] { return f(x); }), first);
  // A module that is equal after all is not compiled again.
  auto tracesAgain = [&](int64_t compiles) {
    EXPECT_EQ(countsOf([&] { return f(x); }), (Counts{1, 1, compiles, 1}));
    EXPECT_EQ(countsOf([&] { return f(x); }), none);
  };
  {
    ScopedConfig wide(config::enableX64, true);
    tracesAgain(0);
  }
  {
    ScopedConfig precise(config::defaultMatmulPrecision,
                         MatmulPrecision::Highest);
    tracesAgain(0);
  }
  {
    ScopedDefaultDevice second(Device{1});
    tracesAgain(1);
    EXPECT_EQ(f(x)->devices(), std::vector<Device>{Device{1}});
  }
  EXPECT_EQ(countsOf([&] { return f(x); }), none);
  // Settings that are read when a program runs are no part of a key.
  ScopedConfig checked(config::debugNans, true);
  EXPECT_EQ(countsOf([&] { return f(x); }), none);
}

/// The value of a thread wins over the global one and ends with its scope.
TEST_F(Caches, SettingsOfThreads) {
  config::noTracing.setGlobal(true);
  auto f = jit([](Tensor x) { return x + 2.0; }, {.name = "settings"});
  EXPECT_EQ(f(a1).error().text,
            "re-tracing function settings for `jit`, but 'no_tracing' is set");
  {
    ScopedConfig traced(config::noTracing, false);
    EXPECT_TRUE(f(a1).ok());
    std::thread other([&] { EXPECT_TRUE(config::noTracing.get()); });
    other.join();
  }
  EXPECT_TRUE(config::noTracing.get());
  config::noTracing.setGlobal(false);
  EXPECT_FALSE(config::noTracing.swapLocal(true).has_value());
  EXPECT_EQ(config::noTracing.swapLocal({}), std::optional<bool>(true));
  EXPECT_FALSE(config::noTracing.get());
}

/// Options of the compiler make another executable of the same module.
TEST_F(Caches, CompilerOptionsArePartOfTheKey) {
  auto plus = [](Tensor x) { return x + 4.0; };
  auto with = [&](int64_t effort) {
    return jit(plus,
               {.compilerOptions = {{"shardwright_partition_effort", effort}},
                .name = "options"});
  };
  auto slow = with(2), fast = with(0);
  EXPECT_EQ(countsOf([&] { return slow(a1); }), first);
  EXPECT_EQ(countsOf([&] { return fast(a1); }), first);
  auto lowered = jit(plus, {.name = "options"}).lower(a1);
  ASSERT_TRUE(lowered.ok());
  JitCounts before = jitCounts();
  EXPECT_TRUE(lowered->compile({}, {{"shardwright_partition_effort", 2}}).ok());
  EXPECT_EQ(jitCounts().compiles, before.compiles);
  EXPECT_TRUE(lowered->compile().ok());
  EXPECT_EQ(jitCounts().compiles, before.compiles + 1);
}

TEST_F(Caches, LayoutsArePartOfTheKey) {
  auto f = jit([](Tensor x) { return x * 3.0; }, {.name = "layouts"});
  Tensor x = on(m1, P("x"), {8, 2});
  Expected<Format> columns = Format::get(Layout({1, 0}), x.sharding());
  ASSERT_TRUE(columns.ok());
  Tensor y = devicePut(x, *columns);
  EXPECT_EQ(countsOf([&] { return f(x); }), first);
  EXPECT_EQ(countsOf([&] { return f(y); }), otherTiles);
  EXPECT_EQ(countsOf([&] { return f(x); }), none);
  EXPECT_EQ(countsOf([&] { return f(y); }), none);
}

/// A nested jit is traced once for each types of its arguments.
TEST_F(Caches, NestedCallsShareATrace) {
  int64_t calls = 0;
  auto inner =
      jit([&](Tensor x) { return ++calls, sin(x); }, {.name = "inner"});
  auto f = jit([&](Tensor x) { return *inner(x) + *inner(x * 2.0); },
               {.name = "outer"});
  EXPECT_EQ(countsOf([&] { return f(a1); }), first);
  EXPECT_EQ(calls, 1);
  auto lowered = f.lower(a1);
  ASSERT_TRUE(lowered.ok());
  std::string text = *lowered->asText();
  EXPECT_EQ(text.find("@inner_0"), text.npos) << text;
}

// Feature: fast-path
TEST_F(Caches, A14SameCallTwice) {
  auto f = jit([](Tensor x) { return x + 1.0; }, {.name = "a14"});
  EXPECT_EQ(countsOf([&] { return f(a1); }), first);
  EXPECT_EQ(countsOf([&] { return f(a1); }), none);
}

TEST_F(Caches, A15Lower) {
  Sharding rows = *NamedSharding(m1.abstractMesh(), P("x"));
  auto f =
      jit([rows](Tensor x) { return withShardingConstraint(x, rows) * 2.0; },
          {.name = "a15"});
  std::string texts[2];
  auto lower = [&](const Tensor &x, std::string &text) {
    return countsOf([&] {
      auto lowered = f.lower(x);
      if (lowered.ok())
        text = *lowered->asText();
      return lowered;
    });
  };
  EXPECT_EQ(lower(a1, texts[0]), (Counts{1, 1, 0, 0}));
  EXPECT_EQ(lower(a2, texts[1]), none);
  EXPECT_EQ(texts[0], texts[1]);
  EXPECT_FALSE(texts[0].empty());
}

/// Programs of primitives are found again by content, though each
/// differentiation makes them anew.
TEST_F(Caches, EagerProgramsDoNotAccumulate) {
  auto step = jit([](Tensor x) { return sin(x) * 3.0; });
  auto loss = [step](Tensor x) {
    auto y = step(x);
    return y.ok() ? sum(*y * x) : Tensor(y.error());
  };
  Tensor x = ones({4});
  auto once = [&] {
    auto g = grad(loss)(x);
    ASSERT_TRUE(g.ok()) << g.error().str();
  };
  once();
  once();
  size_t before = eagerCacheSize();
  EXPECT_GT(before, 0u);
  JitCounts counts = jitCounts();
  for (int i = 0; i < 1000; ++i)
    once();
  EXPECT_EQ(eagerCacheSize(), before);
  EXPECT_EQ(jitCounts().compiles, counts.compiles);
}

} // namespace
