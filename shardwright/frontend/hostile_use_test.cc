//===- hostile_use_test.cc - misuse, recursion, exit in flight ------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/call_sequences_test_util.h"

#include <cstdlib>
#include <mutex>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace shardwright::frontend;
using ::testing::HasSubstr;

namespace {

const bool configured = setDeviceCount(8).ok();

std::string textOf(const Tensor &x) {
  return x.ok() ? x.str() : x.error().str();
}
Tensor onEightDevices(const Tensor &x) {
  return devicePut(
      x, NamedSharding(*makeMesh({8}, {"x"}, {AxisType::Auto}), P("x")));
}

TEST(HostileUse, DiagonalsBeyondTheEdges) {
  Tensor x = ones({2, 3}, DType::I32);
  using Numbers = std::vector<int32_t>;
  for (int64_t far : {int64_t(3), int64_t(1) << 40, INT64_MAX}) {
    EXPECT_EQ(*tril(x, far).toVector<int32_t>(), Numbers(6, 1)) << far;
    EXPECT_EQ(*triu(x, far).toVector<int32_t>(), Numbers(6, 0)) << far;
    EXPECT_EQ(*triu(x, -far - 1).toVector<int32_t>(), Numbers(6, 1)) << far;
    EXPECT_EQ(*tril(x, -far - 1).toVector<int32_t>(), Numbers(6, 0)) << far;
    EXPECT_EQ(*eye(2, 3, far, DType::I32).toVector<int32_t>(), Numbers(6, 0));
    EXPECT_EQ(*tri(2, 3, far, DType::I32).toVector<int32_t>(), Numbers(6, 1));
  }
  EXPECT_FALSE(eye(INT64_MIN, 3, 0, DType::I32).ok());
}

TEST(Sizes, ThatOverflowAreErrors) {
  constexpr int64_t large = int64_t(1) << 40;
  EXPECT_THAT(textOf(ones({large, large})), HasSubstr("too large"));
  EXPECT_THAT(textOf(eye(large)), HasSubstr("too large"));
  EXPECT_THAT(textOf(zeros({large})), HasSubstr("not enough memory"));
  EXPECT_THAT(
      textOf(lax::broadcast_in_dim(1.0, {-3}, {})),
      HasSubstr("negative dimensions are not allowed, got shape (-3,)"));
  EXPECT_THAT(textOf(lax::reshape(arange(8), {-2, -4})),
              HasSubstr("negative dimensions"));
  EXPECT_THAT(textOf(reshape(arange(8), {large, large})),
              HasSubstr("too large"));
  EXPECT_THAT(textOf(tile(ones({4}), {INT64_MAX})), HasSubstr("too large"));
  EXPECT_THAT(textOf(repeat(ones({4}), INT64_MAX)), HasSubstr("too large"));
  // 2^64 elements are none, modulo 2^64.
  EXPECT_FALSE(arrayOf(std::vector<float>(), {1ll << 32, 1ll << 32}).ok());
  EXPECT_THAT(textOf(arrayFromBytes(nullptr, DType::F32, {2})),
              HasSubstr("null pointer"));
  EXPECT_THAT(textOf(pad(ones({2}), {{large, large}}, PadMode::Reflect)),
              HasSubstr("below 2^28"));
  EXPECT_THAT(textOf(random::split(random::key(0), large)[0]),
              HasSubstr("lax::random_split"));
  EXPECT_FALSE(split(ones({4}), INT64_MAX)[0].ok());
  EXPECT_THAT(textOf(*foriLoop(
                  large, large, [](Tensor, Tensor v) { return v; }, ones({}))),
              HasSubstr("out of bounds for int32"));
}

TEST(Sizes, OfDescriptionsAreBounded) {
  Tensor x = shapeDtypeStruct({1ll << 40, 1ll << 20}, DType::F32);
  EXPECT_EQ(x.nbytes(), 1ll << 62);
  auto lowered = jit([](Tensor v) { return v + v; }).lower(x);
  ASSERT_TRUE(lowered.ok());
  EXPECT_THAT(textOf(jit([](Tensor v) { return concatenate({v, v, v, v}); })
                         .trace(shapeDtypeStruct({1ll << 61}, DType::F32))
                         .error()),
              HasSubstr("too large"));
}

TEST(Positions, ThatDoNotExistAreErrors) {
  Tensor x = ones({2, 3});
  EXPECT_THAT(textOf(lax::slice_in_dim(x, 0, 1, 1, 9)),
              HasSubstr("axis 9 is out of bounds"));
  EXPECT_THAT(textOf(lax::gather(x, zeros({1, 1}, DType::I32),
                                 {{0}, {0}, {99}, {}, {}}, {1, 3})),
              HasSubstr("dimension numbers must be different and in [0, 2)"));
  EXPECT_FALSE(lax::scatter(lax::ScatterKind::Add, x, zeros({1, 1}, DType::I32),
                            ones({1, 3}), {{1}, {0}, {-1}, {}, {}})
                   .ok());
  EXPECT_THAT(textOf(lax::reduce_window_sum(x, {{1, 1}, {1, 1}, {{0}, {0}}})),
              HasSubstr("padding must be pairs"));
  EXPECT_THAT(
      textOf(lax::reduce_window_sum(x, {{1, 1}, {1, 1}, {}, {INT64_MAX, 1}})),
      HasSubstr("dilations"));
  EXPECT_FALSE(lax::conv_general_dilated(ones({1, 1, 4, 4}), ones({1, 1, 2, 2}),
                                         {.padding = {{1}, {2}}})
                   .ok());
  EXPECT_EQ(samePadding({4}, {2}, {0}).size(), 1u);
  EXPECT_EQ(textOf(x[0][slice({}, {}, INT64_MIN)]), "[1.]");
  EXPECT_EQ(diagonal(x, INT64_MIN).size(), 0);
}

/// Each would use memory behind arrays or never end.
TEST(AssociativeScan, FunctionKeepsShapes) {
  auto longer = [](Tensor a, Tensor b) { return concatenate({a, b}); };
  EXPECT_THAT(textOf(associativeScan(longer, arange(8))),
              HasSubstr("must return values of the shapes of its arguments"));
  auto none = [](const Tensors &, const Tensors &) { return Tensors(); };
  EXPECT_FALSE(associativeScan(none, Tensors{arange(8)}).ok());
}

/// Arrays of float0 have elements without bytes.
TEST(Float0, IsReadNowhere) {
  auto both = jvp([](Tensor x) { return x; }, arange(3), zeros({3}));
  ASSERT_TRUE(both.ok()) << both.error().str();
  Tensor tangent = both->second;
  ASSERT_EQ(tangent.dtype(), DType::Float0);
  EXPECT_EQ(tangent.str(), "[False False False]");
  EXPECT_EQ(tangent.toBytes()->size(), 0u);
  Tensor wide =
      jvp([](Tensor x) { return x; }, arange(4096), zeros({4096}))->second;
  Tensor placed = onEightDevices(wide);
  EXPECT_EQ(placed.str(), wide.str());
  EXPECT_EQ(textOf(jit([](Tensor x) { return x; })(placed)), wide.str());
  EXPECT_EQ(textOf(jit([=] { return wide; })()), wide.str());
}

TEST(NullObjects, AreErrors) {
  TracedStage traced;
  EXPECT_THAT(traced.str(), HasSubstr("a null traced stage was used"));
  EXPECT_EQ(traced.effects(), "{}");
  EXPECT_TRUE(traced.inTypes().empty() && traced.argsInfo().empty());
  EXPECT_FALSE(traced.lower().ok());
  auto f = jit([](Tensor x) { return x; });
  auto g = std::move(f);
  EXPECT_EQ(textOf(g(1.0)), "1.0");
  // NOLINTBEGIN(bugprone-use-after-move)
  EXPECT_THAT(textOf(f(1.0)), HasSubstr("after it had been moved"));
  EXPECT_FALSE(f.lower(1.0).ok());
  Mesh mesh = *makeMesh({2}, {"x"}), moved = std::move(mesh);
  EXPECT_EQ(mesh, moved);
  AbstractMesh types = mesh.abstractMesh(), taken = std::move(types);
  EXPECT_EQ(types.str(), taken.str());
  // NOLINTEND(bugprone-use-after-move)
  std::function<Tensor(Tensor)> null;
  Tensor one = 1.0;
  for (const Tensor &out : {Tensor(jit(null)(one)), Tensor(grad(null)(one)),
                            Tensor(vmap(null)(ones({2})))})
    EXPECT_THAT(textOf(out), HasSubstr("a null std::function was called"));
  EXPECT_THAT(textOf(vjp(null, one)->second(one)), HasSubstr("failed vjp"));
  const char *noName = nullptr;
  EXPECT_EQ(P(noName).str(), "P(None,)");
  EXPECT_FALSE(lax::psum(one, noName).ok());
  EXPECT_THAT(textOf(makeArrayFromCallback({2}, Sharding::single({0}), {})),
              HasSubstr("null function"));
}

TEST(Devices, ThatDoNotExistAreErrors) {
  for (int32_t id : {-1, 8, INT32_MIN, INT32_MAX}) {
    std::string text = "There is no device " + std::to_string(id);
    EXPECT_THAT(textOf(devicePut(ones({2}), Device{id})), HasSubstr(text));
    Mesh mesh = *makeMesh({1}, {"x"});
    auto lowered =
        jit([](Tensor x) { return x; })
            .lower(shapeDtypeStruct(
                {2}, DType::F32, NamedSharding(mesh.abstractMesh(), P("x"))));
    ASSERT_TRUE(lowered.ok()) << lowered.error().str();
    auto compiled = lowered->compile({Device{id}});
    ASSERT_FALSE(compiled.ok());
    EXPECT_THAT(compiled.error().text, HasSubstr(text));
    ScopedDefaultDevice scope(Device{id});
    Tensor placed = ones({2}) + 1;
    // Negative numbers stand for the first device.
    EXPECT_EQ(placed.toBytes().ok(), id < 0) << id;
  }
}

TEST(Recursion, WithoutEndIsAnError) {
  std::function<Tensor(Tensor)> f;
  auto jitted = jit([&](Tensor x) { return f(x); }, {.name = "again"});
  f = [&](Tensor x) -> Tensor { return jitted(x); };
  EXPECT_EQ(textOf(f(1.0)), "RuntimeError: Recursively calling jit: again");
  f = [&](Tensor x) -> Tensor { return jit(f)(x + 1.0); };
  EXPECT_THAT(textOf(f(1.0)), HasSubstr("maximum recursion depth exceeded"));
  f = [&](Tensor x) -> Tensor { return grad(f)(x); };
  EXPECT_THAT(textOf(f(1.0)), HasSubstr("maximum recursion depth exceeded"));
  f = [&](Tensor x) -> Tensor { return vmap(f)(x); };
  EXPECT_FALSE(f(ones({2, 2})).ok());
  // Afterwards all is as before.
  EXPECT_EQ(textOf(jit([](Tensor x) { return x * 2.0; })(3.0)), "6.0");
}

/// Programs on eight devices, whose functions run such programs: each depth has
/// devices of its own, on whatever thread a function is called.
TEST(Callbacks, RunProgramsOfAnyDepth) {
  std::function<Tensor(Tensor, int)> nested = [&](Tensor x, int depth) {
    auto call = [&, depth](Tensor v) -> Tensor {
      auto host = [&, depth](Tensor u) {
        return depth ? nested(u, depth - 1) : u + 1.0;
      };
      return pureCallback(host, shapeDtypeStruct({8}, DType::F32), v);
    };
    return Tensor(jit(call)(onEightDevices(x)));
  };
  EXPECT_EQ(textOf(nested(arange(8, DType::F32), 3)),
            "[1. 2. 3. 4. 5. 6. 7. 8.]");
}

TEST(Callbacks, RecursionIsAnError) {
  std::function<Tensor(Tensor)> f = [&](Tensor x) -> Tensor {
    auto host = [&](Tensor v) { return f(v); };
    return jit([&](Tensor v) -> Tensor {
      return pureCallback(host, shapeDtypeStruct({}, DType::F32), v);
    })(x);
  };
  Tensor out = f(lax::full({}, 1, DType::F32));
  Status ready = out.blockUntilReady();
  ASSERT_FALSE(ready.ok());
  EXPECT_THAT(ready.error().text, HasSubstr("levels deep; end the recursion"));
}

/// Runs in flight on eight devices when the process ends, whose functions run
/// programs of their own. If main ends it, they may use static objects that are
/// younger than the devices.
void exitInFlight(bool fromThread) {
  auto slow = [fromThread](Tensor x) -> Tensor {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    auto inner = jit([](Tensor v) -> Tensor {
      return pureCallback(
          [](Tensor u) {
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
            return u + Tensor(1.0) + (Tensor().ok() ? 1.0 : 0.0);
          },
          shapeDtypeStruct({8}, DType::F32), v);
    });
    // Nobody waits for this one.
    Tensor later = inner(onEightDevices(x));
    std::string text =
        x.str() + x.sharding().str() + Mesh().str() + later.sharding().str();
    if (fromThread)
      return x;
    static std::mutex mutex;
    static std::map<size_t, std::string> seen;
    std::lock_guard lock(mutex);
    seen[seen.size()] = text;
    return x;
  };
  auto f = jit([&](Tensor x) -> Tensor {
    debugCallback([=](Tensor v) { (void)slow(v); }, x);
    return pureCallback(slow, shapeDtypeStruct({8}, DType::F32), x);
  });
  auto start = [&] {
    for (int i = 0; i < 3; ++i)
      (void)f(onEightDevices(arange(8, DType::F32)));
  };
  start();
  std::thread other([&] {
    start();
    if (fromThread)
      std::exit(0);
  });
  other.join();
  std::exit(0);
}

class ExitTest : public ::testing::TestWithParam<int> {
protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};
TEST_P(ExitTest, WithRunsInFlightIsClean) {
  EXPECT_EXIT(exitInFlight(GetParam() % 4 == 3), ::testing::ExitedWithCode(0),
              "");
}
INSTANTIATE_TEST_SUITE_P(Repeated, ExitTest, ::testing::Range(0, 8));

/// The number of elements is the least integer, and the divisor -1.
TEST(HostileUse, InitializersOfImpossibleShapes) {
  Tensor key = random::key(0);
  for (const Shape &shape : {Shape{-1, int64_t(1) << 62, 2},
                             {2, int64_t(1) << 62, -1},
                             {0, -2},
                             {-1, -1}})
    for (int64_t axis : {-1, 0}) {
      Tensor x = nn::initializers::orthogonal(1, axis)(key, shape);
      ASSERT_FALSE(x.ok());
      EXPECT_EQ(x.error().kind, ErrorKind::Value) << x.error().str();
    }
  EXPECT_EQ(nn::initializers::orthogonal()(key, {2, 0}).shape(), (Shape{2, 0}));
}

} // namespace
