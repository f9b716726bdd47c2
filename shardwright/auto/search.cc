//===- search.cc - improve plans by trials --------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/auto/search.h"

using namespace mlir;

namespace shardwright {

/// Smaller differences are ties.
constexpr double kLeastGain = 1e-6;

bool Objective::isBetter(const Trial &a, const Trial &b) const {
  if (!a.works || !b.works)
    return a.works && !b.works;
  double overA = std::max(a.peak - limit, 0.0);
  double overB = std::max(b.peak - limit, 0.0);
  if (overA != overB)
    return overA < overB;
  if (a.seconds() != b.seconds())
    return a.seconds() < b.seconds() * (1 - kLeastGain);
  return false;
}

PlanSearch::PlanSearch(const AutoProblem &problem, Trials &trials,
                       Objective objective, bool specsOnly,
                       std::function<void()> progress)
    : problem(problem), trials(trials), objective(objective),
      specsOnly(specsOnly), progress(std::move(progress)),
      moves(movesByWeight()) {}

const Trial &PlanSearch::tryPlan(const Plan &plan) {
  int64_t before = trials.count();
  const Trial &trial = trials.of(plan);
  if (progress && trials.count() != before)
    progress();
  return trial;
}

std::vector<Candidate> PlanSearch::tryRecipes(int64_t budget) {
  lastTrial = trials.count() + budget;
  std::vector<Candidate> tried;
  for (Recipe &recipe : recipes(problem)) {
    if (spent())
      break;
    const Trial &trial = tryPlan(recipe.plan);
    if (trial.works)
      tried.push_back({std::move(recipe.name), std::move(recipe.plan), trial});
  }
  return tried;
}

bool PlanSearch::apply(const Move &move, Plan &plan) const {
  switch (move.kind) {
  case Move::Kind::ColourOfArguments:
    return putOnColour(problem, plan, move.a, move.b, false);
  case Move::Kind::ColourEverywhere:
    return putOnColour(problem, plan, move.a, move.b, true);
  case Move::Kind::State:
    return shardState(problem, plan, move.a,
                      [](const SiteClass &cls) { return cls.isState; });
  case Move::Kind::BatchFirst: {
    bool changed = false;
    for (auto [c, cls] : llvm::enumerate(problem.classes)) {
      uint8_t priority = !llvm::is_contained(cls.colours, move.b);
      if (!plan.of(c).isSet || plan.of(c).priority == priority)
        continue;
      plan.setPriority(c, priority);
      changed = true;
    }
    return changed;
  }
  case Move::Kind::Class:
    return plan.put(problem, move.b, move.a, move.c);
  case Move::Kind::Unset:
    if (!plan.of(move.b).isSet)
      return false;
    plan.unset(problem, move.b);
    return true;
  case Move::Kind::Swap: {
    bool changed = false;
    for (int32_t c = 0; c < plan.numClasses(); ++c) {
      int8_t first = plan.of(c).dimOf[move.a];
      int8_t second = plan.of(c).dimOf[move.b];
      if (first == second || !plan.of(c).isSet)
        continue;
      Plan moved = plan;
      moved.put(problem, c, move.a, -1);
      moved.put(problem, c, move.b, -1);
      if ((second >= 0 && !moved.put(problem, c, move.a, second)) ||
          (first >= 0 && !moved.put(problem, c, move.b, first)))
        continue;
      plan = std::move(moved);
      changed = true;
    }
    return changed;
  }
  }
  llvm_unreachable("all kinds of moves return");
}

std::vector<PlanSearch::Move> PlanSearch::movesByWeight() const {
  std::vector<Move> list;
  int32_t numAxes = problem.axes.size();
  // What changes most comes first: colours by their work and their bytes.
  std::vector<int32_t> colours;
  double flops = 1e-30, bytes = 1e-30;
  for (auto [c, use] : llvm::enumerate(problem.colours)) {
    if (!problem.classesOf[c].empty())
      colours.push_back(c);
    flops = std::max(flops, use.kept + use.summed);
    bytes = std::max(bytes, use.argumentBytes);
  }
  auto weight = [&](int32_t c) {
    const ColourUse &use = problem.colours[c];
    return (use.kept + use.summed) / flops + use.argumentBytes / bytes;
  };
  llvm::sort(colours, [&](int32_t a, int32_t b) {
    return std::pair(-weight(a), a) < std::pair(-weight(b), b);
  });
  for (int32_t colour : colours)
    for (Move::Kind kind :
         {Move::Kind::ColourOfArguments, Move::Kind::ColourEverywhere}) {
      if (specsOnly && kind == Move::Kind::ColourEverywhere)
        continue;
      for (int32_t axis = 0; axis < numAxes; ++axis)
        list.push_back({kind, axis, colour});
    }
  for (int32_t axis = 0; axis < numAxes; ++axis)
    list.push_back({Move::Kind::State, axis});
  for (int32_t a = 0; a < numAxes; ++a)
    for (int32_t b = a + 1; b < numAxes; ++b)
      list.push_back({Move::Kind::Swap, a, b});
  std::vector<int32_t> batch;
  if (!specsOnly)
    batch = batchColours(problem);
  for (size_t i = 0; i < std::min<size_t>(batch.size(), 2); ++i)
    list.push_back({Move::Kind::BatchFirst, -1, batch[i]});

  std::vector<int32_t> classes;
  for (size_t c = 0; c < problem.classes.size(); ++c)
    classes.push_back(c);
  auto bytesIn = [&](int32_t c) {
    return problem.classes[c].bytes * double(problem.classes[c].sites.size());
  };
  llvm::sort(classes, [&](int32_t a, int32_t b) {
    return std::pair(-bytesIn(a), a) < std::pair(-bytesIn(b), b);
  });
  for (int32_t c : classes) {
    if (!mayAnnotate(problem.classes[c]))
      continue;
    for (int32_t axis = 0; axis < numAxes; ++axis)
      for (int32_t dim = -1; dim < problem.classes[c].type.getRank(); ++dim)
        list.push_back({Move::Kind::Class, axis, c, dim});
    if (problem.classes[c].kind() != Site::Kind::Argument)
      list.push_back({Move::Kind::Unset, -1, c});
  }
  return list;
}

Candidate PlanSearch::climb(Candidate from, int64_t budget) {
  lastTrial = trials.count() + budget;
  size_t sinceGain = 0;
  for (size_t i = 0; sinceGain < moves.size() && !spent();
       i = (i + 1) % moves.size(), ++sinceGain) {
    Plan next = from.plan;
    if (!apply(moves[i], next))
      continue;
    const Trial &trial = tryPlan(next);
    if (!objective.isBetter(trial, from.trial))
      continue;
    from.plan = std::move(next);
    from.trial = trial;
    sinceGain = 0;
  }
  return from;
}

Candidate PlanSearch::prune(Candidate from, int64_t budget) {
  lastTrial = trials.count() + budget;
  auto tryWithout = [&](llvm::function_ref<bool(Plan &)> change) {
    Plan next = from.plan;
    if (spent() || !change(next))
      return;
    const Trial &trial = tryPlan(next);
    if (!trial.works || trial.peak > from.trial.peak ||
        objective.isBetter(from.trial, trial))
      return;
    from.plan = std::move(next);
    from.trial = trial;
  };
  tryWithout([&](Plan &plan) {
    if (!plan.usesPriorities())
      return false;
    for (int32_t c = 0; c < plan.numClasses(); ++c)
      plan.setPriority(c, 0);
    return true;
  });
  for (int32_t c = from.plan.numClasses(); c-- > 0;)
    tryWithout([&](Plan &plan) {
      if (problem.classes[c].kind() == Site::Kind::Argument ||
          !plan.of(c).isSet)
        return false;
      plan.unset(problem, c);
      return true;
    });
  // Axes in arguments that bring nothing.
  for (int32_t c = 0; c < from.plan.numClasses(); ++c)
    for (size_t axis = 0; axis < problem.axes.size(); ++axis)
      tryWithout([&](Plan &plan) {
        return plan.of(c).dimOf[axis] >= 0 && plan.put(problem, c, axis, -1);
      });
  return from;
}

} // namespace shardwright
