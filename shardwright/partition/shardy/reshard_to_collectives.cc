//===- reshard_to_collectives.cc - explicit reshards as collectives -------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pass sdy-reshard-to-collectives, with Shardy's steps.
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/sdy/conversion.h"
#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/partition/shardy/collective_steps.h"
#include "shardwright/partition/shardy/passes.h"
#include "shardwright/partition/shardy/unreduced_axes.h"

#include "mlir/IR/SymbolTable.h"

using namespace mlir;

namespace shardwright {

#define GEN_PASS_DEF_RESHARDTOCOLLECTIVES
#include "shardwright/partition/shardy/passes.h.inc"

namespace {

class Converter {
public:
  Converter(func::FuncOp func, bool keepRedundant, ShardyVersion shardy)
      : func(func), keepRedundant(keepRedundant),
        keepsPadding(shardy >= ShardyVersion::Jaxlib0_12_0) {}

  LogicalResult run() {
    SmallVector<sdy::ReshardOp> reshards;
    func.walk([&](sdy::ReshardOp op) { reshards.push_back(op); });
    for (sdy::ReshardOp op : reshards)
      if (failed(convert(op)))
        return failure();
    return success();
  }

private:
  LogicalResult convert(sdy::ReshardOp op);
  Value emit(OpBuilder &builder, Location loc, Value value,
             const ReshardStep &step, const Mesh &mesh, Attribute ref);

  func::FuncOp func;
  bool keepRedundant, keepsPadding;
};

LogicalResult Converter::convert(sdy::ReshardOp op) {
  Value input = op.getInput();
  while (auto barrier = input.getDefiningOp<sdy::PropagationBarrierOp>())
    input = barrier.getInput();
  sdy::TensorShardingAttr to = op.getSharding();
  sdy::TensorShardingAttr from = sdy::getSharding(input);
  if (!from)
    from = sdy::TensorShardingAttr::getFullyClosed(
        op.getContext(), to.getRank(), to.getMeshOrRef());
  sdy::MeshAttr fromMesh = sdy::getMeshAttr(op, from),
                toMesh = sdy::getMeshAttr(op, to);
  if (!fromMesh || !toMesh)
    return op.emitOpError("names an unknown mesh");
  if (fromMesh.isMaximal() || toMesh.isMaximal())
    return success();
  if (from.getRank() != to.getRank())
    return op.emitOpError("has an input sharding of rank ")
           << from.getRank() << " and a sharding of rank " << to.getRank();
  auto type = dyn_cast<RankedTensorType>(op.getType());
  if (!type || !type.hasStaticShape())
    return op.emitOpError("needs a static shape to become collectives, has ")
           << op.getType();
  auto eliminate = [&] {
    if (!keepRedundant) {
      op.getResult().replaceAllUsesWith(op.getInput());
      op.erase();
    }
    return success();
  };
  // A replicated value is replicated on any mesh.
  auto isReplicated = [](sdy::TensorShardingAttr sharding) {
    return sharding.emptyAxes() && sharding.getUnreducedAxes().empty();
  };
  if (isReplicated(from) && isReplicated(to))
    return eliminate();
  if (isReplicated(from) && !to.getUnreducedAxes().empty()) {
    from = sdy::TensorShardingAttr::getFullyClosed(
        op.getContext(), to.getRank(), to.getMeshOrRef());
    fromMesh = toMesh;
  }
  Attribute fromRef = from.getMeshOrRef(), toRef = to.getMeshOrRef();
  if (isReplicated(to)) {
    toMesh = fromMesh;
    toRef = fromRef;
  }
  if (fromMesh.getAxes() != toMesh.getAxes())
    return success();
  bool changesOrder = fromMesh != toMesh;
  Mesh mesh = sdy::meshFromAttr(fromMesh);
  TensorSharding start = sdy::shardingFromAttr(from, mesh).closedLike();
  TensorSharding end = sdy::shardingFromAttr(to, mesh).closedLike();
  bool changesKind =
      !start.unreduced.empty() && start.unreduced.kind != end.unreduced.kind;
  if (changesKind || !withoutAxes(start.unreduced, end.unreduced).empty())
    return op.emitOpError(
        "changes the unreduced axes; run sdy-insert-explicit-reshards first");
  UnreducedAxes unreduced = start.unreduced;
  AxisList gained = withoutAxes(end.unreduced, start.unreduced);
  start.unreduced.clear();
  end.unreduced.clear();
  bool moves = changesOrder || !start.isEquivalent(end);
  if (!moves && gained.empty())
    return eliminate();
  OpBuilder builder(op);
  Value value = input;
  if (moves)
    for (ReshardStep &step : collectiveSteps(mesh, start, end, type.getShape(),
                                             changesOrder, keepsPadding)) {
      step.after.unreduced = unreduced;
      value = emit(builder, op.getLoc(), value, step, mesh,
                   step.targetOrder && changesOrder ? toRef : fromRef);
    }
  // Make a replicated value unreduced: one device of each group keeps its copy.
  if (!gained.empty()) {
    if (!sdy::getSharding(value)) {
      value = stablehlo::ReshapeOp::create(builder, op.getLoc(), type, value);
      sdy::setShardings(value.getDefiningOp(), {from.getClosedLike()});
    }
    value = sdy::ReplicatedToUnreducedOp::create(
        builder, op.getLoc(), type, value,
        sdy::axisListToAttr(op.getContext(), gained, mesh), to.getClosedLike());
  }
  op.getResult().replaceAllUsesWith(value);
  op.erase();
  return success();
}

Value Converter::emit(OpBuilder &builder, Location loc, Value value,
                      const ReshardStep &step, const Mesh &mesh,
                      Attribute ref) {
  MLIRContext *context = builder.getContext();
  auto out = sdy::shardingToAttr(context, step.after, mesh, ref);
  auto lists = [&] { return sdy::axisListsToAttr(context, step.axes, mesh); };
  Type type = value.getType();
  switch (step.kind) {
  case ReshardStep::Slice:
    return sdy::AllSliceOp::create(builder, loc, type, value, lists(), out);
  case ReshardStep::Gather:
    return sdy::AllGatherOp::create(builder, loc, type, value, lists(), out);
  case ReshardStep::Permute:
    return sdy::CollectivePermuteOp::create(builder, loc, type, value, out);
  case ReshardStep::AllToAll:
    break;
  }
  SmallVector<sdy::AllToAllParamAttr> params;
  for (const ReshardStep::Move &move : step.moves)
    params.push_back(sdy::AllToAllParamAttr::get(
        context, sdy::axisListToAttr(context, move.axes, mesh).getValue(),
        move.source, move.target));
  return sdy::AllToAllOp::create(
      builder, loc, type, value,
      sdy::AllToAllParamListAttr::get(context, params), out);
}

struct ReshardToCollectivesPass
    : impl::ReshardToCollectivesBase<ReshardToCollectivesPass> {
  using ReshardToCollectivesBase::ReshardToCollectivesBase;

  void runOnOperation() override {
    if (failed(Converter(getOperation(), keepRedundantReshards, shardy).run()))
      signalPassFailure();
  }
};

} // namespace
} // namespace shardwright
