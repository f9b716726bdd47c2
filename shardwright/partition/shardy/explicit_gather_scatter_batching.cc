//===- explicit_gather_scatter_batching.cc - implicit batch dimensions ---===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/partition/shardy/passes.h"

#include "mlir/IR/Matchers.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace shardwright {

#define GEN_PASS_DEF_EXPLICITGATHERSCATTERBATCHING
#include "shardwright/partition/shardy/passes.h.inc"

namespace {

ArrayRef<int64_t> shapeOf(Value value) {
  return cast<ShapedType>(value.getType()).getShape();
}

/// The value of a constant splat; none for other values.
std::optional<int64_t> splatValue(Value value) {
  Operation *op = value.getDefiningOp();
  if (auto broadcast = dyn_cast_or_null<stablehlo::BroadcastInDimOp>(op))
    op = broadcast.getOperand().getDefiningOp();
  ElementsAttr attr;
  if (auto constant = dyn_cast_or_null<sdy::ConstantOp>(op))
    attr = constant.getValue();
  else if (auto constant = dyn_cast_or_null<stablehlo::ConstantOp>(op))
    attr = constant.getValue();
  auto dense = dyn_cast_or_null<DenseIntElementsAttr>(attr);
  if (!dense || !dense.isSplat())
    return std::nullopt;
  return dense.getSplatValue<APInt>().getSExtValue();
}

/// True if the value is an iota along `dim`, broadcast along the rest.
bool isIotaAlong(Value value, int64_t dim) {
  Operation *op = value.getDefiningOp();
  if (auto iota = dyn_cast_or_null<stablehlo::IotaOp>(op))
    return int64_t(iota.getIotaDimension()) == dim;
  if (auto broadcast = dyn_cast_or_null<stablehlo::BroadcastInDimOp>(op)) {
    for (auto [from, to] : llvm::enumerate(broadcast.getBroadcastDimensions()))
      if (to == dim)
        return shapeOf(broadcast.getOperand())[from] == shapeOf(value)[dim] &&
               isIotaAlong(broadcast.getOperand(), from);
    return false;
  }
  if (auto reshape = dyn_cast_or_null<stablehlo::ReshapeOp>(op)) {
    // The dimension must keep its size and the number of elements before it.
    auto before = [](ArrayRef<int64_t> shape, int64_t d) {
      int64_t n = 1;
      for (int64_t size : shape.take_front(d))
        n *= size;
      return n;
    };
    ArrayRef<int64_t> from = shapeOf(reshape.getOperand());
    ArrayRef<int64_t> to = shapeOf(value);
    for (int64_t d = 0, e = from.size(); d < e; ++d)
      if (from[d] == to[dim] && before(from, d) == before(to, dim))
        return isIotaAlong(reshape.getOperand(), d);
    return false;
  }
  // A clamp with bounds that have no effect.
  if (auto clamp = dyn_cast_or_null<stablehlo::ClampOp>(op)) {
    std::optional<int64_t> low = splatValue(clamp.getMin());
    std::optional<int64_t> high = splatValue(clamp.getMax());
    return low && *low <= 0 && high && *high >= shapeOf(value)[dim] - 1 &&
           isIotaAlong(clamp.getOperand(), dim);
  }
  // `i < 0 ? i + n : i`, by which frontends wrap negative indices.
  if (auto select = dyn_cast_or_null<stablehlo::SelectOp>(op)) {
    auto compare = select.getPred().getDefiningOp<stablehlo::CompareOp>();
    return compare &&
           compare.getComparisonDirection() ==
               stablehlo::ComparisonDirection::LT &&
           splatValue(compare.getRhs()) == 0 &&
           isIotaAlong(compare.getLhs(), dim) &&
           isIotaAlong(select.getOnFalse(), dim);
  }
  return false;
}

/// One component of an index vector.
struct Component {
  Value indices;
  /// Position in the index vector, and the concatenate's input that holds it
  /// (-1: the indices are one value).
  int64_t position, input = -1;
};

/// The component at `position`, if it is an iota along dimension 0.
std::optional<Component> findIota(Value indices, int64_t vectorDim,
                                  int64_t position) {
  if (auto concat = indices.getDefiningOp<stablehlo::ConcatenateOp>();
      concat && int64_t(concat.getDimension()) == vectorDim) {
    int64_t begin = 0;
    for (auto [i, input] : llvm::enumerate(concat.getInputs())) {
      int64_t size = shapeOf(input)[vectorDim];
      // A wider input would have to be split.
      if (begin == position && size == 1 && isIotaAlong(input, 0))
        return Component{indices, position, int64_t(i)};
      begin += size;
    }
    return std::nullopt;
  }
  if (isIotaAlong(indices, 0))
    return Component{indices, position};
  return std::nullopt;
}

Value withoutComponent(OpBuilder &builder, Location loc, const Component &c,
                       int64_t vectorDim) {
  auto type = cast<RankedTensorType>(c.indices.getType());
  SmallVector<int64_t> shape(type.getShape());
  int64_t count = shape[vectorDim]--;
  RankedTensorType smaller =
      RankedTensorType::get(shape, type.getElementType());
  if (c.input >= 0) {
    auto concat = c.indices.getDefiningOp<stablehlo::ConcatenateOp>();
    SmallVector<Value> inputs(concat.getInputs());
    inputs.erase(inputs.begin() + c.input);
    if (inputs.size() == 1)
      return inputs.front();
    return stablehlo::ConcatenateOp::create(
        builder, loc, smaller, inputs, builder.getI64IntegerAttr(vectorDim));
  }
  auto slice = [&](int64_t begin, int64_t end) -> Value {
    SmallVector<int64_t> start(shape.size(), 0), limit(type.getShape()),
        stride(shape.size(), 1);
    start[vectorDim] = begin;
    limit[vectorDim] = end;
    SmallVector<int64_t> sliced(shape);
    sliced[vectorDim] = end - begin;
    return stablehlo::SliceOp::create(
        builder, loc, RankedTensorType::get(sliced, type.getElementType()),
        c.indices, builder.getDenseI64ArrayAttr(start),
        builder.getDenseI64ArrayAttr(limit),
        builder.getDenseI64ArrayAttr(stride));
  };
  if (c.position == 0)
    return slice(1, count);
  if (c.position == count - 1)
    return slice(0, count - 1);
  return stablehlo::ConcatenateOp::create(
      builder, loc, smaller,
      ValueRange{slice(0, c.position), slice(c.position + 1, count)},
      builder.getI64IntegerAttr(vectorDim));
}

/// Dimension numbers of gather and scatter under common names.
struct Numbers {
  SmallVector<int64_t> collapsed, operandBatching, indicesBatching, indexMap;
  int64_t vectorDim;
};

/// Makes dimension 0 a batching dimension; returns the new indices, or null if
/// it is not one.
Value makeBatching(Operation *op, Value operand, Value indices,
                   Numbers &numbers) {
  auto operandType = dyn_cast<RankedTensorType>(operand.getType());
  auto indicesType = dyn_cast<RankedTensorType>(indices.getType());
  if (!operandType || !indicesType || !operandType.hasStaticShape() ||
      !indicesType.hasStaticShape() || operandType.getRank() == 0 ||
      !numbers.operandBatching.empty() ||
      numbers.vectorDim >= indicesType.getRank() || numbers.vectorDim == 0 ||
      indicesType.getDimSize(numbers.vectorDim) <= 1 ||
      operandType.getDimSize(0) != indicesType.getDimSize(0))
    return nullptr;
  auto *position = llvm::find(numbers.indexMap, 0);
  auto *collapsed = llvm::find(numbers.collapsed, 0);
  if (position == numbers.indexMap.end() ||
      collapsed == numbers.collapsed.end())
    return nullptr;
  std::optional<Component> component =
      findIota(indices, numbers.vectorDim, position - numbers.indexMap.begin());
  if (!component)
    return nullptr;
  OpBuilder builder(op);
  Value rest =
      withoutComponent(builder, op->getLoc(), *component, numbers.vectorDim);
  numbers.indexMap.erase(position);
  numbers.collapsed.erase(collapsed);
  numbers.operandBatching = {0};
  numbers.indicesBatching = {0};
  return rest;
}

/// Erases the op and the ops that only it used. The set holds each op once, so
/// an erased op is not visited again even if it had several erased users.
void eraseIfDead(Operation *op) {
  llvm::SmallSetVector<Operation *, 8> candidates;
  if (op)
    candidates.insert(op);
  while (!candidates.empty()) {
    Operation *next = candidates.pop_back_val();
    if (!isOpTriviallyDead(next))
      continue;
    for (Value operand : next->getOperands())
      if (Operation *def = operand.getDefiningOp())
        candidates.insert(def);
    next->erase();
  }
}

struct ExplicitGatherScatterBatchingPass
    : impl::ExplicitGatherScatterBatchingBase<
          ExplicitGatherScatterBatchingPass> {
  void runOnOperation() override {
    getOperation().walk([&](Operation *op) {
      if (auto gather = dyn_cast<stablehlo::GatherOp>(op))
        visit(gather);
      else if (auto scatter = dyn_cast<stablehlo::ScatterOp>(op))
        visit(scatter);
    });
  }

private:
  void visit(stablehlo::GatherOp op) {
    auto d = op.getDimensionNumbersAttr();
    Numbers n{to_vector(d.getCollapsedSliceDims()),
              to_vector(d.getOperandBatchingDims()),
              to_vector(d.getStartIndicesBatchingDims()),
              to_vector(d.getStartIndexMap()), d.getIndexVectorDim()};
    Value old = op.getStartIndices();
    Value indices = makeBatching(op, op.getOperand(), old, n);
    if (!indices)
      return;
    op.setDimensionNumbersAttr(stablehlo::GatherDimensionNumbersAttr::get(
        &getContext(), d.getOffsetDims(), n.collapsed, n.operandBatching,
        n.indicesBatching, n.indexMap, n.vectorDim));
    op.getStartIndicesMutable().assign(indices);
    // Sets the default explicitly, as Shardy does.
    op.setIndicesAreSorted(op.getIndicesAreSorted());
    eraseIfDead(old.getDefiningOp());
  }

  void visit(stablehlo::ScatterOp op) {
    auto d = op.getScatterDimensionNumbersAttr();
    if (op.getInputs().empty())
      return;
    Numbers n{to_vector(d.getInsertedWindowDims()),
              to_vector(d.getInputBatchingDims()),
              to_vector(d.getScatterIndicesBatchingDims()),
              to_vector(d.getScatterDimsToOperandDims()),
              d.getIndexVectorDim()};
    Value old = op.getScatterIndices();
    Value indices = makeBatching(op, op.getInputs().front(), old, n);
    if (!indices)
      return;
    op.setScatterDimensionNumbersAttr(
        stablehlo::ScatterDimensionNumbersAttr::get(
            &getContext(), d.getUpdateWindowDims(), n.collapsed,
            n.operandBatching, n.indicesBatching, n.indexMap, n.vectorDim));
    op.getScatterIndicesMutable().assign(indices);
    op.setIndicesAreSorted(op.getIndicesAreSorted());
    op.setUniqueIndices(op.getUniqueIndices());
    eraseIfDead(old.getDefiningOp());
  }
};

} // namespace
} // namespace shardwright
