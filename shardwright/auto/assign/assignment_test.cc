//===- assignment_test.cc - assignments are optimal -----------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/auto/assign/assignment.h"
#include "shardwright/auto/assign/contract_assignment.h"
#include "shardwright/auto/assign/improve_assignment.h"
#include "shardwright/auto/assign/solved_assignments.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

using namespace shardwright;

namespace {

using Status = LinearSolution::Status;
constexpr double infinite = LinearProgram::infinity;

bool isClose(double a, double b) {
  return std::abs(a - b) <= 1e-6 * std::max({1.0, std::abs(a), std::abs(b)});
}

class SolverTest : public ::testing::Test {
protected:
  void SetUp() override {
    if (!solverMissing().empty())
      GTEST_SKIP() << solverMissing();
  }
};

/// The least cost of two things of which one is needed.
LinearProgram cover(double a, double b) {
  LinearProgram program;
  program.columns = {{a, 0, 1, true}, {b, 0, 1, true}};
  program.rows = {{1, infinite, {{0, 1}, {1, 1}}}};
  return program;
}

TEST_F(SolverTest, SolvesAndGivesDuals) {
  LinearSolution solution = solve(cover(3, 2), {});
  ASSERT_EQ(solution.status, Status::Optimal);
  EXPECT_EQ(solution.values, (std::vector<double>{0, 1}));
  EXPECT_DOUBLE_EQ(solution.objective, 2);
  // Ties are broken by costs that are a little less.
  EXPECT_LE(solution.bound, 2);
  EXPECT_NEAR(solution.bound, 2, 1e-5);
  ASSERT_EQ(solution.duals.size(), 1u);
  EXPECT_NEAR(solution.duals[0], 2, 1e-5);
}

TEST_F(SolverTest, SmallUnitsOfCostMatter) {
  LinearSolution solution = solve(cover(3e-12, 2e-12), {});
  ASSERT_EQ(solution.status, Status::Optimal);
  EXPECT_EQ(solution.values, (std::vector<double>{0, 1}));
}

TEST_F(SolverTest, SaysWhatHasNoSolution) {
  LinearProgram program = cover(1, 1);
  program.rows.push_back({-infinite, 0.5, {{0, 1}, {1, 1}}});
  EXPECT_EQ(solve(program, {}).status, Status::Infeasible);
  program = cover(1, -1);
  program.columns[1] = {-1, 0, infinite, false};
  EXPECT_EQ(solve(program, {}).status, Status::Unbounded);
}

/// A knapsack whose relaxation is not integral.
LinearProgram knapsack() {
  LinearProgram program;
  LinearProgram::Row row{-infinite, 101, {}};
  for (int32_t i = 0; i < 40; ++i) {
    double weight = 7 + (i * 37) % 23;
    program.columns.push_back({-weight - (i * 13) % 5, 0, 1, true});
    row.entries.push_back({i, weight});
  }
  program.rows = {row};
  return program;
}

TEST_F(SolverTest, LimitsEndTheSearch) {
  LinearSolution solution = solve(knapsack(), {.nodes = 0});
  EXPECT_EQ(solution.status, Status::Limit);
  EXPECT_FALSE(solution.hasSolution());
  EXPECT_LT(solution.bound, 0);
  LinearProgram large;
  for (int32_t i = 0; i < 60; ++i) {
    large.columns.push_back({double(1 + i % 7), 0, 1, false});
    if (i > 1)
      large.rows.push_back({1, infinite, {{i, 1}, {i - 1, 1}, {i - 2, 1}}});
  }
  solution = solve(large, {.nodes = 0, .iterations = 1});
  EXPECT_EQ(solution.status, Status::Limit);
  EXPECT_EQ(solution.bound, -infinite);
}

TEST_F(SolverTest, EqualProgramsHaveEqualSolutions) {
  LinearSolution first = solve(knapsack(), {});
  ASSERT_TRUE(first.hasSolution());
  EXPECT_GE(first.objective, first.bound - 1e-9);
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(solve(knapsack(), {}).values, first.values);
}

/// Of the same range at all sizes of RapidCheck, which begins with the
/// smallest.
int32_t pick(int32_t from, int32_t to) {
  return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(from, to));
}

/// A random chain of choices, some of whose values have several users, as
/// layers, residual connections and loops make them.
AssignmentProblem randomProblem() {
  AssignmentProblem problem;
  problem.shards = int64_t(2) << pick(0, 3);
  int32_t numValues = pick(1, 7);
  auto cost = [] { return double(pick(0, 20)); };
  auto layout = [](bool mayBePartial) {
    return AxisLayout(pick(mayBePartial ? -2 : -1, 2));
  };
  for (int32_t v = 0; v < numValues; ++v) {
    problem.values.push_back({cost(), cost(), cost(), cost()});
    AssignmentChoice &choice = problem.choices.emplace_back();
    for (int32_t w = 0, e = pick(1, 4); w < e; ++w) {
      AssignmentStrategy strategy;
      strategy.seconds = cost();
      strategy.makes.push_back({v, layout(true)});
      for (int32_t i = 0, n = v ? pick(0, 3) : 0; i < n; ++i)
        strategy.needs.push_back(
            {pick(std::max(0, v - 3), v), layout(pick(0, 4) == 0)});
      choice.strategies.push_back(std::move(strategy));
    }
  }
  // A loop carries the first value: another choice makes it too.
  if (pick(0, 3) == 0) {
    AssignmentChoice &again = problem.choices.emplace_back();
    for (AxisLayout l = -1; l < 2; ++l)
      again.strategies.push_back({{{numValues - 1, l}}, {{0, l}}, cost()});
  }
  return problem;
}

/// The best of all combinations of strategies that fit.
double bruteForce(const AssignmentProblem &problem) {
  double best = infinite;
  std::vector<int32_t> strategies(problem.choices.size());
  auto rec = [&](auto &self, size_t c) -> void {
    if (c == strategies.size()) {
      AssignmentSolution solution = evaluateAssignment(problem, strategies);
      for (const LiveSet &set : problem.liveSets)
        if (solution.seconds < infinite &&
            liveBytes(problem, set, solution) > problem.limit * (1 + 1e-9))
          return;
      best = std::min(best, solution.seconds);
      return;
    }
    for (size_t w = 0; w < problem.choices[c].strategies.size(); ++w) {
      strategies[c] = int32_t(w);
      self(self, c + 1);
    }
  };
  rec(rec, 0);
  return best;
}

RC_GTEST_PROP(Assignment, IsOptimal, ()) {
  if (!solverMissing().empty())
    return;
  AssignmentProblem problem = randomProblem();
  double best = bruteForce(problem);
  AssignmentSolution solution = solveAssignment(problem, {.nodes = 1000});
  RC_ASSERT(solution.works() == (best < infinite));
  if (!solution.works())
    return;
  RC_ASSERT(isClose(solution.seconds, best));
  RC_ASSERT(solution.bound <= best + 1e-6);
  RC_ASSERT(solveAssignment(problem, {.nodes = 1000}).strategies ==
            solution.strategies);
}

RC_GTEST_PROP(SolvedAssignments, AreSolvedOnce, ()) {
  AssignmentProblem problem = randomProblem();
  problem.liveSets.push_back({{{0, 8, 8}}, 1});
  AssignmentProblem other = problem;
  SolverLimits limits{.nodes = 10}, otherLimits = limits;
  AssignmentStrategy &last = other.choices.back().strategies.back();
  switch (pick(0, 9)) {
  case 0:
    other.liveSets.clear();
    break;
  case 1:
    other.liveSets.front().held.front().copyBytes = 4;
    break;
  case 2:
    ++other.shards;
    break;
  case 3:
    other.limit = 100;
    break;
  case 4:
    other.values.back().exchange += 1;
    break;
  case 5:
    last.seconds += 1;
    break;
  case 6:
    last.makes.front().layout = 5;
    break;
  case 7:
    last.needs.push_back({0, -1});
    break;
  default:
    otherLimits.dives = true;
  }
  SolvedAssignments solved;
  for (int i = 0; i < 2; ++i) {
    AssignmentSolution known = solved.solve(problem, limits),
                       fresh = solveAssignment(problem, limits);
    RC_ASSERT(known.strategies == fresh.strategies);
    RC_ASSERT(known.bound == fresh.bound);
    RC_ASSERT(known.secondsPerByte == fresh.secondsPerByte);
    RC_ASSERT(solved.size() == 1u);
  }
  solved.solve(other, otherLimits);
  RC_ASSERT(solved.size() == 2u);
}

RC_GTEST_PROP(Assignment, RoundedIsWithinTheBound, ()) {
  if (!solverMissing().empty())
    return;
  AssignmentProblem problem = randomProblem();
  AssignmentSolution solution = solveAssignment(problem, {.nodes = 0});
  double best = bruteForce(problem);
  RC_ASSERT(solution.bound <= best + 1e-6);
  AssignmentSolution dived = solveAssignment(problem, {.dives = true});
  RC_ASSERT((!dived.works() || dived.seconds >= best - 1e-6));
  RC_ASSERT((!solution.works() || solution.seconds >= best - 1e-6));
  // Nothing that one strategy alone would save is left.
  std::vector<int32_t> strategies(problem.choices.size());
  improveAssignment(problem, strategies);
  double seconds = evaluateAssignment(problem, strategies).seconds;
  for (size_t c = 0; c < strategies.size(); ++c)
    for (size_t w = 0; w < problem.choices[c].strategies.size(); ++w) {
      std::vector<int32_t> other = strategies;
      other[c] = int32_t(w);
      double cost = evaluateAssignment(problem, other).seconds;
      RC_ASSERT((cost == infinite || seconds <= cost * (1 + 1e-6) + 1e-6));
    }
}

RC_GTEST_PROP(Assignment, RoundingErrorsDecideNothing, ()) {
  if (!solverMissing().empty())
    return;
  // Costs are small integers, so that many assignments cost the same.
  AssignmentProblem problem = randomProblem(), other;
  double unit = 1 / double(pick(3, 1000));
  auto scale = [&](auto change) {
    AssignmentProblem scaled = problem;
    for (AssignmentValue &value : scaled.values)
      for (double *cost :
           {&value.gather, &value.exchange, &value.allReduce, &value.scatter})
        *cost = change(*cost * unit);
    for (AssignmentChoice &choice : scaled.choices)
      for (AssignmentStrategy &strategy : choice.strategies)
        strategy.seconds = change(strategy.seconds * unit);
    roundCosts(scaled);
    return scaled;
  };
  problem = scale([](double cost) { return cost; });
  unit = 1;
  other = scale([](double cost) {
    for (int32_t i = pick(-3, 4); i != 0; i += i > 0 ? -1 : 1)
      cost = std::nextafter(cost, i > 0 ? infinite : 0.0);
    return cost;
  });
  for (SolverLimits limits :
       {SolverLimits{.nodes = 1000}, SolverLimits{.nodes = 0},
        SolverLimits{.dives = true}}) {
    AssignmentSolution a = solveAssignment(problem, limits),
                       b = solveAssignment(other, limits);
    RC_ASSERT(a.strategies == b.strategies);
    RC_ASSERT((!a.works() || a.seconds == b.seconds));
  }
}

RC_GTEST_PROP(Assignment, RoundedCostsAddUpExactly, ()) {
  AssignmentProblem problem = randomProblem();
  for (AssignmentChoice &choice : problem.choices)
    for (AssignmentStrategy &strategy : choice.strategies)
      strategy.seconds *= 1e-3 / double(pick(1, 1000));
  roundCosts(problem);
  double forwards = 0, backwards = 0;
  for (const AssignmentChoice &choice : problem.choices)
    forwards += choice.strategies.front().seconds;
  for (const AssignmentChoice &choice : llvm::reverse(problem.choices))
    backwards += choice.strategies.front().seconds;
  RC_ASSERT(forwards == backwards);
}

RC_GTEST_PROP(Assignment, IsOptimalWithinMemory, ()) {
  if (!solverMissing().empty())
    return;
  AssignmentProblem problem = randomProblem();
  LiveSet &set = problem.liveSets.emplace_back();
  for (size_t v = 0; v < problem.values.size(); ++v) {
    double bytes = pick(1, 10);
    set.held.push_back({int32_t(v), bytes, bytes});
  }
  problem.limit = pick(5, 50);
  double best = bruteForce(problem);
  AssignmentSolution solution = solveAssignment(problem, {.nodes = 1000});
  // Where a value may come by several ways of one cost, the smaller counts: the
  // solver may fit what the evaluation, which takes the first, does not.
  if (!solution.works()) {
    RC_ASSERT(best == infinite);
    return;
  }
  RC_ASSERT(solution.seconds <= best + 1e-6);
  RC_ASSERT(solution.bound <= best + 1e-6);
}

RC_GTEST_PROP(Assignment, ContractionKeepsTheOptimum, ()) {
  AssignmentProblem problem = randomProblem();
  ContractedAssignment contracted(problem);
  double best = bruteForce(problem);
  double least = infinite;
  const AssignmentProblem &small = contracted.get();
  std::vector<int32_t> strategies(small.choices.size());
  auto rec = [&](auto &self, size_t c) -> void {
    if (c == strategies.size()) {
      double seconds = evaluateAssignment(small, strategies).seconds;
      if (seconds < infinite)
        RC_ASSERT(isClose(
            evaluateAssignment(problem, contracted.expand(strategies)).seconds,
            seconds));
      least = std::min(least, seconds);
      return;
    }
    for (size_t w = 0; w < small.choices[c].strategies.size(); ++w) {
      strategies[c] = int32_t(w);
      self(self, c + 1);
    }
  };
  rec(rec, 0);
  RC_ASSERT(((best == infinite && least == infinite) || isClose(best, least)));
}

TEST_F(SolverTest, AGatherForTwoUsersIsPaidOnce) {
  AssignmentProblem problem;
  problem.shards = 4;
  problem.values.resize(3, {1, 1, 1, 1});
  problem.choices = {{{{{}, {{0, 0}}, 0}}},
                     {{{{{0, -1}}, {{1, -1}}, 0}}},
                     {{{{{0, -1}}, {{2, -1}}, 0}}}};
  EXPECT_DOUBLE_EQ(solveAssignment(problem, {}).seconds, 1);
}

TEST_F(SolverTest, MemoryHasAPrice) {
  // Replicated: 8 bytes and nothing to do. Sharded: 4 bytes and 3 seconds.
  AssignmentProblem problem;
  problem.shards = 2;
  problem.values = {{3, 0, 0, 0}};
  problem.choices = {{{{{}, {{0, -1}}, 0}, {{}, {{0, 0}}, 3}}}};
  problem.liveSets = {{{{0, 8, 0}}}};
  problem.limit = 6;
  AssignmentSolution solution = solveAssignment(problem, {});
  ASSERT_TRUE(solution.works());
  EXPECT_DOUBLE_EQ(solution.seconds, 3);
  ASSERT_EQ(solution.secondsPerByte.size(), 1u);
  EXPECT_NEAR(solution.secondsPerByte[0], 3.0 / 4, 1e-5);
  EXPECT_NEAR(solution.bound, 1.5, 1e-5);
  // At that price per byte both cost the same; a little more decides.
  AssignmentProblem priced = problem;
  priced.limit = infinite;
  addPrice(priced, problem.liveSets[0], 0.76);
  EXPECT_EQ(solveAssignment(priced, {}).made[0], 0);
  priced = problem;
  priced.limit = infinite;
  addPrice(priced, problem.liveSets[0], 0.74);
  EXPECT_EQ(solveAssignment(priced, {}).made[0], kReplicatedLayout);
  problem.limit = 3;
  EXPECT_EQ(solveAssignment(problem, {}).status, Status::Infeasible);
}

} // namespace
