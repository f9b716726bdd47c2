//===- make_agree.cc - reshard operands to common axes --------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/shardy/make_agree.h"

#include "shardwright/partition/ops/op_problem.h"
#include "shardwright/partition/shardy/unreduced_axes.h"

#include "shardwright/dialect/sdy/conversion.h"
#include "shardwright/dialect/sdy/sharding_access.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace shardwright {

using sdy::TensorShardingAttr;

bool isReplicated(TensorShardingAttr sharding) {
  return !sharding ||
         (sharding.emptyAxes() && sharding.getUnreducedAxes().empty());
}

TensorShardingAttr closedReplicated(Value value, Attribute mesh) {
  auto shaped = dyn_cast<ShapedType>(value.getType());
  return TensorShardingAttr::getFullyClosed(
      mesh.getContext(), shaped && shaped.hasRank() ? shaped.getRank() : 0,
      mesh);
}

Attribute chooseMesh(ModuleOp module, ArrayRef<TensorShardingAttr> shardings) {
  sdy::MeshAttr common;
  llvm::MapVector<Attribute, int64_t> counts;
  Attribute first;
  for (TensorShardingAttr s : shardings) {
    if (!s)
      continue;
    sdy::MeshAttr mesh = sdy::getMeshAttr(module, s.getMeshOrRef());
    if (!mesh || mesh.isMaximal())
      return nullptr;
    if (mesh.empty())
      continue;
    if (common && !common.equalsOtherThanDeviceIds(mesh))
      return nullptr;
    common = mesh;
    if (!first)
      first = s.getMeshOrRef();
    if (!isReplicated(s))
      ++counts[s.getMeshOrRef()];
  }
  int64_t most = 0;
  Attribute chosen = first;
  for (auto [mesh, count] : counts)
    if (count > most) {
      most = count;
      chosen = mesh;
    }
  return chosen;
}

void allReduceResults(Operation *op, AxisList axes, const Mesh &mesh,
                      Attribute meshOrRef, bool markPartial) {
  if (TensorShardingAttr first = sdy::getSharding(op->getResult(0)))
    axes = withoutAxes(axes, sdy::axesFromAttr(first.getUnreducedAxes(), mesh));
  sortAndMerge(axes);
  if (axes.empty())
    return;
  markPartial &= getCombiner(op) == ReducerKind::Add;
  OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(op);
  for (Value result : op->getResults()) {
    TensorShardingAttr sharding = sdy::getSharding(result);
    if (!sharding)
      sharding = closedReplicated(result, meshOrRef);
    auto reduce = sdy::AllReduceOp::create(
        builder, op->getLoc(), result.getType(), result,
        sdy::axisListToAttr(op->getContext(), axes, mesh),
        sharding.getReductionOp(), sharding);
    result.replaceAllUsesExcept(reduce.getResult(), reduce);
    if (!markPartial)
      continue;
    TensorSharding partial = sdy::shardingFromAttr(sharding, mesh);
    partial.unreduced.append(axes);
    sortAndMerge(partial.unreduced);
    sdy::setSharding(result,
                     sdy::shardingToAttr(op->getContext(), partial, mesh,
                                         sharding.getMeshOrRef()));
  }
}

void makeAgree(Operation *op, OpFactors &factors,
               ArrayRef<TensorShardingAttr> shardings, Attribute meshOrRef,
               bool markPartial) {
  const FactorLayout &layout = *factors.layout;
  FactorAxes axes = chooseFactorAxes(factors);
  int64_t numOperands = op->getNumOperands();

  SmallVector<TensorShardingAttr> updated(shardings.size());
  for (int64_t t = 0, e = shardings.size(); t < e; ++t) {
    TensorProjection projection = factors.tensors[t];
    bool changed = shardings[t] && !isReplicated(shardings[t]) &&
                   shardings[t].getMeshOrRef() != meshOrRef;
    for (auto [place, factor] :
         llvm::enumerate(layout.tensors[t].factorOfPlace)) {
      FactorSharding &s = projection.places[place];
      changed |= s.axes != axes[factor] || !s.overflow.empty();
      s.axes = axes[factor];
      s.overflow.clear();
      s.isClosed = true;
    }
    if (!changed)
      continue;
    TensorSharding old;
    if (shardings[t])
      old = sdy::shardingFromAttr(shardings[t], *factors.mesh);
    TensorSharding made =
        projection.toSharding(layout.tensors[t], layout.rule, &old);
    // An axis that shards a dimension cannot also be unreduced.
    for (const DimSharding &dim : made.dims)
      made.unreduced = withoutAxes(made.unreduced, dim.axes);
    updated[t] =
        sdy::shardingToAttr(op->getContext(), made, *factors.mesh, meshOrRef);
  }

  OpBuilder builder(op);
  for (OpOperand &operand : op->getOpOperands())
    if (TensorShardingAttr target = updated[operand.getOperandNumber()])
      operand.set(sdy::ReshardOp::create(builder, op->getLoc(),
                                         operand.get().getType(), operand.get(),
                                         target));
  builder.setInsertionPointAfter(op);
  for (OpResult result : op->getResults()) {
    int64_t t = numOperands + result.getResultNumber();
    if (!updated[t])
      continue;
    auto reshard = sdy::ReshardOp::create(
        builder, op->getLoc(), result.getType(), result,
        shardings[t] ? shardings[t] : closedReplicated(result, meshOrRef));
    result.replaceAllUsesExcept(reshard.getResult(), reshard);
    sdy::setSharding(result, updated[t]);
  }

  AxisList reduced;
  for (int64_t f = 0, e = layout.numFactors(); f < e; ++f)
    if (layout.rule.factors[f].kind == FactorKind::Reduction)
      reduced.append(axes[f]);
  allReduceResults(op, std::move(reduced), *factors.mesh, meshOrRef,
                   markPartial);
}

} // namespace shardwright
