//===- pad_ops.cc - ops on padded values ----------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// No row of a dimension may depend on the padding rows: reductions mask them
// first, indices are clamped or dropped, constants and pads define them.
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/shardy/divisibility_padder.h"

#include "shardwright/partition/ops/op_builders.h"
#include "shardwright/partition/ops/op_traits.h"
#include "shardwright/partition/ops/op_windows.h"
#include "shardwright/partition/support/tensor_types.h"
#include "shardwright/rules/reducer.h"

using namespace mlir;

namespace shardwright {

using sdy::TensorShardingAttr;

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

//===----------------------------------------------------------------------===//
// Masks
//===----------------------------------------------------------------------===//

Value Padder::spread(OpBuilder &builder, Location loc, Value scalar,
                     Value like) {
  auto type = typeOf(like).clone(typeOf(scalar).getElementType());
  if (type == scalar.getType())
    return scalar;
  return mark(stablehlo::BroadcastInDimOp::create(builder, loc, type, scalar,
                                                  ArrayRef<int64_t>()),
              shardingOf(like, like.getType()));
}

static Value scalarOf(OpBuilder &builder, Location loc, TypedAttr value) {
  auto type = RankedTensorType::get({}, value.getType());
  return stablehlo::ConstantOp::create(builder, loc, type,
                                       splatOf(type, value));
}

TypedAttr Padder::zeroOf(Value value) const {
  Type element = typeOf(value).getElementType();
  return element.isIntOrFloat()
             ? Builder(element.getContext()).getZeroAttr(element)
             : TypedAttr();
}

Value Padder::masked(OpBuilder &builder, Location loc, Value value,
                     ArrayRef<int64_t> dims, Value fill) {
  TypedAttr known = scalarConstant(fill);
  if (holdsBeyond(value, known))
    return value;
  auto type = typeOf(value);
  bool isAll = true;
  for (int64_t d = 0; d < type.getRank(); ++d)
    isAll &=
        rows(value, d) == type.getDimSize(d) || llvm::is_contained(dims, d);
  TensorShardingAttr sharding = shardingOf(value, type);
  // Shardy's masks count in i32.
  bool isSmall = llvm::all_of(
      type.getShape(), [](int64_t size) { return llvm::isInt<32>(size); });
  auto counts = type.clone(builder.getIntegerType(isSmall ? 32 : 64));
  Value valid;
  for (int64_t d : dims) {
    if (rows(value, d) == type.getDimSize(d))
      continue;
    Value row =
        mark(stablehlo::IotaOp::create(builder, loc, counts, d), sharding);
    Value end = spread(builder, loc,
                       scalarOf(builder, loc,
                                builder.getIntegerAttr(counts.getElementType(),
                                                       rows(value, d))),
                       value);
    Value before = mark(buildCompare(builder, loc, row, end,
                                     stablehlo::ComparisonDirection::LT),
                        sharding);
    valid = valid ? mark(stablehlo::AndOp::create(
                             builder, loc, before.getType(), valid, before),
                         sharding)
                  : before;
  }
  if (!valid)
    return value;
  Value out =
      mark(stablehlo::SelectOp::create(builder, loc, type, valid, value,
                                       spread(builder, loc, fill, value)),
           sharding);
  shapes[out] = SmallVector<int64_t, 4>(shapes[value]);
  if (isAll && known)
    beyond[out] = known;
  return out;
}

void Padder::maskOperand(Operation *op, int64_t operand,
                         ArrayRef<int64_t> dims) {
  OpBuilder builder(op);
  Value value = op->getOperand(operand);
  if (!isPadded(value))
    return;
  auto scalar = RankedTensorType::get({}, typeOf(value).getElementType());
  op->setOperand(operand, masked(builder, op->getLoc(), value, dims,
                                 buildZero(builder, op->getLoc(), scalar)));
}

void Padder::visitReduce(stablehlo::ReduceOp op) {
  OpBuilder builder(op);
  std::optional<ReducerKind> kind = uniformReducer(op.getBody());
  for (auto [use, init] :
       llvm::zip(op.getInputsMutable(), op.getInitValues())) {
    TypedAttr identity =
        kind ? identityElement(*kind, getElementTypeOrSelf(use.get()))
             : TypedAttr();
    // Folding in the initial value again does not change other reducers.
    Value fill = init;
    if (identity && isPadded(use.get()))
      fill = scalarOf(builder, op.getLoc(), identity);
    use.set(masked(builder, op.getLoc(), use.get(), op.getDimensions(), fill));
  }
  widenResults(op);
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

/// True if the op computes on padded values as it is.
bool Padder::worksPadded(Operation *op) {
  if (auto reverse = dyn_cast<stablehlo::ReverseOp>(op))
    return llvm::none_of(reverse.getDimensions(), [&](int64_t d) {
      return isPadded(reverse.getOperand()) &&
             rows(reverse.getOperand(), d) !=
                 typeOf(reverse.getOperand()).getDimSize(d);
    });
  return ignoresPaddingRows(op);
}

void Padder::visitConstant(Operation *op, ElementsAttr value) {
  Value result = op->getResult(0);
  auto dense = dyn_cast<DenseElementsAttr>(value);
  SmallVector<int64_t> shape = padded(result);
  auto type = typeOf(result);
  if (ArrayRef<int64_t>(shape) == type.getShape())
    return;
  if (dense && dense.isSplat()) {
    widen(result);
    op->setAttr("value", dense.resizeSplat(typeOf(result)));
    beyond[result] = dyn_cast<TypedAttr>(dense.getSplatValue<Attribute>());
    return;
  }
  // Each device slices the constant.
  padWhole(result);
}

void Padder::visitPad(stablehlo::PadOp op) {
  Value operand = op.getOperand();
  SmallVector<int64_t> in(dimsOf(operand.getType())),
      high(op.getEdgePaddingHigh()), shrunk;
  widen(op.getResult());
  ArrayRef<int64_t> out = dimsOf(op.getResult().getType());
  for (size_t d = 0; d < in.size(); ++d) {
    int64_t rowsIn = rows(operand, d);
    if (rowsIn == in[d] && rows(op.getResult(), d) == out[d])
      continue;
    // Padding after an operand makes the position of its end matter.
    if (rowsIn != in[d] && high[d] > 0)
      shrunk.push_back(d);
    int64_t interior = op.getInteriorPadding()[d];
    high[d] = out[d] - op.getEdgePaddingLow()[d] - in[d] -
              std::max<int64_t>(in[d] - 1, 0) * interior;
  }
  OpBuilder builder(op);
  TypedAttr fill = scalarConstant(op.getPaddingValue());
  operand = masked(builder, op.getLoc(), operand, shrunk, op.getPaddingValue());
  op.getOperandMutable().set(operand);
  op.setEdgePaddingHigh(high);
  // Rows added at the end hold the padding value, unless another row extends
  // beyond the end.
  bool isKnown = true;
  for (size_t d = 0; d < in.size(); ++d) {
    int64_t last = op.getEdgePaddingLow()[d] +
                   (rows(operand, d) - 1) * (op.getInteriorPadding()[d] + 1);
    isKnown &= last < rows(op.getResult(), d);
  }
  if (isKnown && fill && holdsBeyond(operand, fill))
    beyond[op.getResult()] = fill;
}

/// Clamps the indices to the size before padding.
void Padder::visitGather(stablehlo::GatherOp op) {
  auto dims = op.getDimensionNumbers();
  Value operand = op.getOperand(), indices = op.getStartIndices();
  SmallVector<int64_t> sizes(op.getSliceSizes());
  auto indexType = typeOf(indices);
  auto element = dyn_cast<IntegerType>(indexType.getElementType());
  SmallVector<APInt> most;
  bool clamps = false;
  for (int64_t d : dims.getStartIndexMap()) {
    bool whole = rows(operand, d) == sizes[d];
    unsigned width = element ? element.getWidth() : 64;
    bool isUnsigned = element && element.isUnsigned();
    APInt limit = isUnsigned ? APInt::getMaxValue(width)
                             : APInt::getSignedMaxValue(width);
    if (isPadded(operand) && !whole &&
        rows(operand, d) != typeOf(operand).getDimSize(d)) {
      APInt last(64, rows(operand, d) - sizes[d]);
      if (limit.zextOrTrunc(64).ugt(last) || width > 64) {
        limit = last.zextOrTrunc(width);
        clamps = true;
      }
    }
    most.push_back(limit);
  }
  for (int64_t d = 0, e = sizes.size(); d < e; ++d)
    if (isPadded(operand) && sizes[d] == rows(operand, d) &&
        !llvm::is_contained(dims.getCollapsedSliceDims(), d) &&
        !llvm::is_contained(dims.getOperandBatchingDims(), d))
      sizes[d] = typeOf(operand).getDimSize(d);
  op.setSliceSizes(sizes);
  if (clamps && element) {
    OpBuilder builder(op);
    Location loc = op.getLoc();
    TensorShardingAttr sharding = shardingOf(indices, indexType);
    bool isVector = dims.getIndexVectorDim() < indexType.getRank();
    auto small = isVector
                     ? RankedTensorType::get({int64_t(most.size())}, element)
                     : RankedTensorType::get({}, element);
    Value limits = stablehlo::ConstantOp::create(
        builder, loc, small, DenseElementsAttr::get(small, most));
    Value wide = limits;
    if (small != indexType)
      wide = mark(stablehlo::BroadcastInDimOp::create(
                      builder, loc, indexType, limits,
                      isVector ? SmallVector<int64_t>{dims.getIndexVectorDim()}
                               : SmallVector<int64_t>{}),
                  sharding);
    Value clamped =
        mark(stablehlo::MinOp::create(builder, loc, indexType, indices, wide),
             sharding);
    if (auto it = shapes.find(indices); it != shapes.end())
      shapes[clamped] = SmallVector<int64_t, 4>(it->second);
    op.getStartIndicesMutable().set(clamped);
  }
  widen(op.getResult());
}

/// Drops the updates beyond the end.
LogicalResult Padder::visitScatter(stablehlo::ScatterOp op) {
  auto dims = op.getScatterDimensionNumbers();
  Value indices = op.getScatterIndices();
  auto type = typeOf(indices);
  SmallVector<int64_t> listDims;
  for (int64_t d = 0; d < type.getRank(); ++d)
    if (d != dims.getIndexVectorDim() &&
        !llvm::is_contained(dims.getScatterIndicesBatchingDims(), d))
      listDims.push_back(d);
  bool isPaddedList = isPadded(indices) && llvm::any_of(listDims, [&](auto d) {
                        return rows(indices, d) != type.getDimSize(d);
                      });
  if (isPaddedList) {
    auto element = dyn_cast<IntegerType>(type.getElementType());
    bool hasIndex = !dims.getScatterDimsToOperandDims().empty();
    if (!element || !hasIndex)
      return visitWhole(op);
    APInt nowhere = element.isUnsigned()
                        ? APInt::getMaxValue(element.getWidth())
                        : APInt::getAllOnes(element.getWidth());
    OpBuilder builder(op);
    auto scalar = RankedTensorType::get({}, element);
    Value fill = stablehlo::ConstantOp::create(
        builder, op.getLoc(), scalar, DenseElementsAttr::get(scalar, nowhere));
    op.getScatterIndicesMutable().set(
        masked(builder, op.getLoc(), indices, listDims, fill));
  }
  widenResults(op);
  return success();
}

} // namespace shardwright
