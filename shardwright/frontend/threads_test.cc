//===- threads_test.cc - calls from several threads -----------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/call_sequences_test_util.h"

#include <atomic>
#include <mutex>
#include <thread>

#include <gtest/gtest.h>

using namespace shardwright::frontend;
using namespace shardwright::frontend::testing;

namespace {

/// Threads share jitted functions, arrays, meshes and the caches.
TEST(Threads, ShareFunctionsAndArrays) {
  auto f = jit([](Tensor x, Tensor y) { return sum(sin(x) * y); });
  std::vector<Mesh> all = meshes();
  Tensor shared = arange(8, DType::F32);
  std::mutex mutex;
  std::string wrong;
  auto fail = [&](const Error &error) {
    std::lock_guard lock(mutex);
    wrong = error.str();
  };
  auto work = [&](int seed) {
    for (int i = 0; i < 12; ++i) {
      Sharding s = NamedSharding(all[(seed + i) % 4], P("x"));
      Tensor x = devicePut(shared, s);
      auto value = f(x, lax::full({8}, i % 3, DType::F32));
      auto slope = grad([&](Tensor v) { return Tensor(f(v, v)); })(x);
      auto size = lax::full({1 + (seed + i) % 5}, 1.0, DType::F32) + 1.0;
      for (const Error *error :
           {errorIn(*value), errorIn(*slope), errorIn(size)})
        if (error)
          fail(*error);
      (void)x.remove();
      if (f(x, x).ok())
        fail(valueError("a deleted array was used"));
    }
  };
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back(work, t);
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, "");
}

/// Threads run programs that call functions of the host, in the order of each
/// thread, and use results of runs that fail.
TEST(Threads, CallTheHostAndMeetFailures) {
  static std::atomic<int> calls = 0;
  constexpr int threads = 4, rounds = 8;
  auto f = jit([](Tensor x) -> Tensor {
    return ioCallback(
        [](Tensor v) {
          ++calls;
          return v + v;
        },
        shapeDtypeStruct({8}, DType::F32), IoCallbackOptions{true, {}}, x);
  });
  auto reuse = jit([](Tensor x) { return x * x; }, {.donate = {0}});
  std::vector<Mesh> all = meshes();
  std::vector<std::string> wrong(threads);
  auto work = [&](int t) {
    Tensor x = arange(8, DType::F32), expected = x + x;
    for (int i = 0; i < rounds; ++i) {
      Mesh mesh = all[std::array{0, 2, 3}[(t + i) % 3]];
      Tensor y = f(devicePut(x, NamedSharding(mesh, P("x"))));
      if (y.str() != expected.str())
        wrong[t] = y.str();
      // The second failure is that of the first: nothing is called.
      Tensor bad = f(failing()), worse = reuse(bad + 1.0);
      if (worse.blockUntilReady().ok() || worse.toBytes().ok())
        wrong[t] = "the result of a failed run was read";
      (void)bad.remove();
    }
    if (effectsBarrier().ok())
      wrong[t] = "a failed run with an effect is not reported";
  };
  std::vector<std::thread> started;
  for (int t = 0; t < threads; ++t)
    started.emplace_back(work, t);
  for (std::thread &thread : started)
    thread.join();
  for (const std::string &text : wrong)
    EXPECT_EQ(text, "");
  EXPECT_EQ(calls, threads * rounds);
}

} // namespace
