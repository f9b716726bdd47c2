//===- search.h - improve plans by trials -----------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Moves (moves.h) are tried by the real pipeline, two at a time; one that is
// better is taken. Threads that would wait try the next ones ahead. Moves that
// lost little are tried again after the next gain. Where no move gains, pairs
// of the moves that lost least are tried, then a search from a plan that is a
// little worse. Budgets are numbers of trials, so that equal inputs give equal
// plans.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_AUTO_SEARCH_H
#define SHARDWRIGHT_AUTO_SEARCH_H

#include "shardwright/auto/search/moves.h"
#include "shardwright/auto/search/trial.h"

#include <functional>
#include <limits>

namespace shardwright {

/// A plan is better if it fits and is faster; if none fits, the smaller one.
/// On the way to such a plan, others are compared by `merit`.
struct Objective {
  /// Bytes of memory of a device.
  double limit = 0;

  bool fits(const Trial &trial) const {
    return trial.works && trial.peak <= limit;
  }
  bool isBetter(const Trial &a, const Trial &b) const;
  /// Seconds, longer by `kOverWeight` times the share of the limit that is
  /// exceeded: a plan that is a little too large and fast leads to a better one
  /// than the smallest plan does. Infinite if the trial does not work.
  double merit(const Trial &trial) const;
  static constexpr double kOverWeight = 4;
  /// What `trial` loses against `base`, which works: below 0 for a gain, above
  /// `kDoesNotFit` if it does not fit and the base does, infinite if it does
  /// not work.
  double loss(const Trial &trial, const Trial &base) const;
  static constexpr double kDoesNotFit = 1e6;
};

struct Candidate {
  std::string name;
  Plan plan;
  Trial trial;
};

class PlanSearch {
public:
  /// `specsOnly`: only arguments and results get annotations, without
  /// priorities. `progress` is called after each trial; may be null.
  PlanSearch(mlir::ModuleOp imported, const AutoProblem &problem,
             Trials &trials, Objective objective, bool specsOnly,
             std::function<void()> progress);

  /// Plans are compared by another objective from now on.
  void setObjective(Objective other) { objective = other; }
  /// Reads the moves of the module, unless they have been read. A search does
  /// that too; no other thread may change the module's context meanwhile.
  void readMoves();
  /// Tries the recipes within `budget` trials. `meanwhile` is called when they
  /// have started.
  std::vector<Candidate> tryRecipes(int64_t budget,
                                    llvm::function_ref<void()> meanwhile);
  /// `explore` and `climb` end after so many trials that bring nothing better
  /// than `best` and than what they found before.
  void setPatience(int64_t trials, const Trial &best);
  bool isOutOfPatience() const { return trials.spent() >= lastGain + patience; }
  /// The next searches will start at these plans, in this order.
  void expectStarts(llvm::ArrayRef<Candidate> starts);
  /// Takes better moves until there are none, or `budget` trials are spent.
  Candidate explore(Candidate from, int64_t budget);
  /// Likewise; where there are none it tries pairs of moves and detours.
  Candidate climb(Candidate from, int64_t budget);
  /// Removes annotations that save neither time nor memory.
  Candidate prune(Candidate from, int64_t budget);

private:
  /// A move and what it lost against the plan before it.
  struct Tried {
    int32_t move = -1;
    double loss = 0;
  };

  /// `next`: see Trials::tryAll.
  void tryPlans(Trials::Plans plans, Trials::Plans next = {});
  const Trial &tryPlan(const Plan &plan);
  bool spent() const {
    return trials.spent() >= lastTrial || isOutOfPatience();
  }

  /// True if a search at `base` goes on at `trial`.
  bool improves(const Trial &trial, const Trial &base) const;
  /// Moves in the order in which a step tries them.
  class MoveOrder;
  /// Plans that are tried together, each with its move.
  using Batch = std::vector<std::pair<int32_t, Plan>>;
  /// The next moves of `order` that change `from`. Of plans that are known,
  /// only those that are better take a place; what the others lose goes to
  /// `lost`. `isAhead`: only to know what will be tried, without effects.
  Batch nextBatch(MoveOrder &order, const Candidate &from,
                  std::vector<Tried> &lost, bool isAhead);
  /// What `from` is spent on. `lost` is not changed.
  Blame blame(const Candidate &from, std::vector<Tried> &lost);
  /// Tries each move once on `from`, promising ones first, until one is better.
  /// Returns whether one was. `lost` receives what the others lose.
  bool step(Candidate &from, std::vector<Tried> &lost);
  /// Tries pairs of the moves that lost least.
  bool pairStep(Candidate &from, std::vector<Tried> lost);
  /// Searches on from plans that lost little.
  bool detour(Candidate &from, std::vector<Tried> lost);
  void climbSimply(Candidate &from, std::vector<Tried> &lost);

  mlir::ModuleOp imported;
  const AutoProblem &problem;
  Trials &trials;
  Objective objective;
  bool specsOnly;
  std::function<void()> progress;
  std::optional<Moves> moves;
  int64_t lastTrial = 0;
  /// Of all searches: the best trial, and the number of trials when it was
  /// found.
  std::optional<Trial> bestSeen;
  int64_t lastGain = 0;
  /// More than any number of trials.
  static constexpr int64_t kEndless = std::numeric_limits<int64_t>::max() / 2;
  int64_t patience = kEndless;
  bool goesByMerit = true;
  /// The moves that followed from the last blame.
  std::vector<int32_t> lastBlamed;
  /// Plans of which the next searches will start.
  std::vector<Plan> expectedStarts;
  /// By move: what it lost when it was last tried; absent if it was not.
  llvm::DenseMap<int32_t, double> lastLoss;
};

} // namespace shardwright

#endif // SHARDWRIGHT_AUTO_SEARCH_H
