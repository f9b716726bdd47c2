//===- search.cc - improve plans by trials --------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/auto/search/search.h"

#include "shardwright/report/sort_by.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace shardwright {

/// Smaller differences are ties.
constexpr double kLeastGain = 1e-6;
/// Moves that are tried at a time. Fixed, so that results do not depend on the
/// number of cores.
constexpr size_t kBatch = 2;
/// Moves of which pairs are tried, and trials of a detour.
constexpr size_t kMostInPairs = 10, kMostDetours = 3;
constexpr int64_t kDetourTrials = 24;

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

double Objective::merit(const Trial &trial) const {
  if (!trial.works)
    return std::numeric_limits<double>::infinity();
  double over = std::max(trial.peak / std::max(limit, 1.0) - 1, 0.0);
  return trial.seconds() * (1 + kOverWeight * over);
}

double Objective::loss(const Trial &trial, const Trial &base) const {
  double ratio = merit(trial) / std::max(merit(base), 1e-30);
  return fits(base) && !fits(trial) ? kDoesNotFit + ratio : ratio - 1;
}

PlanSearch::PlanSearch(ModuleOp imported, const AutoProblem &problem,
                       Trials &trials, Objective objective, bool specsOnly,
                       std::function<void()> progress)
    : problem(problem), trials(trials), objective(objective),
      specsOnly(specsOnly), progress(std::move(progress)),
      moves(imported, problem, specsOnly) {}

bool PlanSearch::improves(const Trial &trial, const Trial &base) const {
  if (objective.fits(base) || !goesByMerit)
    return objective.isBetter(trial, base);
  return objective.merit(trial) < objective.merit(base) * (1 - kLeastGain);
}

void PlanSearch::tryPlans(ArrayRef<const Plan *> plans) {
  int64_t before = trials.count();
  trials.tryAll(plans);
  for (int64_t i = before; progress && i < trials.count(); ++i)
    progress();
}

const Trial &PlanSearch::tryPlan(const Plan &plan) {
  tryPlans(&plan);
  return trials.of(plan);
}

std::vector<Candidate> PlanSearch::tryRecipes(int64_t budget) {
  std::vector<Recipe> list = recipes(problem, specsOnly);
  if (int64_t(list.size()) > budget)
    list.erase(list.begin() + budget, list.end());
  std::vector<const Plan *> plans;
  for (const Recipe &recipe : list)
    plans.push_back(&recipe.plan);
  tryPlans(plans);
  std::vector<Candidate> tried;
  for (Recipe &recipe : list) {
    const Trial &trial = trials.of(recipe.plan);
    if (trial.works)
      tried.push_back({std::move(recipe.name), std::move(recipe.plan), trial});
  }
  return tried;
}

bool PlanSearch::step(Candidate &from, std::vector<Tried> &lost) {
  // Moves that were never tried come in the order of blame; moves that were
  // come by what they lost. Batches take from both.
  std::vector<int32_t> fresh, again;
  auto sort = [&](const std::vector<int32_t> &list) {
    for (int32_t move : list)
      (lastLoss.contains(move) ? again : fresh).push_back(move);
  };
  std::vector<int32_t> blamed = moves.against(trials.blame(from.plan));
  sort(blamed);
  llvm::SmallDenseSet<int32_t> isBlamed(blamed.begin(), blamed.end());
  std::vector<int32_t> rest;
  llvm::copy_if(moves.always(), std::back_inserter(rest),
                [&](int32_t move) { return !isBlamed.contains(move); });
  sort(rest);
  sortBy(again, [&](int32_t move) { return lastLoss.lookup(move); });

  lost.clear();
  size_t nextFresh = 0, nextAgain = 0;
  auto next = [&](bool prefersFresh) -> int32_t {
    if (nextFresh < fresh.size() && (prefersFresh || nextAgain == again.size()))
      return fresh[nextFresh++];
    return nextAgain < again.size() ? again[nextAgain++] : -1;
  };
  std::vector<std::pair<int32_t, Plan>> batch;
  bool prefersFresh = true;
  for (bool isEnd = false; !isEnd && !spent();) {
    batch.clear();
    while (batch.size() < kBatch && !isEnd) {
      int32_t move = next(prefersFresh);
      isEnd = move < 0;
      Plan plan = from.plan;
      if (isEnd || !moves.apply(move, plan))
        continue;
      // A plan that is known needs no place in the batch.
      if (const Trial *known = trials.find(plan)) {
        double loss = objective.loss(*known, from.trial);
        lastLoss[move] = loss;
        if (!improves(*known, from.trial)) {
          lost.push_back({move, loss});
          continue;
        }
      }
      batch.push_back({move, std::move(plan)});
      prefersFresh = !prefersFresh;
    }
    SmallVector<const Plan *, kBatch> plans;
    for (auto &[move, plan] : batch)
      plans.push_back(&plan);
    tryPlans(plans);
    const Trial *best = nullptr;
    const Plan *bestPlan = nullptr;
    for (auto &[move, plan] : batch) {
      const Trial &trial = trials.of(plan);
      lastLoss[move] = objective.loss(trial, from.trial);
      lost.push_back({move, lastLoss[move]});
      if (improves(trial, best ? *best : from.trial)) {
        best = &trial;
        bestPlan = &plan;
      }
    }
    if (best) {
      from.plan = *bestPlan;
      from.trial = *best;
      return true;
    }
  }
  return false;
}

static void keepLeast(std::vector<int32_t> &list, size_t most) {
  if (list.size() > most)
    list.resize(most);
}

bool PlanSearch::pairStep(Candidate &from, std::vector<Tried> lost) {
  sortBy(lost, [](const Tried &tried) { return tried.loss; });
  // Moves with the same cost are mostly the same change by another name.
  std::vector<int32_t> near;
  double last = -1;
  for (const Tried &tried : lost) {
    if (std::isinf(tried.loss))
      break;
    if (tried.loss == 0 || tried.loss == last)
      continue;
    last = tried.loss;
    near.push_back(tried.move);
  }
  keepLeast(near, kMostInPairs);
  std::vector<Plan> plans;
  for (size_t sum = 1; sum < 2 * near.size(); ++sum)
    for (size_t i = 0; i < near.size(); ++i) {
      size_t j = sum - i;
      if (i > sum || j <= i || j >= near.size())
        continue;
      Plan plan = from.plan;
      if (moves.apply(near[i], plan) && moves.apply(near[j], plan) &&
          !trials.find(plan))
        plans.push_back(std::move(plan));
    }
  for (size_t i = 0; i < plans.size() && !spent(); i += kBatch) {
    SmallVector<const Plan *, kBatch> batch;
    for (size_t k = i; k < std::min(i + kBatch, plans.size()); ++k)
      batch.push_back(&plans[k]);
    tryPlans(batch);
    for (const Plan *plan : batch)
      if (improves(trials.of(*plan), from.trial)) {
        from.trial = trials.of(*plan);
        from.plan = *plan;
        return true;
      }
  }
  return false;
}

void PlanSearch::climbSimply(Candidate &from, std::vector<Tried> &lost) {
  goesByMerit = true;
  while (!spent() && step(from, lost)) {
  }
  if (objective.fits(from.trial))
    return;
  // What fits counts, at any price in time; then faster plans that fit.
  goesByMerit = false;
  while (!spent() && step(from, lost)) {
  }
}

bool PlanSearch::detour(Candidate &from, std::vector<Tried> lost) {
  sortBy(lost, [](const Tried &tried) { return tried.loss; });
  const int64_t end = lastTrial;
  size_t taken = 0;
  double last = -1;
  for (const Tried &tried : lost) {
    if (taken == kMostDetours || trials.spent() >= end ||
        tried.loss >= Objective::kDoesNotFit)
      break;
    if (tried.loss == last)
      continue;
    last = tried.loss;
    ++taken;
    Candidate next = from;
    if (!moves.apply(tried.move, next.plan))
      continue;
    next.trial = tryPlan(next.plan);
    lastTrial = std::min(end, trials.spent() + kDetourTrials);
    std::vector<Tried> ignored;
    climbSimply(next, ignored);
    lastTrial = end;
    if (objective.isBetter(next.trial, from.trial)) {
      from = std::move(next);
      return true;
    }
  }
  return false;
}

Candidate PlanSearch::explore(Candidate from, int64_t budget) {
  lastTrial = trials.spent() + budget;
  std::vector<Tried> lost;
  climbSimply(from, lost);
  return from;
}

Candidate PlanSearch::climb(Candidate from, int64_t budget) {
  lastTrial = trials.spent() + budget;
  std::vector<Tried> lost;
  do
    climbSimply(from, lost);
  while (!spent() && (pairStep(from, lost) || detour(from, lost)));
  return from;
}

Candidate PlanSearch::prune(Candidate from, int64_t budget) {
  lastTrial = trials.spent() + budget;
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
