//===- loop_spans_test.cc - loops in traces of random programs ------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/execute/executor_test_util.h"
#include "shardwright/cpu/program/program_loops.h"

#include <random>

using namespace shardwright;
using namespace shardwright::cpu;
using namespace shardwright::cpu::test;

namespace {

/// What a traced run should show of a loop.
struct Expected {
  int32_t depth;
  size_t iterations;
  bool operator==(const Expected &) const = default;
};

std::ostream &operator<<(std::ostream &os, const Expected &one) {
  return os << "depth " << one.depth << ", " << one.iterations << " iterations";
}

/// A program of kernels, loops and branches. The trip count of each loop is an
/// argument of each device.
class RandomLoops {
public:
  RandomLoops(int32_t devices, uint32_t seed) : b(devices), rng(seed) {
    x = b.argument();
    y = b.result();
    always = b.argument(ElementType::Pred, {});
    root = makeBlock(0);
  }

  Program build() {
    emit(root);
    b.kernel(addOne, {x}, {y});
    return b.finish();
  }
  size_t numLimits() const { return limits.size(); }
  /// Trip counts of one device by loop, in order of creation.
  std::vector<Expected> expected(llvm::ArrayRef<int32_t> trips) const {
    std::vector<Expected> list;
    run(root, trips, 0, list);
    return list;
  }
  int draw(int bound) { return int(rng() % uint32_t(bound)); }

private:
  struct Item {
    enum Kind { Kernel, Loop, Branch } kind = Kernel;
    size_t limit = 0;
    std::vector<Item> inside;
  };

  std::vector<Item> makeBlock(int depth) {
    std::vector<Item> items(size_t(draw(3)) + (depth == 0 ? 2 : 0));
    for (Item &item : items) {
      item.kind = depth < 3 ? Item::Kind(draw(3)) : Item::Kernel;
      if (item.kind == Item::Loop) {
        item.limit = limits.size();
        limits.push_back(b.argument(ElementType::S32, {}));
      }
      if (item.kind != Item::Kernel)
        item.inside = makeBlock(depth + 1);
    }
    return items;
  }
  void emit(const std::vector<Item> &items) {
    for (const Item &item : items)
      if (item.kind == Item::Kernel)
        b.kernel(addOne, {x}, {y});
      else if (item.kind == Item::Loop)
        b.loop(limits[item.limit], [&] { emit(item.inside); });
      else
        b.branch(always, [&] { emit(item.inside); }, [] {});
  }
  void run(const std::vector<Item> &items, llvm::ArrayRef<int32_t> trips,
           int32_t depth, std::vector<Expected> &list) const {
    for (const Item &item : items) {
      bool isLoop = item.kind == Item::Loop;
      int32_t times = isLoop ? trips[item.limit] : 1;
      if (isLoop)
        list.push_back({depth, size_t(times)});
      for (int32_t i = 0; i < times; ++i)
        run(item.inside, trips, depth + isLoop, list);
    }
  }

  Builder b;
  std::mt19937 rng;
  SlotId x, y, always;
  std::vector<SlotId> limits;
  std::vector<Item> root;
};

/// Each span holds the inner ones and the steps of its loop; iterations follow
/// each other.
void checkTimes(const std::vector<ProgramLoop> &loops,
                const std::vector<LoopSpan> &spans, const Trace &trace,
                int64_t device) {
  std::vector<const LoopSpan *> around;
  for (const LoopSpan &span : spans) {
    around.resize(size_t(span.depth));
    if (!around.empty()) {
      EXPECT_LE(around.back()->begin, span.begin);
      EXPECT_GE(around.back()->end, span.end);
    }
    around.push_back(&span);
    for (size_t i = 0; i < span.iterationEnds.size(); ++i) {
      EXPECT_LE(span.iterationBegin(i), span.iterationEnds[i]);
      EXPECT_LE(span.iterationEnds[i], span.end);
    }
  }
  for (const Trace::Span &step : trace.of(device))
    for (auto [number, loop] : llvm::enumerate(loops)) {
      if (step.step < loop.begin || step.step >= loop.end)
        continue;
      EXPECT_TRUE(llvm::any_of(spans,
                               [&](const LoopSpan &span) {
                                 return span.loop == int32_t(number) &&
                                        span.begin <= step.begin &&
                                        step.end <= span.end;
                               }))
          << "step " << step.step << " is in no run of its loop";
    }
}

class LoopSpans : public Executors {};

TEST_P(LoopSpans, OfRandomPrograms) {
  for (uint32_t seed = 0; seed < 200; ++seed) {
    RandomLoops random(3, seed);
    Program program = random.build();
    auto executor = cantFail(Executor::create(program));
    Arrays arrays(program);
    std::vector<std::vector<int32_t>> trips(program.numDevices());
    for (int d = 0; d < program.numDevices(); ++d) {
      arrays.argument<uint8_t>(d, 1) = 1;
      for (size_t i = 0; i < random.numLimits(); ++i) {
        trips[d].push_back(random.draw(4));
        arrays.argument<int32_t>(d, int(i) + 2) = trips[d].back();
      }
    }
    Trace trace;
    ASSERT_FALSE(bool(executor->run(arrays.buffers, pool, nullptr, &trace)));
    std::vector<ProgramLoop> loops = programLoops(program);
    EXPECT_EQ(random.numLimits(), loops.size());
    for (int d = 0; d < program.numDevices(); ++d) {
      std::vector<LoopSpan> spans = loopSpans(loops, trace, d);
      std::vector<Expected> found;
      for (const LoopSpan &span : spans)
        found.push_back({span.depth, span.iterationEnds.size()});
      EXPECT_EQ(random.expected(trips[d]), found)
          << "seed " << seed << ", device " << d;
      checkTimes(loops, spans, trace, d);
    }
    if (HasFailure())
      return;
  }
}

/// A loop whose condition begins with a loop begins at the same step.
TEST(ProgramLoops, LoopsOfOneBegin) {
  Builder b(1);
  SlotId pred = b.argument(ElementType::Pred, {});
  int32_t inner = b.step(StepKind::JumpIfFalse, {pred}, {});
  int32_t back = b.step(StepKind::Jump, {}, {});
  int32_t outer = b.step(StepKind::JumpIfFalse, {pred}, {});
  int32_t end = b.step(StepKind::Jump, {}, {});
  b.p.steps[inner].target = outer;
  b.p.steps[back].target = b.p.steps[end].target = inner;
  b.p.steps[outer].target = end + 1;
  b.p.steps[end].location = 0;
  b.p.locations.push_back("stablehlo.while at f.py:1:2");
  std::vector<ProgramLoop> loops = programLoops(b.finish());
  ASSERT_EQ(2u, loops.size());
  EXPECT_EQ(std::pair(0, 4), std::pair(loops[0].begin, loops[0].end));
  EXPECT_EQ("stablehlo.while at f.py:1:2", loops[0].name);
  EXPECT_EQ(std::pair(0, 2), std::pair(loops[1].begin, loops[1].end));
  // Two iterations of the outer loop, with one and none of the inner loop.
  Trace trace;
  trace.addDevice({}, {{0, 1, 0},
                       {1, 2, 0},
                       {0, 3, 0},
                       {2, 4, 0},
                       {3, 5, 0},
                       {0, 6, 0},
                       {2, 7, 0},
                       {3, 8, 0},
                       {0, 9, 0},
                       {2, 10, 0}});
  std::vector<LoopSpan> spans = loopSpans(loops, trace, 0);
  ASSERT_EQ(4u, spans.size());
  EXPECT_EQ((std::vector<int64_t>{5, 8}), spans[0].iterationEnds);
  EXPECT_EQ((std::vector<int64_t>{2}), spans[1].iterationEnds);
  EXPECT_TRUE(spans[2].iterationEnds.empty());
  EXPECT_TRUE(spans[3].iterationEnds.empty());
  EXPECT_EQ(1, spans[0].begin);
  EXPECT_EQ(10, spans[0].end);
}

/// Programs from outside may jump anywhere.
TEST(ProgramLoops, OverlappingJumpsNest) {
  Builder b(1);
  SlotId x = b.argument(), y = b.result();
  for (int i = 0; i < 2; ++i)
    b.kernel(addOne, {x}, {y});
  int32_t first = b.step(StepKind::Jump, {}, {});
  int32_t second = b.step(StepKind::Jump, {}, {});
  b.p.steps[first].target = 0;
  b.p.steps[second].target = 1;
  std::vector<ProgramLoop> loops = programLoops(b.finish());
  ASSERT_EQ(2u, loops.size());
  EXPECT_EQ(std::pair(0, 4), std::pair(loops[0].begin, loops[0].end));
  EXPECT_EQ(std::pair(1, 4), std::pair(loops[1].begin, loops[1].end));
}

INSTANTIATE_TEST_SUITE_P(Threads, LoopSpans, testing::Values(1, 2));

} // namespace
