//===- search.cc - improve plans by trials --------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/auto/search/search.h"

#include "shardwright/support/sort_by.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace shardwright {

/// Smaller differences are ties.
constexpr double kLeastGain = 1e-6;
/// Moves that are tried at a time; the best one is taken. Fixed, so that
/// results do not depend on the number of cores.
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
    : imported(imported), problem(problem), trials(trials),
      objective(objective), specsOnly(specsOnly),
      progress(std::move(progress)) {}

void PlanSearch::readMoves() {
  if (!moves)
    moves.emplace(imported, problem, specsOnly);
}

bool PlanSearch::improves(const Trial &trial, const Trial &base) const {
  if (objective.fits(base) || !goesByMerit)
    return objective.isBetter(trial, base);
  return objective.merit(trial) < objective.merit(base) * (1 - kLeastGain);
}

void PlanSearch::tryPlans(Trials::Plans plans, Trials::Plans next) {
  int64_t before = trials.count();
  bool isLast = trials.spent() + int64_t(plans.size()) >=
                std::min(lastTrial, lastGain + patience);
  trials.tryAll(plans, isLast ? Trials::Plans() : next);
  for (int64_t i = before; progress && i < trials.count(); ++i)
    progress();
  for (const Plan *plan : plans)
    if (const Trial &trial = trials.of(*plan);
        bestSeen && objective.isBetter(trial, *bestSeen)) {
      bestSeen = trial;
      lastGain = trials.spent();
    }
}

const Trial &PlanSearch::tryPlan(const Plan &plan) {
  tryPlans(&plan);
  return trials.of(plan);
}

std::vector<Candidate>
PlanSearch::tryRecipes(int64_t budget, llvm::function_ref<void()> meanwhile) {
  std::vector<Recipe> list = recipes(problem, specsOnly);
  if (int64_t(list.size()) > budget)
    list.erase(list.begin() + budget, list.end());
  const SmallVector<const Plan *> plans = pointersTo(list);
  trials.startAll(plans);
  meanwhile();
  tryPlans(plans);
  std::vector<Candidate> tried;
  for (Recipe &recipe : list) {
    const Trial &trial = trials.of(recipe.plan);
    if (trial.works)
      tried.push_back({std::move(recipe.name), std::move(recipe.plan), trial});
  }
  return tried;
}

static SmallVector<const Plan *, kBatch>
plansOf(ArrayRef<std::pair<int32_t, Plan>> batch) {
  SmallVector<const Plan *, kBatch> plans;
  for (auto &[move, plan] : batch)
    plans.push_back(&plan);
  return plans;
}

/// Moves that were never tried come in the order of blame, and moves that were
/// by what they lost. Batches take from both in turn.
class PlanSearch::MoveOrder {
public:
  MoveOrder(ArrayRef<int32_t> blamed, ArrayRef<int32_t> always,
            const llvm::DenseMap<int32_t, double> &lastLoss) {
    auto list = std::make_shared<Lists>();
    llvm::SmallDenseSet<int32_t> isBlamed(blamed.begin(), blamed.end());
    auto add = [&](int32_t move) {
      (lastLoss.contains(move) ? list->again : list->fresh).push_back(move);
    };
    llvm::for_each(blamed, add);
    for (int32_t move : always)
      if (!isBlamed.contains(move))
        add(move);
    sortBy(list->again, [&](int32_t move) { return lastLoss.lookup(move); });
    lists = std::move(list);
  }

  /// -1 at the end.
  int32_t next() {
    const auto &[fresh, again] = *lists;
    if (nextFresh < fresh.size() && (prefersFresh || nextAgain == again.size()))
      return fresh[nextFresh++];
    return nextAgain < again.size() ? again[nextAgain++] : -1;
  }
  /// The move takes a place in a batch.
  void take() { prefersFresh = !prefersFresh; }

private:
  struct Lists {
    std::vector<int32_t> fresh, again;
  };
  /// Shared by copies, which look ahead.
  std::shared_ptr<const Lists> lists;
  size_t nextFresh = 0, nextAgain = 0;
  bool prefersFresh = true;
};

PlanSearch::Batch PlanSearch::nextBatch(MoveOrder &order, const Candidate &from,
                                        std::vector<Tried> &lost,
                                        bool isAhead) {
  Batch batch;
  while (batch.size() < kBatch) {
    int32_t move = order.next();
    if (move < 0)
      break;
    Plan plan = from.plan;
    if (!moves->apply(move, plan))
      continue;
    if (const Trial *known = trials.find(plan)) {
      if (!isAhead)
        lastLoss[move] = objective.loss(*known, from.trial);
      if (!improves(*known, from.trial)) {
        if (!isAhead)
          lost.push_back({move, lastLoss[move]});
        continue;
      }
    }
    batch.push_back({move, std::move(plan)});
    order.take();
  }
  return batch;
}

Blame PlanSearch::blame(const Candidate &from, std::vector<Tried> &lost) {
  // Much of what was tried before will be tried again.
  Batch expected;
  if (!lastBlamed.empty()) {
    MoveOrder ahead(lastBlamed, moves->always(), lastLoss);
    expected = nextBatch(ahead, from, lost, /*isAhead=*/true);
  }
  return trials.blame(from.plan, plansOf(expected), pointersTo(expectedStarts));
}

bool PlanSearch::step(Candidate &from, std::vector<Tried> &lost) {
  lastBlamed = moves->against(blame(from, lost));
  MoveOrder order(lastBlamed, moves->always(), lastLoss);
  lost.clear();
  while (!spent()) {
    Batch batch = nextBatch(order, from, lost, /*isAhead=*/false);
    if (batch.empty())
      return false;
    MoveOrder ahead = order;
    Batch expected = nextBatch(ahead, from, lost, /*isAhead=*/true);
    tryPlans(plansOf(batch), plansOf(expected));
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
  auto offer = [&](int32_t first, int32_t second) {
    Plan plan = from.plan;
    if (moves->apply(first, plan) && moves->apply(second, plan) &&
        !trials.find(plan))
      plans.push_back(std::move(plan));
  };
  // The order of two axes matters where a move puts them on one dimension; it
  // was no move of its own before.
  for (int32_t move : near)
    for (int32_t order : moves->orders())
      offer(move, order);
  for (size_t sum = 1; sum < 2 * near.size(); ++sum)
    for (size_t i = 0; i < near.size(); ++i) {
      size_t j = sum - i;
      if (i > sum || j <= i || j >= near.size())
        continue;
      offer(near[i], near[j]);
    }
  const SmallVector<const Plan *> list = pointersTo(plans);
  for (Trials::Plans rest = list; !rest.empty() && !spent();) {
    Trials::Plans batch = rest.take_front(kBatch);
    rest = rest.drop_front(batch.size());
    tryPlans(batch, rest.take_front(kBatch));
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
  readMoves();
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
    if (!moves->apply(tried.move, next.plan))
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

void PlanSearch::setPatience(int64_t trialsWithoutGain, const Trial &best) {
  patience = trialsWithoutGain;
  bestSeen = best;
  lastGain = trials.spent();
}

void PlanSearch::expectStarts(ArrayRef<Candidate> starts) {
  expectedStarts.clear();
  for (const Candidate &start : starts)
    expectedStarts.push_back(start.plan);
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
  patience = kEndless;
  // Each returns false if it does not change the plan.
  std::vector<std::function<bool(Plan &)>> changes;
  changes.push_back([&](Plan &plan) {
    if (!plan.usesPriorities())
      return false;
    for (int32_t c = 0; c < plan.numClasses(); ++c)
      plan.setPriority(c, 0);
    return true;
  });
  for (int32_t c = from.plan.numClasses(); c-- > 0;)
    changes.push_back([&, c](Plan &plan) {
      if (problem.classes[c].kind() == Site::Kind::Argument ||
          !plan.of(c).isSet)
        return false;
      plan.unset(problem, c);
      return true;
    });
  // Axes in arguments that bring nothing.
  for (int32_t c = 0; c < from.plan.numClasses(); ++c)
    for (size_t axis = 0; axis < problem.axes.size(); ++axis)
      changes.push_back([&, c, axis](Plan &plan) {
        return plan.of(c).dimOf[axis] >= 0 && plan.put(problem, c, axis, -1);
      });
  /// The plan after the next change, which `at` is moved to.
  auto next = [&](size_t &at) -> std::optional<Plan> {
    for (Plan plan = from.plan; at < changes.size(); ++at)
      if (changes[at](plan))
        return plan;
    return std::nullopt;
  };
  for (size_t at = 0; !spent(); ++at) {
    std::optional<Plan> plan = next(at);
    if (!plan)
      break;
    size_t ahead = at + 1;
    std::optional<Plan> expected = next(ahead);
    SmallVector<const Plan *, 1> list;
    if (expected)
      list.push_back(&*expected);
    tryPlans(&*plan, list);
    const Trial &trial = trials.of(*plan);
    if (!trial.works || trial.peak > from.trial.peak ||
        objective.isBetter(from.trial, trial))
      continue;
    from.plan = std::move(*plan);
    from.trial = trial;
  }
  return from;
}

} // namespace shardwright
