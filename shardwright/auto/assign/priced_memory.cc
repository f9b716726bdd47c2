//===- priced_memory.cc - assignments within a memory limit ---------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/auto/assign/priced_memory.h"

#include "shardwright/auto/assign/improve_assignment.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace shardwright {

/// Prices that are tried, live sets, and of the prices with the same live sets
/// those for which the relaxation is solved.
constexpr int kMostPrices = 20, kMostLiveSets = 4, kMostSolved = 1;
/// Prices whose ratio is less are equal.
constexpr double kScaleStep = 1.05, kLeastScale = 0.1, kMostScale = 64;
/// Simplex iterations of each of these.
constexpr int kMostIterations = 2500;
/// Of the cost: a dive that ends so far from the bound is not good enough for
/// programs of so few choices.
constexpr double kLargeGap = 0.01;
constexpr size_t kMostChoicesForTree = 170;
constexpr int kTreeNodes = 20;
/// Of the price of all live sets: that of each at least.
constexpr double kLeastPart = 0.05;

PricedMemory::PricedMemory(AssignmentProblem &problem,
                           SolvedAssignments &solved,
                           const SolverLimits &limits, double limit,
                           FindPeak findPeak)
    : problem(problem), solved(solved), limits(limits), limit(limit),
      findPeak(findPeak) {
  problem.limit = LinearProgram::infinity;
}

bool PricedMemory::isKnown(const LiveSet &set) const {
  return llvm::any_of(problem.liveSets, [&](const LiveSet &other) {
    return other.place == set.place;
  });
}

double PricedMemory::offer(std::vector<int32_t> strategies) {
  AssignmentSolution next = evaluateAssignment(problem, std::move(strategies));
  if (next.seconds == LinearProgram::infinity)
    return LinearProgram::infinity;
  double nextBytes = 0;
  LiveSet set = findPeak(next, nextBytes);
  bool nextFits = nextBytes <= limit;
  if (!nextFits)
    lastPeak = std::move(set);
  if (nextFits != (bytes <= limit) ? nextFits
      : nextFits                   ? next.seconds < best.seconds
                                   : nextBytes < bytes) {
    best = std::move(next);
    bytes = nextBytes;
  }
  return nextBytes;
}

void PricedMemory::addLiveSet(LiveSet set) {
  problem.liveSets.push_back(std::move(set));
  // The relaxation with rows is large: of later sets, the price of the dearest
  // will do.
  if (!prices.empty()) {
    prices.push_back(*std::max_element(prices.begin(), prices.end()));
    return;
  }
  AssignmentProblem limited = problem;
  limited.limit = limit;
  SolverLimits relaxation = limits;
  relaxation.dives = false;
  relaxation.nodes = 0;
  relaxation.iterations = kMostIterations;
  AssignmentSolution relaxed = solved.solve(limited, relaxation);
  bound = std::max(bound, relaxed.bound);
  prices = relaxed.secondsPerByte;
  // The last digits of a dual price depend on the processor.
  for (double &own : prices)
    own = double(float(own));
  price = std::accumulate(prices.begin(), prices.end(), 0.0);
  double sum = price;
  // Not even fractions fit: begin with a price at which memory matters as much
  // as time.
  if (sum == 0) {
    prices.assign(problem.liveSets.size(), 0);
    sum = best.seconds / limit;
  }
  for (double &own : prices)
    own = std::max(own, kLeastPart * sum);
}

bool PricedMemory::tryScale(double scale, bool solves) {
  AssignmentProblem priced = problem;
  for (auto [set, own] : llvm::zip(problem.liveSets, prices))
    addPrice(priced, set, own * scale);
  roundCosts(priced);
  std::vector<std::vector<int32_t>> found;
  SolverLimits few = limits;
  few.iterations = kMostIterations;
  if (solves)
    if (AssignmentSolution solution = solved.solve(priced, few);
        solution.works())
      found.push_back(std::move(solution.strategies));
  // From what is best without a limit, and from what is best so far.
  for (const std::vector<int32_t> &start : {unlimited, best.strategies}) {
    found.push_back(start);
    improveAssignment(priced, found.back());
  }
  double least = LinearProgram::infinity;
  bool fits = false;
  for (std::vector<int32_t> &strategies : found) {
    double seconds = evaluateAssignment(priced, strategies).seconds;
    double own = offer(std::move(strategies));
    if (seconds < least) {
      least = seconds;
      fits = own <= limit;
    }
  }
  return fits;
}

AssignmentSolution PricedMemory::run() {
  best = solved.solve(problem, limits);
  // Small programs have the time for a tree where a dive ends too high.
  if (best.works() && problem.choices.size() <= kMostChoicesForTree &&
      best.seconds > best.bound * (1 + kLargeGap)) {
    SolverLimits tree = limits;
    tree.dives = false;
    tree.nodes = kTreeNodes;
    tree.gap = kLargeGap / 2;
    AssignmentSolution other = solved.solve(problem, tree);
    if (other.works() && other.seconds < best.seconds)
      best = std::move(other);
  }
  if (!best.works())
    return best;
  bound = best.bound;
  unlimited = best.strategies;
  lastPeak = findPeak(best, bytes);
  if (bytes > limit)
    addLiveSet(lastPeak);
  // Scales of the prices: too small, and large enough.
  double low = 0, high = 0, scale = 1;
  int solved = 0;
  for (int round = 0; round < kMostPrices && !prices.empty(); ++round) {
    bool fits = tryScale(scale, solved++ < kMostSolved);
    if (!fits && !isKnown(lastPeak) &&
        problem.liveSets.size() < kMostLiveSets) {
      addLiveSet(lastPeak);
      low = high = 0;
      scale = 1;
      solved = 0;
      continue;
    }
    (fits ? high : low) = scale;
    if ((high > 0 && low > 0 && high / low < kScaleStep) ||
        scale < kLeastScale || scale > kMostScale)
      break;
    scale = high == 0  ? scale * 2
            : low == 0 ? scale / 2
                       : std::sqrt(low * high);
  }
  best.bound = bound;
  return std::move(best);
}

} // namespace shardwright
