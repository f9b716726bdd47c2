//===- warnings.cc - warnings about replicated values ---------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/report/explain/warnings.h"

#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/report/location_text.h"
#include "shardwright/report/program_report.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace shardwright {

std::pair<std::string, std::string>
ReplicationWarner::nameOf(Value value) const {
  int32_t id = user.idOf(value);
  if (id < 0) {
    std::string position = filePosition(value.getLoc());
    return {"a value", position.empty() ? "" : " --line " + position};
  }
  const UserValue &known = user.all()[id];
  if (known.argument >= 0)
    return {"argument " + known.shortName(),
            " --arg " + std::to_string(known.argument)};
  return {"value " + known.shortName(), " --value " + known.uniqueName()};
}

void ReplicationWarner::onWritten() {
  if (!mesh() || mesh()->numDevices() < 2)
    return;
  warnOfWholeValues(*mesh());
  warnOfConflicts(*mesh());
}

void ReplicationWarner::warnOfWholeValues(const Mesh &mesh) {
  auto look = [&](Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type || !type.hasStaticShape() || tensorBytes(type) < bytes)
      return;
    if (sdy::TensorShardingAttr sharding = sdy::getSharding(value))
      if (llvm::any_of(
              sharding.getDimShardings(),
              [](sdy::DimensionShardingAttr dim) { return !dim.emptyAxes(); }))
        return;
    auto [name, question] = nameOf(value);
    emitWarning(value.getLoc())
        << name << " of " << formatBytes(double(tensorBytes(type))) << " ("
        << type << ") is replicated on " << mesh.numDevices()
        << " devices; shardwright explain" << question << " says why";
  };
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    // Skip edges, which repeat values, reducers, in which nothing is sharded,
    // and constants and splats, which cost nothing.
    bool isData = !isa<sdy::DataFlowEdgeOp>(op) && op->getNumOperands() > 0;
    auto isScalar = [](Value v) {
      auto t = dyn_cast<RankedTensorType>(v.getType());
      return t && t.getRank() == 0;
    };
    if (isData && !llvm::all_of(op->getOperands(), isScalar) &&
        !isOpTriviallyDead(op))
      llvm::for_each(op->getResults(), look);
    if (auto func = dyn_cast<func::FuncOp>(op); func && !func.isExternal())
      llvm::for_each(func.getArguments(), look);
  });
}

void ReplicationWarner::warnOfConflicts(const Mesh &mesh) {
  llvm::DenseSet<std::pair<PlaceId, int64_t>> told;
  for (const AxisStop &stop : stops()) {
    if (stop.obstacle != Obstacle::Conflict && stop.obstacle != Obstacle::Taken)
      continue;
    // Only axes that the user annotated at the source and that the target does
    // not use.
    const TensorSharding *now = sharding(stop.target);
    if (arrivalOf(stop.source, stop.sourceDim, stop.axis, arrivals().size()) >=
            0 ||
        (now && overlaps(stop.axis, now->allAxes())))
      continue;
    const ShardedPlace &place = places()[stop.target];
    Type type =
        place.value
            ? place.value.getType()
            : cast<func::FuncOp>(place.func).getResultTypes()[place.funcResult];
    if (tensorBytes(type) < bytes ||
        !told.insert({stop.target, stop.axis.axis}).second)
      continue;
    emitWarning(stop.op->getLoc())
        << "axis " << mesh.str(stop.axis)
        << " of an annotation does not reach dimension " << stop.dim
        << " of a value of " << formatBytes(double(tensorBytes(type)))
        << ", which is sharded "
        << (now ? "as " + str(now->closedLike(), mesh) : "on other axes")
        << "; annotate that value to decide";
  }
}

} // namespace shardwright
