//===- call_sequences_test.cc - random calls, also wrong ones -------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sequences of random calls, on one thread and on several that share values.
// RC_PARAMS="max_success=2000 seed=7" runs more of them.
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/random_calls_test_util.h"

#include <cstdlib>
#include <thread>

#include <gtest/gtest.h>
#include <rapidcheck.h>

using namespace shardwright::frontend;
using namespace shardwright::frontend::testing;

namespace {

/// Eight devices, set before the first use of one.
const bool configured = setDeviceCount(8).ok();

TEST(CallSequences, GiveArraysOrErrors) {
  ASSERT_TRUE(configured);
  // The same sequences each time, unless others are asked for.
  setenv("RC_PARAMS", "max_success=400 seed=1", 0);
  bool good = rc::check("calls give arrays or errors", [] {
    auto steps =
        *rc::gen::container<std::vector<Step>>(rc::gen::arbitrary<Step>());
    Calls calls(firstValues());
    for (const Step &step : steps)
      calls.run(step);
    std::string wrong = calls.check();
    RC_ASSERT(wrong == "");
  });
  EXPECT_TRUE(good);
}

/// Threads make calls on the same arrays, which each may delete or donate.
TEST(CallSequences, OnSeveralThreads) {
  ASSERT_TRUE(configured);
  setenv("RC_PARAMS", "max_success=400 seed=1", 0);
  bool good = rc::check("threads get arrays or errors", [] {
    auto steps = *rc::gen::resize(
        20, rc::gen::container<std::vector<Step>>(rc::gen::arbitrary<Step>()));
    Tensors shared = firstValues();
    constexpr size_t count = 3;
    std::array<std::string, count> wrong;
    std::vector<std::thread> threads;
    for (size_t t = 0; t < count; ++t)
      threads.emplace_back([&, t] {
        Calls calls(shared);
        // Each thread begins elsewhere.
        for (size_t i = 0; i < steps.size(); ++i)
          calls.run(steps[(i + t * steps.size() / count) % steps.size()]);
        wrong[t] = calls.check();
      });
    for (std::thread &thread : threads)
      thread.join();
    for (const std::string &text : wrong)
      RC_ASSERT(text == "");
  });
  EXPECT_TRUE(good);
}

} // namespace
