//===- guarded_read_test.cc - tests of failing reads ----------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/interop/input/guarded_read.h"

#include <csignal>
#include <gtest/gtest.h>
#include <new>
#include <unistd.h>

namespace shardwright {
namespace {

constexpr ReadLimits small{uint64_t(8) << 30, 1};

TEST(GuardedRead, SaysHowAReadEnds) {
  EXPECT_EQ(readInChild([] {}, small), GuardedRead::Survived);
  EXPECT_EQ(readInChild([] { raise(SIGSEGV); }, small), GuardedRead::Crashed);
  EXPECT_EQ(readInChild([] { abort(); }, small), GuardedRead::Crashed);
  EXPECT_EQ(readInChild([] { _exit(1); }, small), GuardedRead::Crashed);
}

TEST(GuardedRead, EndsAReadThatDoesNotEnd) {
  EXPECT_EQ(readInChild(
                [] {
                  for (volatile unsigned i = 0;; i = i + 1)
                    ;
                },
                small),
            GuardedRead::TooSlow);
}

#if defined(__has_feature)
#if !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)
TEST(GuardedRead, RefusesMoreMemoryThanTheLimit) {
  EXPECT_EQ(readInChild(
                [] {
                  void *much = ::operator new(size_t(64) << 30);
                  ::operator delete(much);
                },
                small),
            GuardedRead::TooLarge);
}
#endif
#endif

TEST(GuardedRead, TellsBytecodeFromText) {
  EXPECT_TRUE(isBytecode("ML\xefR\x0d"));
  EXPECT_FALSE(isBytecode("module {}"));
  EXPECT_FALSE(isBytecode(""));
}

} // namespace
} // namespace shardwright
