//===- expand_dynamic.cc - dynamic ops with known shapes ------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/interop/expand/op_builder.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace shardwright::op_expansion {

static bool isStatic(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.hasStaticShape();
}

static FailureOr<Values> expandSlice(stablehlo::RealDynamicSliceOp op) {
  StaticBuilder m(op);
  RankedTensorType type = StaticBuilder::typeOf(op.getResult());
  auto strides = constantIntegers(op.getStrides());
  if (!strides || !isStatic(op.getOperand()))
    return failure();
  auto starts = constantIntegers(op.getStartIndices());
  auto limits = constantIntegers(op.getLimitIndices());
  if (starts && limits)
    return Values{stablehlo::SliceOp::create(m.b, m.loc, type, op.getOperand(),
                                             *starts, *limits, *strides)};
  // The result type gives the size: a window at the starts, then every
  // stride-th of its elements.
  SmallVector<int64_t> window, zeros(type.getRank(), 0);
  for (auto [size, stride] : llvm::zip_equal(type.getShape(), *strides))
    window.push_back(size == 0 ? 0 : (size - 1) * stride + 1);
  SmallVector<Value> at;
  RankedTensorType list = StaticBuilder::typeOf(op.getStartIndices());
  for (int64_t d = 0; d < type.getRank(); ++d) {
    Value one = stablehlo::SliceOp::create(
        m.b, m.loc, list.clone(ArrayRef<int64_t>{1}), op.getStartIndices(),
        ArrayRef<int64_t>{d}, ArrayRef<int64_t>{d + 1}, ArrayRef<int64_t>{1});
    Value scalar = stablehlo::ReshapeOp::create(
        m.b, m.loc, list.clone(ArrayRef<int64_t>{}), one);
    at.push_back(list.getElementType().isIndex()
                     ? m.convert(scalar, m.b.getI64Type())
                     : scalar);
  }
  Value result = stablehlo::DynamicSliceOp::create(
      m.b, m.loc, type.clone(ArrayRef<int64_t>(window)), op.getOperand(), at,
      window);
  if (llvm::equal(window, type.getShape()))
    return Values{result};
  return Values{stablehlo::SliceOp::create(m.b, m.loc, type, result, zeros,
                                           window, *strides)};
}

static FailureOr<Values> expandPad(stablehlo::DynamicPadOp op) {
  auto low = constantIntegers(op.getEdgePaddingLow());
  auto high = constantIntegers(op.getEdgePaddingHigh());
  auto interior = constantIntegers(op.getInteriorPadding());
  if (!low || !high || !interior)
    return failure();
  StaticBuilder m(op);
  return Values{stablehlo::PadOp::create(m.b, m.loc, op.getType(),
                                         op.getOperand(), op.getPaddingValue(),
                                         *low, *high, *interior)};
}

/// The result type gives the slice sizes.
static FailureOr<Values> expandGather(stablehlo::DynamicGatherOp op) {
  stablehlo::GatherDimensionNumbersAttr dims = op.getDimensionNumbers();
  RankedTensorType operand = StaticBuilder::typeOf(op.getOperand());
  RankedTensorType type = StaticBuilder::typeOf(op.getResult());
  SmallVector<int64_t> sizes;
  if (auto known = constantIntegers(op.getSliceSizes())) {
    sizes = *known;
  } else {
    ArrayRef<int64_t> offset = dims.getOffsetDims();
    for (int64_t d = 0; d < operand.getRank(); ++d) {
      if (llvm::is_contained(dims.getCollapsedSliceDims(), d) ||
          llvm::is_contained(dims.getOperandBatchingDims(), d)) {
        sizes.push_back(1);
        continue;
      }
      if (offset.empty() || offset.front() >= type.getRank())
        return failure();
      sizes.push_back(type.getDimSize(offset.front()));
      offset = offset.drop_front();
    }
  }
  StaticBuilder m(op);
  return Values{stablehlo::GatherOp::create(m.b, m.loc, type, op.getOperand(),
                                            op.getStartIndices(), dims, sizes,
                                            op.getIndicesAreSorted())};
}

static FailureOr<Values> expandConv(stablehlo::DynamicConvOp op) {
  auto constant = op.getPadding().getDefiningOp<stablehlo::ConstantOp>();
  auto values = constantIntegers(op.getPadding());
  if (!constant || !values)
    return failure();
  StaticBuilder m(op);
  auto padding = DenseIntElementsAttr::get(
      RankedTensorType::get(StaticBuilder::typeOf(op.getPadding()).getShape(),
                            m.b.getI64Type()),
      ArrayRef<int64_t>(*values));
  return Values{stablehlo::ConvolutionOp::create(
      m.b, m.loc, op.getType(), op.getLhs(), op.getRhs(),
      op.getWindowStridesAttr(), padding, op.getLhsDilationAttr(),
      op.getRhsDilationAttr(), op.getWindowReversalAttr(),
      op.getDimensionNumbers(), op.getFeatureGroupCount(),
      op.getBatchGroupCount(), op.getPrecisionConfigAttr())};
}

static FailureOr<Values> expandSize(stablehlo::GetDimensionSizeOp op) {
  RankedTensorType type = StaticBuilder::typeOf(op.getOperand());
  int64_t d = op.getDimension();
  if (d < 0 || d >= type.getRank() || type.isDynamicDim(d))
    return failure();
  StaticBuilder m(op);
  return Values{m.splat(static_cast<double>(type.getDimSize(d)),
                        StaticBuilder::typeOf(op.getResult()))};
}

FailureOr<Values> expandDynamicOp(Operation *op) {
  if (!isStatic(op->getResult(0)))
    return failure();
  StaticBuilder m(op);
  return llvm::TypeSwitch<Operation *, FailureOr<Values>>(op)
      .Case([&](stablehlo::DynamicReshapeOp o) -> FailureOr<Values> {
        if (!isStatic(o.getOperand()))
          return failure();
        return Values{stablehlo::ReshapeOp::create(m.b, m.loc, o.getType(),
                                                   o.getOperand())};
      })
      .Case([&](stablehlo::DynamicBroadcastInDimOp o) -> FailureOr<Values> {
        if (!isStatic(o.getOperand()))
          return failure();
        return Values{stablehlo::BroadcastInDimOp::create(
            m.b, m.loc, o.getType(), o.getOperand(),
            o.getBroadcastDimensions())};
      })
      .Case([&](stablehlo::DynamicIotaOp o) -> FailureOr<Values> {
        return Values{
            m.iota(StaticBuilder::typeOf(o.getResult()), o.getIotaDimension())};
      })
      .Case([](stablehlo::DynamicPadOp o) { return expandPad(o); })
      .Case([](stablehlo::RealDynamicSliceOp o) { return expandSlice(o); })
      .Case([](stablehlo::DynamicGatherOp o) { return expandGather(o); })
      .Case([](stablehlo::DynamicConvOp o) { return expandConv(o); })
      .Case([](stablehlo::GetDimensionSizeOp o) { return expandSize(o); })
      .Default([](Operation *) { return failure(); });
}

} // namespace shardwright::op_expansion
