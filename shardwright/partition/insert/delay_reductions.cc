//===- delay_reductions.cc - sums of partial sums -------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One walk, inner ops first. An all_reduce that nothing but a chain of linear
// ops reads moves to the end of the chain where an addition meets another one
// along the same axes: one is left, behind the addition, and may move on from
// there. So it leaves the body of a loop that only adds its result to a value
// that it carries.
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/insert/delay_reductions.h"

#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/partition/insert/carried_sums.h"
#include "shardwright/partition/layout/collective_builder.h"
#include "shardwright/partition/ops/linear_ops.h"
#include "shardwright/partition/ops/trip_count.h"
#include "shardwright/propagate/index/fetch_ahead.h"
#include "shardwright/rules/reducer.h"

using namespace mlir;

namespace shardwright {
namespace {

class Delayer {
public:
  Delayer(MeshTable &meshes, SmallVectorImpl<sdy::AllReduceOp> &reduces)
      : meshes(meshes), reduces(reduces) {
    for (auto [i, reduce] : llvm::enumerate(reduces))
      placeOf[reduce] = i;
  }
  void run(ArrayRef<Operation *> sums);

private:
  /// The all_reduce at the start of the chain of linear ops that ends in
  /// `value`, read by nothing else.
  sdy::AllReduceOp reductionBehind(Value value);
  /// Takes the all_reduce out of the chain of linear ops that ends in `end`
  /// (null: there is none); gives the axes. The ops of the chain work on
  /// partial sums then.
  sdy::AxisRefListAttr takeOut(sdy::AllReduceOp reduce, Value end);
  /// Writes that the value is unreduced along the axes.
  void markPartial(Value value, sdy::AxisRefListAttr axes, int32_t mesh);
  Value reduced(OpBuilder &builder, Value value, sdy::AxisRefListAttr axes,
                int32_t mesh);
  Layout layoutOf(Value value) {
    return meshes.toLayout(sdy::getSharding(value), value.getType());
  }
  void addPartially(Operation *op);
  void addScattered(Operation *op);
  void leaveLoop(const CarriedSum &sum);
  /// What the carried value is reduced by in every iteration.
  struct Leaving {
    sdy::AxisRefListAttr axes;
    int32_t mesh = -1;
    /// With the end of the chain of linear ops behind each, null where the
    /// carried value itself is reduced.
    SmallVector<std::pair<sdy::AllReduceOp, Value>, 2> reduces;
    /// Terms that are whole.
    SmallVector<OpOperand *, 2> whole;
  };
  std::optional<Leaving> reductionsOf(const CarriedSum &sum);
  bool isWorthIt(const CarriedSum &sum, const Leaving &leaving);
  void makePartial(OpBuilder &builder, OpOperand &use, const Leaving &leaving);

  MeshTable &meshes;
  SmallVectorImpl<sdy::AllReduceOp> &reduces;
  /// Among `reduces`, which has null for those taken out until the end.
  llvm::DenseMap<Operation *, size_t> placeOf;
};

sdy::AllReduceOp Delayer::reductionBehind(Value value) {
  while (value.hasOneUse()) {
    Operation *op = value.getDefiningOp();
    if (!op)
      return {};
    if (auto reduce = dyn_cast<sdy::AllReduceOp>(op))
      return getReducer(reduce) == ReducerKind::Add && canAdd(reduce.getType())
                 ? reduce
                 : sdy::AllReduceOp();
    OpOperand *from = linearOperand(op);
    if (!from)
      return {};
    value = from->get();
  }
  return {};
}

sdy::AxisRefListAttr Delayer::takeOut(sdy::AllReduceOp reduce, Value end) {
  sdy::AxisRefListAttr axes = reduce.getReductionAxesAttr();
  int32_t mesh = meshes.idOf(reduce.getOutSharding().getMeshOrRef());
  for (Value value = end; value && value != reduce.getResult();
       value = linearOperand(value.getDefiningOp())->get())
    markPartial(value, axes, mesh);
  reduce.getResult().replaceAllUsesWith(reduce.getTensor());
  auto place = placeOf.find(reduce);
  reduces[place->second] = nullptr;
  placeOf.erase(place);
  reduce.erase();
  return axes;
}

void Delayer::markPartial(Value value, sdy::AxisRefListAttr axes,
                          int32_t mesh) {
  // Arguments of blocks have no sharding of their own.
  if (!value.getDefiningOp())
    return;
  Layout layout = layoutOf(value);
  layout.mesh = mesh;
  AxisList added = meshes.toAxes(mesh, axes.getValue());
  AxisList &unreduced = layout.sharding.unreduced;
  unreduced.append(withoutAxes(added, commonAxes(unreduced, added)));
  sortAndMerge(unreduced);
  sdy::setSharding(value, meshes.toAttr(layout));
}

/// Replaces all uses of `value`.
Value Delayer::reduced(OpBuilder &builder, Value value,
                       sdy::AxisRefListAttr axes, int32_t mesh) {
  Layout layout = layoutOf(value);
  if (layout.mesh < 0)
    layout.mesh = mesh;
  auto reduce =
      sdy::AllReduceOp::create(builder, value.getLoc(), value.getType(), value,
                               axes, meshes.toAttr(layout));
  value.replaceAllUsesExcept(reduce.getResult(), reduce);
  placeOf[reduce] = reduces.size();
  reduces.push_back(reduce);
  return reduce.getResult();
}

void Delayer::addPartially(Operation *op) {
  sdy::AllReduceOp a = reductionBehind(op->getOperand(0)),
                   b = reductionBehind(op->getOperand(1));
  if (!a || !b || a == b || a.getReductionAxes() != b.getReductionAxes() ||
      a->getBlock() != b->getBlock() || a->getBlock() != op->getBlock())
    return;
  int32_t mesh = meshes.idOf(a.getOutSharding().getMeshOrRef());
  if (mesh != meshes.idOf(b.getOutSharding().getMeshOrRef()))
    return;
  Layout layout = layoutOf(op->getResult(0));
  for (Value operand : op->getOperands())
    if (!layoutOf(operand).isEquivalent(layout))
      return;
  takeOut(a, op->getOperand(0));
  sdy::AxisRefListAttr axes = takeOut(b, op->getOperand(1));
  OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(op);
  reduced(builder, op->getResult(0), axes, mesh);
  markPartial(op->getResult(0), axes, mesh);
}

/// Right before the op alone: what is between would have to change its layout.
void Delayer::addScattered(Operation *op) {
  auto at = [&](unsigned i) {
    Value operand = op->getOperand(i);
    auto scatter = operand.getDefiningOp<sdy::ReduceScatterOp>();
    return scatter && operand.hasOneUse() &&
                   getReducer(scatter) == ReducerKind::Add
               ? scatter
               : sdy::ReduceScatterOp();
  };
  sdy::ReduceScatterOp a = at(0), b = at(1);
  if (!a || !b || a.getReduceScatterAxes() != b.getReduceScatterAxes() ||
      a.getOutSharding() != b.getOutSharding() ||
      !layoutOf(a.getTensor()).isEquivalent(layoutOf(b.getTensor())))
    return;
  Layout before = layoutOf(a.getTensor());
  if (!layoutOf(op->getResult(0)).isEquivalent(layoutOf(a.getResult())))
    return;
  op->setOperand(0, a.getTensor());
  op->setOperand(1, b.getTensor());
  sdy::TensorShardingAttr sharding = meshes.toAttr(before);
  if (sharding)
    sdy::setSharding(op->getResult(0), sharding);
  else
    sdy::setShardings(op, {});
  OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(op);
  Value sum = op->getResult(0);
  auto scatter = sdy::ReduceScatterOp::create(
      builder, op->getLoc(), sum.getType(), sum, a.getReduceScatterAxes(),
      a.getOutSharding());
  sum.replaceAllUsesExcept(scatter.getResult(), scatter);
  a.erase();
  b.erase();
}

/// None where nothing is reduced, or the layouts do not allow for parts.
std::optional<Delayer::Leaving> Delayer::reductionsOf(const CarriedSum &sum) {
  if (sum.hasInnerLoop)
    return std::nullopt;
  stablehlo::WhileOp loop = sum.loop;
  Value result = loop->getResult(sum.index);
  Layout layout = layoutOf(result);
  // An argument of the body lies as the result does.
  for (Value value : sum.path)
    if (value.getType() != result.getType() ||
        (value.getDefiningOp() && !layoutOf(value).isEquivalent(layout)))
      return std::nullopt;
  Leaving leaving;
  auto add = [&](sdy::AllReduceOp reduce, Value end) {
    int32_t mesh = meshes.idOf(reduce.getOutSharding().getMeshOrRef());
    if (!leaving.axes) {
      leaving.axes = reduce.getReductionAxesAttr();
      leaving.mesh = mesh;
    }
    if (reduce.getReductionAxesAttr() != leaving.axes || mesh != leaving.mesh)
      return false;
    leaving.reduces.emplace_back(reduce, end);
    return true;
  };
  for (CarriedSum::Undone undone : sum.undone)
    if (getReducer(undone.reduce) != ReducerKind::Add ||
        !add(undone.reduce, Value()))
      return std::nullopt;
  for (OpOperand *term : sum.terms) {
    sdy::AllReduceOp reduce = reductionBehind(term->get());
    if (isa<stablehlo::AddOp, stablehlo::SubtractOp>(term->getOwner()) &&
        !layoutOf(term->get()).isEquivalent(layout))
      return std::nullopt;
    if ((!reduce || reduce->getBlock() != &loop.getBody().front() ||
         !add(reduce, term->get())) &&
        !isZeroSplat(term->get()))
      leaving.whole.push_back(term);
  }
  if (leaving.reduces.empty() ||
      (layout.mesh >= 0 && layout.mesh != leaving.mesh))
    return std::nullopt;
  AxisList used = layout.sharding.unreduced;
  for (const DimSharding &dim : layout.sharding.dims)
    used.append(dim.axes);
  for (AxisRef a : used)
    for (AxisRef b : meshes.toAxes(leaving.mesh, leaving.axes.getValue()))
      if (overlaps(a, b))
        return std::nullopt;
  return leaving;
}

/// Whether to reduce the whole once takes no longer than to reduce in every
/// iteration.
bool Delayer::isWorthIt(const CarriedSum &sum, const Leaving &leaving) {
  AxisList axes = meshes.toAxes(leaving.mesh, leaving.axes.getValue());
  ReshardPlanner &planner = meshes.planner(leaving.mesh);
  LinkCost link = planner.linkOver(axes);
  link.alpha += planner.getCosts().repeated;
  auto cost = [&](Value value) {
    double bytes = elementBytes(value.getType()) *
                   double(cast<ShapedType>(value.getType()).getNumElements());
    for (const DimSharding &dim : layoutOf(value).sharding.dims)
      bytes /= double(dim.shards());
    return link.of(CostModel::allReduce(bytes, totalSize(axes)));
  };
  // At least once, if something is added and not a part written.
  double inLoop = 0, times = double(knownTripCount(sum.loop).value_or(0));
  for (OpOperand *term : sum.terms) {
    if (llvm::is_contained(leaving.whole, term))
      continue;
    if (isa<stablehlo::AddOp, stablehlo::SubtractOp>(term->getOwner()))
      return true;
    inLoop += cost(term->get());
  }
  return !sum.undone.empty() ||
         times * inLoop >= cost(sum.loop->getResult(sum.index));
}

/// One device along the axes has the value then, the others nothing.
void Delayer::makePartial(OpBuilder &builder, OpOperand &use,
                          const Leaving &leaving) {
  Location loc = use.getOwner()->getLoc();
  Value value = use.get();
  Layout partial = layoutOf(value);
  partial.mesh = leaving.mesh;
  sdy::TensorShardingAttr now = sdy::getSharding(value);
  if (!now || meshes.idOf(now.getMeshOrRef()) != leaving.mesh)
    value = sdy::ReshardOp::create(builder, loc, value.getType(), value,
                                   meshes.toAttr(partial));
  AxisList axes = meshes.toAxes(leaving.mesh, leaving.axes.getValue());
  partial.sharding.unreduced.append(axes.begin(), axes.end());
  sortAndMerge(partial.sharding.unreduced);
  use.set(sdy::ReplicatedToUnreducedOp::create(builder, loc, value.getType(),
                                               value, leaving.axes,
                                               meshes.toAttr(partial)));
}

void Delayer::leaveLoop(const CarriedSum &sum) {
  std::optional<Leaving> leaving = reductionsOf(sum);
  if (!leaving || !isWorthIt(sum, *leaving))
    return;
  stablehlo::WhileOp loop = sum.loop;
  SmallVector<Value> partial(sum.path.begin(), sum.path.end());
  partial.push_back(
      loop.getBody().front().getTerminator()->getOperand(sum.index));
  llvm::erase_if(partial, [&](Value value) {
    return isa_and_nonnull<sdy::SdyDialect>(
        value.getDefiningOp() ? value.getDefiningOp()->getDialect() : nullptr);
  });
  for (auto [reduce, end] : leaving->reduces)
    takeOut(reduce, end);
  for (CarriedSum::Undone undone : sum.undone) {
    Operation *parts = undone.parts;
    parts->getResult(0).replaceAllUsesWith(parts->getOperand(0));
    parts->erase();
  }
  for (OpOperand *term : leaving->whole) {
    OpBuilder builder(term->getOwner());
    makePartial(builder, *term, *leaving);
  }
  OpBuilder builder(loop);
  OpOperand &init = loop->getOpOperand(sum.index);
  if (!isZeroSplat(init.get()))
    makePartial(builder, init, *leaving);
  builder.setInsertionPointAfter(loop);
  partial.push_back(loop->getResult(sum.index));
  reduced(builder, loop->getResult(sum.index), leaving->axes, leaving->mesh);
  for (Value value : partial)
    markPartial(value, leaving->axes, leaving->mesh);
}

void Delayer::run(ArrayRef<Operation *> sums) {
  forEachFetched(sums, [&](Operation *op) {
    if (auto loop = dyn_cast<stablehlo::WhileOp>(op)) {
      for (unsigned i = 0; i < loop->getNumOperands(); ++i)
        if (std::optional<CarriedSum> sum = carriedSum(loop, i))
          leaveLoop(*sum);
      return;
    }
    if (!canAdd(op->getResult(0).getType()))
      return;
    addPartially(op);
    addScattered(op);
  });
  llvm::erase(reduces, nullptr);
}

} // namespace

bool addsUp(Operation *op) {
  return isa<stablehlo::AddOp, stablehlo::SubtractOp, stablehlo::WhileOp>(op);
}

void delayReductions(MeshTable &meshes, ArrayRef<Operation *> sums,
                     SmallVectorImpl<sdy::AllReduceOp> &reduces) {
  Delayer(meshes, reduces).run(sums);
}

} // namespace shardwright
