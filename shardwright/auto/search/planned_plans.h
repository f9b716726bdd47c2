//===- planned_plans.h - plans from planned layouts -------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The starts of the search that the planner gives: its layouts without a memory
// limit, within the limit, and (not at effort 0) within less, because the
// estimate errs.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_AUTO_PLANNED_PLANS_H
#define SHARDWRIGHT_AUTO_PLANNED_PLANS_H

#include "shardwright/auto/assign/planner.h"
#include "shardwright/auto/search/recipes.h"

#include <deque>

namespace shardwright {

/// What is planned for a problem, which was read of the module.
PlannerInput plannerInput(mlir::ModuleOp imported, const AutoProblem &problem);

/// Which inner values get annotations: none, those that have axes, or all that
/// are not partial, with no other axes than planned.
enum class InnerLayouts { None, Sharded, All };

/// The plan that writes the layouts.
Plan planOf(const AutoProblem &problem, const ProgramModel &model,
            const PlannedLayouts &layouts, InnerLayouts inner);

class PlannedPlans {
public:
  PlannedPlans(const AutoProblem &problem, const Planner &planner, double limit,
               bool specsOnly)
      : problem(problem), planner(planner), limit(limit), specsOnly(specsOnly) {
  }

  /// Distinct plans, at most `most`.
  std::vector<Recipe> make(size_t most);
  /// The layouts within `share` of the limit.
  const PlannedLayouts &within(double share);
  /// Likewise their plan; none if there are none.
  std::optional<Plan> planWithin(double share);

private:
  const AutoProblem &problem;
  const Planner &planner;
  double limit;
  bool specsOnly;
  /// By share; infinite: without a limit.
  std::deque<std::pair<double, PlannedLayouts>> known;
};

} // namespace shardwright

#endif // SHARDWRIGHT_AUTO_PLANNED_PLANS_H
