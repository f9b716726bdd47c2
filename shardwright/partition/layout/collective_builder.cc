//===- collective_builder.cc - emit plans as sdy collectives --------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/layout/collective_builder.h"

#include "shardwright/dialect/sdy/conversion.h"
#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/partition/layout/attribute_names.h"
#include "shardwright/partition/reshard/direct_exchange.h"
#include "shardwright/partition/support/tensor_types.h"

using namespace mlir;

namespace shardwright {

std::optional<ReducerKind> getReducer(Operation *collective) {
  auto name = collective->getDiscardableAttr(kReducerAttrName);
  if (!name) {
    if (auto reduce = dyn_cast<sdy::AllReduceOp>(collective))
      return reducerOf(sdy::kindFromAttr(reduce.getReductionOp()));
    if (auto scatter = dyn_cast<sdy::ReduceScatterOp>(collective))
      return reducerOf(sdy::kindFromAttr(scatter.getReductionOp()));
    return ReducerKind::Add;
  }
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

  /// The attribute; not null even for a replicated layout.
  sdy::TensorShardingAttr attr(int32_t mesh, const TensorSharding &sharding) {
    return meshes.intern(Layout{mesh, sharding})->attr;
  }
  /// The value with a sharding on `mesh`. A replicated value may have no mesh
  /// or another one, which a collective does not allow.
  Value onMesh(Value value, int32_t mesh, const TensorSharding &as);
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
  // Only a slice accepts an operand without a sharding.
  if (sdy::getSharding(value))
    value = onMesh(value, fromMesh, from);
  const ReshardPlan &plan = meshes.planner(fromMesh).plan(
      from, to, dimsOf(type), elementBytes(type), fromMesh != toMesh);
  if (plan.isDirect)
    return exchange(value, to, from, toMesh);
  for (auto [i, s] : llvm::enumerate(plan.steps)) {
    if (!plan.segments.empty() && i == plan.firstOnSegments)
      value = reshape(value, plan.segments, fromMesh, plan.start, from);
    ReshardStep step = s;
    step.after.unreduced = from.unreduced;
    value = this->step(value, step, fromMesh, toMesh);
  }
  if (!plan.segments.empty())
    value = reshape(value, dimsOf(type), toMesh, to, from);
  return value;
}

Value Emitter::onMesh(Value value, int32_t mesh, const TensorSharding &as) {
  sdy::TensorShardingAttr now = sdy::getSharding(value);
  if (now && meshes.idOf(now.getMeshOrRef()) == mesh)
    return value;
  return sdy::ReshardOp::create(builder, loc, value.getType(), value,
                                attr(mesh, as));
}

Value Emitter::exchange(Value value, TensorSharding to,
                        const TensorSharding &from, int32_t mesh) {
  to.unreduced = from.unreduced;
  auto op = sdy::ReshardOp::create(builder, loc, value.getType(), value,
                                   attr(mesh, to));
  op->setDiscardableAttr(kExchangeAttrName, builder.getUnitAttr());
  return op;
}

/// Reshapes a value without changing its shards.
Value Emitter::reshape(Value value, ArrayRef<int64_t> shape, int32_t mesh,
                       TensorSharding sharding, const TensorSharding &like) {
  sharding.unreduced = like.unreduced;
  auto type = cast<RankedTensorType>(value.getType()).clone(shape);
  auto op = stablehlo::ReshapeOp::create(builder, loc, type, value);
  sdy::setShardings(op, {attr(mesh, sharding)});
  return op;
}

/// How a value moves between meshes whose axes differ: directly or in steps.
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
  double cost = exchangeCost(
      link,
      elementBytes * exchangeElements(meshes.mesh(fromMesh), from,
                                      meshes.mesh(toMesh), to, shape),
      pieces);
  // The alternative without steps replicates the value on every device.
  if (!inSteps || cost < 0.98 * way.cost)
    way = {true, cost};
  return way;
}

} // namespace

Value buildSumResolution(OpBuilder &builder, Location loc, Value value,
                         int32_t mesh, const SumResolution &resolution,
                         ReducerKind reducer, MeshTable &meshes) {
  Emitter emitter(builder, loc, meshes);
  std::optional<ReductionKind> kind = reductionKindOf(reducer);
  sdy::ReductionOp reductionOp =
      sdy::kindToAttr(kind.value_or(ReductionKind::Sum));
  auto mark = [&](Operation *op) {
    if (!kind)
      op->setDiscardableAttr(kReducerAttrName,
                             builder.getStringAttr(stringify(reducer)));
    return op->getResult(0);
  };
  Type type = value.getType();
  sdy::TensorShardingAttr after = emitter.attr(mesh, resolution.after);
  if (resolution.scatters())
    value = mark(sdy::ReduceScatterOp::create(
        builder, loc, type, value, meshes.listsAttr(mesh, resolution.scatter),
        reductionOp, after));
  if (!resolution.reduce.empty())
    value = mark(sdy::AllReduceOp::create(
        builder, loc, type, value, meshes.axesAttr(mesh, resolution.reduce),
        reductionOp, after));
  return value;
}

/// Source and target mesh of a reshard.
static std::pair<int32_t, int32_t> meshesBetween(const Layout &from,
                                                 const Layout &to) {
  int32_t fromMesh = from.mesh >= 0 ? from.mesh : to.mesh;
  int32_t toMesh = to.mesh >= 0 ? to.mesh : fromMesh;
  // A replicated value is the same under any device order.
  if (from.isReplicated())
    fromMesh = toMesh;
  if (to.isReplicated())
    toMesh = fromMesh;
  return {fromMesh, toMesh};
}

/// Between meshes only reduced values can move: axes of one mesh do not name
/// the summands of the other.
static bool hasSums(const Layout &from, const Layout &to) {
  return !from.sharding.unreduced.empty() || !to.sharding.unreduced.empty();
}

double reshardCost(Type type, const Layout &from, const Layout &to,
                   MeshTable &meshes) {
  if (from.isEquivalent(to) || !isStaticTensor(type))
    return 0;
  ArrayRef<int64_t> shape = dimsOf(type);
  double bytes = elementBytes(type);
  auto [fromMesh, toMesh] = meshesBetween(from, to);
  if (fromMesh == toMesh)
    return reshardCost(from.sharding, to.sharding, shape, bytes,
                       meshes.planner(fromMesh));
  if (hasSums(from, to))
    return reshardCost(type, from, from.completed(), meshes) +
           reshardCost(type, from.completed(), to.completed(), meshes);
  return wayAcrossMeshes(from.sharding, to.sharding, fromMesh, toMesh, shape,
                         bytes, meshes)
      .cost;
}

static Value buildAcrossMeshes(Emitter &emitter, Value value,
                               const TensorSharding &from,
                               const TensorSharding &to, int32_t fromMesh,
                               int32_t toMesh, MeshTable &meshes) {
  Type type = value.getType();
  if (wayAcrossMeshes(from, to, fromMesh, toMesh, dimsOf(type),
                      elementBytes(type), meshes)
          .isDirect)
    return emitter.exchange(value, to, from, toMesh);
  if (meshes.sameAxes(fromMesh, toMesh))
    return emitter.steps(value, from, to, fromMesh, toMesh);
  TensorSharding none = TensorSharding::closed(from.rank());
  value = emitter.steps(value, from, none, fromMesh, fromMesh);
  return emitter.steps(value, none, to, toMesh, toMesh);
}

Value buildReshard(OpBuilder &builder, Location loc, Value value,
                   const Layout &from, const Layout &to, MeshTable &meshes) {
  Type type = value.getType();
  if (from.isEquivalent(to) || !isStaticTensor(type))
    return value;
  auto [fromMesh, mesh] = meshesBetween(from, to);
  Emitter emitter(builder, loc, meshes);
  if (fromMesh != mesh && hasSums(from, to)) {
    Layout before = from.completed(), after = to.completed();
    value = buildReshard(builder, loc, value, from, before, meshes);
    value = buildReshard(builder, loc, value, before, after, meshes);
    return buildReshard(builder, loc, value, after, to, meshes);
  }
  if (fromMesh != mesh)
    return buildAcrossMeshes(emitter, value, from.sharding, to.sharding,
                             fromMesh, mesh, meshes);

  ReshardStages stages =
      planStages(from.sharding, to.sharding, dimsOf(type), elementBytes(type));
  if (!stages.resolution.isEmpty())
    value = buildSumResolution(builder, loc, value, mesh, stages.resolution,
                               reducerOf(from.sharding.unreduced.kind), meshes);
  value = emitter.steps(value, stages.start, stages.end, mesh, mesh);
  const Unreduction &gain = stages.unreduction;
  if (gain.isAnyInPlace())
    value = sdy::ShardedToUnreducedOp::create(
        builder, loc, type, value, meshes.listsAttr(mesh, gain.inPlace),
        emitter.attr(mesh, gain.afterInPlace));
  if (!gain.whole.empty())
    value = sdy::ReplicatedToUnreducedOp::create(
        builder, loc, type, emitter.onMesh(value, mesh, gain.afterInPlace),
        meshes.axesAttr(mesh, gain.whole), emitter.attr(mesh, to.sharding));
  return value;
}

} // namespace shardwright
