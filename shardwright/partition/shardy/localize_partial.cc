//===- localize_partial.cc - parts of results, as Shardy has them ---------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The input of `sdy-convert-global-to-local` has no record of how partial
// results were decided on: an op whose operands are sharded along a reduction
// factor makes parts, and the all_reduce that follows combines them the way the
// op does.
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/insert/reduce_parts.h"
#include "shardwright/partition/layout/collective_builder.h"
#include "shardwright/partition/localize/localizer.h"
#include "shardwright/partition/ops/combine.h"
#include "shardwright/partition/ops/op_problem.h"
#include "shardwright/partition/shardy/unreduced_axes.h"

#include "shardwright/dialect/sdy/conversion.h"
#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/propagate/step/factor_projection.h"
#include "shardwright/rules/rule_interface.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace shardwright {

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// The op works on any shards: of a dialect that we do not know, a call of
/// somebody's code, or a collective of the program's own.
static bool worksOnShards(Operation *op) {
  if (!isa_and_nonnull<stablehlo::StablehloDialect>(op->getDialect()))
    return true;
  return isa<stablehlo::CustomCallOp, stablehlo::OptimizationBarrierOp,
             stablehlo::AllGatherOp, stablehlo::AllReduceOp,
             stablehlo::AllToAllOp, stablehlo::ReduceScatterOp,
             stablehlo::CollectivePermuteOp, stablehlo::CollectiveBroadcastOp>(
      op);
}

AxisList Localizer::partialAxes(Operation *op) const {
  AxisList axes;
  if (op->getNumResults() == 0 || worksOnShards(op))
    return axes;
  // What a reduction of sums starts from counts once for all of them.
  if (auto reduce = dyn_cast<stablehlo::ReduceOp>(op))
    for (Value input : reduce.getInputs())
      if (sdy::TensorShardingAttr sharding = sdy::getSharding(input)) {
        int32_t mesh = meshes.idOf(sharding.getMeshOrRef());
        if (mesh < 0)
          continue;
        for (AxisRef axis : meshes.toAxes(mesh, sharding.getUnreducedAxes()))
          if (!overlaps(axis, axes))
            axes.push_back(axis);
      }
  if (llvm::none_of(op->getOperands(),
                    [&](Value v) { return placed.contains(v); }))
    return axes;
  std::optional<ShardingRule> rule = getShardingRule(op, {.extraRules = true});
  if (!rule || rule->isCustom || rule->operands.size() != op->getNumOperands())
    return axes;
  std::optional<FactorLayout> factors = FactorLayout::create(std::move(*rule));
  if (!factors)
    return axes;
  for (auto [t, operand] : llvm::enumerate(op->getOperands())) {
    auto it = placed.find(operand);
    const auto &tensor = factors->tensors[t];
    if (it == placed.end() ||
        it->second.layout->sharding.rank() != tensor.rank())
      continue;
    TensorProjection projection;
    projection.assign(tensor, factors->rule, &it->second.layout->sharding);
    for (auto [place, factor] : llvm::enumerate(tensor.factorOfPlace))
      if (factors->rule.factors[factor].kind == FactorKind::Reduction)
        for (AxisRef axis : projection.places[place].axes)
          if (!overlaps(axis, axes))
            axes.push_back(axis);
  }
  return axes;
}

void Localizer::readAsShardy(Operation *op) {
  auto isPlaced = [&](Value v) { return placed.contains(v); };
  if (op->getNumResults() == 0 || worksOnShards(op))
    return;
  if (AxisList axes = partialAxes(op); !axes.empty())
    partialOf[op] = std::move(axes);
  if (llvm::none_of(op->getOperands(), isPlaced) &&
      llvm::none_of(op->getResults(), isPlaced))
    return;
  if (!isa<stablehlo::WhileOp, stablehlo::IfOp, stablehlo::CaseOp,
           stablehlo::ConstantOp, stablehlo::IotaOp, stablehlo::RngOp,
           stablehlo::RngBitGeneratorOp>(op) &&
      !getShardingRule(op, {.extraRules = true}))
    ruleless.insert(op);
}

LogicalResult Localizer::checkCompleted(Operation *op, AxisRefs axes) {
  for (Value result : op->getResults()) {
    AxisRefs left = axes;
    AxisList open;
    int32_t mesh = -1;
    if (sdy::TensorShardingAttr sharding = sdy::getSharding(result)) {
      mesh = meshes.idOf(sharding.getMeshOrRef());
      if (mesh >= 0)
        open =
            withoutAxes(left, meshes.toAxes(mesh, sharding.getUnreducedAxes()));
      left = mesh >= 0 ? AxisRefs(open) : left;
    }
    if (left.empty())
      continue;
    bool isReduced = llvm::all_of(result.getUsers(), [&](Operation *user) {
      AxisList done;
      auto collective = dyn_cast<sdy::CollectiveOpInterface>(user);
      if (!collective)
        return false;
      int32_t on = meshes.idOf(collective.getOutSharding().getMeshOrRef());
      if (on < 0)
        return false;
      if (auto reduce = dyn_cast<sdy::AllReduceOp>(user))
        done = meshes.toAxes(on, reduce.getReductionAxes().getValue());
      else if (auto scatter = dyn_cast<sdy::ReduceScatterOp>(user))
        for (sdy::AxisRefListAttr list :
             scatter.getReduceScatterAxes().getValue())
          done.append(meshes.toAxes(on, list.getValue()));
      sortAndMerge(done);
      return withoutAxes(left, done).empty();
    });
    if (!isReduced)
      return op->emitOpError("Expected sharded contracting ")
             << op->getName().stripDialect()
             << " to have one user and the user is an sdy.all_reduce.";
  }
  return success();
}

std::optional<ReducerKind> Localizer::reducerOf(Operation *collective) {
  if (collective->hasAttr(kReducerAttrName))
    return getReducer(collective);
  if (auto op = dyn_cast<sdy::CollectiveOpInterface>(collective)) {
    auto it = partialKind.find(op.getTensor());
    if (it != partialKind.end())
      return it->second;
  }
  return ReducerKind::Add;
}

/// Local parts of a reduction; the initial value counts on one device only.
LogicalResult Localizer::visitPartialReduce(stablehlo::ReduceOp op,
                                            AxisRefs axes) {
  int32_t mesh = -1;
  for (Value input : op.getInputs())
    mesh = std::max(mesh, layoutOf(input).mesh);
  for (Value result : op->getResults())
    if (sdy::TensorShardingAttr sharding = sdy::getSharding(result);
        sharding && mesh < 0)
      mesh = meshes.idOf(sharding.getMeshOrRef());
  if (mesh < 0)
    return op.emitOpError("reduces parts, but its results have no sharding on "
                          "their mesh");
  Location loc = op.getLoc();
  OpBuilder builder(op);
  std::optional<ReducerKind> kind = getCombiner(op);
  if (kind && !llvm::all_of(op.getInputs().getTypes(), [&](Type type) {
        return bool(identityElement(*kind, getElementTypeOrSelf(type)));
      }))
    kind = std::nullopt;
  if (kind) {
    SmallVector<Value> inits = takeInits(op, *kind);
    (void)setLocalResultTypes(op);
    builder.setInsertionPointAfter(op);
    for (auto [result, init] : llvm::zip(op->getResults(), inits)) {
      partialKind[result] = *kind;
      if (!init)
        continue;
      Value identity = op.getInitValues()[result.getResultNumber()];
      Value isFirst =
          buildCompare(builder, loc, indices.index(mesh, axes),
                       indices.constant(0), stablehlo::ComparisonDirection::EQ);
      Value mine = stablehlo::SelectOp::create(builder, loc, init.getType(),
                                               isFirst, init, identity);
      if (mine.getType() != result.getType())
        mine = stablehlo::BroadcastInDimOp::create(
            builder, loc, result.getType(), mine, ArrayRef<int64_t>());
      Value combined = buildCombine(builder, loc, *kind, mine, result);
      result.replaceAllUsesExcept(combined, combined.getDefiningOp());
      inherit(combined, result);
      partialKind[combined] = *kind;
    }
    return success();
  }
  // Nothing combines such parts but the reducer itself: each device gets all
  // and reduces them.
  (void)setLocalResultTypes(op);
  builder.setInsertionPointAfter(op);
  SmallVector<Value> parts;
  for (Value result : op->getResults()) {
    SmallVector<int64_t> shape(typeOf(result).getShape());
    shape.insert(shape.begin(), 1);
    Value part = stablehlo::ReshapeOp::create(
        builder, loc, typeOf(result).clone(ArrayRef<int64_t>(shape)), result);
    parts.push_back(gathered(builder, loc, part, 0, mesh, axes));
  }
  auto whole =
      stablehlo::ReduceOp::create(builder, loc, op->getResultTypes(), parts,
                                  op.getInitValues(), ArrayRef<int64_t>(0));
  IRMapping mapping;
  op.getBody().cloneInto(&whole.getBody(), mapping);
  for (auto [part, old, result] :
       llvm::zip(parts, op->getResults(), whole->getResults())) {
    Operation *reshape = part.getDefiningOp()->getOperand(0).getDefiningOp();
    old.replaceAllUsesExcept(result, reshape);
    inherit(result, old);
    madeWhole.insert(result);
  }
  return success();
}

/// A scatter whose updates are split over devices, and whose reducer combines
/// no parts: every device does all updates.
LogicalResult Localizer::visitPartialScatter(stablehlo::ScatterOp op) {
  auto dims = op.getScatterDimensionNumbers();
  OpBuilder builder(op);
  Location loc = op.getLoc();
  int32_t mesh = layoutOf(op.getUpdates().front()).mesh;
  auto whole = [&](OpOperand &use, int64_t d, AxisRefs axes) {
    Value value = use.get();
    Value all = gathered(builder, loc, value, d, mesh, axes);
    inherit(all, value);
    if (auto it = placed.find(all); it != placed.end()) {
      Layout layout = *it->second.layout;
      layout.sharding.dims[d].axes.clear();
      it->second.layout = meshes.known(layout);
    }
    use.set(all);
  };
  int64_t indexDim = 0;
  int64_t rank = typeOf(op.getUpdates().front()).getRank();
  for (int64_t d = 0; d < rank; ++d) {
    if (llvm::is_contained(dims.getUpdateWindowDims(), d))
      continue;
    int64_t x = indexDim + (indexDim >= dims.getIndexVectorDim());
    ++indexDim;
    AxisList axes(axesOf(op.getUpdates().front(), d));
    if (axes.empty() ||
        llvm::is_contained(dims.getScatterIndicesBatchingDims(), x))
      continue;
    if (AxisList(axesOf(op.getScatterIndices(), x)) == axes)
      whole(op.getScatterIndicesMutable(), x, axes);
    for (OpOperand &use : op.getUpdatesMutable())
      whole(use, d, axes);
  }
  for (Value result : op->getResults())
    madeWhole.insert(result);
  return localizeScatter(op);
}

} // namespace shardwright
