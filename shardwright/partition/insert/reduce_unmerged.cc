//===- reduce_unmerged.cc - reductions of merged dimensions ---------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   reduce(reshape(x) : 8x16 -> 128, dimensions = [0])
//     ->  reduce(x : 8x16, dimensions = [0, 1])
//
// An example is an argmax over all elements, whose second operand is an iota:
//
//   iota : 128  ->  iota dim = 0 : 8x16 * 16 + iota dim = 1 : 8x16
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/insert/reduce_unmerged.h"

#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/partition/ops/op_traits.h"
#include "shardwright/partition/support/tensor_types.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace shardwright {
namespace {

/// Limit of the ops between the reshapes and the reduction.
constexpr size_t kMaxOps = 32;

bool isSharded(sdy::TensorShardingAttr sharding, int64_t dim) {
  return !sharding.getDimSharding(dim).getAxes().empty();
}

/// Looks through reshards: arguments of inlined calls have a sharding of their
/// own.
Value behindReshards(Value value) {
  while (auto reshard = value.getDefiningOp<sdy::ReshardOp>())
    value = reshard.getInput();
  return value;
}

/// The splat value; null for other ops.
DenseElementsAttr splatOfConstant(Operation *op) {
  ElementsAttr value;
  if (auto constant = dyn_cast<stablehlo::ConstantOp>(op))
    value = constant.getValue();
  else if (auto constant = dyn_cast<sdy::ConstantOp>(op))
    value = constant.getValue();
  auto dense = dyn_cast_or_null<DenseElementsAttr>(value);
  return dense && dense.isSplat() ? dense : DenseElementsAttr();
}

class Unmerger {
public:
  explicit Unmerger(stablehlo::ReduceOp reduce) : reduce(reduce) {}
  bool run();

private:
  bool findMerged(Value value);
  bool plan(stablehlo::ReshapeOp reshape);
  bool canUnmerge(Value value);
  Value unmerge(OpBuilder &builder, Value value);
  Value unmergeIota(OpBuilder &builder, stablehlo::IotaOp iota);
  RankedTensorType unmergedType(Value value) {
    return RankedTensorType::get(shape, getElementTypeOrSelf(value));
  }
  Value sharded(Value value) {
    sdy::setSharding(value, sharding);
    return value;
  }

  stablehlo::ReduceOp reduce;
  /// Shape of the operands before the merge.
  SmallVector<int64_t> shape;
  /// By merged dimension: the first of its source dimensions; then their
  /// number.
  SmallVector<int64_t> firstOf;
  sdy::TensorShardingAttr sharding;
  llvm::DenseMap<Value, Value> done;
};

/// Plans for the first suitable reshape that the value is computed from by
/// elementwise ops.
bool Unmerger::findMerged(Value value) {
  SmallVector<Value> open(1, value);
  llvm::SmallDenseSet<Value> seen;
  while (!open.empty() && seen.size() < kMaxOps) {
    Value next = behindReshards(open.pop_back_val());
    if (dimsOf(next.getType()) != dimsOf(value.getType()) ||
        !seen.insert(next).second)
      continue;
    if (auto reshape = next.getDefiningOp<stablehlo::ReshapeOp>()) {
      if (plan(reshape))
        return true;
    } else if (Operation *op = next.getDefiningOp();
               op && isElementwiseFunction(op)) {
      llvm::append_range(open, op->getOperands());
    }
  }
  return false;
}

/// True if the reshape merges reduced dimensions of which one after the first
/// is sharded.
bool Unmerger::plan(stablehlo::ReshapeOp reshape) {
  Value source = reshape.getOperand();
  sdy::TensorShardingAttr from = sdy::getSharding(source);
  // Single-device shardings have no dimensions.
  if (!from || !isShardable(source.getType()) ||
      from.getRank() != int64_t(dimsOf(source.getType()).size()) ||
      !isShardable(reshape.getType()))
    return false;
  ArrayRef<int64_t> in = dimsOf(source.getType()),
                    out = dimsOf(reshape.getType());
  if (llvm::is_contained(in, 0) || from.getRank() != int64_t(in.size()))
    return false;
  MLIRContext *context = reshape.getContext();
  auto whole = sdy::DimensionShardingAttr::get(context, {}, /*isClosed=*/true);
  SmallVector<sdy::DimensionShardingAttr> dims;
  shape.clear();
  firstOf.clear();
  bool gains = false;
  // Elements of the source dimensions before `i`, and of the result dimensions
  // before `d`.
  int64_t i = 0, before = 1, reached = 1;
  for (auto [d, size] : llvm::enumerate(out)) {
    firstOf.push_back(shape.size());
    while (i < int64_t(in.size()) && before < reached)
      before *= in[i++];
    int64_t end = i, product = before;
    while (end < int64_t(in.size()) && product < reached * size)
      product *= in[end++];
    bool isAligned = before == reached && product == reached * size;
    reached *= size;
    if (!isAligned || end == i ||
        (end - i > 1 &&
         !llvm::is_contained(reduce.getDimensions(), int64_t(d)))) {
      shape.push_back(size);
      dims.push_back(whole);
      continue;
    }
    for (int64_t leading = 1; i < end; leading *= in[i], before *= in[i++]) {
      gains |= leading > 1 && isSharded(from, i);
      shape.push_back(in[i]);
      dims.push_back(from.getDimSharding(i));
    }
  }
  firstOf.push_back(shape.size());
  sharding = sdy::TensorShardingAttr::get(context, from.getMeshOrRef(), dims,
                                          {}, {}, sdy::ReductionOp::SUM);
  return gains;
}

/// True if the value can be computed in the unmerged shape without moving any
/// value except the sources of reshapes.
bool Unmerger::canUnmerge(Value value) {
  SmallVector<Value> open(1, value);
  llvm::SmallDenseSet<Value> seen;
  while (!open.empty()) {
    Value next = behindReshards(open.pop_back_val());
    if (dimsOf(next.getType()).empty() || !seen.insert(next).second)
      continue;
    Operation *op = next.getDefiningOp();
    if (!op || seen.size() > kMaxOps)
      return false;
    auto broadcast = dyn_cast<stablehlo::BroadcastInDimOp>(op);
    if (isa<stablehlo::ReshapeOp>(op) || splatOfConstant(op) ||
        (broadcast && dimsOf(broadcast.getOperand().getType()).empty()))
      continue;
    if (isa<stablehlo::IotaOp>(op)) {
      Type element = getElementTypeOrSelf(next);
      if (!element.isIntOrFloat() || element.isInteger(1))
        return false;
      continue;
    }
    // Other users would need the value in both shapes.
    if (!isElementwiseFunction(op) || !op->hasOneUse())
      return false;
    llvm::append_range(open, op->getOperands());
  }
  return true;
}

/// Index along a merged dimension: the sum over its source dimensions, each
/// times the number of elements of the later ones.
Value Unmerger::unmergeIota(OpBuilder &builder, stablehlo::IotaOp iota) {
  Location loc = iota.getLoc();
  RankedTensorType type = unmergedType(iota);
  int64_t dim = iota.getIotaDimension();
  if (firstOf[dim + 1] - firstOf[dim] <= 1)
    return sharded(stablehlo::IotaOp::create(builder, loc, type, firstOf[dim]));
  auto counts = isa<IntegerType>(type.getElementType())
                    ? type
                    : type.clone(builder.getI64Type());
  auto width = cast<IntegerType>(counts.getElementType()).getWidth();
  Value sum;
  uint64_t stride = 1;
  for (int64_t d = firstOf[dim + 1] - 1; d >= firstOf[dim]; --d) {
    Value row = sharded(stablehlo::IotaOp::create(builder, loc, counts, d));
    if (stride != 1) {
      auto factor =
          DenseElementsAttr::get(counts, APInt(64, stride).zextOrTrunc(width));
      row = sharded(
          stablehlo::MulOp::create(builder, loc, counts, row,
                                   sharded(stablehlo::ConstantOp::create(
                                       builder, loc, counts, factor))));
    }
    sum =
        sum ? sharded(stablehlo::AddOp::create(builder, loc, counts, row, sum))
            : row;
    stride *= shape[d];
  }
  return counts == type
             ? sum
             : sharded(stablehlo::ConvertOp::create(builder, loc, type, sum));
}

Value Unmerger::unmerge(OpBuilder &builder, Value value) {
  value = behindReshards(value);
  if (Value known = done.lookup(value))
    return known;
  Operation *op = value.getDefiningOp();
  RankedTensorType type = unmergedType(value);
  Location loc = op->getLoc();
  Value made;
  if (auto reshape = dyn_cast<stablehlo::ReshapeOp>(op)) {
    made = reshape.getOperand();
    if (made.getType() != type)
      made = sharded(stablehlo::ReshapeOp::create(builder, loc, type, made));
  } else if (auto iota = dyn_cast<stablehlo::IotaOp>(op)) {
    made = unmergeIota(builder, iota);
  } else if (DenseElementsAttr elements = splatOfConstant(op)) {
    made = sharded(stablehlo::ConstantOp::create(builder, loc, type,
                                                 elements.resizeSplat(type)));
  } else if (isa<stablehlo::BroadcastInDimOp>(op)) {
    made = sharded(stablehlo::BroadcastInDimOp::create(
        builder, loc, type, op->getOperand(0), ArrayRef<int64_t>()));
  } else {
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(dimsOf(operand.getType()).empty()
                             ? operand
                             : unmerge(builder, operand));
    Operation *copy = builder.clone(*op);
    copy->setOperands(operands);
    copy->getResult(0).setType(type);
    made = sharded(copy->getResult(0));
  }
  return done[value] = made;
}

/// True for ops of these rewrites that may be erased if they are unused.
bool isErasable(Operation *op) {
  return isa<sdy::ReshardOp, stablehlo::ReshapeOp, stablehlo::IotaOp,
             stablehlo::BroadcastInDimOp>(op) ||
         splatOfConstant(op) || isElementwiseFunction(op);
}

/// Erases the op, and the ops that only it used.
void eraseWithSources(Operation *op) {
  // An op may be used by several erased ops.
  llvm::SmallSetVector<Operation *, 8> todo;
  todo.insert(op);
  while (!todo.empty()) {
    Operation *next = todo.pop_back_val();
    if (!next->use_empty() || (next != op && !isErasable(next)))
      continue;
    for (Value operand : next->getOperands())
      if (Operation *source = operand.getDefiningOp())
        todo.insert(source);
    next->erase();
  }
}

bool Unmerger::run() {
  ValueRange inputs = reduce.getInputs();
  if (!llvm::any_of(inputs, [&](Value input) { return findMerged(input); }))
    return false;
  for (Value input : inputs)
    if (!canUnmerge(input))
      return false;
  OpBuilder builder(reduce);
  SmallVector<Value> unmerged;
  for (Value input : inputs)
    unmerged.push_back(unmerge(builder, input));
  SmallVector<int64_t> dims;
  for (int64_t d : reduce.getDimensions())
    for (int64_t i = firstOf[d]; i < firstOf[d + 1]; ++i)
      dims.push_back(i);
  llvm::sort(dims);
  auto whole = stablehlo::ReduceOp::create(builder, reduce.getLoc(),
                                           reduce->getResultTypes(), unmerged,
                                           reduce.getInitValues(), dims);
  whole->setDiscardableAttrs(reduce->getDiscardableAttrDictionary());
  whole.getBody().takeBody(reduce.getBody());
  reduce->replaceAllUsesWith(whole);
  eraseWithSources(reduce);
  return true;
}

} // namespace

bool reduceUnmerged(stablehlo::ReduceOp reduce) {
  return Unmerger(reduce).run();
}

bool mayMergeSharded(stablehlo::ReshapeOp reshape) {
  Value source = reshape.getOperand();
  sdy::TensorShardingAttr from = sdy::getSharding(source);
  ArrayRef<int64_t> in = dimsOf(source.getType()),
                    out = dimsOf(reshape.getType());
  if (!from || from.getRank() != int64_t(in.size()))
    return false;
  // Where as many elements come before both, a source dimension is the first of
  // those that the result dimension merges.
  size_t d = 0;
  int64_t before = 1, reached = 1;
  for (auto [i, size] : llvm::enumerate(in)) {
    while (d < out.size() && reached < before)
      reached *= out[d++];
    if (isSharded(from, i) && reached != before)
      return true;
    before *= size;
  }
  return false;
}

} // namespace shardwright
