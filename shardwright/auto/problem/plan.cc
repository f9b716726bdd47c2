//===- plan.cc - layouts of all classes of sites --------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/auto/problem/plan.h"

#include "shardwright/dialect/sdy/border_attributes.h"
#include "shardwright/dialect/sdy/conversion.h"
#include "shardwright/dialect/sdy/sharding_access.h"

using namespace mlir;

namespace shardwright {

Plan::Plan(const AutoProblem &problem)
    : order(llvm::to_vector<4>(
          llvm::seq<int32_t>(0, int32_t(problem.axes.size())))) {
  for (const SiteClass &cls : problem.classes) {
    ClassPlan &plan = classes.emplace_back();
    plan.isSet = cls.kind() == Site::Kind::Argument;
    plan.dimOf.assign(problem.axes.size(), -1);
  }
}

bool Plan::mayPut(const AutoProblem &problem, int32_t c, int32_t axis,
                  int32_t dim) const {
  const SiteClass &cls = problem.classes[c];
  AxisRef ref = problem.mesh.fullAxis(problem.axes[axis]);
  auto meets = [&](AxisRefs axes) {
    return llvm::any_of(axes, [&](AxisRef a) { return overlaps(a, ref); });
  };
  if (cls.isGiven &&
      (meets(cls.given.allAxes()) || meets(cls.given.replicated) ||
       meets(cls.given.unreduced) || cls.given.dims[dim].isClosed))
    return false;
  int64_t parts = cls.given.dims[dim].shards() * ref.size;
  for (auto [other, at] : llvm::enumerate(classes[c].dimOf))
    if (at == dim && int32_t(other) != axis)
      parts *= problem.mesh.axisSize(problem.axes[other]);
  return cls.type.getDimSize(dim) % parts == 0;
}

bool Plan::put(const AutoProblem &problem, int32_t c, int32_t axis,
               int32_t dim) {
  ClassPlan &plan = classes[c];
  if (plan.dimOf[axis] == dim && plan.isSet)
    return false;
  if (dim >= 0 && !mayPut(problem, c, axis, dim))
    return false;
  plan.dimOf[axis] = dim;
  plan.isSet = true;
  return true;
}

bool Plan::putInPlace(const AutoProblem &problem, int32_t c, int32_t axis,
                      int32_t dim) {
  if (dim < 0 || mayPut(problem, c, axis, dim))
    return put(problem, c, axis, dim);
  Plan without = *this;
  for (int8_t &at : without.classes[c].dimOf)
    if (at == dim)
      at = -1;
  if (!without.put(problem, c, axis, dim))
    return false;
  *this = std::move(without);
  return true;
}

void Plan::unset(const AutoProblem &problem, int32_t c) {
  classes[c].isSet = classes[c].isClosed = false;
  classes[c].priority = 0;
  classes[c].dimOf.assign(problem.axes.size(), -1);
}

bool Plan::swapOrder(int32_t first, int32_t second) {
  if (llvm::none_of(classes, [&](const ClassPlan &plan) {
        return plan.isSet && plan.dimOf[first] >= 0 &&
               plan.dimOf[first] == plan.dimOf[second];
      }))
    return false;
  std::swap(*llvm::find(order, first), *llvm::find(order, second));
  return true;
}

TensorSharding Plan::sharding(const AutoProblem &problem, int32_t c) const {
  const SiteClass &cls = problem.classes[c];
  const ClassPlan &plan = classes[c];
  TensorSharding sharding = cls.given;
  for (int32_t axis : order)
    if (int8_t dim = plan.dimOf[axis]; dim >= 0)
      sharding.dims[dim].axes.push_back(
          problem.mesh.fullAxis(problem.axes[axis]));
  for (DimSharding &dim : sharding.dims) {
    // Other inner values may get more axes from propagation.
    if (cls.kind() != Site::Kind::Inner || plan.isClosed)
      dim.isClosed = true;
    if (plan.priority > 0 && !dim.axes.empty() && !dim.priority)
      dim.priority = plan.priority;
    // The verifier refuses a priority of nothing.
    if (dim.isClosed && dim.axes.empty())
      dim.priority.reset();
  }
  return sharding;
}

int32_t Plan::numAnnotations() const {
  return llvm::count_if(classes, [](const ClassPlan &plan) {
    return plan.isSet &&
           llvm::any_of(plan.dimOf, [](int8_t dim) { return dim >= 0; });
  });
}

bool Plan::usesPriorities() const {
  return llvm::any_of(classes,
                      [](const ClassPlan &plan) { return plan.priority > 0; });
}

bool Plan::usesInner(const AutoProblem &problem) const {
  for (auto [c, plan] : llvm::enumerate(classes))
    if (plan.isSet && problem.classes[c].kind() == Site::Kind::Inner)
      return true;
  return false;
}

std::string Plan::key() const {
  std::string key(order.begin(), order.end());
  for (const ClassPlan &plan : classes) {
    key.push_back(plan.isSet + 2 * plan.isClosed);
    key.push_back(plan.priority);
    for (int8_t dim : plan.dimOf)
      key.push_back(dim);
  }
  return key;
}

int32_t Plan::onlyDifference(const Plan &other) const {
  int32_t found = -1;
  if (order != other.order)
    return found;
  for (int32_t c = 0; c < numClasses(); ++c) {
    if (classes[c] == other.classes[c])
      continue;
    if (found >= 0)
      return -1;
    found = c;
  }
  return found;
}

SmallVector<const Plan *> pointersTo(ArrayRef<Plan> plans) {
  return llvm::map_to_vector(plans, [](const Plan &plan) { return &plan; });
}

void annotate(ModuleOp module, const AutoProblem &problem, const Plan &plan,
              llvm::function_ref<Value(Value)> valueOf) {
  func::FuncOp main = sdy::getMainFunc(module);
  // The module may be in another context than the problem.
  auto meshRef = FlatSymbolRefAttr::get(
      module.getContext(), cast<FlatSymbolRefAttr>(problem.meshRef).getValue());
  sdy::BorderAttributes border(main);
  for (auto [c, cls] : llvm::enumerate(problem.classes)) {
    if (!plan.of(c).isSet)
      continue;
    TensorSharding sharding = plan.sharding(problem, c);
    // What the user has written in full stays as it is.
    if (cls.isGiven && sharding == cls.given)
      continue;
    auto attr = sdy::shardingToAttr(module.getContext(), sharding, problem.mesh,
                                    meshRef);
    for (const Site &site : cls.sites) {
      if (site.kind == Site::Kind::Result)
        border.setResult(site.index, sdy::kShardingAttr, attr);
      else if (site.kind == Site::Kind::Argument)
        border.setArgument(site.index, sdy::kShardingAttr, attr);
      else
        sdy::setSharding(valueOf(site.value), attr);
    }
  }
  border.write();
}

} // namespace shardwright
