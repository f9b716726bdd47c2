//===- apply_plan.cc - rewrite ops by their plans -------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes no decisions: reshards operands to the planned layouts, sets the
// layouts of results, and reduces partial results.
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/insert/inserter.h"
#include "shardwright/partition/insert/reduce_parts.h"
#include "shardwright/partition/layout/attribute_names.h"
#include "shardwright/partition/layout/collective_builder.h"
#include "shardwright/partition/ops/op_problem.h"
#include "shardwright/partition/support/tensor_types.h"

using namespace mlir;

namespace shardwright {

void Inserter::defineResults(Operation *op, ArrayRef<LayoutRef> layouts) {
  // Usually the layout is the propagated one, and its attribute stays.
  if (layouts.size() != 1 || op->getNumRegions() != 0 ||
      shardings.of(op->getResult(0)) != layouts.front()->attr) {
    for (OpResult result : op->getResults())
      if (sdy::TensorShardingAttr asked = shardings.of(result);
          asked && !asked.getUnreducedAxes().empty())
        askedUnreduced.insert(result);
    setResultLayouts(op, layouts, meshes);
  }
  // Undefined values count as replicated; most scalars are.
  for (auto [result, layout] : llvm::zip(op->getResults(), layouts))
    if (isShardable(result.getType()) || !layout->isReplicated())
      versions.define(result, layout);
}

void Inserter::replicateOperands(MutableArrayRef<OpOperand> uses,
                                 Operation *user) {
  for (OpOperand &use : uses)
    use.set(versions.get(use.get(),
                         meshes.replicated(dimsOf(use.get().getType()).size()),
                         user ? user : use.getOwner()));
}

void Inserter::replicateOperands(Operation *op) {
  replicateOperands(op->getOpOperands());
  // Regions of unknown ops may use values from outside.
  for (Region &region : op->getRegions())
    region.walk([&](Operation *inner) {
      for (OpOperand &use : inner->getOpOperands())
        if (!region.isAncestor(use.get().getParentRegion()))
          replicateOperands(use, op);
    });
}

static double localBytes(Value value, const Layout &layout) {
  Type type = value.getType();
  return localBytes(dimsOf(type), elementBytes(type), layout.sharding);
}

void Inserter::useIn(OpOperand &use, LayoutRef layout) {
  Operation *op = use.getOwner();
  Value before = use.get();
  if (loops.empty()) {
    if (Value value = versions.get(before, layout, op); value != before)
      use.set(value);
    return;
  }
  ArrayRef<ReshardCache::Version> at = versions.get(before);
  size_t count = at.size();
  double own = localBytes(before, *at.front().layout);
  Value value = versions.get(before, layout, op);
  if (value == before)
    return;
  if (double bytes = localBytes(value, *layout);
      bytes > own && versions.get(before).size() > count &&
      !loops.back().first->isAncestor(value.getParentRegion()))
    held += bytes;
  use.set(value);
}

void Inserter::applyReplicated(Operation *op, const OpPlan &plan) {
  replicateOperands(op);
  SmallVector<LayoutRef> layouts;
  for (const ResultPlan &result : plan.results)
    layouts.push_back(result.computed);
  defineResults(op, layouts);
  if (plan.device)
    op->setDiscardableAttr(
        kDeviceAttrName,
        IntegerAttr::get(IntegerType::get(op->getContext(), 64), *plan.device));
}

/// The layout of a value before `resolution` reduces it: unreduced along the
/// axes to reduce, if a sharding can express that.
LayoutRef Inserter::beforeReduction(LayoutRef layout, int32_t mesh,
                                    const SumResolution &resolution,
                                    ReducerKind reducer) {
  std::optional<ReductionKind> kind = reductionKindOf(reducer);
  if (resolution.isEmpty() || !kind || !layout->mayAddUnreduced(*kind))
    return layout;
  Layout partial = *layout;
  partial.addUnreduced(mesh, resolution.reduce, *kind);
  for (const AxisList &axes : resolution.scatter)
    partial.addUnreduced(mesh, axes, *kind);
  return meshes.intern(partial);
}

void Inserter::applyPlan(Operation *op, const OpPlan &plan) {
  if (costs) {
    PlannedCost &cost = (*costs)[op->getBlock()];
    cost.work += plan.work;
    cost.communication += plan.halo;
  }
  if (plan.replicatesOperands)
    return applyReplicated(op, plan);
  if (observer && plan.mesh >= 0)
    op->setLoc(observer->onPlan(op, plan.mesh, plan.ways, meshes));
  for (auto [use, operand] : llvm::zip(op->getOpOperands(), plan.operands))
    if (operand.broughtHere)
      use.set(versions.get(use.get(), operand.broughtHere, op));
  for (auto [use, operand] : llvm::zip(op->getOpOperands(), plan.operands))
    useIn(use, operand.layout);
  SmallVector<LayoutRef> layouts;
  for (const ResultPlan &result : plan.results)
    layouts.push_back(result.computed);
  if (plan.reduceAxes.empty())
    return defineResults(op, layouts);

  ReducerKind kind = *getCombiner(op);
  for (auto [layout, result] : llvm::zip(layouts, plan.results))
    layout = beforeReduction(layout, plan.mesh, result.resolution, kind);
  defineResults(op, layouts);
  SmallVector<Value> inits(op->getNumResults());
  if (auto reduce = dyn_cast<stablehlo::ReduceOp>(op))
    inits = takeInits(reduce, kind);
  for (OpResult result : op->getResults())
    complete(result, plan, kind, inits[result.getResultNumber()]);
}

void Inserter::complete(OpResult result, const OpPlan &plan, ReducerKind kind,
                        Value init) {
  Operation *op = result.getOwner();
  size_t i = result.getResultNumber();
  const auto &[computed, resolution, completed, sumShare] = plan.results[i];
  if (resolution.isEmpty() && !init)
    return;
  SmallVector<OpOperand *> uses;
  for (OpOperand &use : result.getUses())
    uses.push_back(&use);
  OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(op);
  Location loc = op->getLoc();
  Value whole = result;
  if (!resolution.isEmpty()) {
    if (costs)
      (*costs)[op->getBlock()].communication +=
          sumShare * resolution.cost(meshes.planner(plan.mesh));
    if (observer)
      loc = observer->onSumResolution(result, *computed, resolution, *completed,
                                      meshes);
    whole = buildSumResolution(builder, loc, result, plan.mesh, resolution,
                               kind, meshes);
  }
  if (init) {
    // In a reduce, the initial values follow the inputs.
    const Layout &at = *plan.operands[op->getNumOperands() / 2 + i].layout;
    whole = foldInit(builder, whole, init, at, kind, *completed, meshes);
  }
  for (OpOperand *use : uses)
    use->set(whole);
  versions.define(whole, completed);
  if (askedUnreduced.contains(result))
    askedUnreduced.insert(whole);
}

} // namespace shardwright
