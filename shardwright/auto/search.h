//===- search.h - improve plans by trials -----------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Moves change a plan in one respect: an axis on all dimensions of a colour,
// the layout of one class, the order of propagation. Each is tried by the real
// pipeline; the first that is better is taken. Budgets are numbers of trials,
// so that equal inputs give equal plans.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_AUTO_SEARCH_H
#define SHARDWRIGHT_AUTO_SEARCH_H

#include "shardwright/auto/recipes.h"
#include "shardwright/auto/trial.h"

#include <functional>

namespace shardwright {

/// A plan is better if it fits and is faster; if none fits, the smaller one.
struct Objective {
  /// Bytes of memory of a device.
  double limit = 0;

  bool fits(const Trial &trial) const {
    return trial.works && trial.peak <= limit;
  }
  bool isBetter(const Trial &a, const Trial &b) const;
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
  PlanSearch(const AutoProblem &problem, Trials &trials, Objective objective,
             bool specsOnly, std::function<void()> progress);

  /// Tries the recipes within `budget` trials.
  std::vector<Candidate> tryRecipes(int64_t budget);
  /// Takes better moves until there are none, or `budget` trials are spent.
  Candidate climb(Candidate from, int64_t budget);
  /// Removes annotations that save neither time nor memory.
  Candidate prune(Candidate from, int64_t budget);

private:
  struct Move {
    enum class Kind : uint8_t {
      ColourOfArguments, ///< axis a to colour b in arguments
      ColourEverywhere,  ///< likewise in inner values and results
      State,             ///< axis a on the largest free dimension of all state
      BatchFirst,        ///< colour b propagates first
      Class,             ///< axis a of class b to dimension c
      Unset,             ///< class b without annotation
      Swap,              ///< axes a and b change places
    };
    Kind kind;
    int32_t a = -1, b = -1, c = -1;
  };

  const Trial &tryPlan(const Plan &plan);
  bool apply(const Move &move, Plan &plan) const;
  std::vector<Move> movesByWeight() const;
  bool mayAnnotate(const SiteClass &cls) const {
    return !specsOnly || cls.kind() != Site::Kind::Inner;
  }
  bool spent() const { return trials.count() >= lastTrial; }

  const AutoProblem &problem;
  Trials &trials;
  Objective objective;
  bool specsOnly;
  std::function<void()> progress;
  int64_t lastTrial = 0;
  std::vector<Move> moves;
};

} // namespace shardwright

#endif // SHARDWRIGHT_AUTO_SEARCH_H
