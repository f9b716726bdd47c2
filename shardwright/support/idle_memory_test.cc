//===- idle_memory_test.cc - memory kept for the next use -----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/support/idle_memory.h"

#include "shardwright/support/fault_injection.h"
#include "shardwright/support/host_memory.h"

#include "gtest/gtest.h"

using namespace shardwright::cpu;

TEST(IdleMemory, TheLatestStays) {
  PretendedMemory machine(4000); // a quarter of it may be idle
  int a = 0, b = 0;
  auto memory = [] { return std::shared_ptr<void>(std::make_shared<int>()); };
  std::weak_ptr<void> first, second, third;
  auto keep = [&](const void *owner, int64_t bytes, std::weak_ptr<void> &as) {
    auto made = memory();
    as = made;
    keepIdle(owner, bytes, std::move(made));
  };
  keep(&a, 600, first);
  keep(&b, 300, second);
  EXPECT_FALSE(first.expired() || second.expired());
  keep(&b, 600, third);
  EXPECT_TRUE(first.expired());
  EXPECT_EQ(takeIdle(&a), nullptr);
  EXPECT_EQ(takeIdle(&b), third.lock());
  keep(&a, 5000, first);
  EXPECT_TRUE(second.expired());
  EXPECT_FALSE(first.expired());
  dropIdle(&a);
  EXPECT_TRUE(first.expired());
  EXPECT_FALSE(releaseIdle(1));
}

TEST(HostMemory, WhatIsGivenOutIsCountedAndLimited) {
  constexpr int64_t kibi = 1024;
  int64_t before = hostMemoryInUse();
  PretendedMemory machine(before + 64 * kibi);
  auto first = allocateHost(40 * kibi);
  ASSERT_TRUE(first);
  EXPECT_EQ(hostMemoryInUse(), before + 40 * kibi);
  EXPECT_FALSE(allocateHost(40 * kibi));
  int owner = 0;
  keepIdle(&owner, 40 * kibi, std::move(first));
  EXPECT_TRUE(allocateHost(40 * kibi));
  EXPECT_EQ(takeIdle(&owner), nullptr);
  EXPECT_EQ(hostMemoryInUse(), before);
}

TEST(HostMemory, LargeBlocksServeTheNextArrayOfTheirSize) {
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
  GTEST_SKIP() << "sanitizers must see every block freed";
#endif
#endif
  constexpr int64_t size = 8 << 20;
  releaseIdle(machineMemory());
  int64_t before = hostMemoryInUse();
  void *first = allocateHostRaw(size);
  ASSERT_TRUE(first);
  freeHost(first, size);
  EXPECT_EQ(idleBytes(), size);
  EXPECT_EQ(hostMemoryInUse(), before + size);
  void *other = allocateHostRaw(2 * size);
  EXPECT_EQ(idleBytes(), size);
  EXPECT_EQ(allocateHostRaw(size), first);
  EXPECT_EQ(idleBytes(), 0);
  freeHost(first, size);
  freeHost(other, 2 * size);
  {
    // Needed for another allocation.
    PretendedMemory machine(hostMemoryInUse() + size);
    void *large = allocateHostRaw(3 * size);
    EXPECT_TRUE(large);
    // Larger than the share of the machine that may be idle.
    freeHost(large, 3 * size);
  }
  EXPECT_EQ(idleBytes(), 0);
  EXPECT_EQ(hostMemoryInUse(), before);
}
