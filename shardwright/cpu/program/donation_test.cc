//===- donation_test.cc - reuse of argument memory for results ------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/program/donation.h"
#include "shardwright/cpu/program/program_test_util.h"

#include "gtest/gtest.h"

using namespace shardwright;
using namespace shardwright::cpu;

namespace {

constexpr SlotId argument = 0, result = 1, between = 2;

/// A program with an argument, a result and an arena slot of equal size.
Program slots() {
  Program p;
  for (auto home :
       {Slot::Home::Argument, Slot::Home::Result, Slot::Home::Arena}) {
    Slot s;
    s.home = home;
    s.index = 0;
    s.shape = {4};
    p.slots.push_back(s);
  }
  p.arguments = {argument};
  p.results = {result};
  return p;
}

TEST(Donation, AfterTheLastRead) {
  Program p = slots();
  step(p, StepKind::Kernel, {argument}, {between});
  step(p, StepKind::Kernel, {between}, {result});
  step(p, StepKind::Return, {}, {});
  EXPECT_TRUE(mayReuse(p, 0, 0));
  p = slots();
  step(p, StepKind::Kernel, {argument}, {between});
  step(p, StepKind::Kernel, {between}, {result});
  step(p, StepKind::Kernel, {argument, result}, {between});
  step(p, StepKind::Return, {}, {});
  EXPECT_FALSE(mayReuse(p, 0, 0));
}

TEST(Donation, ACopyOfAllElementsMayBeInPlace) {
  Program p = slots();
  Slot view;
  view.home = Slot::Home::View;
  view.index = argument;
  view.offset = 0;
  view.shape = {2, 2};
  p.slots.push_back(view);
  SlotId reshaped = p.slots.size() - 1;
  step(p, StepKind::Copy, {reshaped}, {result});
  step(p, StepKind::Return, {}, {});
  EXPECT_TRUE(mayReuse(p, 0, 0));
  // Of a part, or from another place.
  p.slots[reshaped].shape = {2};
  EXPECT_FALSE(mayReuse(p, 0, 0));
  p.slots[reshaped].shape = {2, 2};
  p.slots[reshaped].offset = 4;
  EXPECT_FALSE(mayReuse(p, 0, 0));
}

TEST(Donation, TheNextTurnOfALoopReadsAgain) {
  Program p = slots();
  step(p, StepKind::Kernel, {argument}, {between});
  step(p, StepKind::Kernel, {between}, {result});
  step(p, StepKind::Jump, {}, {}, 0);
  step(p, StepKind::Return, {}, {});
  EXPECT_FALSE(mayReuse(p, 0, 0));
  // Read before the loop, or in an earlier loop than the one that writes.
  p = slots();
  step(p, StepKind::Kernel, {argument}, {between});
  step(p, StepKind::Kernel, {between}, {result});
  step(p, StepKind::Jump, {}, {}, 1);
  step(p, StepKind::Return, {}, {});
  EXPECT_TRUE(mayReuse(p, 0, 0));
  p = slots();
  step(p, StepKind::Kernel, {argument}, {between});
  step(p, StepKind::Jump, {}, {}, 0);
  step(p, StepKind::Kernel, {between}, {result});
  step(p, StepKind::Return, {}, {});
  EXPECT_TRUE(mayReuse(p, 0, 0));
}

} // namespace
