//===- thread_pool_test.cc - loops and tasks on the pool ------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/support/thread_pool.h"

#include "shardwright/support/fault_injection.h"

#include "gtest/gtest.h"

#include <atomic>
#include <thread>
#include <vector>

using namespace shardwright::cpu;

namespace {

TEST(ThreadPool, EveryIndexOnce) {
  for (int threads : {1, 2, 5}) {
    ThreadPool pool(threads);
    for (int64_t n : {0, 1, 2, 63, 1000})
      for (int64_t grain : {1, 7, 2000}) {
        std::vector<std::atomic<int>> seen(n);
        pool.parallelFor(n, grain, [&](int64_t begin, int64_t end) {
          EXPECT_LE(end - begin, grain);
          for (int64_t i = begin; i < end; ++i)
            ++seen[i];
        });
        for (auto &count : seen)
          EXPECT_EQ(count, 1);
      }
  }
}

TEST(ThreadPool, LoopsFromSeveralThreadsAtOnce) {
  ThreadPool pool(4);
  std::vector<std::thread> clients;
  std::atomic<int64_t> total{0};
  for (int t = 0; t < 4; ++t)
    clients.emplace_back([&] {
      for (int i = 0; i < 2000; ++i)
        pool.parallelFor(8, 1, [&](int64_t begin, int64_t) { total += begin; });
    });
  for (auto &client : clients)
    client.join();
  EXPECT_EQ(total, 4 * 2000 * 28);
}

TEST(ThreadPool, HasTheThreadsThatTheSystemGrants) {
  for (int granted : {0, 2}) {
    InjectedFault fault(FaultKind::Thread, -1, granted);
    ThreadPool pool(5);
    EXPECT_TRUE(fault.happened());
    EXPECT_EQ(pool.size(), 1 + granted);
    std::atomic<int64_t> sum{0};
    pool.parallelFor(100, 1, [&](int64_t begin, int64_t) { sum += begin; });
    EXPECT_EQ(sum, 4950);
    std::atomic<bool> ran{false};
    pool.submit([&] { ran = true; });
    while (!ran)
      std::this_thread::yield();
  }
}

TEST(ThreadPool, NestedLoopsRunWhereTheyAre) {
  ThreadPool pool(3);
  std::atomic<int> count{0};
  pool.parallelFor(10, 1, [&](int64_t, int64_t) {
    auto self = std::this_thread::get_id();
    pool.parallelFor(10, 1, [&](int64_t, int64_t) {
      EXPECT_EQ(self, std::this_thread::get_id());
      ++count;
    });
  });
  EXPECT_EQ(count, 100);
}

TEST(ThreadPool, TasksSubmitTasksAndAllRun) {
  std::atomic<int> count{0};
  {
    ThreadPool pool(2);
    for (int i = 0; i < 100; ++i)
      pool.submit([&] {
        pool.submit([&] { ++count; });
        ++count;
      });
  }
  EXPECT_EQ(count, 200);
}

} // namespace
