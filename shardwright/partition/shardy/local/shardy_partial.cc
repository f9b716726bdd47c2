//===- shardy_partial.cc - partial results in Shardy's form ---------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The input of `sdy-convert-global-to-local` does not record partial results:
// an op whose operands are sharded along a reduction factor makes partial
// results, and the following all_reduce combines them with the op's reducer.
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/insert/reduce_parts.h"
#include "shardwright/partition/layout/attribute_names.h"
#include "shardwright/partition/layout/collective_builder.h"
#include "shardwright/partition/ops/op_builders.h"
#include "shardwright/partition/ops/op_problem.h"
#include "shardwright/partition/ops/op_traits.h"
#include "shardwright/partition/ops/reducer_ops.h"
#include "shardwright/partition/shardy/local/shardy_form.h"
#include "shardwright/partition/shardy/op_agreement.h"
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

/// True if the op works on any shards: an op of an unknown dialect, a custom
/// call, or a collective of the program itself.
static bool worksOnShards(Operation *op) {
  if (!isa_and_nonnull<stablehlo::StablehloDialect>(op->getDialect()))
    return true;
  return isa<stablehlo::CustomCallOp, stablehlo::OptimizationBarrierOp>(op) ||
         isCollective(op);
}

AxisList ShardyForm::partialAxes(Operation *op) const {
  AxisList axes;
  if (op->getNumResults() == 0 || worksOnShards(op))
    return axes;
  // The initial value of a reduction of partial sums counts once for all of
  // them.
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
                    [&](Value v) { return local.isSharded(v); }))
    return axes;
  std::optional<ShardingRule> rule = getShardingRule(op, {.extraRules = true});
  if (!rule || rule->isCustom || rule->operands.size() != op->getNumOperands())
    return axes;
  std::optional<FactorLayout> factors = FactorLayout::create(std::move(*rule));
  if (!factors)
    return axes;
  for (auto [t, operand] : llvm::enumerate(op->getOperands())) {
    const auto &tensor = factors->tensors[t];
    if (!local.isSharded(operand) ||
        local.layoutOf(operand).sharding.rank() != tensor.rank())
      continue;
    TensorProjection projection;
    projection.assign(tensor, factors->rule, &local.layoutOf(operand).sharding);
    for (auto [place, factor] : llvm::enumerate(tensor.factorOfPlace))
      if (factors->rule.factors[factor].kind == FactorKind::Reduction)
        for (AxisRef axis : projection.places[place].axes)
          if (!overlaps(axis, axes))
            axes.push_back(axis);
  }
  return axes;
}

void ShardyForm::read(Operation *op) {
  if (auto named = dyn_cast<sdy::NamedComputationOp>(op))
    for (BlockArgument arg : named.getBody().getArguments())
      local.place(arg, &meshes.toLayout(sdy::getSharding(arg), arg.getType()));
  if (!dimsReadWhole(op, meshes).empty())
    readsWhole.insert(op);
  auto isPlaced = [&](Value v) { return local.isSharded(v); };
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

LogicalResult ShardyForm::checkCompleted(Operation *op, AxisRefs axes) {
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

void ShardyForm::inherit(Value value, Value from) {
  if (auto it = partialKind.find(from); it != partialKind.end())
    partialKind[value] = ReducerKind(it->second);
  if (reducedValues.contains(from))
    reducedValues.insert(value);
}

std::optional<ReducerKind> ShardyForm::reducerOf(Operation *collective) {
  auto own = LocalForm::reducerOf(collective);
  // Shardy's sums may stand for any reduction.
  if (auto op = dyn_cast<sdy::CollectiveOpInterface>(collective);
      op && own == ReducerKind::Add && !collective->hasAttr(kReducerAttrName))
    if (auto it = partialKind.find(op.getTensor()); it != partialKind.end())
      return it->second;
  return own;
}

int32_t ShardyForm::meshOfPartial(stablehlo::ReduceOp op) {
  int32_t mesh = -1;
  for (Value input : op.getInputs())
    mesh = std::max(mesh, local.layoutOf(input).mesh);
  for (Value result : op->getResults())
    if (sdy::TensorShardingAttr sharding = sdy::getSharding(result);
        sharding && mesh < 0)
      mesh = meshes.idOf(sharding.getMeshOrRef());
  return mesh;
}

/// The initial value counts on the first device only.
void ShardyForm::foldPartial(stablehlo::ReduceOp op, ReducerKind kind,
                             int32_t mesh, AxisRefs axes) {
  Location loc = op.getLoc();
  OpBuilder builder(op);
  SmallVector<Value> inits = takeInits(op, kind);
  (void)local.setLocalResultTypes(op);
  builder.setInsertionPointAfter(op);
  for (auto [result, init] : llvm::zip(op->getResults(), inits)) {
    partialKind[result] = kind;
    if (!init)
      continue;
    Value identity = op.getInitValues()[result.getResultNumber()];
    Value isFirst =
        buildCompare(builder, loc, indices.index(mesh, axes),
                     indices.constant(0), stablehlo::ComparisonDirection::EQ);
    Value mine = stablehlo::SelectOp::create(builder, loc, init.getType(),
                                             isFirst, init, identity);
    // A reduction may accumulate in a wider type than that of its inputs.
    auto wide = typeOf(mine).clone(getElementTypeOrSelf(result.getType()));
    if (wide != mine.getType())
      mine = stablehlo::ConvertOp::create(builder, loc, wide, mine);
    if (mine.getType() != result.getType())
      mine = stablehlo::BroadcastInDimOp::create(builder, loc, result.getType(),
                                                 mine, ArrayRef<int64_t>());
    Value combined = buildCombine(builder, loc, kind, mine, result);
    result.replaceAllUsesExcept(combined, combined.getDefiningOp());
    local.inherit(combined, result);
    partialKind[combined] = kind;
  }
}

void ShardyForm::reduceGathered(stablehlo::ReduceOp op, int32_t mesh,
                                AxisRefs axes) {
  Location loc = op.getLoc();
  OpBuilder builder(op);
  (void)local.setLocalResultTypes(op);
  builder.setInsertionPointAfter(op);
  SmallVector<Value> parts;
  for (Value result : op->getResults()) {
    SmallVector<int64_t> shape(typeOf(result).getShape());
    shape.insert(shape.begin(), 1);
    Value part = stablehlo::ReshapeOp::create(
        builder, loc, typeOf(result).clone(ArrayRef<int64_t>(shape)), result);
    parts.push_back(local.gathered(builder, loc, part, 0, mesh, axes));
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
    local.inherit(result, old);
    reducedValues.insert(result);
  }
}

LogicalResult ShardyForm::visitPartialReduce(stablehlo::ReduceOp op,
                                             AxisRefs axes) {
  int32_t mesh = meshOfPartial(op);
  if (mesh < 0)
    return op.emitOpError("reduces partial results, but its results have no "
                          "sharding on the mesh");
  std::optional<ReducerKind> kind = getCombiner(op);
  if (kind && llvm::all_of(op.getInputs().getTypes(), [&](Type type) {
        return bool(identityElement(*kind, getElementTypeOrSelf(type)));
      }))
    foldPartial(op, *kind, mesh, axes);
  else
    reduceGathered(op, mesh, axes);
  return success();
}

/// For a scatter with sharded updates whose results no collective can reduce:
/// every device applies all updates.
LogicalResult ShardyForm::visitPartialScatter(stablehlo::ScatterOp op) {
  auto dims = op.getScatterDimensionNumbers();
  OpBuilder builder(op);
  Location loc = op.getLoc();
  int32_t mesh = local.layoutOf(op.getUpdates().front()).mesh;
  auto whole = [&](OpOperand &use, int64_t d, AxisRefs axes) {
    Value value = use.get();
    Value all = local.gathered(builder, loc, value, d, mesh, axes);
    local.inherit(all, value);
    if (local.isSharded(all)) {
      Layout layout = local.layoutOf(all);
      layout.sharding.dims[d].axes.clear();
      local.setLayout(all, layout);
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
    AxisList axes(local.axesOf(op.getUpdates().front(), d));
    if (axes.empty() ||
        llvm::is_contained(dims.getScatterIndicesBatchingDims(), x))
      continue;
    if (AxisList(local.axesOf(op.getScatterIndices(), x)) == axes)
      whole(op.getScatterIndicesMutable(), x, axes);
    for (OpOperand &use : op.getUpdatesMutable())
      whole(use, d, axes);
  }
  for (Value result : op->getResults())
    reducedValues.insert(result);
  return local.localizeScatter(op);
}

} // namespace shardwright
