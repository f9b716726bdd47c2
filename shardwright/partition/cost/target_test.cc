//===- target_test.cc - tests of targets ----------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/cost/target.h"

#include <gtest/gtest.h>

using namespace shardwright;

namespace {

TEST(Target, HasOneNameEach) {
  EXPECT_EQ(targetFromName("cpu"), Target::Cpu);
  EXPECT_EQ(targetFromName("gpu"), Target::Gpu);
  EXPECT_EQ(targetFromName("tpu"), Target::Tpu);
  EXPECT_EQ(targetFromName("TPU"), std::nullopt);
  EXPECT_EQ(targetFromName(""), std::nullopt);
}

TEST(Target, IsThatOfThePlatform) {
  EXPECT_EQ(targetOfPlatform("cuda"), Target::Gpu);
  EXPECT_EQ(targetOfPlatform("ROCM"), Target::Gpu);
  EXPECT_EQ(targetOfPlatform("gpu"), Target::Gpu);
  EXPECT_EQ(targetOfPlatform("tpu"), Target::Tpu);
  EXPECT_EQ(targetOfPlatform("cpu"), Target::Cpu);
  EXPECT_EQ(targetOfPlatform("shardwright"), Target::Cpu);
  EXPECT_EQ(targetOfPlatform(""), Target::Cpu);
}

TEST(Target, LimitsAreThoseOfTheMachineOrZero) {
  MachineModel machine;
  JoinLimits own = joinLimitsFor(Target::Cpu, machine);
  EXPECT_GT(own.scattered, 0);
  EXPECT_EQ(own.scattered, machine.joinLimits().scattered);
  EXPECT_EQ(own.gathered, machine.joinLimits().gathered);
  EXPECT_FALSE(traitsOf(Target::Cpu).tilesScatters);
  EXPECT_EQ(joinLimitsFor(Target::Gpu, machine).scattered, 0);
  EXPECT_EQ(joinLimitsFor(Target::Tpu, machine).scattered, own.scattered);
  for (Target target : {Target::Gpu, Target::Tpu}) {
    JoinLimits limits = joinLimitsFor(target, machine);
    EXPECT_EQ(limits.gathered, 0);
    EXPECT_EQ(limits.packed, own.packed);
    EXPECT_EQ(limits.reduced, own.reduced);
  }
}

} // namespace
