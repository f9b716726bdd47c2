//===- explain_collectives.cc - explain collectives -----------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/report/explain/explain_collectives.h"

#include "shardwright/partition/overlap/op_cost.h"
#include "shardwright/report/location_text.h"
#include "shardwright/report/type_text.h"
#include "shardwright/support/sort_by.h"

#include "llvm/ADT/STLExtras.h"

#include <map>

using namespace mlir;

namespace shardwright {
namespace {

using Kind = RecordedReason::Kind;

class Joiner {
public:
  Joiner(const PlannedMoves &moves, const UserValues &user,
         Explainer &explainer)
      : moves(moves), user(user), explainer(explainer) {}

  ExplainedNeed need(const RecordedReason &reason);

private:
  std::string nameOf(const NamedValue &value) const {
    if (value.mainResult >= 0)
      return user.resultName(value.mainResult);
    return value.id < 0 ? "" : user.all()[value.id].shortName();
  }
  const ExplainedValue *explained(const NamedValue &value);
  void addOrigins(const NamedValue &value, ExplainedNeed &need);
  void addPlan(const RecordedPlan &plan, ExplainedNeed &need);
  std::string wayText(const RecordedPlan &plan, const WeighedWay &way) const;
  std::string sentence(const RecordedReason &reason) const;

  const PlannedMoves &moves;
  const UserValues &user;
  Explainer &explainer;
  std::map<std::pair<int32_t, int32_t>, ExplainedValue> known;
};

/// Null if the value is not the user's.
const ExplainedValue *Joiner::explained(const NamedValue &value) {
  if (value.id < 0 && value.mainResult < 0)
    return nullptr;
  auto [it, isNew] = known.try_emplace({value.id, value.mainResult});
  if (isNew)
    it->second = value.mainResult >= 0 ? explainer.briefResult(value.mainResult)
                                       : explainer.briefValue(value.id);
  return &it->second;
}

void Joiner::addOrigins(const NamedValue &value, ExplainedNeed &need) {
  const ExplainedValue *found = explained(value);
  if (!found)
    return;
  for (auto [d, dim] : llvm::enumerate(found->dims))
    for (const ExplainedAxis &axis : dim.axes) {
      ExplainedOrigin origin;
      origin.axis = axis.axis;
      origin.value = nameOf(value);
      origin.dim = d;
      origin.from =
          (axis.originValue == origin.value ? "" : axis.originValue + ", ") +
          axis.origin;
      origin.where =
          axis.originWhere == axis.originValue ? "" : axis.originWhere;
      bool told = llvm::any_of(need.origins, [&](const ExplainedOrigin &o) {
        return o.axis == origin.axis && o.value == origin.value &&
               o.dim == origin.dim;
      });
      if (!told)
        need.origins.push_back(std::move(origin));
    }
}

std::string Joiner::wayText(const RecordedPlan &plan,
                            const WeighedWay &way) const {
  std::string text;
  for (const TensorSharding &sharding : way.operands)
    text += moves.text(plan.mesh, sharding) + " ";
  text += "->";
  for (const TensorSharding &sharding : way.results)
    text += " " + moves.text(plan.mesh, sharding);
  return text;
}

void Joiner::addPlan(const RecordedPlan &plan, ExplainedNeed &need) {
  auto add = [&](const NamedValue &value, std::string role,
                 const TensorSharding *computed) {
    ExplainedTensor tensor;
    tensor.role = std::move(role);
    tensor.name = nameOf(value);
    tensor.type = typeText(value.type);
    if (const ExplainedValue *found = explained(value))
      tensor.propagated = found->sharding;
    if (computed)
      tensor.computed = moves.text(plan.mesh, *computed);
    need.tensors.push_back(std::move(tensor));
    addOrigins(value, need);
  };
  const WeighedWay *taken = plan.ways.empty() ? nullptr : &plan.ways.front();
  for (auto [i, value] : llvm::enumerate(plan.operands))
    add(value, "operand " + std::to_string(i),
        taken && i < taken->operands.size() ? &taken->operands[i] : nullptr);
  for (auto [i, value] : llvm::enumerate(plan.results))
    add(value,
        plan.results.size() > 1 ? "result " + std::to_string(i) : "result",
        taken && i < taken->results.size() ? &taken->results[i] : nullptr);
  for (auto [i, way] : llvm::enumerate(plan.ways))
    need.ways.push_back({wayText(plan, way), way.cost, i == 0, way.isSeconds});
  need.moreWays = plan.numWays - plan.ways.size();
}

std::string Joiner::sentence(const RecordedReason &reason) const {
  std::string value = nameOf(reason.value);
  std::string what = reason.index < 0
                         ? (value.empty() ? "a value" : value)
                         : "operand " + std::to_string(reason.index) +
                               (value.empty() ? "" : ", " + value + ",");
  switch (reason.kind) {
  case Kind::Operand:
    return what + " is " + reason.from + ", but the op computes with " +
           reason.to;
  case Kind::Border:
    return what + " is " + reason.from + ", but the layout there is fixed as " +
           reason.to;
  case Kind::Asked:
    return (value.empty() ? "its operand" : value) + " is " + reason.from +
           ", but a constraint or reshard requires " + reason.to;
  case Kind::Whole:
    return what + " is " + reason.from +
           ", but the op is computed in full size on every device: it has no "
           "sharding rule";
  case Kind::SumResolution: {
    std::string result = value.empty() ? "its result" : value;
    return "each device has a partial result of " + result +
           (reason.axes.empty() ? "" : " along " + reason.axes) +
           ", which is reduced to " + reason.to;
  }
  case Kind::LocalForm:
    return "computing on shards needs data of other devices";
  }
  return "";
}

ExplainedNeed Joiner::need(const RecordedReason &reason) {
  ExplainedNeed need;
  std::string name = nameOf(reason.opValue);
  need.op = reason.op + (name.empty() ? "" : " " + name);
  need.where = reason.where;
  need.value = nameOf(reason.value);
  need.from = reason.from;
  need.to = reason.to;
  need.why = sentence(reason);
  addOrigins(reason.value, need);
  if (const RecordedPlan *plan = moves.planOf(reason))
    addPlan(*plan, need);
  else
    addOrigins(reason.opValue, need);
  for (const OtherRoute &route : reason.others)
    need.routes.push_back({route.how + " (" + std::to_string(route.steps) +
                               (route.steps == 1 ? " step)" : " steps)"),
                           route.bytes, false});
  return need;
}

} // namespace

std::vector<ExplainedCollective>
explainCollectives(const CollectiveCost &cost, const PlannedMoves &moves,
                   const UserValues &user, Explainer &explainer,
                   const MachineModel &machine, const Mesh &mesh) {
  Joiner joiner(moves, user, explainer);
  OpCosts times(machine, mesh);
  std::vector<ExplainedCollective> collectives;
  for (const CollectiveUse &use : cost.uses) {
    ExplainedCollective &one =
        collectives.emplace_back(ExplainedCollective{use, {}});
    if (std::optional<Transfer> transfer =
            use.op ? times.transfer(use.op) : std::nullopt)
      one.seconds = use.executions * transfer->seconds;
    for (const RecordedReason *reason : moves.reasonsOf(use.location))
      one.needs.push_back(joiner.need(*reason));
    if (!one.needs.empty())
      continue;
    ExplainedNeed &written = one.needs.emplace_back();
    written.op = use.kind;
    written.where = filePosition(use.location);
    written.why = "the program itself has this collective";
  }
  sortBy(collectives,
         [](const ExplainedCollective &one) { return -one.use.bytes; });
  return collectives;
}

} // namespace shardwright
