//===- bounded_dynamic.cc - ops with computed sizes -----------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/interop/bounded/bounded_ops.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace shardwright::bounded {

using stablehlo::ComparisonDirection;

LogicalResult padDynamicBroadcast(stablehlo::DynamicBroadcastInDimOp op,
                                  Values &values) {
  BoundedBuilder m(op);
  auto declared = resultFromShape(op, op.getOutputDimensions());
  if (failed(declared))
    return failure();
  Extents to = *declared, from = values.of(op.getOperand());
  Value x = op.getOperand();
  Dims fixed = op.getKnownNonexpandingDimensions().value_or(Dims());
  SmallVector<int64_t> shape;
  for (auto [i, e] : llvm::enumerate(from)) {
    int64_t d = op.getBroadcastDimensions()[i], n = to[d].bound;
    // If the dimension may be empty, so is the result.
    if (e.bound == 1) {
      shape.push_back(1);
      continue;
    }
    shape.push_back(n);
    // If one element is used, broadcast it.
    if (e.used && !llvm::is_contained(fixed, int64_t(i))) {
      Value last = m.spread(m.subtract(e.used, m.number(1)), n);
      x = m.takeAlong(x, i, m.binary<stablehlo::MinOp>(m.counting(n), last));
    }
  }
  x = m.resized(x, shape);
  Value result = m.broadcast(x, bounds(to), op.getBroadcastDimensions());
  values.set(result, to);
  replace(op, result);
  return success();
}

LogicalResult padDynamicIota(stablehlo::DynamicIotaOp op, Values &values) {
  BoundedBuilder m(op);
  auto to = resultFromShape(op, op.getOutputShape());
  if (failed(to))
    return failure();
  auto padded = RankedTensorType::get(
      bounds(*to), BoundedBuilder::typeOf(op.getResult()).getElementType());
  Value result = m.iota(padded, op.getIotaDimension());
  values.set(result, *to);
  replace(op, result);
  return success();
}

/// result[i] = x[start + i * stride] in each dimension.
LogicalResult padRealSlice(stablehlo::RealDynamicSliceOp op, Values &values) {
  BoundedBuilder m(op);
  RankedTensorType type = BoundedBuilder::typeOf(op.getResult());
  auto to = declaredResult(op);
  if (failed(to))
    return failure();
  Value x = op.getOperand();
  for (int64_t d = 0; d < type.getRank(); ++d) {
    Value start = m.element(op.getStartIndices(), d),
          limit = m.element(op.getLimitIndices(), d),
          stride = m.element(op.getStrides(), d);
    if (type.isDynamicDim(d)) {
      Value size =
          m.subtract(m.add(m.subtract(limit, start), stride), m.number(1));
      (*to)[d].used = m.divide(m.atLeastZero(size), stride);
    }
    int64_t n = (*to)[d].bound;
    Value steps = m.multiply(m.counting(n), m.spread(stride, n));
    x = m.takeAlong(x, d, m.add(m.spread(start, n), steps));
  }
  values.set(x, *to);
  replace(op, x);
  return success();
}

/// result[i] = x[(i - low) / (interior + 1)] if that is an element of x.
LogicalResult padDynamicPad(stablehlo::DynamicPadOp op, Values &values) {
  BoundedBuilder m(op);
  RankedTensorType type = BoundedBuilder::typeOf(op.getResult());
  auto to = declaredResult(op);
  if (failed(to))
    return failure();
  Extents from = values.of(op.getOperand());
  Value x = op.getOperand(), all;
  for (int64_t d = 0; d < type.getRank(); ++d) {
    Value low = m.element(op.getEdgePaddingLow(), d),
          high = m.element(op.getEdgePaddingHigh(), d),
          step = m.add(m.element(op.getInteriorPadding(), d), m.number(1)),
          size = m.used(from[d]);
    if (type.isDynamicDim(d)) {
      Value holes = m.multiply(m.atLeastZero(m.subtract(size, m.number(1))),
                               m.subtract(step, m.number(1)));
      (*to)[d].used =
          m.atLeastZero(m.add(m.add(low, high), m.add(size, holes)));
    }
    int64_t n = (*to)[d].bound;
    Value offset = m.subtract(m.counting(n), m.spread(low, n)),
          steps = m.spread(step, n), zero = m.spread(m.number(0), n);
    Value source = m.divide(offset, steps);
    Value fits = m.binary<stablehlo::AndOp>(
        m.compare(offset, zero, ComparisonDirection::GE),
        m.binary<stablehlo::AndOp>(
            m.compare(m.binary<stablehlo::RemOp>(offset, steps), zero,
                      ComparisonDirection::EQ),
            m.compare(source, m.spread(size, n), ComparisonDirection::LT)));
    x = m.takeAlong(x, d, source);
    Value here = m.broadcast(fits, bounds(*to), {d});
    all = all ? m.binary<stablehlo::AndOp>(all, here) : here;
  }
  if (all)
    x = m.select(all, x, m.broadcast(op.getPaddingValue(), bounds(*to), {}));
  values.set(x, *to);
  replace(op, x);
  return success();
}

/// Draws numbers for the bounds.
LogicalResult padRng(stablehlo::RngOp op, Values &values) {
  auto to = resultFromShape(op, op.getShape());
  if (failed(to))
    return failure();
  BoundedBuilder m(op);
  SmallVector<int64_t> shape = bounds(*to);
  auto list = RankedTensorType::get({int64_t(shape.size())}, m.b.getI64Type());
  op.getShapeMutable().assign(stablehlo::ConstantOp::create(
      m.b, m.loc, DenseElementsAttr::get(list, ArrayRef<int64_t>(shape))));
  values.set(op.getResult(), *to);
  return success();
}

} // namespace shardwright::bounded
