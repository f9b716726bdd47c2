//===- op_agreement.cc - ops with incompatible shardings ------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/shardy/op_agreement.h"
#include "shardwright/partition/shardy/unreduced_axes.h"

#include "shardwright/dialect/sdy/conversion.h"
#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/partition/ops/op_traits.h"
#include "shardwright/partition/support/tensor_types.h"
#include "shardwright/propagate/step/factor_projection.h"
#include "shardwright/rules/rule_interface.h"

#include "mlir/Dialect/Quant/IR/QuantTypes.h"

using namespace mlir;

namespace shardwright {

using sdy::TensorShardingAttr;

/// The sharding; null if the value is replicated.
static TensorShardingAttr splitOf(Value value, MeshTable &meshes) {
  TensorShardingAttr sharding = sdy::getSharding(value);
  if (!sharding || sharding.emptyAxes() ||
      meshes.idOf(sharding.getMeshOrRef()) < 0 ||
      sharding.getRank() != int64_t(dimsOf(value.getType()).size()))
    return nullptr;
  return sharding;
}

/// True for ops without factors that must agree.
static bool needsNoRule(Operation *op) {
  return isa<stablehlo::ConstantOp, stablehlo::IotaOp, stablehlo::RngOp,
             stablehlo::RngBitGeneratorOp, stablehlo::WhileOp,
             stablehlo::CaseOp, stablehlo::OptimizationBarrierOp,
             stablehlo::GetDimensionSizeOp, stablehlo::ReshapeOp>(op) ||
         isCollective(op);
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
  std::optional<ShardingRule> rule = getShardingRule(op, kExecutionRules);
  if (rule && rule->isCustom)
    return true;
  bool isQuantized = llvm::any_of(values, [](Value value) {
    return isa<quant::QuantizedType>(getElementTypeOrSelf(value.getType()));
  });
  if (!rule || !oneMesh || takesShapeAsOperand(op) || isQuantized)
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

SmallVector<llvm::SmallBitVector> dimsReadWhole(Operation *op,
                                                MeshTable &meshes) {
  SmallVector<llvm::SmallBitVector> dims;
  // The rules of Shardy pass axes through dimensions that some calls reduce.
  // Calls without one there work on shards as the user says.
  std::optional<ShardingRule> rule;
  if (isa<stablehlo::CustomCallOp>(op) && getShardingRule(op, kExecutionRules))
    rule = getShardingRule(op, {.extraRules = true});
  if (!rule || rule->isCustom ||
      rule->operands.size() != op->getNumOperands() ||
      rule->results.size() != op->getNumResults())
    return dims;
  bool any = false;
  auto note = [&](Value value, const TensorMapping &mapping) {
    llvm::SmallBitVector &whole = dims.emplace_back(mapping.size());
    TensorShardingAttr sharding = splitOf(value, meshes);
    if (!sharding || sharding.getRank() != int64_t(mapping.size()))
      return;
    for (auto [d, factors] : llvm::enumerate(mapping))
      if (!sharding.getDimShardings()[d].getAxes().empty() &&
          llvm::any_of(factors, [&](int32_t f) {
            return rule->factors[f].kind == FactorKind::NeedReplication;
          }))
        whole.set(d);
    any |= whole.any();
  };
  for (auto [value, mapping] : llvm::zip(op->getOperands(), rule->operands))
    note(value, mapping);
  for (auto [value, mapping] : llvm::zip(op->getResults(), rule->results))
    note(value, mapping);
  if (!any)
    dims.clear();
  return dims;
}

bool isCompleted(Operation *op, MeshTable &meshes) {
  if (needsNoRule(op) || llvm::none_of(op->getOperands(), [&](Value operand) {
        return bool(splitOf(operand, meshes));
      }))
    return true;
  std::optional<ShardingRule> rule = getShardingRule(op, kExecutionRules);
  if (!rule || rule->isCustom || rule->operands.size() != op->getNumOperands())
    return true;
  bool isReduced = false;
  for (auto [operand, mapping] : llvm::zip(op->getOperands(), rule->operands))
    if (TensorShardingAttr sharding = splitOf(operand, meshes))
      for (auto [dim, factors] : llvm::zip(sharding.getDimShardings(), mapping))
        isReduced |=
            !dim.getAxes().empty() && llvm::any_of(factors, [&](int32_t f) {
              return rule->factors[f].kind == FactorKind::Reduction;
            });
  return !isReduced || llvm::all_of(op->getResults(), [](Value result) {
    TensorShardingAttr sharding = sdy::getSharding(result);
    return (sharding && !sharding.getUnreducedAxes().empty()) ||
           llvm::all_of(result.getUsers(), [](Operation *user) {
             return isa<sdy::AllReduceOp, sdy::ReduceScatterOp>(user);
           });
  });
}

/// Axes of the mesh along which the op's results are unreduced: unreduced axes
/// of its operands, and axes of sharded reduction factors.
static std::optional<AxisList> axesOfParts(Operation *op, int32_t mesh,
                                           MeshTable &meshes) {
  AxisList axes;
  for (Value operand : op->getOperands()) {
    TensorShardingAttr sharding = sdy::getSharding(operand);
    if (!sharding)
      continue;
    int32_t id = meshes.idOf(sharding.getMeshOrRef());
    if (id >= 0 && id != mesh && !sharding.emptyAxes())
      return std::nullopt;
    if (id == mesh)
      axes.append(meshes.toAxes(mesh, sharding.getUnreducedAxes()));
  }
  if (op->getNumOperands() == 0 || isa<stablehlo::ReshapeOp>(op))
    return axes;
  std::optional<ShardingRule> rule = getShardingRule(op, kExecutionRules);
  if (!rule || rule->isCustom)
    return std::nullopt;
  std::optional<FactorLayout> layout = FactorLayout::create(std::move(*rule));
  if (!layout || layout->numOperands() != op->getNumOperands())
    return std::nullopt;
  for (auto [operand, tensor] : llvm::zip(op->getOperands(), layout->tensors)) {
    TensorShardingAttr attr = splitOf(operand, meshes);
    if (!attr)
      continue;
    TensorSharding sharding = sdy::shardingFromAttr(attr, meshes.mesh(mesh));
    TensorProjection projection;
    projection.assign(tensor, layout->rule, &sharding);
    for (auto [place, factor] : llvm::enumerate(tensor.factorOfPlace))
      if (layout->rule.factors[factor].kind == FactorKind::Reduction)
        axes.append(projection.places[place].axes);
  }
  return axes;
}

void makeParts(Operation *op, MeshTable &meshes) {
  bool isSource = isa<stablehlo::ConstantOp, stablehlo::IotaOp>(op);
  if ((needsNoRule(op) && !isSource && !isa<stablehlo::ReshapeOp>(op)) ||
      isa<stablehlo::IfOp, stablehlo::CustomCallOp>(op))
    return;
  for (OpResult result : op->getResults()) {
    TensorShardingAttr sharding = sdy::getSharding(result);
    if (!sharding || sharding.getUnreducedAxes().empty())
      continue;
    int32_t id = meshes.idOf(sharding.getMeshOrRef());
    std::optional<AxisList> parts;
    if (id >= 0)
      parts = axesOfParts(op, id, meshes);
    if (!parts)
      continue;
    AxisList all = meshes.toAxes(id, sharding.getUnreducedAxes());
    AxisList missing = withoutAxes(all, *parts);
    if (missing.empty())
      continue;
    OpBuilder builder(op->getContext());
    builder.setInsertionPointAfter(op);
    auto made = sdy::ReplicatedToUnreducedOp::create(
        builder, op->getLoc(), result.getType(), result,
        meshes.axesAttr(id, missing), sharding.getClosedLike());
    result.replaceAllUsesExcept(made, made);
    sdy::setSharding(
        result, sharding.withUnreducedAxes(
                    meshes.axesAttr(id, withoutAxes(all, missing)).getValue()));
  }
}

SmallVector<int64_t> fixedDims(stablehlo::ScatterOp op, MeshTable &meshes) {
  SmallVector<int64_t> fixed;
  auto dims = op.getScatterDimensionNumbers();
  if (TensorShardingAttr sharding = splitOf(op.getInputs().front(), meshes))
    for (int64_t d : dims.getInsertedWindowDims())
      if (!sharding.getDimShardings()[d].getAxes().empty() &&
          !llvm::is_contained(dims.getScatterDimsToOperandDims(), d))
        fixed.push_back(d);
  return fixed;
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
