//===- explain_reasons.cc - paths of axes, and obstacles ------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/report/explain/explain_impl.h"

#include "shardwright/dialect/sdy/conversion.h"
#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/report/location_text.h"

using namespace mlir;

namespace shardwright {

static std::string withoutDialect(StringRef name) {
  for (StringRef dialect : {"stablehlo.", "chlo.", "sdy."})
    name.consume_front(dialect);
  return name.str();
}

std::string opText(Operation *op) {
  if (auto edge = dyn_cast<sdy::DataFlowEdgeOp>(op))
    if (sdy::ShardableDataFlowOpInterface owner =
            sdy::getDataFlowOp(edge.getInput())) {
      if (auto named = dyn_cast<sdy::NamedComputationOp>(owner.getOperation()))
        return "call @" + named.getName().str();
      return opText(owner);
    }
  if (isa<func::FuncOp>(op))
    return "return";
  return withoutDialect(op->getName().getStringRef());
}

std::string whereOf(Operation *op) {
  return isa<func::FuncOp>(op) ? "" : filePosition(op->getLoc());
}

std::string shardingText(sdy::TensorShardingAttr sharding, Operation *at) {
  sdy::MeshAttr mesh = sdy::getMeshAttr(at, sharding);
  if (!mesh)
    return "";
  Mesh m = sdy::meshFromAttr(mesh);
  return str(sdy::shardingFromAttr(sharding, m), m);
}

const UserValue *Explainer::Impl::userValue(PlaceId place) const {
  const ShardedPlace &p = run->reasons.places()[place];
  int32_t id = p.value ? user.idOf(p.value) : -1;
  return id < 0 ? nullptr : &user.all()[id];
}

std::string Explainer::Impl::nameOf(PlaceId place) const {
  const ShardedPlace &p = run->reasons.places()[place];
  if (!p.value)
    return user.resultName(p.funcResult);
  const UserValue *value = userValue(place);
  return value ? value->shortName() : "?";
}

std::string Explainer::Impl::opTextOfUser(Operation *op) const {
  if (op->getNumResults() > 0 && !isa<sdy::DataFlowEdgeOp>(op))
    if (int32_t id = user.idOf(op->getResult(0));
        id >= 0 && !user.all()[id].op.empty() &&
        user.all()[id].op != "func.call")
      return withoutDialect(user.all()[id].op);
  return opText(op);
}

//===--- the way back -----------------------------------------------------===//

PathOrigin Explainer::Impl::originOf(PlaceId place, int32_t dim) const {
  const ShardedPlace &p = run->reasons.places()[place];
  PathOrigin origin;
  origin.value = nameOf(place);
  origin.dim = dim;
  if (!p.value) {
    origin.how = "annotated " +
                 shardingText(run->initialResults[p.funcResult], *run->module);
    return origin;
  }
  origin.where = filePosition(p.value.getLoc());
  sdy::TensorShardingAttr sharding = run->initial.lookup(p.value);
  if (!sharding) {
    origin.how = "given";
    return origin;
  }
  std::string how = shardingText(sharding, *run->module);
  if (auto edge = p.value.getDefiningOp<sdy::DataFlowEdgeOp>()) {
    if (sdy::ShardableDataFlowOpInterface op =
            sdy::getDataFlowOp(edge.getInput())) {
      bool in = isa<BlockArgument>(edge.getInput());
      origin.how = isa<sdy::ManualComputationOp>(op.getOperation())
                       ? (in ? "in_shardings of manual_computation "
                             : "out_shardings of manual_computation ") +
                             how
                       : "annotated " + how;
      return origin;
    }
  }
  if (p.value.getDefiningOp<sdy::ShardingConstraintOp>()) {
    origin.how = "constrained to " + how;
    return origin;
  }
  origin.how = "annotated " + how;
  if (run->annotated.contains(p.value))
    return origin;
  for (Operation *use : p.value.getUsers()) {
    auto constraint = dyn_cast<sdy::ShardingConstraintOp>(use);
    if (constraint && constraint.getShardingAttr() == sharding) {
      origin.how = "constrained to " + how;
      origin.where = whereOf(constraint);
      int32_t id = user.idOf(constraint.getResult());
      if (id >= 0)
        origin.value = user.all()[id].shortName();
      return origin;
    }
    if (isa<sdy::ManualComputationOp>(use)) {
      origin.how = "in_shardings of manual_computation " + how;
      origin.where = whereOf(use);
      return origin;
    }
  }
  origin.how = "in a sharding group with " + how;
  return origin;
}

ExplainedAxis Explainer::Impl::expand(const IndexedValue::Axis &axis) const {
  ExplainedAxis result;
  result.axis = axis.axis;
  int32_t number = axis.row;
  while (true) {
    const PathRow &row = paths.rows()[number];
    if (!row.step.op.empty())
      result.steps.push_back(row.step);
    if (row.next < 0) {
      const PathOrigin &origin = paths.origins()[row.origin];
      result.origin = origin.how;
      result.originValue = origin.value;
      result.originWhere = origin.where;
      result.originDim = origin.dim;
      return result;
    }
    number = row.next;
  }
}

//===--- what stopped -----------------------------------------------------===//

std::string Explainer::Impl::dimText(PlaceId place, int32_t dim) const {
  return "dim " + std::to_string(dim) + " of " + nameOf(place);
}

std::string Explainer::Impl::whyOf(const AxisStop &stop) const {
  std::string axis = mesh().str(stop.axis);
  switch (stop.obstacle) {
  case Obstacle::Closed:
    return dimText(stop.target, stop.dim) + " is closed";
  case Obstacle::Replicated:
    return nameOf(stop.target) + " is annotated replicated along " + axis;
  case Obstacle::Taken:
    return dimText(stop.target, stop.otherDim) + " has " + axis + " already";
  case Obstacle::Conflict: {
    const TensorSharding *s = run->reasons.sharding(stop.other);
    std::string has;
    int32_t dim = stop.other == stop.target ? stop.dim : -1;
    if (s && dim >= 0 && dim < s->rank())
      for (AxisRef x : s->dims[dim].axes)
        has += (has.empty() ? "" : ", ") + mesh().str(x);
    return (dim >= 0 ? dimText(stop.other, dim) : nameOf(stop.other)) +
           " has " + (has.empty() ? "other axes" : has) + " there";
  }
  case Obstacle::NeedReplication:
    return opText(stop.op) + " needs the dimension replicated";
  case Obstacle::Barrier:
    return isa<sdy::PropagationBarrierOp>(stop.op)
               ? "the barrier stops propagation in this direction"
               : opText(stop.op) + " does not propagate in this direction";
  case Obstacle::Indivisible:
    return axis + " does not divide what is left of " +
           dimText(stop.target, stop.dim);
  case Obstacle::ResultCannot:
    return nameOf(stop.other) + " cannot have this axis";
  }
  return "";
}

ExplainedStop Explainer::Impl::explainStop(const AxisStop &stop) const {
  ExplainedStop result;
  result.axis = mesh().str(stop.axis);
  result.target = nameOf(stop.target);
  result.source = nameOf(stop.source);
  result.dim = stop.dim;
  result.sourceDim = stop.sourceDim;
  result.op = opTextOfUser(stop.op);
  result.where = whereOf(stop.op);
  result.obstacle = str(stop.obstacle);
  result.why = whyOf(stop);
  return result;
}

} // namespace shardwright
