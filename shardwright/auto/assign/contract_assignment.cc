//===- contract_assignment.cc - a smaller equal problem -------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/auto/assign/contract_assignment.h"

#include "shardwright/support/sort_by.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <map>

namespace shardwright {

/// Choices with more strategies are not joined; more pairs are not looked at.
constexpr size_t kMostStrategies = 32, kMostPairs = 512;

int32_t ContractedAssignment::find(int32_t choice) {
  while (parent[choice] != choice)
    choice = parent[choice] = parent[parent[choice]];
  return choice;
}

void ContractedAssignment::readUses() {
  makers.resize(problem.values.size());
  users.resize(problem.values.size());
  auto note = [](std::vector<int32_t> &list, int32_t choice) {
    if (list.empty() || list.back() != choice)
      list.push_back(choice);
  };
  for (auto [c, choice] : llvm::enumerate(problem.choices)) {
    parent.push_back(int32_t(c));
    List &list = lists.emplace_back();
    for (auto [w, strategy] : llvm::enumerate(choice.strategies)) {
      list.push_back({strategy, int32_t(nodes.size())});
      nodes.push_back({int32_t(c), int32_t(w), true});
      for (LayoutOfValue own : strategy.makes)
        note(makers[own.value], int32_t(c));
      for (LayoutOfValue need : strategy.needs)
        note(users[need.value], int32_t(c));
    }
    dropDominated(list);
  }
}

void ContractedAssignment::settle(List &list, int32_t value,
                                  const AssignmentValue &moves) {
  llvm::erase_if(list, [&](Composed &composed) {
    AssignmentStrategy &strategy = composed.strategy;
    auto made = llvm::find_if(
        strategy.makes, [&](LayoutOfValue own) { return own.value == value; });
    llvm::SmallVector<AxisLayout, 4> wanted;
    llvm::erase_if(strategy.needs, [&](LayoutOfValue need) {
      if (need.value == value && need.layout != made->layout)
        wanted.push_back(need.layout);
      return need.value == value;
    });
    llvm::sort(wanted);
    wanted.erase(llvm::unique(wanted), wanted.end());
    bool throughReplicated;
    strategy.seconds +=
        moves.copySeconds(made->layout, wanted, throughReplicated);
    strategy.makes.erase(made);
    return strategy.seconds == LinearProgram::infinity;
  });
}

void ContractedAssignment::dropDominated(List &list) {
  auto contains = [](llvm::ArrayRef<LayoutOfValue> all,
                     llvm::ArrayRef<LayoutOfValue> some) {
    return std::includes(all.begin(), all.end(), some.begin(), some.end());
  };
  for (Composed &composed : list) {
    AssignmentStrategy &strategy = composed.strategy;
    llvm::sort(strategy.needs);
    strategy.needs.erase(llvm::unique(strategy.needs), strategy.needs.end());
    llvm::sort(strategy.makes);
  }
  // The cheapest first: only these dominate others.
  sortBy(list, [](const Composed &composed) {
    return std::pair(composed.strategy.seconds, composed.strategy.needs.size());
  });
  size_t kept = 0;
  for (size_t i = 0; i < list.size(); ++i) {
    const AssignmentStrategy &own = list[i].strategy;
    bool isDominated = llvm::any_of(
        llvm::ArrayRef(list).take_front(kept), [&](const Composed &other) {
          return other.strategy.makes == own.makes &&
                 contains(own.needs, other.strategy.needs);
        });
    if (isDominated)
      continue;
    if (kept != i)
      list[kept] = std::move(list[i]);
    ++kept;
  }
  list.resize(kept);
}

bool ContractedAssignment::contract(int32_t value) {
  auto single = [&](std::vector<int32_t> &list) {
    for (int32_t &choice : list)
      choice = find(choice);
    llvm::sort(list);
    list.erase(llvm::unique(list), list.end());
    return list.size() == 1 ? list.front() : -1;
  };
  int32_t maker = single(makers[value]), user = single(users[value]);
  if (maker < 0 || user < 0)
    return false;
  List joined;
  if (maker == user) {
    joined = lists[maker];
  } else {
    if (lists[maker].size() * lists[user].size() > kMostPairs) {
      isFree[value] = false;
      return false;
    }
    for (const Composed &a : lists[maker])
      for (const Composed &b : lists[user]) {
        Composed both = a;
        both.strategy.needs.append(b.strategy.needs);
        both.strategy.makes.append(b.strategy.makes);
        both.strategy.seconds += b.strategy.seconds;
        both.node = int32_t(nodes.size());
        nodes.push_back({a.node, b.node, false});
        joined.push_back(std::move(both));
      }
  }
  // A value that both make must have one layout.
  llvm::erase_if(joined, [](Composed &composed) {
    auto &makes = composed.strategy.makes;
    llvm::sort(makes);
    makes.erase(llvm::unique(makes), makes.end());
    for (size_t i = 1; i < makes.size(); ++i)
      if (makes[i].value == makes[i - 1].value)
        return true;
    return false;
  });
  settle(joined, value, problem.values[value]);
  dropDominated(joined);
  if (joined.empty() || (maker != user && joined.size() > kMostStrategies)) {
    // It would be too large later on, too.
    isFree[value] = false;
    return false;
  }
  int32_t into = std::min(maker, user), from = std::max(maker, user);
  lists[into] = std::move(joined);
  if (from != into)
    lists[from].clear();
  parent[from] = into;
  return true;
}

ContractedAssignment::ContractedAssignment(const AssignmentProblem &problem)
    : problem(problem) {
  readUses();
  isGone.assign(problem.values.size(), false);
  isFree.assign(problem.values.size(), true);
  if (problem.limit != LinearProgram::infinity)
    for (const LiveSet &set : problem.liveSets)
      for (const LiveSet::Held &held : set.held)
        isFree[held.value] = false;
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t v = 0; v < problem.values.size(); ++v)
      if (isFree[v] && !isGone[v]) {
        bool done = contract(int32_t(v));
        changed |= done;
        isGone[v] = done;
      }
  }
  contracted.shards = problem.shards;
  contracted.values = problem.values;
  contracted.liveSets = problem.liveSets;
  contracted.limit = problem.limit;
  for (auto [c, list] : llvm::enumerate(lists)) {
    if (list.empty())
      continue;
    kept.push_back(int32_t(c));
    AssignmentChoice &choice = contracted.choices.emplace_back();
    for (const Composed &composed : list)
      choice.strategies.push_back(composed.strategy);
  }
}

std::vector<int32_t>
ContractedAssignment::expand(const std::vector<int32_t> &strategies) const {
  std::vector<int32_t> expanded(problem.choices.size());
  llvm::SmallVector<int32_t> stack;
  for (auto [c, w] : llvm::zip(kept, strategies))
    stack.push_back(lists[c][w].node);
  while (!stack.empty()) {
    const Node &node = nodes[stack.pop_back_val()];
    if (node.isStrategy)
      expanded[node.a] = node.b;
    else
      stack.append({node.a, node.b});
  }
  return expanded;
}

} // namespace shardwright
