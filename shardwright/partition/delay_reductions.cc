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

#include "shardwright/partition/delay_reductions.h"

#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/partition/collective_builder.h"
#include "shardwright/partition/trip_count.h"
#include "shardwright/propagate/fetch_ahead.h"
#include "shardwright/rules/reducer.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace shardwright {
namespace {

/// What fills the value, if one element does.
DenseElementsAttr splatIn(Value value) {
  while (auto broadcast = value.getDefiningOp<stablehlo::BroadcastInDimOp>())
    value = broadcast.getOperand();
  DenseElementsAttr elements;
  if (auto constant = value.getDefiningOp<sdy::ConstantOp>())
    elements = dyn_cast<DenseElementsAttr>(constant.getValue());
  else
    matchPattern(value, m_Constant(&elements));
  return elements && elements.isSplat() ? elements : DenseElementsAttr();
}

bool isSplat(Value value) { return bool(splatIn(value)); }

bool isZero(Value value) {
  DenseElementsAttr elements = splatIn(value);
  if (!elements)
    return false;
  Type type = elements.getElementType();
  if (isa<FloatType>(type))
    return elements.getSplatValue<APFloat>().isZero();
  return isa<IntegerType>(type) && elements.getSplatValue<APInt>().isZero();
}

/// Sums of booleans are no sums.
bool canAdd(Type type) {
  Type element = getElementTypeOrSelf(type);
  return isa<FloatType, ComplexType>(element) ||
         (isa<IntegerType>(element) && !element.isInteger(1));
}

/// The operand in which the op is linear while all others are the same on every
/// device, and which is all that it depends on; null if there is none.
OpOperand *linearOperand(Operation *op) {
  if (op->getNumResults() != 1 || !canAdd(op->getResult(0).getType()))
    return nullptr;
  if (isa<stablehlo::NegOp, stablehlo::TransposeOp, stablehlo::ReshapeOp>(op))
    return &op->getOpOperand(0);
  if (isa<stablehlo::ConvertOp>(op)) {
    // To a wider type nothing is lost before the sum.
    auto from =
        dyn_cast<FloatType>(getElementTypeOrSelf(op->getOperand(0).getType()));
    auto to = dyn_cast<FloatType>(getElementTypeOrSelf(op->getResult(0)));
    return from && to && from.getWidth() < to.getWidth() ? &op->getOpOperand(0)
                                                         : nullptr;
  }
  if (isa<stablehlo::AddOp>(op)) {
    for (unsigned i : {0, 1})
      if (isZero(op->getOperand(1 - i)))
        return &op->getOpOperand(i);
    return nullptr;
  }
  if (isa<stablehlo::MulOp>(op)) {
    for (unsigned i : {0, 1})
      if (isSplat(op->getOperand(1 - i)))
        return &op->getOpOperand(i);
    return nullptr;
  }
  if (auto reduce = dyn_cast<stablehlo::ReduceOp>(op))
    return op->getNumOperands() == 2 &&
                   uniformReducer(reduce.getBody()) == ReducerKind::Add &&
                   isZero(op->getOperand(1))
               ? &op->getOpOperand(0)
               : nullptr;
  // Whole numbers lose the rest.
  if (isa<stablehlo::DivOp>(op) && isSplat(op->getOperand(1)) &&
      isa<FloatType>(getElementTypeOrSelf(op->getResult(0))))
    return &op->getOpOperand(0);
  return nullptr;
}

/// What carries a value through a loop that does nothing but change it in one
/// place.
struct Carried {
  stablehlo::WhileOp loop;
  unsigned index = 0;
  /// Adds `added` to the carried value, or writes it into it.
  Operation *update = nullptr;
  OpOperand *added = nullptr;
};

/// None if the op does not update a carried value, or something else reads
/// that.
std::optional<Carried> carriedBy(Operation *update) {
  OpOperand *into = nullptr, *added = nullptr;
  auto isCarried = [](Value value) {
    auto arg = dyn_cast<BlockArgument>(value);
    return arg && arg.hasOneUse();
  };
  if (isa<stablehlo::AddOp>(update) && canAdd(update->getResult(0).getType())) {
    unsigned i = isCarried(update->getOperand(0)) ? 0 : 1;
    into = &update->getOpOperand(i);
    added = &update->getOpOperand(1 - i);
  } else if (isa<stablehlo::DynamicUpdateSliceOp>(update) &&
             canAdd(update->getResult(0).getType())) {
    into = &update->getOpOperand(0);
    added = &update->getOpOperand(1);
  }
  if (!into || !isCarried(into->get()) || !update->hasOneUse())
    return std::nullopt;
  auto arg = cast<BlockArgument>(into->get());
  auto loop = dyn_cast<stablehlo::WhileOp>(arg.getOwner()->getParentOp());
  OpOperand &use = *update->use_begin();
  unsigned index = arg.getArgNumber();
  if (!loop || arg.getOwner() != &loop.getBody().front() ||
      use.getOwner() != loop.getBody().front().getTerminator() ||
      use.getOperandNumber() != index ||
      !loop.getCond().getArgument(index).use_empty())
    return std::nullopt;
  return Carried{loop, index, update, added};
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
  /// The all_reduce at the start of the chain of linear ops that ends in
  /// `value`, read by nothing else.
  sdy::AllReduceOp reductionBehind(Value value);
  /// Takes the all_reduce out of the chain; gives the axes.
  sdy::AxisRefListAttr takeOut(sdy::AllReduceOp reduce);
  Value reduced(OpBuilder &builder, Value value, sdy::AxisRefListAttr axes,
                int32_t mesh);
  Layout layoutOf(Value value) {
    return meshes.toLayout(sdy::getSharding(value), value.getType());
  }
  void addPartially(Operation *op);
  void addScattered(Operation *op);
  void leaveLoop(const Carried &carried);

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

sdy::AxisRefListAttr Delayer::takeOut(sdy::AllReduceOp reduce) {
  sdy::AxisRefListAttr axes = reduce.getReductionAxesAttr();
  reduce.getResult().replaceAllUsesWith(reduce.getTensor());
  auto place = placeOf.find(reduce);
  reduces[place->second] = nullptr;
  placeOf.erase(place);
  reduce.erase();
  return axes;
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
  takeOut(a);
  sdy::AxisRefListAttr axes = takeOut(b);
  OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(op);
  reduced(builder, op->getResult(0), axes, mesh);
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

void Delayer::leaveLoop(const Carried &carried) {
  stablehlo::WhileOp loop = carried.loop;
  sdy::AllReduceOp reduce = reductionBehind(carried.added->get());
  if (!reduce || reduce->getBlock() != carried.update->getBlock())
    return;
  Value result = loop->getResult(carried.index);
  Layout layout = layoutOf(result);
  if (!layoutOf(carried.update->getResult(0)).isEquivalent(layout))
    return;
  if (isa<stablehlo::AddOp>(carried.update)) {
    if (!layoutOf(carried.added->get()).isEquivalent(layout))
      return;
  } else {
    // Parts that are written: all of them together at least the whole.
    auto elements = [](Value value) {
      return double(cast<ShapedType>(value.getType()).getNumElements());
    };
    std::optional<int64_t> times = knownTripCount(loop);
    if (!times ||
        double(*times) * elements(carried.added->get()) < elements(result))
      return;
  }
  int32_t mesh = meshes.idOf(reduce.getOutSharding().getMeshOrRef());
  AxisList axes = meshes.toAxes(mesh, reduce.getReductionAxes().getValue());
  if (layout.mesh >= 0 && layout.mesh != mesh)
    return;
  layout.mesh = mesh;
  for (const DimSharding &dim : layout.sharding.dims)
    for (AxisRef a : dim.axes)
      for (AxisRef b : axes)
        if (overlaps(a, b))
          return;
  sdy::AxisRefListAttr list = takeOut(reduce);
  OpBuilder builder(loop);
  OpOperand &init = loop->getOpOperand(carried.index);
  if (!isZero(init.get())) {
    sdy::TensorShardingAttr now = sdy::getSharding(init.get());
    if (!now || meshes.idOf(now.getMeshOrRef()) != mesh)
      init.set(sdy::ReshardOp::create(builder, loop.getLoc(),
                                      init.get().getType(), init.get(),
                                      meshes.toAttr(layout)));
    Layout partial = layout;
    partial.sharding.unreduced = axes;
    init.set(sdy::ReplicatedToUnreducedOp::create(
        builder, loop.getLoc(), init.get().getType(), init.get(), list,
        meshes.toAttr(partial)));
  }
  builder.setInsertionPointAfter(loop);
  reduced(builder, result, list, mesh);
}

void Delayer::run(ArrayRef<Operation *> sums) {
  forEachFetched(sums, [&](Operation *op) {
    if (auto loop = dyn_cast<stablehlo::WhileOp>(op)) {
      for (Value returned :
           loop.getBody().front().getTerminator()->getOperands())
        if (Operation *update = returned.getDefiningOp())
          if (std::optional<Carried> carried = carriedBy(update))
            leaveLoop(*carried);
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

int64_t timesAddedUp(Operation *op) {
  if (op->getNumResults() != 1 || !isa<stablehlo::WhileOp>(op->getParentOp()) ||
      !isa<stablehlo::DotGeneralOp, stablehlo::DotOp, stablehlo::ReduceOp,
           stablehlo::ConvolutionOp, stablehlo::ScatterOp>(op))
    return 1;
  Value value = op->getResult(0);
  while (value.hasOneUse()) {
    Operation *user = *value.getUsers().begin();
    if (isa<stablehlo::AddOp>(user))
      if (std::optional<Carried> carried = carriedBy(user);
          carried && carried->added->get() == value)
        return std::max<int64_t>(knownTripCount(carried->loop).value_or(1), 1);
    OpOperand *from = linearOperand(user);
    if (!from || from->get() != value)
      return 1;
    value = user->getResult(0);
  }
  return 1;
}

} // namespace shardwright
