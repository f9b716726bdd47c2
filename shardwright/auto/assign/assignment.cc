//===- assignment.cc - layouts along one mesh axis ------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/auto/assign/assignment.h"

#include "shardwright/auto/assign/assignment_program.h"
#include "shardwright/auto/assign/contract_assignment.h"
#include "shardwright/auto/assign/improve_assignment.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace shardwright {

double AssignmentValue::moveSeconds(AxisLayout from, AxisLayout to) const {
  if (from == to || from == kReplicatedLayout)
    return to == kPartialLayout && from != to ? LinearProgram::infinity : 0;
  if (to == kPartialLayout)
    return LinearProgram::infinity;
  if (from == kPartialLayout)
    return to == kReplicatedLayout ? allReduce : scatter;
  return to == kReplicatedLayout ? gather : exchange;
}

double AssignmentValue::copySeconds(AxisLayout made,
                                    llvm::ArrayRef<AxisLayout> wanted,
                                    bool &throughReplicated) const {
  throughReplicated = false;
  if (wanted.empty())
    return 0;
  double each = 0, sliced = moveSeconds(made, kReplicatedLayout);
  bool isReplicatedWanted = false;
  for (AxisLayout to : wanted) {
    each += moveSeconds(made, to);
    isReplicatedWanted |= to == kReplicatedLayout;
    if (to == kPartialLayout)
      return LinearProgram::infinity;
  }
  if (made == kReplicatedLayout)
    return 0;
  throughReplicated = isReplicatedWanted || sliced < each;
  return throughReplicated ? sliced : each;
}

double heldPart(AxisLayout layout, int64_t shards) {
  return layout >= 0 ? 1 / double(shards) : 1;
}

AssignmentSolution evaluateAssignment(const AssignmentProblem &problem,
                                      std::vector<int32_t> strategies) {
  AssignmentSolution solution;
  constexpr AxisLayout unknown = -3;
  solution.made.assign(problem.values.size(), unknown);
  std::vector<std::vector<AxisLayout>> needs(problem.values.size());
  for (auto [choice, w] : llvm::zip(problem.choices, strategies)) {
    const AssignmentStrategy &strategy = choice.strategies[w];
    solution.seconds += strategy.seconds;
    for (LayoutOfValue own : strategy.makes) {
      AxisLayout &made = solution.made[own.value];
      if (made != unknown && made != own.layout)
        solution.seconds = LinearProgram::infinity;
      made = own.layout;
    }
    for (LayoutOfValue need : strategy.needs)
      needs[need.value].push_back(need.layout);
  }
  for (auto [v, list] : llvm::enumerate(needs)) {
    AxisLayout made = solution.made[v];
    llvm::sort(list);
    list.erase(llvm::unique(list), list.end());
    if (made == kPartialLayout && llvm::is_contained(list, kPartialLayout))
      solution.copies.push_back({int32_t(v), kPartialLayout});
    llvm::erase(list, made);
    bool throughReplicated = false;
    solution.seconds +=
        problem.values[v].copySeconds(made, list, throughReplicated);
    if (throughReplicated && !llvm::is_contained(list, kReplicatedLayout))
      solution.copies.push_back({int32_t(v), kReplicatedLayout});
    for (AxisLayout to : list)
      solution.copies.push_back({int32_t(v), to});
  }
  solution.strategies = std::move(strategies);
  return solution;
}

void roundCosts(AssignmentProblem &problem) {
  constexpr int kBits = 40;
  double largest = 0;
  auto each = [&](auto change) {
    for (AssignmentValue &value : problem.values)
      for (double *cost :
           {&value.gather, &value.exchange, &value.allReduce, &value.scatter})
        change(*cost);
    for (AssignmentChoice &choice : problem.choices)
      for (AssignmentStrategy &strategy : choice.strategies)
        change(strategy.seconds);
  };
  each([&](double cost) {
    if (std::isfinite(cost))
      largest = std::max(largest, std::abs(cost));
  });
  if (largest == 0)
    return;
  int exponent = std::ilogb(largest) - kBits;
  each([&](double &cost) {
    if (std::isfinite(cost))
      cost = std::ldexp(std::nearbyint(std::ldexp(cost, -exponent)), exponent);
  });
}

void addPrice(AssignmentProblem &problem, const LiveSet &set,
              double secondsPerByte) {
  std::vector<double> bytes(problem.values.size());
  for (const LiveSet::Held &held : set.held) {
    AssignmentValue &value = problem.values[held.value];
    bytes[held.value] += held.bytes;
    double price = secondsPerByte, n = double(problem.shards);
    value.gather += price * held.copyBytes;
    value.exchange += price * held.copyBytes / n;
    value.allReduce += price * held.bytes;
    value.scatter += price * held.bytes / n;
  }
  // The first choice that makes a value pays for it.
  std::vector<int32_t> maker(problem.values.size(), -1);
  for (auto [c, choice] : llvm::enumerate(problem.choices))
    for (AssignmentStrategy &strategy : choice.strategies)
      for (LayoutOfValue own : strategy.makes) {
        int32_t &first = maker[own.value];
        if (first < 0)
          first = int32_t(c);
        if (first == int32_t(c) && own.layout != kPartialLayout)
          strategy.seconds += secondsPerByte * bytes[own.value] *
                              heldPart(own.layout, problem.shards);
      }
}

double liveBytes(const AssignmentProblem &problem, const LiveSet &set,
                 const AssignmentSolution &solution) {
  std::map<int32_t, std::vector<AxisLayout>> copies;
  for (LayoutOfValue copy : solution.copies)
    copies[copy.value].push_back(copy.layout);
  double bytes = 0;
  for (const LiveSet::Held &held : set.held) {
    AxisLayout made = solution.made[held.value];
    if (made != kPartialLayout)
      bytes += held.bytes * heldPart(made, problem.shards);
    auto it = copies.find(held.value);
    if (it == copies.end() || made == kReplicatedLayout)
      continue;
    // Slices of a replicated copy are read from it.
    bool hasReplicated = llvm::is_contained(it->second, kReplicatedLayout);
    double size = made == kPartialLayout ? held.bytes : held.copyBytes;
    for (AxisLayout to : it->second)
      if (!hasReplicated || to < 0)
        bytes += size * heldPart(to, problem.shards);
  }
  return bytes;
}

/// Where a tree ends within its gap depends on the form of the program.
/// Programs that may get one are small, and written in full.
constexpr size_t kMostChoicesInFull = 170;

AssignmentSolution solveAssignment(const AssignmentProblem &problem,
                                   const SolverLimits &limits) {
  ContractedAssignment contracted(problem);
  bool hasRows =
      !problem.liveSets.empty() && problem.limit != LinearProgram::infinity;
  // The form decides where a tree ends within its gap, and whether a relaxation
  // ends within few iterations, as those with priced live sets must.
  bool isShort = problem.liveSets.empty() &&
                 problem.choices.size() > kMostChoicesForTree;
  AssignmentProgram program(contracted.get(),
                            isShort ? AssignmentProgram::Form::Short
                                    : AssignmentProgram::Form::Full);
  LinearSolution linear = solve(program.get(), limits);
  AssignmentSolution solution;
  if (linear.hasSolution()) {
    std::vector<int32_t> strategies = program.read(linear.values);
    if (linear.status == LinearSolution::Status::Feasible && !hasRows)
      improveAssignment(contracted.get(), strategies);
    solution = evaluateAssignment(problem, contracted.expand(strategies));
  } else if (!linear.relaxed.empty() && !hasRows) {
    std::vector<int32_t> strategies = program.read(linear.relaxed);
    improveAssignment(contracted.get(), strategies);
    solution = evaluateAssignment(problem, contracted.expand(strategies));
    if (solution.seconds < LinearProgram::infinity)
      linear.status = LinearSolution::Status::Feasible;
    else
      solution = AssignmentSolution();
  }
  solution.status = linear.status;
  if (!linear.duals.empty()) {
    solution.bound = linear.bound;
    solution.secondsPerByte = program.secondsPerByte(linear);
  }
  return solution;
}

} // namespace shardwright
