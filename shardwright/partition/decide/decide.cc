//===- decide.cc - choose the axes that an op computes on -----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The candidates of a factor are the axes that some tensor has on it, their
// prefixes, and none; also these with axes in front that a tensor has on
// factors which must not be sharded. Tries all combinations if they are few;
// otherwise improves one factor after the other from several starts.
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/decide/decide.h"

#include "shardwright/partition/decide/local_work.h"

#include "llvm/ADT/STLExtras.h"

#include <limits>

using namespace shardwright;

namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr int64_t kMaxCombinations = 1024;

class Decider {
public:
  Decider(const DecideProblem &problem, ReshardPlanner &planner)
      : problem(problem), rule(*problem.rule), planner(planner) {}
  OpDecision run();

private:
  void addCandidates(const TensorMapping &mapping,
                     const TensorSharding &layout);
  /// Adds the axes and their prefixes.
  void addCandidates(size_t f, AxisList axes);
  /// Returns the cost and fills `out`; kNever if the op cannot be computed so.
  double evaluate(const FactorAxes &axes, OpDecision *out);
  /// A site is in the target layout already, or moves there.
  using Arrival = LocalWork::Arrival;
  Arrival arrive(const TensorSite &site, const TensorSharding &to);
  /// Cost of resharding a result after the op; fills its part of `out`.
  double resultCost(size_t i, const FactorAxes &axes, AxisRefs reduce,
                    LocalWork &work, OpDecision *out);
  /// Unshards window dimensions of the operand with fewer rows than shards.
  void keepSmallWindowsWhole(size_t operand, FactorAxes &axes) const;
  /// Cost of the halo exchanges of an operand's windows.
  double windowCost(size_t operand, const FactorAxes &axes,
                    const TensorSharding &sharding) const;
  bool disjoint(const FactorAxes &axes) const;
  bool mayBeUneven(size_t f) const {
    return f < problem.mayBeUneven.size() && problem.mayBeUneven[f];
  }
  void offer(const FactorAxes &axes);
  void exhaust();
  void improve(FactorAxes axes);

  const DecideProblem &problem;
  const ShardingRule &rule;
  ReshardPlanner &planner;
  llvm::SmallVector<llvm::SmallVector<AxisList, 4>, 6> candidates;
  /// Projections of the tensors' shardings: starts of the local search.
  llvm::SmallVector<FactorAxes, 4> starts;
  FactorAxes best;
  double bestCost = kNever;
};

void Decider::addCandidates(size_t f, AxisList axes) {
  for (; !axes.empty(); axes.pop_back())
    if (!llvm::is_contained(candidates[f], axes))
      candidates[f].push_back(axes);
}

void Decider::addCandidates(const TensorMapping &mapping,
                            const TensorSharding &layout) {
  FactorAxes axes = projectOntoFactors(rule, mapping, layout);
  AxisList displaced;
  for (size_t f = 0; f < axes.size(); ++f) {
    if (!mayShard(problem, f)) {
      displaced.append(axes[f]);
      axes[f].clear();
      continue;
    }
    if (!mayBeUneven(f))
      axes[f] = divisiblePrefix(rule.factors[f].size, axes[f]);
    addCandidates(f, axes[f]);
  }
  for (size_t f = 0; f < axes.size() && !displaced.empty(); ++f) {
    const Factor &factor = rule.factors[f];
    if (factor.kind != FactorKind::PassThrough || !mayShard(problem, f))
      continue;
    AxisList moved(axes[f]);
    for (AxisRef axis : displaced)
      appendMerged(moved, axis);
    if (factor.size % totalSize(moved) == 0)
      addCandidates(f, std::move(moved));
  }
  if (!llvm::is_contained(starts, axes))
    starts.push_back(std::move(axes));
}

bool Decider::disjoint(const FactorAxes &axes) const {
  for (size_t f = 0; f < axes.size(); ++f) {
    for (AxisRef a : axes[f])
      for (AxisRef b : problem.carried)
        if (overlaps(a, b) || !canCoexist(a, b))
          return false;
    for (size_t g = f + 1; g < axes.size(); ++g)
      for (AxisRef a : axes[f])
        for (AxisRef b : axes[g])
          if (overlaps(a, b) || !canCoexist(a, b))
            return false;
  }
  return true;
}

Decider::Arrival Decider::arrive(const TensorSite &site,
                                 const TensorSharding &to) {
  if (site.isRematerializable)
    return {};
  Arrival least{kNever};
  for (auto [i, from] : llvm::enumerate(site.layouts)) {
    if (from.isEquivalent(to))
      return {0, /*isMoved=*/i != 0};
    double cost = shardwright::reshardCost(from, to, site.shape,
                                           site.elementBytes, planner);
    bool isMoved = i != 0 || cost > 0;
    if (cost > 0)
      cost += problem.repeated;
    if (site.amortization < 1) {
      double after = localBytes(site.shape, site.elementBytes, to);
      if (after <= problem.heldBytes ||
          after <= localBytes(site.shape, site.elementBytes, from))
        cost *= site.amortization;
    }
    if (cost >= least.cost)
      continue;
    bool isSliced = cost == 0;
    least = {cost, isMoved, isSliced};
    if (!isSliced)
      least.before = localBytes(site.shape, site.elementBytes, from);
  }
  return least;
}

void Decider::keepSmallWindowsWhole(size_t operand, FactorAxes &axes) const {
  for (const FactorWindow &window : problem.windows)
    if (window.operand == int64_t(operand) &&
        problem.operands[operand].shape[window.operandDim] <
            totalSize(axes[window.factor]))
      axes[window.factor].clear();
}

double Decider::windowCost(size_t operand, const FactorAxes &axes,
                           const TensorSharding &sharding) const {
  double cost = 0;
  const TensorSite &site = problem.operands[operand];
  AxisList mirrored;
  for (const FactorWindow &window : problem.windows) {
    int64_t shards = totalSize(axes[window.factor]);
    if (window.operand != int64_t(operand) || shards == 1)
      continue;
    int64_t size = site.shape[window.operandDim];
    if (window.isScan) {
      double row =
          localBytes(site.shape, site.elementBytes, sharding) /
          (double(size) / double(sharding.dims[window.operandDim].shards()));
      constexpr auto gather = CollectiveKind::AllGather;
      cost += planner.linkOver(axes[window.factor])
                  .of(gather, row, bytesSent(gather, row, shards), shards);
      cost += problem.repeated;
      continue;
    }
    std::optional<RowWindow> rows = window.map.ofShards(shards);
    if (!rows || (window.isEven && window.map.outSize % shards != 0))
      return kNever;
    // A replicated dimension needs no halo.
    if (sharding.dims[window.operandDim].shards() == 1)
      continue;
    if (window.map.reversed && size % shards == 0) {
      llvm::append_range(mirrored, axes[window.factor]);
      continue;
    }
    double row = localBytes(site.shape, site.elementBytes, sharding) /
                 (double(size) / double(shards));
    double bytes = row * rowsReceived(*rows, size, shards);
    if (bytes > 0)
      cost += planner.linkOver(axes[window.factor])
                  .of(CollectiveKind::Permute, bytes, bytes, shards) +
              problem.repeated;
  }
  // A reversal sends full shards to their mirrored places, along all axes in
  // one step.
  if (!mirrored.empty()) {
    double local = localBytes(site.shape, site.elementBytes, sharding);
    cost += planner.linkOver(mirrored).of(CollectiveKind::Permute, local, local,
                                          totalSize(mirrored)) +
            problem.repeated;
  }
  return cost;
}

double Decider::resultCost(size_t i, const FactorAxes &axes, AxisRefs reduce,
                           LocalWork &work, OpDecision *out) {
  const TensorSite &site = problem.results[i];
  auto computed = shardingFromFactors(rule, rule.results[i], axes, site.shape,
                                      problem.mayBeUneven);
  if (!computed)
    return kNever;
  double local = localBytes(site.shape, site.elementBytes, *computed);
  const TensorSharding &wanted = site.layouts.front();
  // Keep the value partial along axes along which the result is wanted so.
  AxisList kept;
  if (problem.reduction == wanted.unreduced.kind)
    kept = commonAxes(reduce, wanted.unreduced);
  computed->unreduced = problem.carried;
  if (!kept.empty())
    computed->unreduced.kind = wanted.unreduced.kind;
  computed->unreduced.append(kept);
  sortAndMerge(computed->unreduced);
  SumResolution resolution;
  resolution.after = *computed;
  double cost = 0, share = 1;
  if (AxisList left = withoutAxes(reduce, kept); !left.empty()) {
    resolution = planSumResolution(*computed, left, wanted, site.shape,
                                   site.elementBytes);
    if (!resolution.scatters() && resolution.after.isEquivalent(wanted))
      share = problem.sumShare;
    cost += share * (resolution.cost(planner) + problem.repeated);
  }
  if (!resolution.after.isEquivalent(wanted)) {
    double move = shardwright::reshardCost(resolution.after, wanted, site.shape,
                                           site.elementBytes, planner);
    cost += move > 0 ? move + problem.repeated : 0;
    if (move == 0)
      work.addResultSlice(localBytes(site.shape, site.elementBytes, wanted));
  }
  work.addResult(i, local, /*isMoved=*/cost > 0);
  if (out) {
    out->results.push_back(std::move(*computed));
    out->resolutions.push_back(std::move(resolution));
    out->sumShares.push_back(share);
  }
  return cost;
}

double Decider::evaluate(const FactorAxes &axes, OpDecision *out) {
  LocalWork work(problem, planner.getCosts());
  double cost = 0;
  for (auto [i, site] : llvm::enumerate(problem.operands)) {
    FactorAxes own = axes;
    keepSmallWindowsWhole(i, own);
    auto target = shardingFromFactors(rule, rule.operands[i], own, site.shape,
                                      problem.mayBeUneven);
    if (!target)
      return kNever;
    if (site.carriesSum)
      target->unreduced = problem.carried;
    double halo = windowCost(i, axes, *target);
    cost += halo;
    Arrival arrival = arrive(site, *target);
    cost += arrival.cost;
    if (cost >= bestCost && !out)
      return kNever;
    arrival.hasHalo = halo > 0;
    work.addOperand(i, localBytes(site.shape, site.elementBytes, *target),
                    arrival);
    if (out) {
      out->operands.push_back(std::move(*target));
      out->halo += halo;
    }
  }
  AxisList reduce;
  for (auto [f, factor] : llvm::enumerate(rule.factors))
    if (factor.kind == FactorKind::Reduction)
      reduce.append(axes[f].begin(), axes[f].end());
  sortAndMerge(reduce);
  if (out)
    out->reduceAxes = reduce;
  for (size_t i = 0; i < problem.results.size(); ++i) {
    double own = resultCost(i, axes, reduce, work, out);
    if (own == kNever)
      return kNever;
    cost += own;
  }
  double all = work.addTo(cost, axes);
  if (out) {
    out->cost = all;
    out->work = all - cost;
  }
  return all;
}

void Decider::offer(const FactorAxes &axes) {
  if (!disjoint(axes))
    return;
  if (problem.weighed)
    if (OpDecision way; evaluate(axes, &way) < kNever)
      problem.weighed->push_back({way.operands, way.results, way.cost,
                                  planner.getCosts().machine != nullptr});
  double cost = evaluate(axes, nullptr);
  // The margin keeps the earlier candidate on ties.
  if (cost < bestCost * (1 - 1e-12) || best.empty()) {
    if (cost == kNever)
      return;
    bestCost = cost;
    best = axes;
  }
}

void Decider::exhaust() {
  for (const FactorAxes &start : starts)
    offer(start);
  FactorAxes axes(rule.factors.size());
  auto rec = [&](auto &self, size_t f) -> void {
    if (f == axes.size())
      return offer(axes);
    for (const AxisList &choice : candidates[f]) {
      axes[f] = choice;
      bool clash = false;
      for (size_t g = 0; g < f && !clash; ++g)
        for (AxisRef a : axes[g])
          clash |= overlaps(a, axes[f]);
      if (!clash)
        self(self, f + 1);
    }
  };
  rec(rec, 0);
}

void Decider::improve(FactorAxes axes) {
  offer(axes);
  for (int sweep = 0; sweep < 2; ++sweep)
    for (size_t f = 0; f < axes.size(); ++f) {
      if (candidates[f].size() < 2)
        continue;
      double least = disjoint(axes) ? evaluate(axes, nullptr) : kNever;
      AxisList chosen = axes[f];
      FactorAxes kept = axes;
      for (const AxisList &choice : candidates[f]) {
        // Remove the chosen axes from the other factors.
        FactorAxes next = kept;
        for (size_t g = 0; g < next.size(); ++g)
          for (size_t i = 0; g != f && i < next[g].size(); ++i)
            if (overlaps(next[g][i], choice)) {
              next[g].resize(i);
              break;
            }
        next[f] = choice;
        offer(next);
        double cost = disjoint(next) ? evaluate(next, nullptr) : kNever;
        if (cost < least) {
          least = cost;
          axes = next;
        }
      }
    }
}

OpDecision Decider::run() {
  size_t n = rule.factors.size();
  candidates.resize(n);
  for (auto [site, mapping] : llvm::zip(problem.operands, rule.operands))
    if (!site.isRematerializable)
      for (const TensorSharding &layout : site.layouts)
        addCandidates(mapping, layout);
  for (auto [site, mapping] : llvm::zip(problem.results, rule.results))
    for (const TensorSharding &layout : site.layouts)
      addCandidates(mapping, layout);
  int64_t combinations = 1;
  for (auto &list : candidates) {
    list.push_back({});
    if (combinations <= kMaxCombinations)
      combinations *= int64_t(list.size());
  }
  FactorAxes none(n);
  if (combinations <= kMaxCombinations) {
    exhaust();
  } else {
    starts.push_back(none);
    for (const FactorAxes &start : starts)
      improve(start);
  }
  if (best.empty())
    best = none;
  OpDecision decision;
  decision.factors = best;
  bestCost = kNever;
  evaluate(best, &decision);
  return decision;
}

} // namespace

bool shardwright::isColumn(const ShardingRule &rule, int32_t factor) {
  return rule.holds(1, factor) && !rule.holds(0, factor) &&
         rule.holds(int32_t(rule.operands.size()), factor);
}

bool shardwright::mayShard(const DecideProblem &problem, int32_t f) {
  const Factor &factor = problem.rule->factors[f];
  if (size_t(f) < problem.keepUnsharded.size() && problem.keepUnsharded[f])
    return false;
  if (llvm::any_of(problem.windows, [&](const FactorWindow &window) {
        return window.factor == f;
      }))
    return true;
  switch (factor.kind) {
  case FactorKind::PassThrough:
    return true;
  case FactorKind::Reduction:
    return problem.canReduce;
  case FactorKind::NeedReplication:
  case FactorKind::Permutation:
    return false;
  }
  return false;
}

void shardwright::settleUneven(TensorSharding &wanted,
                               const DecideProblem &problem, int64_t result) {
  const ShardingRule &rule = *problem.rule;
  const TensorMapping &mapping = rule.results[result];
  llvm::ArrayRef<int64_t> shape = problem.results[result].shape;
  for (auto [d, dim] : llvm::enumerate(wanted.dims)) {
    if (shape[d] <= 0 || shape[d] % dim.shards() == 0)
      continue;
    auto isAtHand = [&](const AxisList &axes) {
      for (auto [site, operand] : llvm::zip(problem.operands, rule.operands))
        for (const TensorSharding &layout : site.layouts)
          for (auto [factors, have] : llvm::zip(operand, layout.dims))
            if (factors == mapping[d] && have.axes == axes)
              return true;
      return false;
    };
    AxisList even = divisiblePrefix(shape[d], dim.axes);
    if (!even.empty() && !isAtHand(dim.axes))
      dim.axes = even;
  }
}

OpDecision shardwright::decide(const DecideProblem &problem,
                               ReshardPlanner &planner) {
  return Decider(problem, planner).run();
}
