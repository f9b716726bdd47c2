//===- memory_plan_test.cc - slots alive together never overlap -----------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/program/memory_plan.h"
#include "shardwright/cpu/program/peak_use.h"
#include "shardwright/cpu/program/program_test_util.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

// Include after GoogleTest, because it does not include GoogleTest.
#include <rapidcheck/gtest.h>

#include <set>

using namespace shardwright;
using namespace shardwright::cpu;
using testing::ElementsAre;

namespace {

SlotId arena(Program &p, int64_t bytes) {
  Slot s;
  s.type = ElementType::U8;
  s.shape = {bytes};
  p.slots.push_back(s);
  return p.slots.size() - 1;
}
SlotId view(Program &p, SlotId of, int64_t offset, int64_t bytes) {
  Slot s;
  s.home = Slot::Home::View;
  s.index = of;
  s.offset = offset;
  s.type = ElementType::U8;
  s.shape = {bytes};
  p.slots.push_back(s);
  return p.slots.size() - 1;
}
TEST(Liveness, StraightLine) {
  Program p;
  SlotId a = arena(p, 8), b = arena(p, 8), c = arena(p, 8);
  step(p, StepKind::Kernel, {}, {a});
  step(p, StepKind::Kernel, {a}, {b});
  step(p, StepKind::Kernel, {b}, {c});
  p.results = {c};
  step(p, StepKind::Return, {}, {});
  auto ranges = liveRanges(p);
  EXPECT_THAT(ranges[a], ElementsAre(LiveRange{0, 2}));
  EXPECT_THAT(ranges[b], ElementsAre(LiveRange{1, 3}));
  EXPECT_THAT(ranges[c], ElementsAre(LiveRange{2, 4}));
  planMemory(p);
  EXPECT_EQ(p.arenaBytes, 128);
}

TEST(Liveness, ABufferFilledInPartsBeginsWithItsFirstPart) {
  Program p;
  SlotId a = arena(p, 8), b = arena(p, 8), filled = arena(p, 16);
  step(p, StepKind::Kernel, {}, {a});
  step(p, StepKind::Kernel, {a}, {b});
  // Updates in place read what they update.
  step(p, StepKind::Kernel, {a, filled}, {filled});
  step(p, StepKind::Kernel, {b, filled}, {filled});
  p.results = {filled};
  step(p, StepKind::Return, {}, {});
  EXPECT_THAT(liveRanges(p)[filled], ElementsAre(LiveRange{2, 5}));
}

TEST(Liveness, ThePeakNamesWhatIsAliveAndWhoWroteIt) {
  Program p;
  SlotId a = arena(p, 64), b = arena(p, 256), c = arena(p, 128);
  SlotId part = view(p, b, 0, 64);
  step(p, StepKind::Kernel, {}, {a});
  step(p, StepKind::Kernel, {a}, {b});
  step(p, StepKind::Kernel, {a}, {part});
  step(p, StepKind::Kernel, {b}, {c});
  p.results = {c};
  step(p, StepKind::Return, {}, {});
  PeakUse peak = peakUse(p);
  EXPECT_EQ(peak.step, 3);
  ASSERT_EQ(peak.holders.size(), 2u);
  EXPECT_EQ(peak.holders[0].slot, b);
  EXPECT_EQ(peak.holders[0].writer, 2);
  EXPECT_EQ(peak.holders[1].slot, c);
  EXPECT_EQ(peak.holders[1].writer, 3);
  EXPECT_EQ(peakUse(Program()).step, -1);
}

TEST(Liveness, ViewsKeepTheirBaseAndPartialWritesStartIt) {
  Program p;
  SlotId base = arena(p, 16), x = arena(p, 8);
  SlotId low = view(p, base, 0, 8), high = view(p, base, 8, 8);
  SlotId nested = view(p, high, 4, 4);
  step(p, StepKind::Kernel, {}, {x});
  step(p, StepKind::Kernel, {x}, {low});
  step(p, StepKind::Kernel, {x}, {high});
  step(p, StepKind::Kernel, {}, {x});
  step(p, StepKind::Kernel, {nested}, {x});
  step(p, StepKind::Return, {}, {});
  auto ranges = liveRanges(p);
  EXPECT_THAT(ranges[base], ElementsAre(LiveRange{1, 5}));
  EXPECT_THAT(ranges[x], ElementsAre(LiveRange{0, 5}));
}

TEST(Liveness, LoopKeepsCarriedAndReadOnlyValues) {
  Program p;
  SlotId carried = arena(p, 8), invariant = arena(p, 8), inner = arena(p, 8),
         pred = arena(p, 1);
  step(p, StepKind::Kernel, {}, {carried});                 // 0
  step(p, StepKind::Kernel, {}, {invariant});               // 1
  step(p, StepKind::Kernel, {carried}, {pred});             // 2
  step(p, StepKind::JumpIfFalse, {pred}, {}, 7);            // 3
  step(p, StepKind::Kernel, {carried, invariant}, {inner}); // 4
  step(p, StepKind::Copy, {inner}, {carried});              // 5
  step(p, StepKind::Jump, {}, {}, 2);                       // 6
  p.results = {carried};
  step(p, StepKind::Return, {}, {}); // 7
  auto ranges = liveRanges(p);
  // The live ranges before and after the copy are adjacent.
  EXPECT_THAT(ranges[carried], ElementsAre(LiveRange{0, 8}));
  EXPECT_THAT(ranges[invariant], ElementsAre(LiveRange{1, 7}));
  EXPECT_THAT(ranges[inner], ElementsAre(LiveRange{4, 6}));
}

TEST(Liveness, BranchesShareMemory) {
  Program p;
  SlotId pred = arena(p, 1), a = arena(p, 64), b = arena(p, 64),
         out = arena(p, 64);
  step(p, StepKind::Kernel, {}, {pred});         // 0
  step(p, StepKind::JumpIfFalse, {pred}, {}, 5); // 1
  step(p, StepKind::Kernel, {}, {a});            // 2
  step(p, StepKind::Kernel, {a}, {out});         // 3
  step(p, StepKind::Jump, {}, {}, 7);            // 4
  step(p, StepKind::Kernel, {}, {b});            // 5
  step(p, StepKind::Kernel, {b}, {out});         // 6
  p.results = {out};
  step(p, StepKind::Return, {}, {}); // 7
  planMemory(p);
  EXPECT_EQ(p.arenaBytes, 128);
}

/// A program of random steps and jumps, with reducible or irreducible control
/// flow.
Program randomProgram() {
  Program p;
  int slots = *rc::gen::inRange(1, 14);
  for (int i = 0; i < slots; ++i) {
    if (i > 0 && *rc::gen::inRange(0, 4) == 0)
      view(p, *rc::gen::inRange(0, i), 0, *rc::gen::inRange(1, 64));
    else
      arena(p, *rc::gen::inRange(0, 400));
  }
  auto slot = [&] { return SlotId(*rc::gen::inRange(0, slots)); };
  int steps = *rc::gen::inRange(1, 24);
  for (int i = 0; i < steps; ++i) {
    int target = *rc::gen::inRange(0, steps + 1);
    switch (*rc::gen::inRange(0, 8)) {
    case 0:
      step(p, StepKind::JumpIfFalse, {slot()}, {}, target);
      break;
    case 1:
      if (*rc::gen::inRange(0, 2)) {
        step(p, StepKind::Jump, {}, {}, target);
      } else {
        step(p, StepKind::Switch, {slot()}, {});
        p.steps.back().payload = p.switchTargets.size();
        p.switchTargets.push_back({target, *rc::gen::inRange(0, steps + 1)});
      }
      break;
    case 2:
      step(p, StepKind::Kernel, {}, {slot()});
      break;
    case 3:
      step(p, StepKind::Collective, {slot(), slot()}, {slot(), slot()});
      break;
    default:
      step(p, StepKind::Kernel, {slot()}, {slot()});
    }
  }
  p.results = {slot()};
  step(p, StepKind::Return, {}, {});
  return p;
}

llvm::SmallVector<int32_t, 4> successors(const Program &p, int32_t i) {
  const Step &s = p.steps[i];
  switch (s.kind) {
  case StepKind::Return:
    return {};
  case StepKind::Jump:
    return {s.target};
  case StepKind::JumpIfFalse:
    return {s.target, i + 1};
  case StepKind::Switch:
    return {p.switchTargets[s.payload].begin(),
            p.switchTargets[s.payload].end()};
  default:
    return {i + 1};
  }
}

/// Follows one value along every path: from the step that writes it to the
/// reads before it is overwritten. The model uses neither basic blocks nor
/// sets.
void walk(const Program &p, SlotId base, int32_t writer,
          std::set<int32_t> &alive) {
  auto reads = [&](int32_t i) {
    const Step &s = p.steps[i];
    auto inputs = s.kind == StepKind::Return ? llvm::ArrayRef<SlotId>(p.results)
                                             : llvm::ArrayRef<SlotId>(s.inputs);
    return llvm::any_of(inputs,
                        [&](SlotId in) { return baseOf(p, in) == base; });
  };
  auto kills = [&](int32_t i) {
    return !reads(i) && llvm::is_contained(p.steps[i].outputs, base);
  };
  // Forward: the steps that the value may reach.
  std::set<int32_t> reached;
  std::vector<int32_t> todo(1, writer);
  while (!todo.empty()) {
    int32_t i = todo.back();
    todo.pop_back();
    for (int32_t next : successors(p, i))
      if (reached.insert(next).second && !kills(next))
        todo.push_back(next);
  }
  // Backward from each of their reads.
  std::set<int32_t> needed;
  for (int32_t i : reached)
    if (reads(i))
      needed.insert(i);
  for (bool changed = true; changed;) {
    changed = false;
    for (int32_t i : reached)
      for (int32_t next : successors(p, i))
        if (needed.count(next) && !kills(i) && needed.insert(i).second)
          changed = true;
  }
  alive.insert(needed.begin(), needed.end());
  alive.insert(writer);
}

RC_GTEST_PROP(MemoryPlan, ValuesAreNeverOverwritten, ()) {
  Program p = randomProgram();
  planMemory(p);
  int32_t steps = p.steps.size();
  std::vector<std::set<int32_t>> alive(p.slots.size());
  for (int32_t i = 0; i < steps; ++i)
    for (SlotId out : p.steps[i].outputs) {
      SlotId base = baseOf(p, out);
      walk(p, base, i, alive[base]);
    }
  // Operands of a step are alive even if no step wrote them.
  for (int32_t i = 0; i < steps; ++i)
    for (SlotId in : p.steps[i].inputs)
      alive[baseOf(p, in)].insert(i);
  for (SlotId a = 0; a < SlotId(p.slots.size()); ++a) {
    if (p.slots[a].home != Slot::Home::Arena)
      continue;
    int64_t beginA = p.slots[a].offset, endA = beginA + p.slots[a].bytes();
    RC_ASSERT(beginA % 64 == 0);
    RC_ASSERT(alive[a].empty() || endA <= p.arenaBytes);
    for (SlotId b = 0; b < a; ++b) {
      if (p.slots[b].home != Slot::Home::Arena)
        continue;
      int64_t beginB = p.slots[b].offset, endB = beginB + p.slots[b].bytes();
      if (beginA < endB && beginB < endA)
        for (int32_t i : alive[a])
          RC_ASSERT(!alive[b].count(i));
    }
  }
}

RC_GTEST_PROP(MemoryPlan, IsDeterministicAndCloseToTheBound, ()) {
  Program p = randomProgram(), q = p;
  planMemory(p);
  planMemory(q);
  RC_ASSERT(p.arenaBytes == q.arenaBytes);
  for (size_t i = 0; i < p.slots.size(); ++i)
    RC_ASSERT(p.slots[i].offset == q.slots[i].offset);
  int64_t bound = minimumArenaBytes(p);
  RC_ASSERT(p.arenaBytes >= bound);
  // In arenas of few slots, the plan may be one or two aligned slots larger.
  RC_ASSERT(p.arenaBytes <= bound * 3 / 2 + 128);
}

TEST(MemoryPlan, ManySlotsQuickly) {
  // A transformer-like chain: long-lived residuals, short-lived temporaries.
  Program p;
  uint64_t state = 1;
  auto random = [&](int64_t n) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return int64_t(state >> 33) % n;
  };
  std::vector<SlotId> recent;
  for (int i = 0; i < 20000; ++i) {
    SlotId out = arena(p, 64 << random(12));
    llvm::SmallVector<SlotId, 2> in;
    for (int k = 0; k < 2 && !recent.empty(); ++k)
      in.push_back(recent[recent.size() - 1 -
                          random(std::min<int64_t>(recent.size(),
                                                   random(20) ? 8 : 400))]);
    step(p, StepKind::Kernel, in, {out});
    recent.push_back(out);
  }
  p.results = {recent.back()};
  step(p, StepKind::Return, {}, {});
  planMemory(p);
  EXPECT_LE(p.arenaBytes, minimumArenaBytes(p) * 11 / 10);
}

TEST(MemoryPlan, FewSlotsComeNearTheBound) {
  uint64_t state = 7;
  auto random = [&](int64_t n) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return int64_t(state >> 33) % n;
  };
  double worst = 1, sum = 0;
  constexpr int programs = 300;
  for (int i = 0; i < programs; ++i) {
    Program p;
    std::vector<SlotId> made;
    for (int k = 0; k < 50; ++k) {
      SlotId out = arena(p, 64 * (1 + random(40)));
      llvm::SmallVector<SlotId, 2> in;
      for (int j = 0; j < 2 && !made.empty(); ++j)
        in.push_back(
            made[made.size() - 1 -
                 random(std::min<int64_t>(made.size(), random(3) ? 4 : 30))]);
      step(p, StepKind::Kernel, in, {out});
      made.push_back(out);
    }
    p.results = {made.back()};
    step(p, StepKind::Return, {}, {});
    planMemory(p);
    double ratio = double(p.arenaBytes) / double(minimumArenaBytes(p));
    worst = std::max(worst, ratio);
    sum += ratio;
  }
  EXPECT_LE(worst, 1.13);
  EXPECT_LE(sum / programs, 1.025);
}

TEST(MemoryPlan, BadIndicesAreLeftToTheExecutor) {
  Program p;
  arena(p, 8);
  view(p, 1, 0, 8); // of itself
  step(p, StepKind::Kernel, {7}, {0});
  planMemory(p);
  EXPECT_EQ(p.arenaBytes, 0);
}

} // namespace
