//===- op_agreement.cc - ops whose shardings do not go together -----------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/shardy/op_agreement.h"

#include "shardwright/dialect/sdy/conversion.h"
#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/propagate/factor_projection.h"
#include "shardwright/rules/rule_interface.h"

#include "mlir/Dialect/Quant/IR/QuantTypes.h"

using namespace mlir;

namespace shardwright {

using sdy::TensorShardingAttr;

/// Null if the value is whole on every device.
static TensorShardingAttr splitOf(Value value, MeshTable &meshes) {
  TensorShardingAttr sharding = sdy::getSharding(value);
  if (!sharding || sharding.emptyAxes() ||
      meshes.idOf(sharding.getMeshOrRef()) < 0 ||
      sharding.getRank() != int64_t(dimsOf(value.getType()).size()))
    return nullptr;
  return sharding;
}

/// Has no factors to agree on.
static bool needsNoRule(Operation *op) {
  return isa<stablehlo::ConstantOp, stablehlo::IotaOp, stablehlo::RngOp,
             stablehlo::RngBitGeneratorOp, stablehlo::WhileOp,
             stablehlo::CaseOp, stablehlo::OptimizationBarrierOp,
             stablehlo::GetDimensionSizeOp, stablehlo::ReshapeOp,
             stablehlo::AllGatherOp, stablehlo::AllReduceOp,
             stablehlo::AllToAllOp, stablehlo::ReduceScatterOp,
             stablehlo::CollectivePermuteOp, stablehlo::CollectiveBroadcastOp>(
      op);
}

bool hasShapeOperand(Operation *op) {
  return isa<stablehlo::DynamicReshapeOp, stablehlo::DynamicBroadcastInDimOp,
             stablehlo::DynamicIotaOp, stablehlo::DynamicPadOp,
             stablehlo::RealDynamicSliceOp, stablehlo::DynamicGatherOp,
             stablehlo::DynamicConvOp>(op);
}

bool isAgreed(Operation *op, MeshTable &meshes) {
  if (needsNoRule(op))
    return true;
  SmallVector<Value> values(op->getOperands());
  llvm::append_range(values, op->getResults());
  int32_t mesh = -1;
  bool oneMesh = true;
  for (Value value : values)
    if (TensorShardingAttr sharding = splitOf(value, meshes)) {
      int32_t id = meshes.idOf(sharding.getMeshOrRef());
      oneMesh &= mesh < 0 || mesh == id;
      mesh = id;
    }
  if (mesh < 0)
    return true;
  std::optional<ShardingRule> rule = getShardingRule(op);
  if (rule && rule->isCustom)
    return true;
  bool isQuantized = llvm::any_of(values, [](Value value) {
    return isa<quant::QuantizedType>(getElementTypeOrSelf(value.getType()));
  });
  if (!rule || !oneMesh || hasShapeOperand(op) || isQuantized)
    return false;
  std::optional<FactorLayout> layout = FactorLayout::create(std::move(*rule));
  if (!layout || layout->tensors.size() != values.size())
    return true;
  SmallVector<std::optional<AxisList>> axesOf(layout->numFactors());
  for (auto [value, tensor] : llvm::zip(values, layout->tensors)) {
    TensorSharding sharding = TensorSharding::closed(tensor.rank());
    if (TensorShardingAttr attr = splitOf(value, meshes))
      sharding = sdy::shardingFromAttr(attr, meshes.mesh(mesh));
    TensorProjection projection;
    projection.assign(tensor, layout->rule, &sharding);
    for (auto [place, factor] : llvm::enumerate(tensor.factorOfPlace)) {
      const FactorSharding &s = projection.places[place];
      std::optional<AxisList> &axes = axesOf[factor];
      if (axes && *axes != s.axes)
        return false;
      axes.emplace(s.axes);
    }
  }
  return true;
}

static Value reshard(OpBuilder &builder, Value value,
                     TensorShardingAttr sharding) {
  return sdy::ReshardOp::create(builder, value.getLoc(), value.getType(), value,
                                sharding);
}

void reshardReturns(stablehlo::IfOp op, MeshTable &meshes) {
  for (Region *region : {&op.getTrueBranch(), &op.getFalseBranch()}) {
    Operation *end = region->front().getTerminator();
    OpBuilder builder(end);
    for (auto [use, result] :
         llvm::zip(end->getOpOperands(), op->getResults())) {
      TensorShardingAttr from = splitOf(use.get(), meshes);
      TensorShardingAttr to = splitOf(result, meshes);
      if ((!from && !to) || (from && to && from.isEquivalent(to)))
        continue;
      if (!to)
        to = TensorShardingAttr::getFullyClosed(op.getContext(), from.getRank(),
                                                from.getMeshOrRef());
      use.set(reshard(builder, use.get(), to));
      splitBetweenMeshes(use.get().getDefiningOp<sdy::ReshardOp>(), meshes);
    }
  }
}

void splitBetweenMeshes(sdy::ReshardOp op, MeshTable &meshes) {
  TensorShardingAttr from = splitOf(op.getInput(), meshes);
  TensorShardingAttr to = splitOf(op.getResult(), meshes);
  if (!from || !to ||
      meshes.sameAxes(meshes.idOf(from.getMeshOrRef()),
                      meshes.idOf(to.getMeshOrRef())))
    return;
  OpBuilder builder(op);
  op.getInputMutable().set(
      reshard(builder, op.getInput(),
              TensorShardingAttr::getFullyClosed(
                  op.getContext(), from.getRank(), from.getMeshOrRef())));
}

} // namespace shardwright
