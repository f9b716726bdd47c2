//===- planned_plans.cc - plans from planned layouts ----------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/auto/search/planned_plans.h"

#include <cmath>
#include <unordered_set>

using namespace mlir;

namespace shardwright {

PlannerInput plannerInput(ModuleOp imported, const AutoProblem &problem) {
  PlannerInput input;
  input.module = imported;
  input.mesh = problem.mesh;
  input.axes = problem.axes;
  for (const SiteClass &cls : problem.classes) {
    SiteGroup &group = input.groups.emplace_back();
    group.type = cls.type;
    group.isInner = cls.kind() == Site::Kind::Inner;
    if (cls.isGiven)
      group.given = cls.given;
    for (const Site &site : cls.sites)
      if (site.kind == Site::Kind::Result)
        group.results.push_back(site.index);
      else
        group.values.push_back(site.value);
  }
  return input;
}

Plan planOf(const AutoProblem &problem, const ProgramModel &model,
            const PlannedLayouts &layouts, InnerLayouts inner) {
  Plan plan(problem);
  for (auto [c, cls] : llvm::enumerate(problem.classes)) {
    ArrayRef<int32_t> values = model.classesOfGroup[c];
    bool isInner = cls.kind() == Site::Kind::Inner;
    if (values.empty() || (isInner && inner == InnerLayouts::None))
      continue;
    const SmallVector<AxisLayout, 4> &reduced = layouts.reduced[values.front()];
    // A value that stays partial has no sharding that all ops agree on, nor has
    // one that differs from call to call.
    if (llvm::is_contained(reduced, kPartialLayout) ||
        llvm::any_of(values, [&](int32_t value) {
          return layouts.reduced[value] != reduced;
        }))
      continue;
    for (auto [axis, layout] : llvm::enumerate(reduced))
      if (layout >= 0)
        plan.put(problem, c, axis, layout);
    if (isInner && inner == InnerLayouts::All)
      plan.close(c);
  }
  return plan;
}

const PlannedLayouts &PlannedPlans::within(double share) {
  for (auto &[own, layouts] : known)
    if (own == share)
      return layouts;
  // Layouts that take less than a limit are the best within it too, if they
  // are the best within a higher one.
  double bytes = std::isinf(share) ? share : share * limit;
  const PlannedLayouts *same = nullptr;
  for (auto &[own, layouts] : known)
    if (own >= share && (!layouts.works || layouts.peak <= bytes))
      same = &layouts;
  PlannedLayouts layouts = same ? *same : planner.plan(bytes);
  return known.emplace_back(share, std::move(layouts)).second;
}

std::optional<Plan> PlannedPlans::planWithin(double share) {
  const PlannedLayouts &layouts = within(share);
  if (!layouts.works)
    return std::nullopt;
  return planOf(problem, planner.getModel(), layouts,
                specsOnly ? InnerLayouts::None : InnerLayouts::All);
}

std::vector<Recipe> PlannedPlans::make(size_t most) {
  std::vector<Recipe> plans;
  std::unordered_set<std::string> seen;
  constexpr double unlimited = LinearProgram::infinity;
  for (auto [share, suffix] :
       {std::pair(unlimited, ""), std::pair(1.0, ", memory"),
        std::pair(0.9, ", 90 % of memory"),
        std::pair(0.8, ", 80 % of memory")}) {
    if (plans.size() >= most || (share < 1 && planner.getEffort() == 0))
      break;
    const PlannedLayouts &layouts = within(share);
    if (!layouts.works)
      continue;
    auto add = [&](const char *variant, InnerLayouts inner) {
      Plan plan = planOf(problem, planner.getModel(), layouts, inner);
      if (plans.size() < most && seen.insert(plan.key()).second)
        plans.push_back(
            {std::string("planned") + variant + suffix, std::move(plan)});
    };
    if (!specsOnly) {
      add("", InnerLayouts::All);
      add(", open inside", InnerLayouts::Sharded);
    }
    add(specsOnly ? "" : ", specs only", InnerLayouts::None);
  }
  return plans;
}

} // namespace shardwright
