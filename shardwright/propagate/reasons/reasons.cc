//===- reasons.cc - record the reasons for shardings ----------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/propagate/reasons/reasons.h"

#include "shardwright/propagate/reasons/new_axes.h"
#include "shardwright/propagate/step/factor_projection.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <numeric>

using namespace mlir;

namespace shardwright {

llvm::StringRef str(Obstacle obstacle) {
  switch (obstacle) {
  case Obstacle::Closed:
    return "closed";
  case Obstacle::Replicated:
    return "replicated";
  case Obstacle::Taken:
    return "taken";
  case Obstacle::Conflict:
    return "conflict";
  case Obstacle::NeedReplication:
    return "need-replication";
  case Obstacle::Barrier:
    return "barrier";
  case Obstacle::Indivisible:
    return "indivisible";
  case Obstacle::ResultCannot:
    return "result-cannot";
  }
  return "";
}

int64_t tensorBytes(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape())
    return 0;
  Type element = tensor.getElementType();
  int64_t bits = 8;
  if (auto complex = dyn_cast<ComplexType>(element))
    bits = 2 * complex.getElementType().getIntOrFloatBitWidth();
  else if (element.isIntOrFloat())
    bits = element.getIntOrFloatBitWidth();
  double bytes = std::max(1.0, bits / 8.0);
  for (int64_t size : tensor.getShape())
    bytes *= double(size);
  return int64_t(std::min(bytes, 9e18));
}

/// The dimension of a tensor that has the factor; -1 if none does.
static int32_t dimOf(const FactorLayout::Tensor &tensor, int32_t factor) {
  int32_t place = tensor.placeOfFactor[factor];
  if (place < 0)
    return -1;
  return llvm::upper_bound(tensor.dimBegin, place) - tensor.dimBegin.begin() -
         1;
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

static std::pair<void *, int32_t> keyOf(const ShardedPlace &place) {
  if (place.value)
    return {place.value.getAsOpaquePointer(), -1};
  return {place.func, place.funcResult};
}

PlaceId Reasons::find(const ShardedPlace &place) const {
  auto it = placeIds.find(keyOf(place));
  return it == placeIds.end() ? kNoPlace : it->second;
}

/// kNoPlace if there is no sharding. Unless `op` is a function, only `value`
/// matters.
PlaceId Reasons::placeOf(Value value, Operation *op, int32_t funcResult) {
  ShardedPlace place;
  place.value = value;
  if (!value) {
    if (funcResult < 0)
      return kNoPlace;
    place.func = op;
    place.funcResult = funcResult;
  }
  auto [it, isNew] = placeIds.try_emplace(keyOf(place), allPlaces.size());
  if (isNew) {
    allPlaces.push_back(place);
    arrivalsOf.emplace_back();
    finals.emplace_back();
  }
  return it->second;
}

const TensorSharding *Reasons::sharding(PlaceId place) const {
  return place >= 0 && finals[place] ? &*finals[place] : nullptr;
}

int64_t Reasons::arrivalOf(PlaceId place, int32_t dim, AxisRef axis,
                           int64_t before) const {
  for (int32_t i : llvm::reverse(arrivalsOf[place])) {
    const AxisArrival &a = allArrivals[i];
    if (i < before && a.dim == dim && overlaps(a.axis, axis))
      return i;
  }
  return -1;
}

//===----------------------------------------------------------------------===//
// Arrivals
//===----------------------------------------------------------------------===//

bool Reasons::isOnMesh(const Mesh *mesh) {
  if (!mesh)
    return false;
  if (meshes.empty() && mesh->numAxes() > 0)
    meshes.push_back(*mesh);
  return !meshes.empty() && meshes.front() == *mesh;
}

void Reasons::onChange(const PropagationEvent &event) {
  if (!isOnMesh(event.mesh))
    return;
  AxisArrival arrival;
  arrival.target = placeOf(event.value, event.op, event.funcResult);
  if (arrival.target == kNoPlace)
    return;
  arrival.opPriority = event.opPriority;
  arrival.userPriority = event.userPriority;
  auto add = [&]() {
    arrivalsOf[arrival.target].push_back(allArrivals.size());
    allArrivals.push_back(arrival);
  };

  if (event.tensor < 0) {
    // For a group: each dimension comes from the same dimension of the other
    // member.
    arrival.source = placeOf(event.values.front(), nullptr, -1);
    const TensorSharding *before = event.before.front();
    for (auto [d, dim] : llvm::enumerate(event.after->dims))
      for (AxisRef axis : dim.axes) {
        if (before && llvm::is_contained(before->dims[d].axes, axis))
          continue;
        arrival.dim = arrival.sourceDim = d;
        arrival.axis = axis;
        add();
      }
    return;
  }
  const FactorLayout &layout = *event.layout;
  arrival.op = event.op;
  for (const NewAxis &axis : newAxesOf(event)) {
    arrival.dim = dimOf(layout.tensors[event.tensor], axis.factor);
    arrival.axis = axis.axis;
    arrival.factor = axis.factor;
    arrival.kind = layout.rule.factors[axis.factor].kind;
    arrival.source = kNoPlace;
    if (axis.source >= 0) {
      arrival.source = placeOf(event.values[axis.source], event.op,
                               isa<func::FuncOp>(event.op) && axis.source == 1
                                   ? event.funcResultOfRule
                                   : -1);
      arrival.sourceDim = dimOf(layout.tensors[axis.source], axis.factor);
    }
    add();
  }
}

//===----------------------------------------------------------------------===//
// Stops
//===----------------------------------------------------------------------===//

namespace {

/// One op at the end of propagation.
struct FinalOp {
  const PropagationOpView &view;
  const FactorLayout &layout;
  SmallVector<TensorProjection, 4> projections;

  explicit FinalOp(const PropagationOpView &view)
      : view(view), layout(*view.layout) {
    for (auto [t, sharding] : llvm::enumerate(view.shardings)) {
      projections.emplace_back();
      projections.back().assign(layout.tensors[t], layout.rule, sharding);
    }
  }
  const FactorSharding *find(int32_t tensor, int32_t factor) const {
    int32_t place = layout.tensors[tensor].placeOfFactor[factor];
    return place < 0 ? nullptr : &projections[tensor].places[place];
  }
  Direction direction(int32_t factor) const {
    const Factor &f = layout.rule.factors[factor];
    if (f.blocked)
      return Direction::None;
    return f.kind == FactorKind::PassThrough ? view.directions.passThrough
                                             : view.directions.other;
  }
  bool isOperand(int32_t tensor) const { return tensor < layout.numOperands(); }
};

} // namespace

/// Index of the first axis of `offer` that is not in `own`; none if all are.
static std::optional<size_t> firstMissing(AxisRefs offer, AxisRefs own) {
  for (auto [i, axis] : llvm::enumerate(offer)) {
    if (i >= own.size() || !(own[i] == axis || isPrefixOf(axis, own[i])))
      return i;
  }
  return std::nullopt;
}

/// Sets the reason why `axis`, at index `position` of tensor `from` on the
/// factor, is not added to `to`.
static void judge(const FinalOp &op, int32_t from, int32_t to, int32_t factor,
                  size_t position, AxisStop &stop, int32_t &otherTensor) {
  const FactorSharding &own = *op.find(to, factor);
  const TensorSharding *sharding = op.view.shardings[to];
  AxisRef axis = stop.axis;
  otherTensor = -1;
  Direction direction = op.direction(factor);
  bool forward = op.isOperand(from) && !op.isOperand(to);
  bool backward = !op.isOperand(from) && op.isOperand(to);
  if (direction == Direction::None ||
      (forward && direction == Direction::Backward) ||
      (backward && direction == Direction::Forward)) {
    stop.obstacle = op.layout.rule.factors[factor].blocked
                        ? Obstacle::NeedReplication
                        : Obstacle::Barrier;
    return;
  }
  if (sharding && (overlaps(axis, sharding->replicated) ||
                   overlaps(axis, sharding->unreduced))) {
    stop.obstacle = Obstacle::Replicated;
    return;
  }
  const FactorLayout::Tensor &layout = op.layout.tensors[to];
  for (auto [p, other] : llvm::enumerate(op.projections[to].places))
    if (op.layout.tensors[to].factorOfPlace[p] != factor &&
        (overlaps(axis, other.axes) || overlaps(axis, other.overflow))) {
      stop.obstacle = Obstacle::Taken;
      stop.otherDim = dimOf(layout, layout.factorOfPlace[p]);
      return;
    }
  if (position < own.axes.size()) {
    stop.obstacle = Obstacle::Conflict;
    otherTensor = to;
    return;
  }
  if (own.isClosed) {
    stop.obstacle = Obstacle::Closed;
    return;
  }
  if (!own.overflow.empty()) {
    stop.obstacle = Obstacle::Indivisible;
    return;
  }
  if (!own.isMinorMost) {
    int64_t size = op.layout.rule.factors[factor].size,
            shards = totalSize(own.axes);
    if (size % shards != 0 || std::gcd(size / shards, axis.size) == 1) {
      stop.obstacle = Obstacle::Indivisible;
      return;
    }
  }
  for (int32_t t = 0, e = op.layout.tensors.size(); t < e; ++t) {
    const FactorSharding *third = op.find(t, factor);
    if (third && t != from && t != to && third->axes.size() > position &&
        third->axes[position] != axis &&
        !isPrefixOf(axis, third->axes[position])) {
      stop.obstacle = Obstacle::Conflict;
      otherTensor = t;
      return;
    }
  }
  if (op.view.isElementwise && op.isOperand(to))
    for (int32_t t = op.layout.numOperands(), e = op.layout.tensors.size();
         t < e; ++t)
      if (const FactorSharding *result = op.find(t, factor))
        if (firstMissing(op.find(from, factor)->axes, result->axes)) {
          stop.obstacle = Obstacle::ResultCannot;
          otherTensor = t;
          return;
        }
  // Remaining case: sub-axes that no sharding can express, such as a minor
  // factor under a major one that is not sharded.
  stop.obstacle = Obstacle::Indivisible;
}

void Reasons::onFinalOp(const PropagationOpView &view) {
  bool noAxes = llvm::all_of(view.shardings, [](const TensorSharding *s) {
    return !s || (s->allAxes().empty() && s->replicated.empty() &&
                  s->unreduced.empty());
  });
  if (!noAxes && !isOnMesh(view.mesh))
    return;
  auto placeOfTensor = [&](int32_t t) {
    return placeOf(view.values[t], view.op,
                   isa<func::FuncOp>(view.op) && t == 1 ? view.funcResult : -1);
  };
  int32_t numTensors = view.layout->tensors.size();
  for (int32_t t = 0; t < numTensors; ++t)
    if (PlaceId place = placeOfTensor(t); place != kNoPlace)
      if (const TensorSharding *sharding = view.shardings[t]) {
        // For an edge, the sources' view is the one that ops see; any other op
        // shows the value itself.
        if (!finals[place] || !isa<sdy::DataFlowEdgeOp>(view.op))
          finals[place] = *sharding;
      }
  if (noAxes)
    return;
  for (auto [t, s] : llvm::enumerate(view.shardings))
    if (s && s->rank() != view.layout->tensors[t].rank())
      return;

  FinalOp op(view);
  for (int32_t f = 0, e = op.layout.numFactors(); f < e; ++f)
    for (int32_t from = 0; from < numTensors; ++from) {
      const FactorSharding *source = op.find(from, f);
      if (!source || source->axes.empty())
        continue;
      for (int32_t to = 0; to < numTensors; ++to) {
        const FactorSharding *target = op.find(to, f);
        if (!target || to == from)
          continue;
        std::optional<size_t> missing =
            firstMissing(source->axes, target->axes);
        if (!missing)
          continue;
        AxisStop stop;
        stop.target = placeOfTensor(to);
        stop.source = placeOfTensor(from);
        if (stop.target == kNoPlace || stop.source == kNoPlace ||
            stop.target == stop.source)
          continue;
        stop.axis = source->axes[*missing];
        stop.dim = dimOf(op.layout.tensors[to], f);
        stop.sourceDim = dimOf(op.layout.tensors[from], f);
        stop.op = view.op;
        stop.factor = f;
        int32_t other = -1;
        judge(op, from, to, f, *missing, stop, other);
        if (other >= 0)
          stop.other = placeOfTensor(other);
        allStops.push_back(stop);
      }
    }
}

} // namespace shardwright
