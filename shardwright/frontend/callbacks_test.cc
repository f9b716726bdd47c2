//===- callbacks_test.cc - functions of the host in programs --------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/frontend.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace shardwright::frontend;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

namespace {

const bool configured = setDeviceCount(8).ok();

/// The values that a function was called with, as texts.
struct Log {
  void add(const Tensor &x) {
    std::lock_guard lock(mutex);
    lines.push_back(x.str());
  }
  std::vector<std::string> taken() {
    std::lock_guard lock(mutex);
    return std::exchange(lines, {});
  }
  std::vector<std::string> sorted() {
    std::vector<std::string> out = taken();
    std::sort(out.begin(), out.end());
    return out;
  }
  std::mutex mutex;
  std::vector<std::string> lines;
};
Log &log() {
  static Log made;
  return made;
}

Tensor vector3() { return arrayOf<float>({1, 2, 3}); }
Tensor type3() { return shapeDtypeStruct({3}, DType::F32); }
Tensor scalarType() { return shapeDtypeStruct({}, DType::F32); }

/// x + 1, computed on the host.
Tensor plusOne(const Tensor &x) {
  auto values = *x.toVector<float>();
  for (float &v : values)
    v += 1;
  return arrayOf(values, x.shape());
}
Tensor callPlusOne(const Tensor &x, const std::string &method = "") {
  return pureCallback(plusOne, shapeDtypeStruct(x.shape(), DType::F32),
                      PureCallbackOptions{method, {}}, x);
}
Tensor logged(const Tensor &x) {
  log().add(x);
  return x;
}
Tensor callLogged(const Tensor &x, bool ordered = true) {
  return ioCallback(logged, shapeDtypeStruct(x.shape(), x.dtype()),
                    IoCallbackOptions{ordered, {}}, x);
}

std::string textOf(const Expected<Tensor> &x) {
  return x ? x->str() : x.error().str();
}

TEST(PureCallback, GivesTheSameInsideAndOutsideOfJit) {
  EXPECT_EQ(callPlusOne(vector3()).str(), "[2. 3. 4.]");
  auto f = jit([](Tensor x) { return callPlusOne(x) * 2.0; });
  EXPECT_EQ(textOf(f(vector3())), "[4. 6. 8.]");
}

TEST(PureCallback, TakesAndGivesTrees) {
  using Pair = std::pair<Tensor, Tensor>;
  auto swap = [](Pair p, Tensor z) { return Pair{p.second, z}; };
  auto f = jit([&](Tensor x, Tensor y) -> Expected<Pair> {
    return pureCallback(swap, Pair{type3(), scalarType()}, Pair{y, x}, y);
  });
  auto out = f(vector3(), lax::full({}, 5.0, DType::F32));
  ASSERT_TRUE(out.ok()) << out.error().str();
  EXPECT_EQ(out->first.str(), "[1. 2. 3.]");
  EXPECT_EQ(out->second.str(), "5.0");
}

TEST(PureCallback, IsBatchedAsItsMethodSays) {
  Tensor rows = arrayOf<float>({1, 2, 3, 4}, {2, 2});
  for (const char *method : {"sequential", "sequential_unrolled", "expand_dims",
                             "broadcast_all", "legacy_vectorized"}) {
    auto f = vmap([&](Tensor x) { return callPlusOne(x, method); });
    EXPECT_EQ(textOf(f(rows)), "[[2. 3.]\n [4. 5.]]") << method;
    EXPECT_EQ(textOf(jit(f)(rows)), "[[2. 3.]\n [4. 5.]]") << method;
  }
  auto none = vmap([&](Tensor x) { return callPlusOne(x); });
  EXPECT_THAT(textOf(none(rows)), HasSubstr("Got vmap_method=None."));
  auto wrong = vmap([&](Tensor x) { return callPlusOne(x, "foo"); });
  EXPECT_THAT(textOf(wrong(rows)), HasSubstr("but got: foo"));
}

TEST(PureCallback, HasNoDerivative) {
  auto f = grad([](Tensor x) { return sum(callPlusOne(x)); });
  EXPECT_THAT(textOf(f(vector3())),
              HasSubstr("Pure callbacks do not support JVP."));
}

TEST(PureCallback, IsCalledOnceWithTheValueOfAllDevices) {
  static std::atomic<int> calls = 0;
  auto f = jit([](Tensor x) {
    Tensor y = pureCallback(
        [](Tensor v) {
          ++calls;
          return plusOne(v);
        },
        shapeDtypeStruct({8}, DType::F32), x);
    return y * 2.0;
  });
  Mesh mesh = *makeMesh({4, 2}, {"x", "y"}, {AxisType::Auto, AxisType::Auto});
  Tensor x = devicePut(arange(8, DType::F32), *Sharding::named(mesh, P("x")));
  EXPECT_EQ(textOf(f(x)), "[ 2.  4.  6.  8. 10. 12. 14. 16.]");
  EXPECT_EQ(calls, 1);
}

TEST(PureCallback, IsCalledByEachDeviceOfAShardMap) {
  static std::atomic<int> calls = 0;
  Mesh mesh = *makeMesh({8}, {"x"}, {AxisType::Auto});
  auto body = [](Tensor x) -> Tensor {
    return pureCallback(
        [](Tensor v) {
          ++calls;
          return plusOne(v);
        },
        shapeDtypeStruct({1}, DType::F32), x);
  };
  auto f = jit(shardMap(
      body, {.mesh = mesh, .in = P("x"), .out = P("x"), .checkVma = false}));
  EXPECT_EQ(textOf(f(arange(8, DType::F32))), "[1. 2. 3. 4. 5. 6. 7. 8.]");
  EXPECT_EQ(calls, 8);
}

/// One jitted function, called inside and outside of a shardMap: each place has
/// calls of its own.
TEST(PureCallback, DiffersInAManualComputation) {
  Mesh mesh = *makeMesh({8}, {"x"}, {AxisType::Auto});
  auto once = [](Tensor x) -> Tensor {
    return pureCallback(plusOne, shapeDtypeStruct({8}, DType::F32), x);
  };
  auto twice = jit([&](Tensor x) -> Tensor {
    auto inner = jit(once);
    auto each = shardMap(
        inner, {.mesh = mesh, .in = P("x"), .out = P("x"), .checkVma = false});
    Tensor outside = inner(x);
    Tensor pieces = each(concatenate({x, x, x, x, outside, x, x, x}));
    return inner(pieces[slice(32, 40)]);
  });
  EXPECT_EQ(textOf(twice(arange(8, DType::F32))),
            "[ 3.  4.  5.  6.  7.  8.  9. 10.]");
}

TEST(PureCallback, MayRunPrograms) {
  auto inner = jit([](Tensor x) { return sum(lax::exp(x)); });
  auto onHost = [inner](Tensor x) -> Tensor {
    Tensor total = inner(x);
    return lax::add(total, sum(x * 2.0));
  };
  auto f = jit([&](Tensor x) -> Tensor {
    return pureCallback(onHost, scalarType(), x);
  });
  Tensor expected = sum(lax::exp(vector3())) + sum(vector3() * 2.0);
  EXPECT_EQ(textOf(f(vector3())), expected.str());
  // Another level, and on several devices.
  auto outer = [f](Tensor x) -> Tensor { return f(x); };
  auto g = jit(
      [&](Tensor x) -> Tensor { return pureCallback(outer, scalarType(), x); });
  EXPECT_EQ(textOf(g(vector3())), expected.str());
  Mesh mesh = *makeMesh({8}, {"x"}, {AxisType::Auto});
  Tensor sharded =
      devicePut(arange(8, DType::F32) * 0.0, *Sharding::named(mesh, P("x")));
  EXPECT_EQ(textOf(f(sharded)), "8.0");
}

TEST(Callback, ErrorsCarryItsNameAndLeaveNothing) {
  auto boom = hostFunction(
      "boom", [](Tensor) -> Tensor { throw std::runtime_error("it broke"); });
  auto fails = hostFunction("fails", [](Tensor) -> Expected<Tensor> {
    return valueError("no luck");
  });
  auto shape = hostFunction("short", [](Tensor) { return ones({2}); });
  auto type = hostFunction(
      "typed", [](Tensor) { return lax::full({3}, 1.0, DType::I32); });
  auto odd = hostFunction("odd", [](Tensor) -> Tensor { throw 3; });
  auto check = [&](const auto &function, const char *text) {
    auto call = [&](Tensor x) -> Tensor {
      return pureCallback(function, type3(), x);
    };
    for (bool isJitted : {false, true}) {
      Expected<Tensor> out =
          isJitted ? jit(call)(vector3()) : Expected<Tensor>(call(vector3()));
      Status status = out ? out->blockUntilReady() : Status(out.error());
      ASSERT_FALSE(status.ok());
      EXPECT_THAT(status.error().text, HasSubstr(text));
      EXPECT_THAT(status.error().text,
                  HasSubstr("Error in callback '" + function.name + "'"));
      EXPECT_EQ(callPlusOne(vector3()).str(), "[2. 3. 4.]");
    }
  };
  check(boom, "it broke");
  check(fails, "no luck");
  check(shape, "Incorrect output shape for return value #0: Expected: (3,), "
               "Actual: (2,)");
  check(type, "Incorrect output dtype for return value #0: Expected: float32, "
              "Actual: int32");
  check(odd, "not derived from std::exception");
}

TEST(IoCallback, IsOrderedInLoopsAndBranches) {
  auto f = jit([](Tensor x) -> Tensor {
    return *foriLoop(
        0, 4,
        [](Tensor i, Tensor x) -> Tensor {
          return *cond(
              lax::eq(lax::rem(i, scalarOf(int64_t(2), DType::I32)),
                      scalarOf(int64_t(0), DType::I32)),
              [](Tensor x) { return callLogged(x) + 1.0; },
              [](Tensor x) { return x * 2.0; }, x);
        },
        x);
  });
  EXPECT_EQ(textOf(f(lax::full({}, 1.0, DType::F32))), "10.0");
  ASSERT_TRUE(effectsBarrier().ok());
  EXPECT_THAT(log().taken(), ElementsAre("1.0", "4.0"));
}

TEST(IoCallback, IsOrderedInConditionsOfLoops) {
  auto f = jit([](Tensor x) -> Tensor {
    return *whileLoop(
        [](Tensor x) {
          return lax::lt(callLogged(x), scalarOf(3.0, DType::F32));
        },
        [](Tensor x) { return callLogged(x) + 1.0; }, x);
  });
  EXPECT_EQ(textOf(f(lax::full({}, 1.0, DType::F32))), "3.0");
  ASSERT_TRUE(effectsBarrier().ok());
  EXPECT_THAT(log().taken(), ElementsAre("1.0", "1.0", "2.0", "2.0", "3.0"));
}

// Feature: ordered-effects, callbacks
TEST(IoCallback, IsOrderedFromProgramToProgram) {
  auto f = jit([](Tensor x) { return callLogged(x) + 1.0; });
  Mesh mesh = *makeMesh({8}, {"x"}, {AxisType::Auto});
  Tensor x =
      devicePut(lax::full({}, 0.0, DType::F32), *Sharding::named(mesh, P()));
  for (int i = 0; i < 20; ++i)
    x = f(x);
  ASSERT_TRUE(effectsBarrier().ok());
  std::vector<std::string> lines = log().taken();
  ASSERT_EQ(lines.size(), 20u);
  for (int i = 0; i < 20; ++i)
    EXPECT_EQ(lines[i], std::to_string(i) + ".0");
}

TEST(IoCallback, IsNotRemovedWithItsResults) {
  auto f = jit([](Tensor x) {
    (void)callLogged(x, false);
    return x;
  });
  ASSERT_TRUE(f(vector3()).ok());
  ASSERT_TRUE(effectsBarrier().ok());
  EXPECT_EQ(log().taken().size(), 1u);
}

TEST(IoCallback, RefusesWhatJaxRefuses) {
  Tensor rows = ones({2, 3});
  auto ordered = vmap([](Tensor x) { return callLogged(x); });
  EXPECT_THAT(textOf(ordered(rows)),
              HasSubstr("Cannot `vmap` ordered IO callback."));
  auto derived = grad([](Tensor x) { return sum(callLogged(x)); });
  EXPECT_THAT(textOf(derived(vector3())),
              HasSubstr("IO callbacks do not support JVP."));
  auto branch = vmap([](Tensor x) -> Tensor {
    return *cond(
        lax::gt(sum(x), scalarOf(0.0, DType::F32)),
        [](Tensor x) { return callLogged(x, false); },
        [](Tensor x) { return x; }, x);
  });
  EXPECT_THAT(textOf(jit(branch)(rows)),
              HasSubstr("IO effect not supported in vmap-of-cond."));
  (void)log().taken();
}

TEST(IoCallback, IsNotSavedWithAProgram) {
  auto compiled = jit([](Tensor x) { return callLogged(x); }, {.name = "f"})
                      .lower(vector3());
  ASSERT_TRUE(compiled.ok());
  auto stage = compiled->compile();
  ASSERT_TRUE(stage.ok()) << stage.error().str();
  auto bytes = stage->serialize();
  ASSERT_FALSE(bytes.ok());
  EXPECT_THAT(bytes.error().text,
              HasSubstr("serialization of host_callbacks is not yet "
                        "implemented"));
}

TEST(Effects, AreTokensOfTheModule) {
  auto f = jit(
      [](Tensor x) {
        debugCallback([](Tensor) {}, x);
        return callLogged(x);
      },
      {.name = "f"});
  auto traced = f.trace(vector3());
  ASSERT_TRUE(traced.ok());
  EXPECT_EQ(traced->effects(), "{Debug, OrderedIO}");
  auto text = traced->lower()->asText();
  ASSERT_TRUE(text.ok()) << text.error().str();
  EXPECT_THAT(*text,
              HasSubstr("@main(%arg0: !stablehlo.token {jax.token = true}, "
                        "%arg1: tensor<3xf32>) -> (!stablehlo.token {jax.token "
                        "= true}, tensor<3xf32>"));
  EXPECT_THAT(*text, HasSubstr("sdy.mesh @maximal_mesh_0 = <[], "
                               "device_ids=[0]>"));
  EXPECT_THAT(*text, HasSubstr("@xla_ffi_python_cpu_callback(%arg0, %arg1)"));
}

TEST(DebugCallback, RunsInTransformations) {
  auto look = [](Tensor x) { log().add(x); };
  auto f = [look](Tensor x) {
    debugCallback(look, x);
    return sum(x * x);
  };
  ASSERT_TRUE(jit(grad(f))(vector3()).ok());
  ASSERT_TRUE(effectsBarrier().ok());
  EXPECT_THAT(log().taken(), ElementsAre("[1. 2. 3.]"));
  ASSERT_TRUE(jit(vmap(f))(reshape(arange(4, DType::F32), {2, 2})).ok());
  ASSERT_TRUE(effectsBarrier().ok());
  EXPECT_THAT(log().taken(), ElementsAre("[0. 1.]", "[2. 3.]"));
  // The backward pass of a checkpoint calls again.
  ASSERT_TRUE(
      jit(grad([&](Tensor x) { return checkpoint(f)(x); }))(vector3()).ok());
  ASSERT_TRUE(effectsBarrier().ok());
  EXPECT_EQ(log().taken().size(), 2u);
}

/// Each group of devices that differ along the axes that are not manual calls
/// once, with values that are full along them.
TEST(DebugCallback, IsCalledOncePerGroupWhereSomeAxesAreManual) {
  Mesh mesh = *makeMesh({2, 2, 2}, {"x", "y", "z"},
                        {AxisType::Auto, AxisType::Explicit, AxisType::Auto});
  ScopedMesh context(mesh);
  auto f = jit(shardMap(
      [](Tensor x) -> Tensor {
        debugCallback([](Tensor v) { log().add(v); }, x);
        return x * 2.0;
      },
      {.in = P("x"), .out = P("x"), .axisNames = {"x"}}));
  Tensor x = devicePut(arange(8, DType::F32), NamedSharding(mesh, P("x")));
  EXPECT_EQ(textOf(f(x)), "[ 0.  2.  4.  6.  8. 10. 12. 14.]");
  ASSERT_TRUE(effectsBarrier().ok());
  EXPECT_THAT(log().sorted(), ElementsAre("[0. 1. 2. 3.]", "[4. 5. 6. 7.]"));
}

TEST(DebugCallback, PartitionedGetsTheShardOfEachDevice) {
  Mesh mesh = *makeMesh({4, 2}, {"x", "y"}, {AxisType::Auto, AxisType::Auto});
  auto f = jit([](Tensor x) {
    debugCallback(
        DebugOptions{.partitioned = true}, [](Tensor v) { log().add(v); }, x);
    return x * 2.0;
  });
  Tensor x = devicePut(arange(8, DType::F32), NamedSharding(mesh, P("x")));
  EXPECT_EQ(textOf(f(x)), "[ 0.  2.  4.  6.  8. 10. 12. 14.]");
  ASSERT_TRUE(effectsBarrier().ok());
  EXPECT_THAT(log().sorted(),
              ElementsAre("[0. 1.]", "[0. 1.]", "[2. 3.]", "[2. 3.]", "[4. 5.]",
                          "[4. 5.]", "[6. 7.]", "[6. 7.]"));
  // On one device: all of it, also in order.
  auto g = jit([](Tensor x) {
    debugCallback(
        DebugOptions{.ordered = true, .partitioned = true},
        [](Tensor v) { log().add(v); }, x);
    return x * 2.0;
  });
  EXPECT_TRUE(g(arange(2, DType::F32)).ok());
  ASSERT_TRUE(effectsBarrier().ok());
  EXPECT_THAT(log().taken(), ElementsAre("[0. 1.]"));
}

TEST(DebugCallback, ErrorsWaitForTheBarrier) {
  auto boom = hostFunction(
      "look", [](Tensor) -> Status { return valueError("not today"); });
  auto f = jit([&](Tensor x) {
    debugCallback(boom, x);
    return x + 1.0;
  });
  (void)f(vector3());
  Status status = effectsBarrier();
  ASSERT_FALSE(status.ok());
  EXPECT_THAT(status.error().text, HasSubstr("not today"));
  EXPECT_TRUE(effectsBarrier().ok());
  debugCallback(boom, vector3());
  EXPECT_FALSE(effectsBarrier().ok());
}

std::string printed(const std::function<void()> &run) {
  ::testing::internal::CaptureStdout();
  run();
  Status status = effectsBarrier();
  std::string out = ::testing::internal::GetCapturedStdout();
  return status ? out : status.error().str();
}

TEST(DebugPrint, FormatsAsPython) {
  Tensor half = lax::full({}, 1.5, DType::F32);
  Tensor count = scalarOf(int64_t(1234567), DType::I32);
  auto line = [](const std::string &format, auto... args) {
    return printed([&] { debugPrint(format, args...); });
  };
  EXPECT_EQ(line("x {} {y}", vector3(), named("y", half)),
            "x [1. 2. 3.] 1.5\n");
  EXPECT_EQ(line("{1} {0}", half, count), "1234567 1.5\n");
  EXPECT_EQ(line("{:.3f}|{:8.2e}|{:+d}", half, half, count),
            "1.500|1.50e+00|+1234567\n");
  EXPECT_EQ(line("{:>5}|{:<5}|{:^5}|{:05}", half, half, half, half),
            "  1.5|1.5  | 1.5 |001.5\n");
  EXPECT_EQ(
      line("{:,} {:x} {:08b}", count, count, scalarOf(int64_t(5), DType::I32)),
      "1,234,567 12d687 00000101\n");
  EXPECT_EQ(line("{{}} {x!r}", named("x", vector3())),
            "{} Array([1., 2., 3.], dtype=float32)\n");
  EXPECT_EQ(line("nothing"), "nothing\n");
  EXPECT_THAT(line("x", half), HasSubstr("Unused positional arguments to "
                                         "`jax.debug.print`"));
  EXPECT_THAT(line("{} {}", half), HasSubstr("Replacement index 1"));
  EXPECT_THAT(line("{z}", named("y", half)), HasSubstr("'z'"));
  EXPECT_THAT(line("{", half), HasSubstr("Single '{'"));
  EXPECT_THAT(line("{:.2f}", vector3()),
              HasSubstr("unsupported format string"));
}

TEST(DebugPrint, FailsTheFunctionThatIsTraced) {
  auto f = jit([](Tensor x) {
    debugPrint("{} {}", x);
    return x;
  });
  EXPECT_THAT(textOf(f(vector3())), HasSubstr("Replacement index 1"));
  EXPECT_TRUE(effectsBarrier().ok());
}

TEST(DebugPrint, IsOrderedOnOneDevice) {
  auto f = jit([](Tensor x) -> Tensor {
    return *foriLoop(
        0, 3,
        [](Tensor i, Tensor x) {
          debugPrint(DebugOptions{.ordered = true}, "at {}", i);
          return x + 1.0;
        },
        x);
  });
  EXPECT_EQ(printed([&] { (void)f(vector3()); }), "at 0\nat 1\nat 2\n");
  Mesh mesh = *makeMesh({8}, {"x"}, {AxisType::Auto});
  Tensor x = devicePut(arange(8, DType::F32), *Sharding::named(mesh, P("x")));
  auto g = jit([](Tensor x) {
    debugPrint(DebugOptions{.ordered = true}, "{}", x);
    return x;
  });
  EXPECT_THAT(textOf(g(x)),
              HasSubstr("The following ordered effects are not supported for "
                        "more than 1 device: [OrderedDebug]"));
}

TEST(HostFunction, ProgramsThatCallItAreCompiledOnce) {
  auto host = hostFunction("plus", [one = 1.0f](Tensor x) {
    auto values = *x.toVector<float>();
    for (float &v : values)
      v += one;
    return arrayOf(values, x.shape());
  });
  auto f = [&](Tensor x) -> Tensor { return pureCallback(host, type3(), x); };
  ASSERT_TRUE(jit(f)(vector3()).ok());
  int64_t before = jitCounts().compiles;
  ASSERT_TRUE(jit(f)(vector3()).ok());
  EXPECT_EQ(jitCounts().compiles, before);
}

} // namespace
