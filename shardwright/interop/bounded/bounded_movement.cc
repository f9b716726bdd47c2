//===- bounded_movement.cc - data movement --------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/interop/bounded/bounded_ops.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace shardwright::bounded {

LogicalResult padBroadcast(stablehlo::BroadcastInDimOp op, Values &values) {
  Extents from = values.of(op.getOperand());
  auto declared = declaredResult(op);
  if (failed(declared))
    return failure();
  Extents to = *declared;
  for (auto [e, d] : llvm::zip_equal(from, op.getBroadcastDimensions()))
    if (e.bound != 1 || e.used)
      to[d] = e;
  values.set(op.getResult(), to);
  return success();
}

LogicalResult padTranspose(stablehlo::TransposeOp op, Values &values) {
  Extents from = values.of(op.getOperand()), to;
  for (int64_t d : op.getPermutation())
    to.push_back(from[d]);
  values.set(op.getResult(), to);
  return success();
}

/// A slice of a full dimension keeps its used size; any other slice is fully
/// used, as in XLA.
LogicalResult padSlice(stablehlo::SliceOp op, Values &values) {
  BoundedBuilder m(op);
  Extents from = values.of(op.getOperand()), to;
  RankedTensorType declared = BoundedBuilder::typeOf(op.getResult());
  for (int64_t d = 0; d < declared.getRank(); ++d) {
    int64_t start = op.getStartIndices()[d], limit = op.getLimitIndices()[d],
            stride = op.getStrides()[d];
    Extent e{(limit - start + stride - 1) / stride, nullptr};
    bool isWhole = start == 0 && limit == from[d].bound;
    if (from[d].used && (isWhole || declared.isDynamicDim(d))) {
      Value end = from[d].used;
      if (!isWhole)
        end = m.binary<stablehlo::MinOp>(end, m.number(limit));
      e.used =
          m.ceilDivide(m.atLeastZero(m.subtract(end, m.number(start))), stride);
    }
    to.push_back(e);
  }
  values.set(op.getResult(), to);
  return success();
}

LogicalResult padPad(stablehlo::PadOp op, Values &values) {
  BoundedBuilder m(op);
  Extents from = values.of(op.getOperand()), to;
  // Rows beyond the used part get the padding value.
  op.getOperandMutable().assign(m.masked(
      op.getOperand(), from, allDims(op.getOperand()), op.getPaddingValue()));
  for (auto [d, e] : llvm::enumerate(from)) {
    int64_t low = op.getEdgePaddingLow()[d], high = op.getEdgePaddingHigh()[d],
            interior = op.getInteriorPadding()[d];
    auto dilated = [&](int64_t n) {
      return n + std::max<int64_t>(n - 1, 0) * interior;
    };
    Extent grown{std::max<int64_t>(low + dilated(e.bound) + high, 0), nullptr};
    if (e.used) {
      Value size = e.used;
      if (interior != 0)
        size =
            m.add(size, m.multiply(m.atLeastZero(m.subtract(size, m.number(1))),
                                   m.number(interior)));
      grown.used = m.atLeastZero(m.add(size, m.number(low + high)));
    }
    to.push_back(grown);
  }
  values.set(op.getResult(), to);
  return success();
}

/// Writes the parts one after another, each over the unused end of the one
/// before.
LogicalResult padConcatenate(stablehlo::ConcatenateOp op, Values &values) {
  BoundedBuilder m(op);
  int64_t dim = op.getDimension();
  Extents to = values.of(op.getInputs().front());
  Value end;
  int64_t bound = 0;
  bool isBounded = false;
  for (Value input : op.getInputs()) {
    Extents own = values.of(input);
    isBounded |= bool(own[dim].used);
    bound += own[dim].bound;
    for (auto [d, e] : llvm::enumerate(own))
      if (int64_t(d) != dim) {
        to[d].bound = std::min(to[d].bound, e.bound);
        if (!to[d].used)
          to[d].used = e.used;
      }
  }
  to[dim] = {bound, nullptr};
  auto fitted = [&](Value input) {
    SmallVector<int64_t> shape = bounds(to);
    shape[dim] = BoundedBuilder::typeOf(input).getDimSize(dim);
    return m.resized(input, shape);
  };
  if (!isBounded) {
    for (OpOperand &input : op->getOpOperands())
      input.set(fitted(input.get()));
    values.set(op.getResult(), to);
    return success();
  }
  RankedTensorType type = BoundedBuilder::typeOf(op.getInputs().front());
  Value all = m.zeros(type.clone(Dims(bounds(to)))), zero = m.number(0);
  for (Value input : op.getInputs()) {
    SmallVector<Value> at(to.size(), zero);
    if (end)
      at[dim] = end;
    all = stablehlo::DynamicUpdateSliceOp::create(m.b, m.loc, all.getType(),
                                                  all, fitted(input), at);
    Value size = m.used(values.of(input)[dim]);
    end = end ? m.add(end, size) : size;
  }
  to[dim].used = end;
  values.set(all, to);
  replace(op, all);
  return success();
}

LogicalResult padReverse(stablehlo::ReverseOp op, Values &values) {
  BoundedBuilder m(op);
  Extents extents = values.of(op.getOperand());
  Value x = op.getOperand();
  SmallVector<int64_t> whole;
  for (int64_t d : op.getDimensions()) {
    if (!extents[d].used) {
      whole.push_back(d);
      continue;
    }
    int64_t n = extents[d].bound;
    Value last = m.subtract(extents[d].used, m.number(1));
    x = m.takeAlong(x, d, m.subtract(m.spread(last, n), m.counting(n)));
  }
  if (!whole.empty())
    x = stablehlo::ReverseOp::create(m.b, m.loc, x.getType(), x, whole);
  values.set(x, extents);
  replace(op, x);
  return success();
}

LogicalResult padDynamicSlice(stablehlo::DynamicSliceOp op, Values &values) {
  Extents from = values.of(op.getOperand()), to;
  for (auto [e, size] : llvm::zip_equal(from, op.getSliceSizes()))
    to.push_back(size == e.bound ? e : Extent{size, nullptr});
  values.set(op.getResult(), to);
  return success();
}

/// Writes only the used part of the update.
LogicalResult padUpdateSlice(stablehlo::DynamicUpdateSliceOp op,
                             Values &values) {
  BoundedBuilder m(op);
  Value update = op.getUpdate();
  Extents inner = values.of(update);
  Dims shape = BoundedBuilder::typeOf(update).getShape();
  if (Value within = m.inside(shape, inner, allDims(update))) {
    Value old = stablehlo::DynamicSliceOp::create(m.b, m.loc, update.getType(),
                                                  op.getOperand(),
                                                  op.getStartIndices(), shape);
    op.getUpdateMutable().assign(m.select(within, update, old));
  }
  values.set(op.getResult(), values.of(op.getOperand()));
  return success();
}

/// Elements of equal width keep their shape; otherwise the last dimension holds
/// the parts of an element.
LogicalResult padBitcast(stablehlo::BitcastConvertOp op, Values &values) {
  Extents to = values.of(op.getOperand());
  RankedTensorType type = BoundedBuilder::typeOf(op.getResult());
  if (type.getRank() > int64_t(to.size())) {
    to.push_back({type.getShape().back(), nullptr});
  } else if (type.getRank() < int64_t(to.size())) {
    if (to.back().used)
      return op.emitError("along a dimension of bounded size is not supported");
    to.pop_back();
  }
  values.set(op.getResult(), to);
  return success();
}

} // namespace shardwright::bounded
