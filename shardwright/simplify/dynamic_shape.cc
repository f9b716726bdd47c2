//===- dynamic_shape.cc - dynamic ops with known shapes -------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/simplify/patterns.h"
#include "shardwright/simplify/rewrite.h"

#include "shardwright/dialect/stablehlo/contraction.h"
#include "shardwright/dialect/stablehlo/dynamic.h"
#include "shardwright/dialect/stablehlo/infer/infer.h"
#include "shardwright/dialect/stablehlo/shape.h"

using namespace mlir;
using namespace shardwright::stablehlo;

namespace shardwright::simplifier {
namespace {

bool arePlain(ValueRange values) {
  return llvm::all_of(values.getTypes(), isPlain);
}

// The size of a static dimension.
LogicalResult dimensionSize(GetDimensionSizeOp op, PatternRewriter &rewriter) {
  auto type = tensorOf(op.getOperand());
  int64_t d = op.getDimension();
  if (d >= type.getRank() || type.isDynamicDim(d) ||
      type.getDimSize(d) > INT32_MAX)
    return failure();
  return replaceWithSplat(rewriter, op, {uint64_t(type.getDimSize(d))});
}

LogicalResult dynamicReshape(DynamicReshapeOp op, PatternRewriter &rewriter) {
  if (!arePlain({op.getOperand(), op.getResult()}) ||
      tensorOf(op.getOperand()).getNumElements() !=
          tensorOf(op.getResult()).getNumElements())
    return failure();
  rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), op.getOperand());
  return success();
}

LogicalResult dynamicBroadcast(DynamicBroadcastInDimOp op,
                               PatternRewriter &rewriter) {
  if (!arePlain({op.getOperand(), op->getResult(0)}))
    return failure();
  for (auto [size, d] :
       llvm::zip_equal(shapeOf(op.getOperand()), op.getBroadcastDimensions()))
    if (size != 1 && size != shapeOf(op->getResult(0))[d])
      return failure();
  rewriter.replaceOpWithNewOp<BroadcastInDimOp>(op, op->getResult(0).getType(),
                                                op.getOperand(),
                                                op.getBroadcastDimensions());
  return success();
}

LogicalResult dynamicIota(DynamicIotaOp op, PatternRewriter &rewriter) {
  if (!isPlain(op.getType()))
    return failure();
  rewriter.replaceOpWithNewOp<IotaOp>(op, op.getType(), op.getIotaDimension());
  return success();
}

LogicalResult dynamicPad(DynamicPadOp op, PatternRewriter &rewriter) {
  auto low = integersOf(op.getEdgePaddingLow()),
       high = integersOf(op.getEdgePaddingHigh()),
       interior = integersOf(op.getInteriorPadding());
  if (!low || !high || !interior ||
      !arePlain({op.getOperand(), op.getResult()}))
    return failure();
  SmallVector<Type> inferred;
  PadOp::Properties properties;
  properties.edge_padding_low = rewriter.getDenseI64ArrayAttr(*low);
  properties.edge_padding_high = rewriter.getDenseI64ArrayAttr(*high);
  properties.interior_padding = rewriter.getDenseI64ArrayAttr(*interior);
  if (failed(PadOp::inferReturnTypes(
          op.getContext(), std::nullopt,
          ValueRange{op.getOperand(), op.getPaddingValue()}, {}, &properties,
          {}, inferred)) ||
      inferred[0] != op.getType())
    return failure();
  rewriter.replaceOpWithNewOp<PadOp>(op, op.getType(), op.getOperand(),
                                     op.getPaddingValue(), *low, *high,
                                     *interior);
  return success();
}

LogicalResult realDynamicSlice(RealDynamicSliceOp op,
                               PatternRewriter &rewriter) {
  auto start = integersOf(op.getStartIndices()),
       limit = integersOf(op.getLimitIndices()),
       stride = integersOf(op.getStrides());
  if (!start || !limit || !stride ||
      !arePlain({op.getOperand(), op.getResult()}))
    return failure();
  SmallVector<Type> inferred;
  SliceOp::Properties properties;
  properties.start_indices = rewriter.getDenseI64ArrayAttr(*start);
  properties.limit_indices = rewriter.getDenseI64ArrayAttr(*limit);
  properties.strides = rewriter.getDenseI64ArrayAttr(*stride);
  if (failed(SliceOp::inferReturnTypes(op.getContext(), std::nullopt,
                                       ValueRange{op.getOperand()}, {},
                                       &properties, {}, inferred)) ||
      inferred[0] != op.getType())
    return failure();
  rewriter.replaceOpWithNewOp<SliceOp>(op, op.getType(), op.getOperand(),
                                       *start, *limit, *stride);
  return success();
}

LogicalResult dynamicGather(DynamicGatherOp op, PatternRewriter &rewriter) {
  auto sizes = integersOf(op.getSliceSizes());
  if (!sizes ||
      !arePlain({op.getOperand(), op.getStartIndices(), op->getResult(0)}))
    return failure();
  SmallVector<Type> inferred;
  GatherOp::Properties properties;
  properties.dimension_numbers = op.getDimensionNumbersAttr();
  properties.slice_sizes = rewriter.getDenseI64ArrayAttr(*sizes);
  properties.indices_are_sorted = op.getIndicesAreSortedAttr();
  if (failed(GatherOp::inferReturnTypes(
          op.getContext(), std::nullopt,
          ValueRange{op.getOperand(), op.getStartIndices()}, {}, &properties,
          {}, inferred)) ||
      inferred[0] != op->getResult(0).getType())
    return failure();
  rewriter.replaceOpWithNewOp<GatherOp>(
      op, op->getResult(0).getType(), op.getOperand(), op.getStartIndices(),
      op.getDimensionNumbersAttr(), properties.slice_sizes,
      op.getIndicesAreSortedAttr());
  return success();
}

LogicalResult dynamicConv(DynamicConvOp op, PatternRewriter &rewriter) {
  auto values = integersOf(op.getPadding());
  if (!values || !arePlain({op.getLhs(), op.getRhs(), op->getResult(0)}))
    return failure();
  auto padding = DenseIntElementsAttr::get(
      RankedTensorType::get(shapeOf(op.getPadding()), rewriter.getI64Type()),
      ArrayRef<int64_t>(*values));
  // The padding must lead to the result's shape.
  ConvDimensionNumbersAttr numbers = op.getDimensionNumbers();
  auto sizesOf = [](Value value, ArrayRef<int64_t> dims) {
    SmallVector<int64_t> sizes;
    for (int64_t d : dims)
      sizes.push_back(shapeOf(value)[d]);
    return sizes;
  };
  auto window = makeWindow(
      std::nullopt, sizesOf(op.getRhs(), numbers.getKernelSpatialDimensions()),
      op.getWindowStrides(), padding, op.getLhsDilation(), op.getRhsDilation());
  if (failed(window) ||
      windowedShape(sizesOf(op.getLhs(), numbers.getInputSpatialDimensions()),
                    *window) !=
          sizesOf(op->getResult(0), numbers.getOutputSpatialDimensions()))
    return failure();
  rewriter.replaceOpWithNewOp<ConvolutionOp>(
      op, op->getResult(0).getType(), op.getLhs(), op.getRhs(),
      op.getWindowStridesAttr(), padding, op.getLhsDilationAttr(),
      op.getRhsDilationAttr(), op.getWindowReversalAttr(),
      op.getDimensionNumbersAttr(), op.getFeatureGroupCountAttr(),
      op.getBatchGroupCountAttr(), op.getPrecisionConfigAttr());
  return success();
}

} // namespace

void addDynamicShape(Patterns &patterns) {
  addRuleAny<GetDimensionSizeOp>(patterns, dimensionSize);
  addRuleAny<DynamicReshapeOp>(patterns, dynamicReshape);
  addRuleAny<DynamicBroadcastInDimOp>(patterns, dynamicBroadcast);
  addRuleAny<DynamicIotaOp>(patterns, dynamicIota);
  addRuleAny<DynamicPadOp>(patterns, dynamicPad);
  addRuleAny<RealDynamicSliceOp>(patterns, realDynamicSlice);
  addRuleAny<DynamicGatherOp>(patterns, dynamicGather);
  addRuleAny<DynamicConvOp>(patterns, dynamicConv);
}

} // namespace shardwright::simplifier
