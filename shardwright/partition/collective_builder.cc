//===- collective_builder.cc - plans as sdy collectives -------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/collective_builder.h"

#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/partition/direct_exchange.h"

using namespace mlir;

namespace shardwright {

std::optional<ReducerKind> getReducer(Operation *collective) {
  auto name = collective->getDiscardableAttr(kReducerAttrName);
  if (!name)
    return ReducerKind::Add;
  if (auto string = dyn_cast<StringAttr>(name))
    for (ReducerKind kind :
         {ReducerKind::Add, ReducerKind::Mul, ReducerKind::Max,
          ReducerKind::Min, ReducerKind::And, ReducerKind::Or,
          ReducerKind::Xor})
      if (stringify(kind) == string.getValue())
        return kind;
  return std::nullopt;
}

namespace {

class Emitter {
public:
  Emitter(OpBuilder &builder, Location loc, MeshTable &meshes)
      : builder(builder), loc(loc), meshes(meshes) {}

  /// The attribute even of a replicated layout.
  sdy::TensorShardingAttr attr(int32_t mesh, const TensorSharding &sharding) {
    return meshes.known(Layout{mesh, sharding})->attr;
  }
  Value step(Value value, const ReshardStep &step, int32_t from, int32_t to);
  Value steps(Value value, const TensorSharding &from, const TensorSharding &to,
              int32_t fromMesh, int32_t toMesh);

  Value exchange(Value value, TensorSharding to, const TensorSharding &from,
                 int32_t mesh);

private:
  Value reshape(Value value, ArrayRef<int64_t> shape, int32_t mesh,
                TensorSharding sharding, const TensorSharding &like);

  OpBuilder &builder;
  Location loc;
  MeshTable &meshes;
};

Value Emitter::step(Value value, const ReshardStep &step, int32_t from,
                    int32_t to) {
  int32_t mesh = step.targetOrder ? to : from;
  sdy::TensorShardingAttr out = attr(mesh, step.after);
  Type type = value.getType();
  switch (step.kind) {
  case ReshardStep::Slice:
    return sdy::AllSliceOp::create(builder, loc, type, value,
                                   meshes.listsAttr(mesh, step.axes), out);
  case ReshardStep::Gather:
    return sdy::AllGatherOp::create(builder, loc, type, value,
                                    meshes.listsAttr(mesh, step.axes), out);
  case ReshardStep::Permute:
    return sdy::CollectivePermuteOp::create(builder, loc, type, value, out);
  case ReshardStep::AllToAll: {
    SmallVector<sdy::AllToAllParamAttr> params;
    for (const ReshardStep::Move &move : step.moves)
      params.push_back(sdy::AllToAllParamAttr::get(
          builder.getContext(), meshes.axesAttr(mesh, move.axes).getValue(),
          move.source, move.target));
    return sdy::AllToAllOp::create(
        builder, loc, type, value,
        sdy::AllToAllParamListAttr::get(builder.getContext(), params), out);
  }
  }
  return value;
}

Value Emitter::steps(Value value, const TensorSharding &from,
                     const TensorSharding &to, int32_t fromMesh,
                     int32_t toMesh) {
  Type type = value.getType();
  // Replicated values may carry another mesh, which a collective must not.
  sdy::TensorShardingAttr now = sdy::getSharding(value);
  if (now && meshes.idOf(now.getMeshOrRef()) != fromMesh)
    value =
        sdy::ReshardOp::create(builder, loc, type, value, attr(fromMesh, from));
  const ReshardPlan &plan = meshes.planner(fromMesh).plan(
      from, to, dimsOf(type), elementBytes(type), fromMesh != toMesh);
  if (plan.isDirect)
    return exchange(value, to, from, toMesh);
  if (!plan.segments.empty())
    value = reshape(value, plan.segments, fromMesh, plan.start, from);
  for (const ReshardStep &s : plan.steps) {
    ReshardStep step = s;
    step.after.unreduced = from.unreduced;
    value = this->step(value, step, fromMesh, toMesh);
  }
  if (!plan.segments.empty())
    value = reshape(value, dimsOf(type), toMesh, to, from);
  return value;
}

Value Emitter::exchange(Value value, TensorSharding to,
                        const TensorSharding &from, int32_t mesh) {
  to.unreduced = from.unreduced;
  auto op = sdy::ReshardOp::create(builder, loc, value.getType(), value,
                                   attr(mesh, to));
  op->setDiscardableAttr(kExchangeAttrName, builder.getUnitAttr());
  return op;
}

/// Of a value whose shards stay what they are.
Value Emitter::reshape(Value value, ArrayRef<int64_t> shape, int32_t mesh,
                       TensorSharding sharding, const TensorSharding &like) {
  sharding.unreduced = like.unreduced;
  auto type = cast<RankedTensorType>(value.getType()).clone(shape);
  auto op = stablehlo::ReshapeOp::create(builder, loc, type, value);
  sdy::setShardings(op, {attr(mesh, sharding)});
  return op;
}

/// The way from one mesh to another that has not the same axes in the same
/// order.
struct CrossMeshWay {
  bool isDirect = false;
  double cost = 0;
};

CrossMeshWay wayAcrossMeshes(const TensorSharding &from,
                             const TensorSharding &to, int32_t fromMesh,
                             int32_t toMesh, ArrayRef<int64_t> shape,
                             double elementBytes, MeshTable &meshes) {
  constexpr int64_t kMostDevices = 4096, kMostPieces = 64, kFewPieces = 4;
  ReshardPlanner &planner = meshes.planner(fromMesh);
  CrossMeshWay way;
  bool inSteps = meshes.sameAxes(fromMesh, toMesh);
  TensorSharding none = TensorSharding::closed(shape.size());
  way.cost =
      planner.plan(from, inSteps ? to : none, shape, elementBytes, inSteps)
          .cost;
  int64_t pieces = exchangePieces(from, to, shape);
  bool few = planner.getEffort() == Effort::Most || pieces <= kFewPieces;
  if (meshes.numDevices() > kMostDevices || pieces > kMostPieces ||
      (inSteps && !few))
    return way;
  LinkCost link = planner.linkOver(from.allAxes());
  link = link.with(meshes.planner(toMesh).linkOver(to.allAxes()));
  double cost = link.alpha * double(pieces) +
                link.byte * elementBytes *
                    exchangeElements(meshes.mesh(fromMesh), from,
                                     meshes.mesh(toMesh), to, shape);
  // Without steps the other way holds the whole value on every device.
  if (!inSteps || cost < 0.98 * way.cost)
    way = {true, cost};
  return way;
}

/// Axes in `axes` that are not in `without`.
AxisList difference(AxisRefs axes, AxisRefs without) {
  AxisList out;
  for (AxisRef a : axes)
    if (!llvm::is_contained(without, a))
      out.push_back(a);
  return out;
}

} // namespace

Value buildCompletion(OpBuilder &builder, Location loc, Value value,
                      int32_t mesh, const TensorSharding &from,
                      const Completion &completion, ReducerKind reducer,
                      MeshTable &meshes) {
  Emitter emitter(builder, loc, meshes);
  auto mark = [&](Operation *op) {
    if (reducer != ReducerKind::Add)
      op->setDiscardableAttr(kReducerAttrName,
                             builder.getStringAttr(stringify(reducer)));
    return op->getResult(0);
  };
  Type type = value.getType();
  sdy::TensorShardingAttr after = emitter.attr(mesh, completion.after);
  if (completion.scatters())
    value = mark(sdy::ReduceScatterOp::create(
        builder, loc, type, value, meshes.listsAttr(mesh, completion.scatter),
        after));
  if (!completion.reduce.empty())
    value = mark(sdy::AllReduceOp::create(
        builder, loc, type, value, meshes.axesAttr(mesh, completion.reduce),
        after));
  return value;
}

/// The meshes that a reshard is from and to.
static std::pair<int32_t, int32_t> meshesBetween(const Layout &from,
                                                 const Layout &to) {
  int32_t fromMesh = from.mesh >= 0 ? from.mesh : to.mesh;
  int32_t toMesh = to.mesh >= 0 ? to.mesh : fromMesh;
  // What is on every device is so in any order of the devices.
  if (from.isReplicated())
    fromMesh = toMesh;
  if (to.isReplicated())
    toMesh = fromMesh;
  return {fromMesh, toMesh};
}

/// What it takes to become unreduced along further axes.
struct Unreduce {
  /// Axes that leave the end of a dimension for it: each device's shard stays
  /// where it is, among zeros.
  SmallVector<AxisList, 4> inPlace;
  bool isAnyInPlace = false;
  /// The others: one device keeps the value.
  AxisList whole;
};

/// Moves from `end`, and from the axes gained, what becomes unreduced in place.
static Unreduce planUnreduce(const TensorSharding &start, TensorSharding &end,
                             ArrayRef<int64_t> shape) {
  Unreduce plan;
  plan.whole = difference(end.unreduced, start.unreduced);
  end.unreduced = start.unreduced;
  plan.inPlace.resize(end.rank());
  if (plan.whole.empty())
    return plan;
  for (int64_t d = 0; d < end.rank(); ++d) {
    AxisRefs have = start.dims[d].axes, want = end.dims[d].axes;
    if (have.size() <= want.size() || have.take_front(want.size()) != want ||
        shape[d] % start.dims[d].shards() != 0)
      continue;
    AxisList leaving(have.drop_front(want.size()));
    if (!difference(leaving, plan.whole).empty())
      continue;
    plan.whole = difference(plan.whole, leaving);
    end.dims[d].axes = start.dims[d].axes;
    plan.inPlace[d] = std::move(leaving);
    plan.isAnyInPlace = true;
  }
  return plan;
}

double reshardCost(Type type, const Layout &from, const Layout &to,
                   MeshTable &meshes) {
  if (from.isEquivalent(to) || !isShardable(type))
    return 0;
  ArrayRef<int64_t> shape = dimsOf(type);
  double bytes = elementBytes(type);
  auto [fromMesh, toMesh] = meshesBetween(from, to);
  double cost = 0;
  TensorSharding start = from.sharding;
  if (!start.unreduced.empty()) {
    AxisList drop = difference(start.unreduced, to.sharding.unreduced);
    Completion done = planCompletion(start, drop, to.sharding, shape, bytes);
    cost += done.bytes();
    start = done.after;
  }
  if (fromMesh == toMesh) {
    TensorSharding end = to.sharding;
    planUnreduce(start, end, shape);
    return cost + meshes.planner(fromMesh).plan(start, end, shape, bytes).cost;
  }
  return cost + wayAcrossMeshes(start, to.sharding, fromMesh, toMesh, shape,
                                bytes, meshes)
                    .cost;
}

Value buildReshard(OpBuilder &builder, Location loc, Value value,
                   const Layout &from, const Layout &to, MeshTable &meshes) {
  Type type = value.getType();
  if (from.isEquivalent(to) || !isShardable(type))
    return value;
  auto [fromMesh, toMesh] = meshesBetween(from, to);
  Emitter emitter(builder, loc, meshes);

  TensorSharding start = from.sharding;
  AxisList drop = difference(start.unreduced, to.sharding.unreduced);
  if (!drop.empty()) {
    Completion done = planCompletion(start, drop, to.sharding, dimsOf(type),
                                     elementBytes(type));
    done.after.unreduced = difference(start.unreduced, drop);
    value = buildCompletion(builder, loc, value, fromMesh, start, done,
                            ReducerKind::Add, meshes);
    start = done.after;
  }
  TensorSharding end = to.sharding;
  Unreduce gain;
  if (fromMesh == toMesh) {
    gain = planUnreduce(start, end, dimsOf(type));
  } else {
    gain.whole = difference(end.unreduced, start.unreduced);
    end.unreduced = start.unreduced;
  }
  if (fromMesh != toMesh &&
      wayAcrossMeshes(start, end, fromMesh, toMesh, dimsOf(type),
                      elementBytes(type), meshes)
          .isDirect) {
    value = emitter.exchange(value, end, start, toMesh);
  } else if (fromMesh == toMesh || meshes.sameAxes(fromMesh, toMesh)) {
    value = emitter.steps(value, start, end, fromMesh, toMesh);
  } else {
    TensorSharding none = TensorSharding::closed(start.rank());
    value = emitter.steps(value, start, none, fromMesh, fromMesh);
    value = emitter.steps(value, none, end, toMesh, toMesh);
  }
  if (gain.isAnyInPlace) {
    TensorSharding after = to.sharding;
    after.unreduced = difference(after.unreduced, gain.whole);
    value = sdy::ShardedToUnreducedOp::create(
        builder, loc, type, value, meshes.listsAttr(toMesh, gain.inPlace),
        emitter.attr(toMesh, after));
  }
  if (!gain.whole.empty())
    value = sdy::ReplicatedToUnreducedOp::create(
        builder, loc, type, value, meshes.axesAttr(toMesh, gain.whole),
        emitter.attr(toMesh, to.sharding));
  return value;
}

} // namespace shardwright
