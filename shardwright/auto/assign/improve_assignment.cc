//===- improve_assignment.cc - integral from fractional -------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/auto/assign/improve_assignment.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>

namespace shardwright {
namespace {

constexpr int kMostPasses = 8;

/// How often layouts occur.
class LayoutCounts {
public:
  void add(AxisLayout layout, int32_t times) {
    auto *at =
        llvm::lower_bound(list, layout, [](const auto &one, AxisLayout l) {
          return one.first < l;
        });
    if (at == list.end() || at->first != layout)
      at = list.insert(at, {layout, 0});
    at->second += times;
  }
  /// In order.
  llvm::SmallVector<AxisLayout, 4> present() const {
    llvm::SmallVector<AxisLayout, 4> layouts;
    for (auto [layout, times] : list)
      if (times > 0)
        layouts.push_back(layout);
    return layouts;
  }

private:
  llvm::SmallVector<std::pair<AxisLayout, int32_t>, 4> list;
};

class Improver {
public:
  Improver(const AssignmentProblem &problem, std::vector<int32_t> &strategies)
      : problem(problem), strategies(strategies), made(problem.values.size()),
        needed(problem.values.size()) {
    double all = 0;
    for (auto [c, choice] : llvm::enumerate(problem.choices)) {
      count(choice.strategies[strategies[c]], 1);
      for (const AssignmentStrategy &strategy : choice.strategies)
        all += strategy.seconds;
    }
    for (const AssignmentValue &value : problem.values)
      for (double move :
           {value.gather, value.exchange, value.allReduce, value.scatter})
        all += move;
    // More than anything that is possible.
    penalty = 10 * all + 1e-9;
  }

  bool pass();

private:
  void count(const AssignmentStrategy &strategy, int32_t times) {
    for (LayoutOfValue own : strategy.makes)
      made[own.value].add(own.layout, times);
    for (LayoutOfValue need : strategy.needs)
      needed[need.value].add(need.layout, times);
  }
  double costOf(int32_t value) const;
  double costOf(llvm::ArrayRef<int32_t> values) const {
    double sum = 0;
    for (int32_t value : values)
      sum += costOf(value);
    return sum;
  }

  const AssignmentProblem &problem;
  std::vector<int32_t> &strategies;
  std::vector<LayoutCounts> made, needed;
  double penalty;
};

} // namespace

double Improver::costOf(int32_t value) const {
  llvm::SmallVector<AxisLayout, 4> layouts = made[value].present();
  if (layouts.empty())
    return 0;
  double cost = penalty * double(layouts.size() - 1);
  llvm::SmallVector<AxisLayout, 4> wanted = needed[value].present();
  llvm::erase(wanted, layouts.front());
  bool throughReplicated;
  double moves = problem.values[value].copySeconds(layouts.front(), wanted,
                                                   throughReplicated);
  return cost + (std::isinf(moves) ? penalty : moves);
}

bool Improver::pass() {
  bool changed = false;
  llvm::SmallVector<int32_t> values;
  for (auto [c, choice] : llvm::enumerate(problem.choices)) {
    if (choice.strategies.size() < 2)
      continue;
    values.clear();
    for (const AssignmentStrategy &strategy : choice.strategies) {
      for (LayoutOfValue own : strategy.makes)
        values.push_back(own.value);
      for (LayoutOfValue need : strategy.needs)
        values.push_back(need.value);
    }
    llvm::sort(values);
    values.erase(llvm::unique(values), values.end());
    int32_t &now = strategies[c];
    int32_t best = now;
    double least = costOf(values) + choice.strategies[now].seconds;
    count(choice.strategies[now], -1);
    for (auto [w, strategy] : llvm::enumerate(choice.strategies)) {
      if (int32_t(w) == now)
        continue;
      count(strategy, 1);
      double cost = costOf(values) + strategy.seconds;
      count(strategy, -1);
      // Rounding does not choose between equals.
      if (cost < least - 1e-9 * std::abs(least)) {
        least = cost;
        best = int32_t(w);
      }
    }
    count(choice.strategies[best], 1);
    changed |= best != now;
    now = best;
  }
  return changed;
}

void improveAssignment(const AssignmentProblem &problem,
                       std::vector<int32_t> &strategies) {
  Improver improver(problem, strategies);
  for (int pass = 0; pass < kMostPasses && improver.pass(); ++pass)
    ;
}

} // namespace shardwright
