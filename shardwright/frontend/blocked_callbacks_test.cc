//===- blocked_callbacks_test.cc - functions of the user that go wrong ----===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions that programs or the compiler call, and that fail, throw, block, or
// wait for the program that calls them: each kind names itself in the error or
// report, keeps no memory, and the next call works.
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/api/inspect_sharding.h"
#include "shardwright/frontend/frontend.h"
#include "shardwright/support/host_memory.h"

#include <atomic>
#include <condition_variable>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace shardwright::frontend;
using testing::AnyOf;
namespace cpu = shardwright::cpu;
using testing::HasSubstr;

namespace {

const bool configured = setDeviceCount(8).ok();

/// Where functions wait until it is opened.
class Gate {
public:
  void open() {
    std::lock_guard lock(mutex);
    isOpen = true;
    changed.notify_all();
  }
  void wait() {
    std::unique_lock lock(mutex);
    ++waiting;
    changed.notify_all();
    changed.wait(lock, [&] { return isOpen; });
  }
  void awaitWaiters(int count) {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return waiting >= count; });
  }

private:
  std::mutex mutex;
  std::condition_variable changed;
  bool isOpen = false;
  int waiting = 0;
};

/// Collects warnings and reports.
class Reports {
public:
  Reports() {
    setWarningHandler([state = state](const std::string &text) {
      std::lock_guard lock(state->mutex);
      state->lines.push_back(text);
      state->changed.notify_all();
    });
  }
  ~Reports() { setWarningHandler(nullptr); }
  /// Waits for the first report.
  std::vector<std::string> first() {
    std::unique_lock lock(state->mutex);
    state->changed.wait_for(lock, std::chrono::seconds(60),
                            [&] { return !state->lines.empty(); });
    return state->lines;
  }

private:
  /// A report may come after this object has ended.
  struct State {
    std::mutex mutex;
    std::condition_variable changed;
    std::vector<std::string> lines;
  };
  std::shared_ptr<State> state = std::make_shared<State>();
};

constexpr int64_t size = 1 << 14;
Mesh meshX() { return *makeMesh({8}, {"x"}, {AxisType::Auto}); }
Tensor numbers(bool isSharded) {
  Tensor x = arange(size, DType::F32);
  return isSharded ? devicePut(x, *NamedSharding(meshX(), P("x")))
                   : devicePut(x, Device{0});
}
Tensor resultType() { return shapeDtypeStruct({size}, DType::F32); }

/// What a function of the user does with its operand.
using Body = std::function<Expected<Tensor>(Tensor)>;

/// A way in which a program calls a function.
struct Kind {
  std::string name, shown;
  std::function<Expected<Tensor>(const Body &, const Tensor &)> call;
};

Tensor viaHost(const Body &body, Tensor x, int kind) {
  auto function = hostFunction("look", [body](Tensor v) { return body(v); });
  auto silent = hostFunction("look", [body](Tensor v) -> Status {
    Expected<Tensor> done = body(v);
    return done && done->ok() ? Status()
                              : Status(done ? done->error() : done.error());
  });
  switch (kind) {
  case 0:
    return pureCallback(function, resultType(), x);
  case 1:
    return ioCallback(function, resultType(), IoCallbackOptions{true, {}}, x);
  case 2:
    return ioCallback(function, resultType(), IoCallbackOptions{false, {}}, x);
  case 3:
    debugCallback(silent, x);
    return x * 1.0;
  default:
    debugCallback(DebugOptions{.partitioned = true}, silent, x);
    return x * 1.0;
  }
}

/// The result or the error of a jitted function, with that of its effects.
template <typename F> Expected<Tensor> finished(const F &f, const Tensor &x) {
  Expected<Tensor> out = f(x);
  Status effects = effectsBarrier();
  if (!out)
    return out;
  if (Status ready = out->blockUntilReady(); !ready)
    return ready.error();
  return effects ? out : Expected<Tensor>(effects.error());
}

Expected<Tensor> viaForeignFunction(const Body &body, const Tensor &x) {
  Status made = ffi::registerTarget("look", [&](const ffi::Call &call) {
    const float *in = call.operands[0].as<float>();
    Tensor v =
        arrayOf(std::vector<float>(in, in + call.operands[0].elements()));
    Expected<Tensor> out = body(v);
    if (!out)
      return Status(out.error());
    std::vector<float> values = *out->toVector<float>();
    std::copy(values.begin(), values.end(), call.results[0].as<float>());
    return Status();
  });
  if (!made)
    return made.error();
  // A program keeps the function that it was compiled with.
  clearCaches();
  auto f = jit([](Tensor v) { return ffi::call("look", {v}, {v})[0]; });
  Expected<Tensor> out = finished(f, x);
  EXPECT_TRUE(ffi::unregisterTarget("look"));
  return out;
}

Expected<Tensor> viaPartitioning(const Body &body, const Tensor &x) {
  CustomPartitioningOptions options;
  options.name = "look";
  options.shardingRule = "i -> i";
  options.partition = [&](const Mesh &, const Tensors &args,
                          const Tensors &) -> Expected<Partition> {
    Expected<Tensor> done = body(arange(size, DType::F32));
    if (!done)
      return done.error();
    return Partition{.lower = [](const Tensors &v) { return Tensors{v[0]}; },
                     .results = {args[0].sharding()},
                     .args = {args[0].sharding()}};
  };
  auto f = customPartitioning([](Tensor v) { return v; }, options);
  return finished(jit([f](Tensor v) { return *f(v); }), x);
}

Expected<Tensor> viaInspection(const Body &body, const Tensor &x) {
  auto f = jit([&](Tensor v) {
    Status status = inspectArraySharding(v, [&](const Sharding &) {
      Expected<Tensor> done = body(arange(size, DType::F32));
      if (!done)
        throw std::runtime_error(done.error().str());
    });
    return status ? v * 1.0 : Tensor(status.error());
  });
  return finished(f, x);
}

std::vector<Kind> kinds() {
  std::vector<Kind> out;
  const char *names[] = {"pureCallback", "ioCallback, ordered", "ioCallback",
                         "debugCallback", "debugCallback, partitioned"};
  for (int kind = 0; kind < 5; ++kind)
    out.push_back({names[kind], "callback 'look'",
                   [kind](const Body &body, const Tensor &x) {
                     auto f =
                         jit([&](Tensor v) { return viaHost(body, v, kind); },
                             {.name = "program"});
                     return finished(f, x);
                   }});
  out.push_back({"foreign function", "'look'", viaForeignFunction});
  out.push_back({"custom partitioning", "look", viaPartitioning});
  out.push_back({"inspectArraySharding", "inspect_sharding", viaInspection});
  return out;
}
/// Those that calls of programs on one device have.
bool isCalled(const Kind &kind, bool isSharded) {
  return isSharded || kind.name != "custom partitioning";
}

} // namespace

// Feature: callbacks
TEST(UserFunctions, FailuresNameThemAndKeepNothing) {
  auto fails = [](Tensor) -> Expected<Tensor> { return valueError("no luck"); };
  auto throws = [](Tensor) -> Expected<Tensor> {
    throw std::runtime_error("no luck");
  };
  auto odd = [](Tensor) -> Expected<Tensor> { throw 3; };
  for (const Kind &kind : kinds())
    for (bool isSharded : {false, true}) {
      if (!isCalled(kind, isSharded))
        continue;
      SCOPED_TRACE(kind.name + (isSharded ? " on a mesh" : " on a device"));
      Tensor x = numbers(isSharded);
      auto expected = *x.toVector<float>();
      auto token = std::make_shared<int>();
      auto counted = [&](auto body) {
        return Body([token, body](Tensor v) { return body(v); });
      };
      int64_t before = 0;
      for (int round = 0; round < 12; ++round) {
        for (const Body &body :
             {counted(fails), counted(throws), counted(odd)}) {
          Expected<Tensor> out = kind.call(body, x);
          ASSERT_FALSE(out.ok());
          EXPECT_THAT(out.error().text, HasSubstr(kind.shown));
          EXPECT_THAT(out.error().text,
                      AnyOf(HasSubstr("no luck"),
                            HasSubstr("not derived from std::exception")));
        }
        // The next call works.
        Expected<Tensor> good =
            kind.call([](Tensor v) -> Expected<Tensor> { return v; }, x);
        ASSERT_TRUE(good.ok()) << good.error().str();
        EXPECT_EQ(*good->toVector<float>(), expected);
        good = Tensor();
        clearCaches();
        if (round == 2)
          before = cpu::hostMemoryInUse();
      }
      // Neither arrays nor functions are left, once the last device has ended
      // its part. Threads keep some memory.
      auto limit = before + 4 * size * int64_t(sizeof(float));
      for (int i = 0; i < 1000 && cpu::hostMemoryInUse() >= limit; ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
      EXPECT_LT(cpu::hostMemoryInUse(), limit);
      EXPECT_EQ(token.use_count(), 1);
    }
}

TEST(UserFunctions, RunProgramsThemselves) {
  auto inner = jit([](Tensor v) { return v * 2.0 - v; }, {.name = "inner"});
  for (const Kind &kind : kinds())
    for (bool isSharded : {false, true}) {
      if (!isCalled(kind, isSharded))
        continue;
      SCOPED_TRACE(kind.name + (isSharded ? " on a mesh" : " on a device"));
      Tensor x = numbers(isSharded);
      std::atomic<int> calls = 0;
      Body runs = [&](Tensor v) -> Expected<Tensor> {
        ++calls;
        // Compiles, runs and waits.
        auto fresh = jit([](Tensor w) { return lax::exp(lax::log(w + 1.0)); });
        Expected<Tensor> y = fresh(v);
        if (!y)
          return y;
        if (Status ready = y->blockUntilReady(); !ready)
          return ready.error();
        Tensor z = devicePut(v, *NamedSharding(meshX(), P()));
        if (Status ready = Tensor(inner(z)).blockUntilReady(); !ready)
          return ready.error();
        return inner(v);
      };
      Expected<Tensor> out = kind.call(runs, x);
      ASSERT_TRUE(out.ok()) << out.error().str();
      EXPECT_EQ(*out->toVector<float>(), *x.toVector<float>());
      EXPECT_GT(calls, 0);
    }
}

/// A function that waits for the program that calls it, itself or through
/// programs that follow it.
TEST(UserFunctions, DoNotWaitForTheirProgram) {
  for (int kind = 0; kind < 4; ++kind)
    for (int chain = 0; chain < 4; ++chain) {
      SCOPED_TRACE(kind * 10 + chain);
      static Tensor result;
      static std::string seen;
      Gate gate;
      Body waits = [&](Tensor v) -> Expected<Tensor> {
        gate.wait();
        Tensor wanted = result;
        if (chain == 3) // a program of this function with the result
          wanted = jit([](Tensor w) { return w + 1.0; })(wanted);
        auto values = wanted.toVector<float>();
        seen = values ? "no error" : values.error().text;
        Status ready = wanted.blockUntilReady();
        EXPECT_FALSE(ready.ok());
        return v;
      };
      auto f = jit([&](Tensor v) { return viaHost(waits, v, kind); },
                   {.name = "program"});
      Expected<Tensor> out = f(numbers(true));
      ASSERT_TRUE(out.ok());
      result = *out;
      for (int i = 0; i < chain && chain < 3; ++i)
        result = jit([](Tensor w) { return w * 2.0; })(result);
      gate.open();
      Status status = effectsBarrier();
      EXPECT_TRUE(status.ok()) << status.error().str();
      ASSERT_TRUE(out->blockUntilReady().ok());
      EXPECT_EQ(seen, "callback 'look' waits for a result that does not exist "
                      "before jit(program) has ended, and that program waits "
                      "for the function to return. Return from the function, "
                      "and use the result after the call of jit(program)");
      ASSERT_TRUE(result.blockUntilReady().ok());
      result = Tensor();
    }
}

/// A program of another thread waits for the device whose function waits for
/// it; one on other devices does not.
TEST(UserFunctions, DoNotWaitForTheirDevice) {
  for (int kind = 0; kind < 4; ++kind)
    for (bool isSharded : {false, true})
      for (bool isElsewhere : {false, true}) {
        if (isSharded && isElsewhere)
          continue;
        SCOPED_TRACE(kind * 100 + isSharded * 10 + isElsewhere);
        Tensor x = numbers(isSharded);
        if (isElsewhere)
          x = devicePut(arange(size, DType::F32), Device{1});
        Gate gate;
        Expected<Tensor> other = Tensor();
        Body waits = [&](Tensor v) -> Expected<Tensor> {
          gate.wait();
          if (Status ready = other->blockUntilReady(); !ready)
            return ready.error();
          return v;
        };
        auto f = jit([&](Tensor v) { return viaHost(waits, v, kind); },
                     {.name = "program"});
        Expected<Tensor> out = Tensor();
        Tensor own = numbers(isSharded);
        std::thread starter([&] { out = finished(f, own); });
        gate.awaitWaiters(1);
        other = jit([](Tensor v) { return v * 3.0; })(x);
        gate.open();
        starter.join();
        EXPECT_EQ(out.ok(), isElsewhere);
        if (!out.ok())
          EXPECT_THAT(out.error().text,
                      HasSubstr("callback 'look' waits for a result that does "
                                "not exist before jit(program) has ended"));
        EXPECT_TRUE(other->blockUntilReady().ok());
      }
}

TEST(UserFunctions, AreReportedWhileTheyBlock) {
  for (const Kind &kind : kinds())
    for (bool isSharded : {false, true}) {
      if (!isCalled(kind, isSharded))
        continue;
      SCOPED_TRACE(kind.name + (isSharded ? " on a mesh" : " on a device"));
      Reports reports;
      Gate gate;
      Body blocks = [&](Tensor v) -> Expected<Tensor> {
        gate.wait();
        return v;
      };
      std::thread opener([&] {
        std::vector<std::string> lines = reports.first();
        ASSERT_FALSE(lines.empty());
        EXPECT_THAT(lines[0], HasSubstr(kind.shown));
        EXPECT_THAT(lines[0], HasSubstr(" has been running for 0."));
        if (kind.shown == "callback 'look'")
          EXPECT_THAT(lines[0], HasSubstr(" of jit(program) (device "));
        gate.open();
      });
      ScopedConfig soon(config::callbackReportSecs, 0.02);
      Expected<Tensor> out = kind.call(blocks, numbers(isSharded));
      opener.join();
      EXPECT_TRUE(out.ok()) << out.error().str();
    }
}

/// With a limit, the program fails although the function never returns.
TEST(UserFunctions, AreGivenUpAfterTheirTime) {
  for (int kind = 0; kind < 5; ++kind)
    for (bool isSharded : {false, true}) {
      SCOPED_TRACE(kind * 10 + isSharded);
      auto gate = std::make_shared<Gate>();
      auto isOver = std::make_shared<std::atomic<int>>(0);
      Body blocks = [gate, isOver](Tensor v) -> Expected<Tensor> {
        gate->wait();
        ++*isOver;
        return v;
      };
      Tensor x = numbers(isSharded);
      {
        ScopedConfig limit(config::callbackTimeoutSecs, 0.05);
        auto f = jit([&](Tensor v) { return viaHost(blocks, v, kind); });
        Expected<Tensor> out = finished(f, x);
        ASSERT_FALSE(out.ok());
        EXPECT_THAT(out.error().text,
                    HasSubstr("Error in callback 'look': it has not returned "
                              "after 0.05 s (callback_timeout_secs); the "
                              "program has failed, and the callback goes on"));
      }
      // The next program does not wait for it.
      auto g = jit([](Tensor v) {
        return viaHost([](Tensor w) -> Expected<Tensor> { return w; }, v, 1);
      });
      Expected<Tensor> next = finished(g, x);
      EXPECT_TRUE(next.ok()) << next.error().str();
      EXPECT_EQ(*isOver, 0);
      gate->open();
      while (*isOver == 0)
        std::this_thread::yield();
    }
  // Outside of programs, too.
  Gate *forever = new Gate;
  ScopedConfig limit(config::callbackTimeoutSecs, 0.02);
  Tensor out = pureCallback(hostFunction("stuck",
                                         [forever](Tensor v) {
                                           forever->wait();
                                           return v;
                                         }),
                            resultType(), numbers(false));
  EXPECT_THAT(out.error().text, HasSubstr("callback 'stuck': it has not"));
  forever->open();
}
