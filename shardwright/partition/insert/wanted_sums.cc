//===- wanted_sums.cc - values wanted as partial sums ---------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/insert/wanted_sums.h"

#include "shardwright/dialect/sdy/conversion.h"
#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/partition/layout/find_unreduced.h"
#include "shardwright/partition/layout/reshard_cache.h"
#include "shardwright/partition/ops/linear_ops.h"
#include "shardwright/partition/ops/op_traits.h"
#include "shardwright/partition/support/tensor_types.h"

using namespace mlir;

namespace shardwright {

/// Limit of the length of a chain of ops that is followed.
constexpr int kMaxDepth = 16;

static bool isUnreduced(sdy::TensorShardingAttr sharding) {
  return sharding && !sharding.getUnreducedAxes().empty();
}

WantedSums::WantedSums(func::FuncOp func, MeshTable &meshes)
    : meshes(meshes), hasUnreduced(hasUnreducedAxes(func)) {}

WantedSums::Axes WantedSums::read(sdy::TensorShardingAttr sharding) {
  Axes axes;
  if (!isUnreduced(sharding))
    return axes;
  axes.mesh = meshes.idOf(sharding.getMeshOrRef());
  if (axes.mesh >= 0)
    axes.axes = meshes.toAxes(axes.mesh, sharding.getUnreducedAxes());
  axes.axes.kind = sdy::kindFromAttr(sharding.getReductionOp());
  sortAndMerge(axes.axes);
  return axes;
}

LayoutRef WantedSums::add(LayoutRef layout, const Axes &more) {
  if (more.axes.empty() || (layout->mesh >= 0 && layout->mesh != more.mesh))
    return layout;
  Layout out = *layout;
  if (!out.mayAddUnreduced(more.axes.kind))
    return layout;
  out.mesh = more.mesh;
  out.sharding.unreduced.kind = more.axes.kind;
  AxisList used = out.sharding.allAxes();
  used.append(out.sharding.unreduced);
  for (AxisRef axis : more.axes)
    if (axis.size > 1 && llvm::none_of(used, [&](AxisRef other) {
          return overlaps(axis, other) || !canCoexist(axis, other);
        }))
      out.sharding.unreduced.push_back(axis);
  sortAndMerge(out.sharding.unreduced);
  return out.sharding.unreduced.empty() ? layout : meshes.intern(out);
}

LayoutRef WantedSums::withSums(Value value, LayoutRef layout) {
  if (!hasUnreduced || !isStaticTensor(value.getType()))
    return layout;
  Axes axes = ofUses(value, 0);
  return canReduce(value.getType(), axes.axes.kind) ? add(layout, axes)
                                                    : layout;
}

LayoutRef WantedSums::withCarriedSums(OpResult result, LayoutRef layout) {
  if (!hasUnreduced || !isStaticTensor(result.getType()))
    return layout;
  Axes axes = ofCarried(result);
  return canReduce(result.getType(), axes.axes.kind) ? add(layout, axes)
                                                     : layout;
}

WantedSums::Axes WantedSums::ofUses(Value value, int depth) {
  if (depth > kMaxDepth || value.use_empty())
    return {};
  auto known = found.find(value);
  if (known != found.end())
    return known->second;
  std::optional<Axes> common;
  for (OpOperand &use : value.getUses()) {
    Axes axes = ofUse(use, depth);
    if (common && common->mesh == axes.mesh)
      axes.axes = commonUnreduced(common->axes, axes.axes);
    else if (common)
      axes = {};
    common = axes;
    if (axes.axes.empty())
      break;
  }
  return found[value] = *common;
}

WantedSums::Axes WantedSums::ofResult(OpResult result, int depth) {
  Axes own = read(sdy::getSharding(result));
  return own.axes.empty() ? ofUses(result, depth + 1) : own;
}

WantedSums::Axes WantedSums::ofUse(OpOperand &use, int depth) {
  Operation *user = use.getOwner();
  unsigned i = use.getOperandNumber();
  if (isa<sdy::ReshardOp, sdy::ShardingConstraintOp,
          sdy::CollectiveOpInterface>(user))
    return read(sdy::getSharding(user->getResult(0)));
  if (auto manual = dyn_cast<sdy::ManualComputationOp>(user))
    return read(manual.getInSharding(i));
  if (isa<stablehlo::OptimizationBarrierOp>(user))
    return ofResult(user->getResult(i), depth);
  if (isa<stablehlo::WhileOp>(user))
    return ofCarried(user->getResult(i));
  if (user->hasTrait<OpTrait::IsTerminator>()) {
    Operation *parent = user->getParentOp();
    if (auto func = dyn_cast<func::FuncOp>(parent))
      return read(sdy::getFuncResultSharding(func, i));
    if (auto manual = dyn_cast<sdy::ManualComputationOp>(parent))
      return read(manual.getOutShardingWithoutManualAxes(i));
    bool isBody = !isa<stablehlo::WhileOp>(parent) ||
                  user->getParentRegion() == &parent->getRegion(1);
    if (isControlFlow(parent) && isBody)
      return ofCarried(parent->getResult(i));
    return {};
  }
  if (user->getNumResults() != 1)
    return {};
  auto commutes = [&](ReductionKind kind) {
    // The other factor of a product may itself be wanted as a partial value.
    if (isProduct(user, kind) &&
        (i > 1 || !ReshardCache::isRematerializable(user->getOperand(1 - i))))
      return false;
    return bool(commutingOperands(
        user, kind, [&](unsigned operand) { return operand == i; })[i]);
  };
  if (!commutes(ReductionKind::Sum) && !commutes(ReductionKind::Max) &&
      !commutes(ReductionKind::Min))
    return {};
  Axes axes = ofResult(user->getResult(0), depth);
  return commutes(axes.axes.kind) ? axes : Axes();
}

WantedSums::Axes WantedSums::ofCarried(OpResult result) {
  Axes own = read(sdy::getSharding(result));
  if (!own.axes.empty())
    return own;
  Operation *op = result.getOwner();
  std::optional<Axes> common;
  for (Region &region : op->getRegions()) {
    if (isa<stablehlo::WhileOp>(op) && region.getRegionNumber() == 0)
      continue;
    Axes axes = read(sdy::getSharding(
        region.front().getTerminator()->getOperand(result.getResultNumber())));
    if (common && common->mesh != axes.mesh)
      axes = {};
    else if (common)
      axes.axes = commonUnreduced(common->axes, axes.axes);
    common = axes;
  }
  return common.value_or(Axes());
}

} // namespace shardwright
