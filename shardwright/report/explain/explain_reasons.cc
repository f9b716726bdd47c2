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

static std::string text(sdy::TensorShardingAttr sharding, Operation *at) {
  sdy::MeshAttr mesh = sdy::getMeshAttr(at, sharding);
  if (!mesh)
    return "";
  Mesh m = sdy::meshFromAttr(mesh);
  return str(sdy::shardingFromAttr(sharding, m), m);
}

static std::string kindText(FactorKind kind) {
  switch (kind) {
  case FactorKind::PassThrough:
    return "pass-through";
  case FactorKind::Reduction:
    return "reduction";
  case FactorKind::NeedReplication:
    return "need-replication";
  case FactorKind::Permutation:
    return "permutation";
  }
  return "";
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

void Explainer::Impl::setOrigin(PlaceId place, int32_t dim,
                                ExplainedAxis &axis) const {
  const ShardedPlace &p = run->reasons.places()[place];
  axis.originValue = nameOf(place);
  axis.originDim = dim;
  if (!p.value) {
    axis.origin =
        "annotated " + text(run->initialResults[p.funcResult], *run->module);
    return;
  }
  axis.originWhere = filePosition(p.value.getLoc());
  sdy::TensorShardingAttr sharding = run->initial.lookup(p.value);
  if (!sharding) {
    axis.origin = "given";
    return;
  }
  std::string how = text(sharding, *run->module);
  if (auto edge = p.value.getDefiningOp<sdy::DataFlowEdgeOp>()) {
    if (sdy::ShardableDataFlowOpInterface op =
            sdy::getDataFlowOp(edge.getInput())) {
      bool in = isa<BlockArgument>(edge.getInput());
      axis.origin = isa<sdy::ManualComputationOp>(op.getOperation())
                        ? (in ? "in_shardings of manual_computation "
                              : "out_shardings of manual_computation ") +
                              how
                        : "annotated " + how;
      return;
    }
  }
  if (p.value.getDefiningOp<sdy::ShardingConstraintOp>()) {
    axis.origin = "constrained to " + how;
    return;
  }
  if (!run->annotated.contains(p.value)) {
    for (Operation *use : p.value.getUsers()) {
      auto constraint = dyn_cast<sdy::ShardingConstraintOp>(use);
      if (constraint && constraint.getShardingAttr() == sharding) {
        axis.origin = "constrained to " + how;
        axis.originWhere = whereOf(constraint);
        int32_t id = user.idOf(constraint.getResult());
        if (id >= 0)
          axis.originValue = user.all()[id].shortName();
        return;
      }
      if (isa<sdy::ManualComputationOp>(use)) {
        axis.origin = "in_shardings of manual_computation " + how;
        axis.originWhere = whereOf(use);
        return;
      }
    }
    axis.origin = "in a sharding group with " + how;
    return;
  }
  axis.origin = "annotated " + how;
}

ExplainedAxis Explainer::Impl::explainAxis(PlaceId place, int32_t dim,
                                           AxisRef axis) const {
  ExplainedAxis result;
  result.axis = mesh().str(axis);
  int64_t before = run->reasons.arrivals().size();
  while (true) {
    int64_t i = run->reasons.arrivalOf(place, dim, axis, before);
    if (i < 0) {
      setOrigin(place, dim, result);
      return result;
    }
    const AxisArrival &a = run->reasons.arrivals()[i];
    ExplainStep step;
    step.value = nameOf(place);
    step.dim = dim;
    if (a.op) {
      step.op = opTextOfUser(a.op);
      step.factor = sdy::OpShardingRuleAttr::getFactorName(a.factor);
      step.factorKind = kindText(a.kind);
      step.where = whereOf(a.op);
    } else {
      step.op = "sharding group";
    }
    step.opPriority = a.opPriority;
    step.userPriority = a.userPriority;
    // Within the expansion of one user op, the last step suffices.
    if (result.steps.empty() || result.steps.back().value != step.value ||
        result.steps.back().dim != dim)
      result.steps.push_back(step);
    if (a.source == kNoPlace) {
      result.origin = "several tensors of the op together";
      result.originValue = step.value;
      result.originDim = dim;
      return result;
    }
    place = a.source;
    dim = a.sourceDim;
    before = i;
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
    return opText(stop.op) + " needs the whole dimension";
  case Obstacle::Barrier:
    return isa<sdy::PropagationBarrierOp>(stop.op)
               ? "the barrier lets nothing through this way"
               : opText(stop.op) + " carries nothing this way";
  case Obstacle::Indivisible:
    return axis + " does not divide that part of " +
           dimText(stop.target, stop.dim);
  case Obstacle::ResultCannot:
    return nameOf(stop.other) + " cannot take it";
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
