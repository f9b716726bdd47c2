//===- blocking_threads_test.cc - threads for blocking work ---------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/support/blocking_threads.h"

#include "gtest/gtest.h"

#include <condition_variable>
#include <mutex>
#include <sys/resource.h>
#include <unistd.h>

using namespace shardwright::cpu;

TEST(BlockingThreads, AsManyWaitAsThereAreThreadsAndTheRestAfterThem) {
  constexpr int extra = 40;
  std::mutex mutex;
  std::condition_variable changed;
  int waiting = 0, most = 0, done = 0;
  bool released = false;
  for (int i = 0; i < mostBlockingThreads + extra; ++i)
    ASSERT_TRUE(runBlocking([&] {
      std::unique_lock lock(mutex);
      most = std::max(most, ++waiting);
      changed.notify_all();
      changed.wait(lock, [&] { return released; });
      --waiting;
      ++done;
      changed.notify_all();
    }));
  std::unique_lock lock(mutex);
  changed.wait(lock, [&] { return waiting == mostBlockingThreads; });
  released = true;
  changed.notify_all();
  changed.wait(lock, [&] { return done == mostBlockingThreads + extra; });
  EXPECT_EQ(most, mostBlockingThreads);
}

#if !__has_feature(thread_sanitizer) && !__has_feature(address_sanitizer)
TEST(BlockingThreadsDeathTest, WithoutAThreadNothingHappens) {
  // A new process has no thread yet that could serve the work.
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_EXIT(
      {
        rlimit none;
        none.rlim_cur = none.rlim_max = 1 << 20;
        bool limited = setrlimit(RLIMIT_AS, &none) == 0;
        bool ran = runBlocking([] {});
        _exit(limited && !ran ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}
#endif
