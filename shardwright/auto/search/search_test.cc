//===- search_test.cc - trials, moves and searches ------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/auto/search/search.h"

#include "shardwright/auto/problem/parse_test_util.h"
#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/interop/import_module.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

#include <optional>
#include <set>

using namespace mlir;
using namespace shardwright;

namespace {

/// A program after stage Import, what a search may decide, and its trials.
struct Program {
  explicit Program(llvm::StringRef text) {
    module = parseSourceString<ModuleOp>(text, &context);
    if (!module || failed(importModule(*module)) ||
        failed(simplifyForDevices(*module, 0)))
      return;
    FailureOr<AutoProblem> read = readProblem(*module, {});
    if (failed(read))
      return;
    problem = std::move(*read);
    // As much slower than a real machine as the program is smaller.
    MachineModel &machine = options.partition.machine.emplace();
    machine.defaultFlopsPerSecond = 5e10;
    machine.memoryBytesPerSecond = 2e11;
    machine.link.bytesPerSecond = 1e10;
    machine.link.latencySeconds = 2e-7;
    trials.emplace(*module, *problem, options);
  }

  /// The plan with axis 0 at a dimension (-1: none) of each argument in order.
  Plan withDims(llvm::ArrayRef<int32_t> dims) {
    Plan plan(*problem);
    for (auto [c, dim] : llvm::enumerate(dims))
      if (dim >= 0)
        plan.put(*problem, int32_t(c), 0, dim);
    return plan;
  }
  /// The class of argument `index`.
  int32_t classOf(int32_t index) {
    for (auto [c, cls] : llvm::enumerate(problem->classes))
      for (const Site &site : cls.sites)
        if (site.kind == Site::Kind::Argument && site.index == index)
          return int32_t(c);
    return -1;
  }
  /// The number of the op of this name that comes `skip` after the first.
  int32_t numberOf(llvm::StringRef name, int skip = 0) {
    for (auto [n, op] : llvm::enumerate(numberedOps(*module)))
      if (op->getName().getStringRef() == name && skip-- == 0)
        return int32_t(n);
    return -1;
  }

  test::AllDialects context;
  CompileOptions options;
  OwningOpRef<ModuleOp> module;
  std::optional<AutoProblem> problem;
  std::optional<Trials> trials;
};

/// Two layers with biases: x w1 + b1, tanh, w2 + b2.
constexpr llvm::StringLiteral kMlp(R"(
sdy.mesh @mesh = <["x"=4]>
func.func @main(%x: tensor<8x64xf32>, %w1: tensor<64x256xf32>, %b1: tensor<256xf32>,
                %w2: tensor<256x64xf32>, %b2: tensor<64xf32>) -> tensor<8x64xf32> {
  %0 = stablehlo.dot_general %x, %w1, contracting_dims = [1] x [0]
      : (tensor<8x64xf32>, tensor<64x256xf32>) -> tensor<8x256xf32>
  %1 = stablehlo.broadcast_in_dim %b1, dims = [1] : (tensor<256xf32>) -> tensor<8x256xf32>
  %2 = stablehlo.add %0, %1 : tensor<8x256xf32>
  %3 = stablehlo.tanh %2 : tensor<8x256xf32>
  %4 = stablehlo.dot_general %3, %w2, contracting_dims = [1] x [0]
      : (tensor<8x256xf32>, tensor<256x64xf32>) -> tensor<8x64xf32>
  %5 = stablehlo.broadcast_in_dim %b2, dims = [1] : (tensor<64xf32>) -> tensor<8x64xf32>
  %6 = stablehlo.add %4, %5 : tensor<8x64xf32>
  return %6 : tensor<8x64xf32>
})");

TEST(FactorMoves, OperandsBiasAndTheNextProductChangeTogether) {
  Program p(kMlp);
  ASSERT_TRUE(p.trials);
  FactorMoves moves(*p.module, *p.problem);
  auto always = [](const SiteClass &) { return true; };
  bool isFound = false;
  for (const LayoutMove &move :
       moves.ofOp(p.numberOf("stablehlo.dot_general"))) {
    Plan plan(*p.problem);
    moves.apply(move, plan, always);
    auto dimOf = [&](int32_t argument) {
      return plan.of(p.classOf(argument)).dimOf[0];
    };
    isFound |= dimOf(0) == -1 && dimOf(1) == 1 && dimOf(2) == 0 &&
               dimOf(3) == 0 && dimOf(4) == -1;
  }
  EXPECT_TRUE(isFound);
}

TEST(FactorMoves, AnOpIsFreedOfAnAxis) {
  Program p(kMlp);
  ASSERT_TRUE(p.trials);
  FactorMoves moves(*p.module, *p.problem);
  Plan sharded = p.withDims({0, 1, 0, 0, -1});
  bool isFound = false;
  for (const LayoutMove &move :
       moves.ofOp(p.numberOf("stablehlo.dot_general"))) {
    Plan plan = sharded;
    moves.apply(move, plan, [](const SiteClass &) { return true; });
    isFound |= plan.of(p.classOf(0)).dimOf[0] == -1 &&
               plan.of(p.classOf(1)).dimOf[0] == -1;
  }
  EXPECT_TRUE(isFound);
}

TEST(FactorMoves, ArgumentsAloneAreAnnotatedIfAsked) {
  Program p(kMlp);
  ASSERT_TRUE(p.trials);
  FactorMoves moves(*p.module, *p.problem);
  for (const LayoutMove &move :
       moves.ofOp(p.numberOf("stablehlo.dot_general"))) {
    Plan plan(*p.problem);
    moves.apply(move, plan, [](const SiteClass &cls) {
      return cls.kind() != Site::Kind::Inner;
    });
    EXPECT_FALSE(plan.usesInner(*p.problem));
  }
}

TEST(Moves, AnAxisIsTakenAwayFromAColour) {
  Program p(kMlp);
  ASSERT_TRUE(p.trials);
  Moves moves(*p.module, *p.problem, /*specsOnly=*/false);
  // The hidden units (columns of w1, b1, rows of w2) and the columns of w2.
  const Plan sharded = p.withDims({-1, 1, 0, 0, 0});
  auto has = [&](const std::vector<int32_t> &dims) {
    return llvm::any_of(moves.always(), [&](int32_t move) {
      Plan plan = sharded;
      return moves.apply(move, plan) && plan.key() == p.withDims(dims).key();
    });
  };
  EXPECT_TRUE(has({-1, -1, -1, -1, 0}));
  // A colour without the axis changes nothing.
  EXPECT_FALSE(has({-1, 1, 0, 0, 0}));
}

TEST(Moves, AnAxisTakesThePlaceOfOneThatLeavesNoRoom) {
  Program p(R"(
sdy.mesh @mesh = <["x"=4, "y"=2]>
func.func @main(%a: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = stablehlo.negate %a : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
})");
  ASSERT_TRUE(p.trials);
  Plan plan = p.withDims({0});
  EXPECT_FALSE(plan.put(*p.problem, 0, /*axis=*/1, 0));
  ASSERT_TRUE(plan.putInPlace(*p.problem, 0, /*axis=*/1, 0));
  EXPECT_EQ(plan.of(0).dimOf, (llvm::SmallVector<int8_t, 4>{-1, 0}));
  // Where there is room, axes stay beside each other.
  ASSERT_TRUE(plan.putInPlace(*p.problem, 0, /*axis=*/0, 1));
  EXPECT_EQ(plan.of(0).dimOf, (llvm::SmallVector<int8_t, 4>{1, 0}));
  EXPECT_FALSE(plan.putInPlace(*p.problem, 0, /*axis=*/0, 1));
}

TEST(Blame, NamesTheOpsThatCost) {
  Program p(kMlp);
  ASSERT_TRUE(p.trials);
  // All devices repeat both products.
  Blame blame = p.trials->blame(Plan(*p.problem));
  ASSERT_GE(blame.ops.size(), 2u);
  std::set<int32_t> costliest{blame.ops[0].number, blame.ops[1].number};
  EXPECT_EQ(costliest,
            (std::set<int32_t>{p.numberOf("stablehlo.dot_general"),
                               p.numberOf("stablehlo.dot_general", 1)}));
  ASSERT_FALSE(blame.held.empty());
  EXPECT_EQ(blame.held[0].kind, Blame::Held::Kind::Argument);
  EXPECT_EQ(blame.held[0].bytes, 64 * 256 * 4);
  // The batch divides all work, and nothing is sent.
  double before = blame.ops[0].seconds;
  blame = p.trials->blame(p.withDims({0, -1, -1, -1, -1}));
  EXPECT_LT(blame.ops.empty() ? 0 : blame.ops[0].seconds, before / 10);
}

TEST(Blame, IsTheSameWithAndWithoutATrial) {
  const std::vector<std::vector<int32_t>> layouts = {
      {-1, 1}, {0}, {-1, 0, -1, 1}};
  for (const std::vector<int32_t> &dims : layouts) {
    Program tried(kMlp), fresh(kMlp);
    ASSERT_TRUE(tried.trials && fresh.trials);
    // The first trial has the shortest step so far, so it notes its blame.
    tried.trials->of(tried.withDims(dims));
    Blame noted = tried.trials->blame(tried.withDims(dims));
    Blame partitioned = fresh.trials->blame(fresh.withDims(dims));
    EXPECT_EQ(tried.trials->spent(), fresh.trials->spent() + 1);
    ASSERT_FALSE(noted.held.empty());
    ASSERT_EQ(noted.ops.size(), partitioned.ops.size());
    for (auto [a, b] : llvm::zip_equal(noted.ops, partitioned.ops))
      EXPECT_EQ(std::pair(a.number, a.seconds), std::pair(b.number, b.seconds));
    ASSERT_EQ(noted.held.size(), partitioned.held.size());
    for (auto [a, b] : llvm::zip_equal(noted.held, partitioned.held))
      EXPECT_EQ(std::tuple(a.kind, a.number, a.bytes),
                std::tuple(b.kind, b.number, b.bytes));
  }
}

TEST(Trials, ManyAtATimeAreAsOneAtATime) {
  Program together(kMlp), alone(kMlp);
  ASSERT_TRUE(together.trials && alone.trials);
  std::vector<std::vector<int32_t>> layouts = {{0, -1, -1, -1, -1},
                                               {-1, 1, 0, 0, -1},
                                               {1, 0, -1, 1, 0},
                                               {0, 1, 0, 1, 0}};
  std::vector<Plan> plans;
  for (const std::vector<int32_t> &dims : layouts)
    plans.push_back(together.withDims(dims));
  together.trials->tryAll(pointersTo(plans));
  EXPECT_EQ(together.trials->count(), 4);
  for (size_t i = 0; i < plans.size(); ++i) {
    const Trial *found = together.trials->find(plans[i]);
    ASSERT_TRUE(found && found->works);
    const Trial &expected = alone.trials->of(alone.withDims(layouts[i]));
    EXPECT_EQ(found->seconds(), expected.seconds());
    EXPECT_EQ(found->peak, expected.peak);
    EXPECT_EQ(found->sent, expected.sent);
    // A copy in the user's context gives the same.
    OwningOpRef<ModuleOp> copy = alone.trials->annotated(plans[i]);
    EXPECT_EQ(alone.trials->partition(*copy).seconds(), found->seconds());
  }
}

TEST(Trials, PlansThatPropagateAlikeArePartitionedOnce) {
  Program p(kMlp);
  ASSERT_TRUE(p.trials);
  Plan plan = p.withDims({-1, 1, 0, 0, -1});
  const Trial first = p.trials->of(plan);
  // The first product has this layout anyway.
  for (auto [c, cls] : llvm::enumerate(p.problem->classes))
    if (cls.kind() == Site::Kind::Inner && cls.type.getDimSize(1) == 256) {
      ASSERT_TRUE(plan.put(*p.problem, int32_t(c), 0, 1));
    }
  const Trial &second = p.trials->of(plan);
  EXPECT_EQ(p.trials->count(), 1);
  EXPECT_EQ(first.seconds(), second.seconds());
  EXPECT_EQ(first.peak, second.peak);
  EXPECT_NE(p.trials->of(p.withDims({0, -1, -1, -1, -1})).peak, first.peak);
  EXPECT_EQ(p.trials->count(), 2);
}

TEST(Trials, EqualShardingsInOneCallArePartitionedOnce) {
  Program p(kMlp);
  ASSERT_TRUE(p.trials);
  std::vector<Plan> plans(4, p.withDims({-1, 1, 0, 0, -1}));
  for (auto [c, cls] : llvm::enumerate(p.problem->classes))
    if (cls.kind() == Site::Kind::Inner && cls.type.getDimSize(1) == 256) {
      ASSERT_TRUE(plans[1].put(*p.problem, int32_t(c), 0, 1));
      ASSERT_TRUE(plans[3].put(*p.problem, int32_t(c), 0, 1));
    }
  plans[3].setPriority(p.classOf(0), 1);
  p.trials->tryAll(pointersTo(plans));
  EXPECT_EQ(p.trials->count(), 1);
  for (const Plan &plan : plans)
    EXPECT_EQ(p.trials->of(plan).seconds(), p.trials->of(plans[0]).seconds());
}

TEST(Trials, ExpectedPlansCountWhenTheyAreAskedFor) {
  Program p(kMlp), alone(kMlp);
  ASSERT_TRUE(p.trials && alone.trials);
  Plan first = p.withDims({0, -1, -1, -1, -1}),
       second = p.withDims({-1, 1, 0, 0, -1}), third = p.withDims({0, 1, 0});
  for (int i = 0; i < 20; ++i) {
    // Another program each time, so that threads end at different times.
    Program own(kMlp);
    own.trials->tryAll(&first, {&second, &third});
    EXPECT_EQ(own.trials->count(), 1);
    EXPECT_EQ(own.trials->find(second), nullptr);
    Blame blame = own.trials->blame(first, &third, &second);
    EXPECT_EQ(own.trials->count(), 1);
    EXPECT_EQ(own.trials->spent(), 2);
    EXPECT_EQ(blame.ops.size(), alone.trials->blame(first).ops.size());
    EXPECT_EQ(own.trials->of(second).seconds(),
              alone.trials->of(second).seconds());
    EXPECT_EQ(own.trials->count(), 2);
  }
}

TEST(PlanSearch, IsTheSameWithoutThreads) {
  Program threads(kMlp), one(kMlp);
  ASSERT_TRUE(threads.trials && one.trials);
  // Functions of the caller run in its thread, one at a time.
  const std::thread::id caller = std::this_thread::get_id();
  one.options.beforePropagate = [&](ModuleOp) {
    return success(std::this_thread::get_id() == caller);
  };
  one.trials.emplace(*one.module, *one.problem, one.options);
  std::vector<Candidate> found;
  for (Program *p : {&threads, &one}) {
    PlanSearch search(*p->module, *p->problem, *p->trials, {30000},
                      /*specsOnly=*/false, nullptr);
    Plan replicated(*p->problem);
    found.push_back(
        search.climb({"", replicated, p->trials->of(replicated)}, 150));
    found.push_back(search.prune(found.back(), 20));
  }
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_TRUE(found[i].trial.works);
    EXPECT_EQ(found[i].plan.key(), found[i + 2].plan.key());
    EXPECT_EQ(found[i].trial.seconds(), found[i + 2].trial.seconds());
  }
  EXPECT_EQ(threads.trials->count(), one.trials->count());
  EXPECT_EQ(threads.trials->spent(), one.trials->spent());
  EXPECT_GT(threads.trials->count(), 20);
}

TEST(Objective, PlansThatAreALittleTooLargeLeadOn) {
  Objective objective{100};
  auto trial = [](double seconds, double peak) {
    Trial made;
    made.works = true;
    made.step.compute = seconds;
    made.peak = peak;
    return made;
  };
  Trial fast = trial(1, 102), slow = trial(2, 100), small = trial(4, 50);
  EXPECT_LT(objective.merit(fast), objective.merit(slow));
  EXPECT_LT(objective.merit(slow), objective.merit(small));
  // But only what fits is an answer.
  EXPECT_TRUE(objective.isBetter(small, fast));
  EXPECT_GT(objective.loss(fast, small), Objective::kDoesNotFit);
  EXPECT_LT(objective.loss(slow, small), 0);
  EXPECT_FALSE(objective.isBetter(Trial(), small));
}

/// The best plan of all layouts of the arguments of kMlp that fits.
const Trial *exhaust(Program &p, const Objective &objective,
                     std::vector<Plan> &plans) {
  const int32_t ranks[] = {2, 2, 1, 2, 1};
  plans.assign(1, Plan(*p.problem));
  for (int32_t argument = 0; argument < 5; ++argument) {
    size_t before = plans.size();
    for (size_t i = 0; i < before; ++i)
      for (int32_t dim = 0; dim < ranks[argument]; ++dim) {
        Plan plan = plans[i];
        if (plan.put(*p.problem, p.classOf(argument), 0, dim))
          plans.push_back(std::move(plan));
      }
  }
  const Trial *best = nullptr;
  for (const Plan &plan : plans) {
    const Trial &trial = p.trials->of(plan);
    if (!best || objective.isBetter(trial, *best))
      best = &trial;
  }
  return best;
}

TEST(PlanSearch, IsAsGoodAsAllLayoutsOfArguments) {
  Program p(kMlp);
  ASSERT_TRUE(p.trials);
  std::vector<Plan> plans;
  exhaust(p, {1e12}, plans);
  ASSERT_EQ(plans.size(), size_t(3 * 3 * 2 * 3 * 2));
  // Each limit excludes some layouts.
  std::set<double> limits;
  for (const Plan &plan : plans)
    limits.insert(p.trials->of(plan).peak);
  ASSERT_GT(limits.size(), 10u);
  int at = 0;
  for (double limit : limits) {
    if (at++ % 5)
      continue;
    Objective objective{limit};
    const Trial best = *exhaust(p, objective, plans);
    Program fresh(kMlp);
    PlanSearch search(*fresh.module, *fresh.problem, *fresh.trials, objective,
                      /*specsOnly=*/true, nullptr);
    Plan replicated(*fresh.problem);
    Candidate found =
        search.climb({"", replicated, fresh.trials->of(replicated)}, 300);
    EXPECT_TRUE(objective.fits(found.trial)) << limit;
    EXPECT_LE(found.trial.seconds(), 1.01 * best.seconds()) << limit;
    EXPECT_FALSE(found.plan.usesInner(*fresh.problem));
  }
}

TEST(PlanSearch, EndsAfterTrialsWithoutGain) {
  Program p(kMlp);
  ASSERT_TRUE(p.trials);
  PlanSearch search(*p.module, *p.problem, *p.trials, {1e12},
                    /*specsOnly=*/true, nullptr);
  Plan replicated(*p.problem);
  const Trial first = p.trials->of(replicated);
  search.setPatience(12, first);
  Candidate found = search.climb({"", replicated, first}, 300);
  // Gains do not count against the patience.
  EXPECT_LT(found.trial.seconds(), 0.5 * first.seconds());
  EXPECT_GT(p.trials->spent(), 12);
  // The same start with trials of its own, so that no plan has been tried.
  auto climbAgain = [&](int64_t patience) {
    Program fresh(kMlp);
    PlanSearch again(*fresh.module, *fresh.problem, *fresh.trials, {1e12},
                     /*specsOnly=*/true, nullptr);
    const Trial start = fresh.trials->of(found.plan);
    again.setPatience(patience, start);
    int64_t before = fresh.trials->spent();
    again.climb({"", found.plan, start}, 300);
    return fresh.trials->spent() - before;
  };
  // Nothing near it is better: at most a pair of trials more.
  int64_t numTrials = climbAgain(6);
  EXPECT_GE(numTrials, 6);
  EXPECT_LE(numTrials, 8);
  EXPECT_GT(climbAgain(300), 12);
}

/// The manual computation takes "y" as the major axis, against the mesh.
constexpr llvm::StringLiteral kMinorFirst(R"(
sdy.mesh @mesh = <["x"=3, "y"=2]>
func.func @main(%a: tensor<24x8xf32>) -> tensor<24x8xf32> {
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"y", "x"}, {}]>] out_shardings=[<@mesh, [{"y", "x"}, {}]>] manual_axes={"x", "y"} (%m: tensor<4x8xf32>) {
    %1 = stablehlo.add %m, %m : tensor<4x8xf32>
    sdy.return %1 : tensor<4x8xf32>
  } : (tensor<24x8xf32>) -> tensor<24x8xf32>
  return %0 : tensor<24x8xf32>
})");

TEST(PlanSearch, AxesOfOneDimensionChangeTheirOrder) {
  // No device has memory for more than its own part.
  Program p(kMinorFirst);
  ASSERT_TRUE(p.trials);
  const double limit = 3 * 4 * 8 * sizeof(float);
  PlanSearch search(*p.module, *p.problem, *p.trials, {limit},
                    /*specsOnly=*/true, nullptr);
  Plan replicated(*p.problem);
  Candidate found =
      search.climb({"", replicated, p.trials->of(replicated)}, 60);
  EXPECT_LE(found.trial.peak, limit);
  EXPECT_EQ(found.trial.sent, 0);
  EXPECT_EQ(found.plan.axisOrder(), (llvm::ArrayRef<int32_t>{1, 0}));
  Plan other = found.plan;
  ASSERT_TRUE(other.swapOrder(0, 1));
  EXPECT_NE(other.key(), found.plan.key());
  EXPECT_FALSE(replicated.swapOrder(0, 1));
}

TEST(PlanSearch, AnAxisIsAddedInTheOrderThatCostsNothing) {
  // In the order of the mesh, "x" beside "z" exchanges everything; the order
  // can change only once both axes are there.
  Program p(R"(
sdy.mesh @mesh = <["x"=2, "y"=3, "z"=2]>
func.func @main(%a: tensor<6x3x3x6xf32>, %b: tensor<7x3xf32>, %c: tensor<8xi32>) -> (tensor<8xi32>, tensor<7x3xf32>) {
  %0 = stablehlo.tan %b : tensor<7x3xf32>
  %1 = sdy.manual_computation(%c) in_shardings=[<@mesh, [{"z", "x"}]>] out_shardings=[<@mesh, [{"z", "x"}]>] manual_axes={"y", "z"} (%m: tensor<4xi32>) {
    %r = stablehlo.add %m, %m : tensor<4xi32>
    sdy.return %r : tensor<4xi32>
  } : (tensor<8xi32>) -> tensor<8xi32>
  return %1, %0 : tensor<8xi32>, tensor<7x3xf32>
})");
  ASSERT_TRUE(p.trials);
  PlanSearch search(*p.module, *p.problem, *p.trials, {1e12},
                    /*specsOnly=*/true, nullptr);
  Plan start(*p.problem);
  Candidate found = search.climb({"", start, p.trials->of(start)}, 400);
  Plan best = found.plan;
  int32_t cls = p.classOf(2);
  for (int32_t axis : {0, 2})
    best.put(*p.problem, cls, axis, 0);
  best.swapOrder(0, 2);
  EXPECT_LE(found.trial.seconds(), p.trials->of(best).seconds())
      << found.trial.seconds();
}

} // namespace
