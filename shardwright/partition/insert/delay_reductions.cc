//===- delay_reductions.cc - delay reductions of partial sums -------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One walk, inner ops first. If the only users of an all_reduce are a chain of
// linear ops that ends in an addition whose other operand is also reduced along
// the same axes, one all_reduce after the addition replaces both, and may be
// delayed further. In the same way an all_reduce leaves the body of a loop that
// only adds its result to a carried value.
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/insert/delay_reductions.h"

#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/partition/insert/carried_sums.h"
#include "shardwright/partition/layout/collective_builder.h"
#include "shardwright/partition/ops/linear_ops.h"
#include "shardwright/partition/ops/op_traits.h"
#include "shardwright/partition/ops/trip_count.h"
#include "shardwright/partition/support/tensor_types.h"
#include "shardwright/rules/reducer.h"

using namespace mlir;

namespace shardwright {
namespace {

/// True if the op adds, and its result is not a partial value of another kind.
bool addsPartialSums(sdy::AllReduceOp reduce) {
  return getReducer(reduce) == ReducerKind::Add &&
         reduce.getOutSharding().getReductionOp() == sdy::ReductionOp::SUM;
}

class Delayer {
public:
  Delayer(MeshTable &meshes, SmallVectorImpl<sdy::AllReduceOp> &reduces)
      : meshes(meshes), reduces(reduces) {
    for (auto [i, reduce] : llvm::enumerate(reduces))
      placeOf[reduce] = i;
  }
  void run(ArrayRef<Operation *> sums);

private:
  /// The all_reduce at the start of the single-use chain of linear ops that
  /// ends in `value`.
  sdy::AllReduceOp reductionBehind(Value value);
  /// Removes the all_reduce from the chain of linear ops that ends in `end`
  /// (null: the chain is empty) and returns its axes. The ops of the chain then
  /// work on partial sums.
  sdy::AxisRefListAttr takeOut(sdy::AllReduceOp reduce, Value end);
  /// Marks the value as unreduced along the axes.
  void markPartial(Value value, sdy::AxisRefListAttr axes, int32_t mesh);
  Value reduced(OpBuilder &builder, Value value, sdy::AxisRefListAttr axes,
                int32_t mesh);
  Layout layoutOf(Value value) {
    return meshes.toLayout(sdy::getSharding(value), value.getType());
  }
  void addPartially(Operation *op);
  void addScattered(Operation *op);
  void leaveLoop(const CarriedSum &sum);
  /// How the carried value is reduced in every iteration.
  struct Leaving {
    sdy::AxisRefListAttr axes;
    int32_t mesh = -1;
    /// Each all_reduce with the end of the chain of linear ops after it, or
    /// null if the carried value itself is reduced.
    SmallVector<std::pair<sdy::AllReduceOp, Value>, 2> reduces;
    /// Terms that are not partial sums.
    SmallVector<OpOperand *, 2> whole;
  };
  std::optional<Leaving> reductionsOf(const CarriedSum &sum);
  bool isWorthIt(const CarriedSum &sum, const Leaving &leaving);
  void makePartial(OpBuilder &builder, OpOperand &use, const Leaving &leaving);

  MeshTable &meshes;
  SmallVectorImpl<sdy::AllReduceOp> &reduces;
  /// Index in `reduces`, where removed ops are null until the end.
  llvm::DenseMap<Operation *, size_t> placeOf;
};

sdy::AllReduceOp Delayer::reductionBehind(Value value) {
  while (value.hasOneUse()) {
    Operation *op = value.getDefiningOp();
    if (!op)
      return {};
    if (auto reduce = dyn_cast<sdy::AllReduceOp>(op))
      return addsPartialSums(reduce) && canAdd(reduce.getType())
                 ? reduce
                 : sdy::AllReduceOp();
    OpOperand *from = soleLinearOperand(op);
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
       value = soleLinearOperand(value.getDefiningOp())->get())
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
  // Block arguments have no sharding attribute of their own.
  if (!value.getDefiningOp())
    return;
  Layout layout = layoutOf(value);
  layout.addUnreduced(mesh, meshes.toAxes(mesh, axes.getValue()));
  sdy::setSharding(value, meshes.toAttr(layout));
}

/// Inserts the all_reduce of `value` and replaces all uses of the value.
Value Delayer::reduced(OpBuilder &builder, Value value,
                       sdy::AxisRefListAttr axes, int32_t mesh) {
  Layout layout = layoutOf(value);
  if (layout.mesh < 0)
    layout.mesh = mesh;
  auto reduce = sdy::AllReduceOp::create(
      builder, value.getLoc(), value.getType(), value, axes,
      sdy::ReductionOp::SUM, meshes.toAttr(layout));
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

/// Only for a reduce_scatter right before the op: ops in between would have to
/// change their layout.
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
  if (!before.mayAddUnreduced(ReductionKind::Sum))
    return;
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
      sdy::ReductionOp::SUM, a.getOutSharding());
  sum.replaceAllUsesExcept(scatter.getResult(), scatter);
  a.erase();
  b.erase();
}

/// None if nothing is reduced, or if the layouts do not permit partial sums.
std::optional<Delayer::Leaving> Delayer::reductionsOf(const CarriedSum &sum) {
  if (sum.hasInnerLoop)
    return std::nullopt;
  stablehlo::WhileOp loop = sum.loop;
  Value result = loop->getResult(sum.index);
  Layout layout = layoutOf(result);
  if (!layout.mayAddUnreduced(ReductionKind::Sum))
    return std::nullopt;
  // A body argument has the layout of the result.
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
    if (!addsPartialSums(undone.reduce) || !add(undone.reduce, Value()))
      return std::nullopt;
  for (OpOperand *term : sum.terms) {
    sdy::AllReduceOp reduce = reductionBehind(term->get());
    if (isAdditive(term->getOwner()) &&
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

/// True if one reduction of the carried value costs at most as much as the
/// reductions in every iteration.
bool Delayer::isWorthIt(const CarriedSum &sum, const Leaving &leaving) {
  AxisList axes = meshes.toAxes(leaving.mesh, leaving.axes.getValue());
  ReshardPlanner &planner = meshes.planner(leaving.mesh);
  LinkCost link = planner.linkOver(axes);
  auto cost = [&](Value value) {
    double bytes = elementBytes(value.getType()) *
                   double(cast<ShapedType>(value.getType()).getNumElements());
    for (const DimSharding &dim : layoutOf(value).sharding.dims)
      bytes /= double(dim.shards());
    constexpr auto kind = CollectiveKind::AllReduce;
    int64_t members = totalSize(axes);
    return link.of(kind, bytes, bytesSent(kind, bytes, members), members) +
           planner.getCosts().repeated;
  };
  // The loop reduces at least once if it adds a full term, rather than writing
  // a slice.
  double inLoop = 0, times = double(knownTripCount(sum.loop).value_or(0));
  for (OpOperand *term : sum.terms) {
    if (llvm::is_contained(leaving.whole, term))
      continue;
    if (isAdditive(term->getOwner()))
      return true;
    inLoop += cost(term->get());
  }
  return !sum.undone.empty() ||
         times * inLoop >= cost(sum.loop->getResult(sum.index));
}

/// Makes the value unreduced: one device along the axes keeps it, the others
/// hold zeros.
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
  partial.addUnreduced(leaving.mesh,
                       meshes.toAxes(leaving.mesh, leaving.axes.getValue()));
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
  for (Operation *op : sums) {
    if (auto loop = dyn_cast<stablehlo::WhileOp>(op)) {
      for (unsigned i = 0; i < loop->getNumOperands(); ++i)
        if (std::optional<CarriedSum> sum = carriedSum(loop, i))
          leaveLoop(*sum);
      continue;
    }
    if (!canAdd(op->getResult(0).getType()))
      continue;
    addPartially(op);
    addScattered(op);
  }
  llvm::erase(reduces, nullptr);
}

} // namespace

bool addsUp(Operation *op) {
  return isAdditive(op) || isa<stablehlo::WhileOp>(op);
}

void delayReductions(MeshTable &meshes, ArrayRef<Operation *> sums,
                     SmallVectorImpl<sdy::AllReduceOp> &reduces) {
  Delayer(meshes, reduces).run(sums);
}

} // namespace shardwright
