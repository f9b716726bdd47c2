//===- planned_moves.cc - record the planner's reasons --------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/report/explain/planned_moves.h"

#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/partition/support/tensor_types.h"
#include "shardwright/report/explain/explain_impl.h"
#include "shardwright/support/sort_by.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace shardwright {
namespace {

constexpr llvm::StringLiteral kTag = "sw.reason";
constexpr size_t kMostWays = 5;

Location withTag(Location location, int64_t id) {
  Builder builder(location.getContext());
  auto tag = builder.getDictionaryAttr(
      builder.getNamedAttr(kTag, builder.getI64IntegerAttr(id)));
  return FusedLoc::get(location.getContext(), {location}, tag);
}

/// Collects the outermost numbers, which identify the latest purpose of an op.
/// Programs may have any others in their locations.
void collectTags(LocationAttr location, size_t count,
                 llvm::SmallSetVector<int64_t, 4> &ids) {
  if (auto fused = dyn_cast<FusedLoc>(location)) {
    if (auto dict = dyn_cast_if_present<DictionaryAttr>(fused.getMetadata()))
      if (auto id = dict.getAs<IntegerAttr>(kTag)) {
        if (id.getInt() >= 0 && id.getInt() < int64_t(count))
          ids.insert(id.getInt());
        return;
      }
    for (Location part : fused.getLocations())
      collectTags(part, count, ids);
  } else if (auto name = dyn_cast<NameLoc>(location)) {
    collectTags(name.getChildLoc(), count, ids);
  } else if (auto call = dyn_cast<CallSiteLoc>(location)) {
    collectTags(call.getCallee(), count, ids);
  }
}

std::string textOf(const Layout &layout, const MeshTable &meshes) {
  static const Mesh none;
  return str(layout.sharding,
             layout.mesh < 0 ? none : meshes.mesh(layout.mesh));
}

std::string axesText(AxisRefs axes, const Mesh &mesh) {
  std::string list;
  for (AxisRef axis : axes)
    list += (list.empty() ? "" : ", ") + mesh.str(axis);
  return list;
}

/// True for ops whose layouts are fixed by the program.
bool isBorder(Operation *op) {
  return op->hasTrait<OpTrait::IsTerminator>() ||
         isa<stablehlo::WhileOp, stablehlo::CaseOp, stablehlo::IfOp,
             stablehlo::OptimizationBarrierOp, sdy::ManualComputationOp>(op);
}

/// Alternative routes from one layout to the other.
std::vector<OtherRoute> otherRoutes(const PlannedMove &move,
                                    MeshTable &meshes) {
  std::vector<OtherRoute> routes;
  const Layout &from = *move.from, &to = *move.to;
  if (from.mesh < 0 || !from.sharding.unreduced.empty() ||
      (to.mesh >= 0 && to.mesh != from.mesh))
    return routes;
  ReshardPlanner &planner = meshes.planner(from.mesh);
  ArrayRef<int64_t> shape = dimsOf(move.value.getType());
  double bytes = elementBytes(move.value.getType());
  const ReshardPlan &taken =
      planner.plan(from.sharding, to.sharding, shape, bytes);
  auto add = [&](StringRef how, double sent, int64_t steps) {
    bool known = sent == taken.bytes && steps == int64_t(taken.steps.size());
    for (const OtherRoute &route : routes)
      known |= sent == route.bytes && steps == route.steps;
    if (!known && sent > 0)
      routes.push_back({how.str(), sent, steps});
  };
  auto other = [&](Effort effort, StringRef how) {
    ReshardPlanner fresh(meshes.mesh(from.mesh), planner.getCosts(), effort);
    const ReshardPlan &plan =
        fresh.plan(from.sharding, to.sharding, shape, bytes);
    add(plan.isDirect ? "direct exchange" : how, plan.bytes,
        plan.isDirect ? 1 : plan.steps.size());
  };
  other(Effort::Fast, "moves straight to the target");
  other(Effort::Most, "longer search");
  if (!to.isReplicated()) {
    double whole = bytes, local = bytes;
    for (auto [n, dim] : llvm::zip(shape, from.sharding.dims)) {
      whole *= double(n);
      local *= double(n) / double(dim.shards());
    }
    add("gather it to full size, then slice it", whole - local, 2);
  }
  sortBy(routes, [](const OtherRoute &route) { return route.bytes; });
  return routes;
}

} // namespace

NamedValue PlannedMoves::name(Value value) const {
  return {user.idOf(value), -1, value.getType()};
}

void PlannedMoves::see(const MeshTable &meshes) {
  for (int32_t i = meshesSeen.size(); i < meshes.size(); ++i)
    meshesSeen.push_back(meshes.mesh(i));
}

Location PlannedMoves::keep(RecordedReason reason, Location location) {
  reasons.push_back(std::move(reason));
  return withTag(location, reasons.size() - 1);
}

Location PlannedMoves::onPlan(Operation *op, int32_t mesh,
                              ArrayRef<WeighedWay> ways, MeshTable &meshes) {
  see(meshes);
  RecordedPlan plan;
  plan.op = opText(op);
  plan.where = whereOf(op);
  for (Value operand : op->getOperands())
    plan.operands.push_back(name(operand));
  for (Value result : op->getResults())
    plan.results.push_back(name(result));
  plan.mesh = mesh;
  plan.numWays = ways.size();
  plan.ways.assign(ways.begin(),
                   ways.begin() + std::min(ways.size(), kMostWays));
  planned = op;
  RecordedReason reason;
  reason.kind = RecordedReason::Kind::LocalForm;
  reason.op = plan.op;
  reason.where = plan.where;
  reason.opValue = name(op->getResult(0));
  reason.plan = plans.size();
  plans.push_back(std::move(plan));
  return keep(std::move(reason), op->getLoc());
}

Location PlannedMoves::onMove(const PlannedMove &move, MeshTable &meshes) {
  using Kind = RecordedReason::Kind;
  see(meshes);
  Operation *op = move.user;
  RecordedReason reason;
  bool isAsked = isa<sdy::ReshardOp, sdy::ShardingConstraintOp,
                     sdy::CollectiveOpInterface>(op);
  if (isAsked)
    reason.kind = Kind::Asked;
  else if (isBorder(op))
    reason.kind = Kind::Border;
  else if (op == planned)
    reason.plan = plans.size() - 1;
  else
    reason.kind = Kind::Whole;
  Operation *described = op;
  if (op->hasTrait<OpTrait::IsTerminator>() &&
      !isa<func::FuncOp>(op->getParentOp()))
    described = op->getParentOp();
  reason.op = isa<func::ReturnOp>(op) ? "return" : opText(described);
  reason.where = whereOf(described);
  if (described->getNumResults() > 0)
    reason.opValue = name(described->getResult(0));
  for (auto [i, operand] : llvm::enumerate(op->getOperands()))
    if (operand == move.value) {
      reason.index = i;
      break;
    }
  if (isa<func::ReturnOp>(op))
    reason.opValue.mainResult = reason.index;
  else if (described != op && reason.index >= 0 &&
           reason.index < int64_t(described->getNumResults()))
    reason.opValue = name(described->getResult(reason.index));
  reason.value = name(move.value);
  reason.from = textOf(*move.from, meshes);
  reason.to = textOf(*move.to, meshes);
  reason.had = *move.from;
  if (weighsRoutes)
    reason.others = otherRoutes(move, meshes);
  return keep(std::move(reason), op->getLoc());
}

Location PlannedMoves::onSumResolution(OpResult result, const Layout &partial,
                                       const SumResolution &resolution,
                                       const Layout &complete,
                                       MeshTable &meshes) {
  see(meshes);
  Operation *op = result.getOwner();
  RecordedReason reason;
  reason.kind = RecordedReason::Kind::SumResolution;
  reason.op = opText(op);
  reason.where = whereOf(op);
  reason.opValue = reason.value = name(result);
  reason.index = result.getResultNumber();
  reason.from = textOf(partial, meshes);
  reason.to = textOf(complete, meshes);
  if (op == planned) {
    reason.plan = plans.size() - 1;
    AxisList axes(resolution.reduce);
    for (const AxisList &list : resolution.scatter)
      axes.append(list.begin(), list.end());
    sortAndMerge(axes);
    reason.axes = axesText(axes, meshes.mesh(plans.back().mesh));
  }
  return keep(std::move(reason), op->getLoc());
}

std::vector<const RecordedReason *>
PlannedMoves::reasonsOf(Location location) const {
  llvm::SmallSetVector<int64_t, 4> ids;
  collectTags(location, reasons.size(), ids);
  std::vector<const RecordedReason *> found;
  for (int64_t id : ids)
    found.push_back(&reasons[id]);
  return found;
}

} // namespace shardwright
