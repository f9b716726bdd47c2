//===- verify_quantized.cc - quantized operands and results -------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Constraints on quantized element types beyond those of single operands: a
// type must fit its tensor (one scale for each index of the quantized
// dimension, zero points that can be stored), and the quantized dimension of
// the result must correspond to that of the operand.
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/stablehlo/contraction.h"
#include "shardwright/dialect/stablehlo/dynamic.h"
#include "shardwright/dialect/stablehlo/elementwise.h"
#include "shardwright/dialect/stablehlo/shape.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using quant::QuantizedType;
using quant::UniformQuantizedPerAxisType;
using quant::UniformQuantizedType;

namespace shardwright::stablehlo {

namespace {

/// The tensor with a quantized element type, or null.
RankedTensorType quantizedTensor(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && isa<QuantizedType>(tensor.getElementType())
             ? tensor
             : RankedTensorType();
}

UniformQuantizedPerAxisType perAxis(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? dyn_cast<UniformQuantizedPerAxisType>(tensor.getElementType())
                : UniformQuantizedPerAxisType();
}

/// The quantized dimension, or -1.
int64_t quantizedDimension(Type type) {
  auto element = perAxis(type);
  return element ? element.getQuantizedDimension() : -1;
}

LogicalResult verifyZeroPoints(Operation *op, QuantizedType type,
                               ArrayRef<int64_t> zeroPoints) {
  for (int64_t zero : zeroPoints)
    if (zero < type.getStorageTypeMin() || zero > type.getStorageTypeMax())
      return op->emitOpError("zero point ")
             << zero << " of " << type << " is outside of its storage range ["
             << type.getStorageTypeMin() << ", " << type.getStorageTypeMax()
             << "]";
  return success();
}

/// Checks that an element type fits its tensor.
LogicalResult verifyTensor(Operation *op, RankedTensorType tensor) {
  auto element = cast<QuantizedType>(tensor.getElementType());
  if (auto uniform = dyn_cast<UniformQuantizedType>(element))
    return verifyZeroPoints(op, uniform, uniform.getZeroPoint());
  auto axis = dyn_cast<UniformQuantizedPerAxisType>(element);
  if (!axis)
    return success();
  int64_t dim = axis.getQuantizedDimension(), count = axis.getScales().size();
  if (dim < 0 || dim >= tensor.getRank())
    return op->emitOpError("quantized dimension ")
           << dim << " is not a dimension of " << tensor;
  int64_t size = tensor.getDimSize(dim);
  if (!ShapedType::isDynamic(size) && size != count)
    return op->emitOpError("expects as many scales as the quantized dimension "
                           "has indices, got ")
           << count << " for " << size << " in " << tensor;
  return verifyZeroPoints(op, axis, axis.getZeroPoints());
}

LogicalResult misplaced(Operation *op, int64_t found, int64_t wanted) {
  return op->emitOpError("expects quantized dimension ")
         << wanted << " in the result, as the operand's one maps to it, got "
         << found;
}

LogicalResult verifyReshape(Operation *op, Type from, Type to) {
  int64_t source = quantizedDimension(from), target = quantizedDimension(to);
  if (source < 0 || target < 0)
    return success();
  auto fromType = cast<RankedTensorType>(from),
       toType = cast<RankedTensorType>(to);
  auto before = [](RankedTensorType type, int64_t dim) {
    int64_t count = 1;
    for (int64_t size : type.getShape().take_front(dim)) {
      if (ShapedType::isDynamic(size))
        return ShapedType::kDynamic;
      count = llvm::SaturatingMultiply<uint64_t>(count, size);
    }
    return count;
  };
  int64_t fromCount = before(fromType, source),
          toCount = before(toType, target);
  if (!ShapedType::isDynamic(fromCount) && !ShapedType::isDynamic(toCount) &&
      fromCount != toCount)
    return op->emitOpError("expects the same number of elements before the "
                           "quantized dimension, got ")
           << fromCount << " and " << toCount;
  return success();
}

LogicalResult verifyBroadcast(Operation *op, Type from, Type to,
                              ArrayRef<int64_t> dims) {
  int64_t source = quantizedDimension(from), target = quantizedDimension(to);
  if (source < 0 || target < 0 || source >= static_cast<int64_t>(dims.size()))
    return success();
  if (dims[source] != target)
    return misplaced(op, target, dims[source]);
  return success();
}

/// Checks products: both sides are quantized alike, or only the right one
/// (hybrid).
LogicalResult verifyProduct(Operation *op, Type lhs, Type rhs, Type result) {
  auto lhsType = quantizedTensor(lhs), rhsType = quantizedTensor(rhs),
       resultType = quantizedTensor(result);
  if (!rhsType)
    return lhsType || resultType
               ? op->emitOpError("expects a quantized rhs when lhs or result "
                                 "are quantized, got ")
                     << rhs
               : success();
  auto rhsElement = cast<QuantizedType>(rhsType.getElementType());
  Type expressed = rhsElement.getExpressedType();
  if (!lhsType) {
    if (getElementTypeOrSelf(lhs) != expressed || resultType ||
        getElementTypeOrSelf(result) != expressed)
      return op->emitOpError("expects lhs and result of type ")
             << expressed << ", which rhs expresses, got " << lhs << " and "
             << result;
    return success();
  }
  auto lhsElement = cast<QuantizedType>(lhsType.getElementType());
  if (lhsElement.getStorageType() != rhsElement.getStorageType() ||
      lhsElement.getExpressedType() != expressed)
    return op->emitOpError("expects lhs and rhs to be stored and expressed in "
                           "the same types, got ")
           << lhsElement << " and " << rhsElement;
  if (!resultType)
    return op->emitOpError("expects a quantized result for quantized lhs and "
                           "rhs, got ")
           << result;
  auto resultElement = cast<QuantizedType>(resultType.getElementType());
  if (resultElement.getExpressedType() != expressed)
    return op->emitOpError("expects the result to express ")
           << expressed << ", got " << resultElement;
  auto zeroPoint = [](QuantizedType type) {
    auto uniform = dyn_cast<UniformQuantizedType>(type);
    return uniform ? ArrayRef<int64_t>()
                   : cast<UniformQuantizedPerAxisType>(type).getZeroPoints();
  };
  auto uniform = dyn_cast<UniformQuantizedType>(rhsElement);
  if ((uniform && uniform.getZeroPoint() != 0) ||
      llvm::any_of(zeroPoint(rhsElement), [](int64_t z) { return z != 0; }))
    return op->emitOpError("expects rhs to have zero points of 0, got ")
           << rhsElement;
  if (perAxis(result) && !perAxis(rhs))
    return op->emitOpError("expects a result with one scale, as rhs has, got ")
           << resultElement;
  return success();
}

LogicalResult verifyDot(DotGeneralOp op) {
  if (failed(verifyProduct(op, op.getLhs().getType(), op.getRhs().getType(),
                           op.getType())))
    return failure();
  int64_t dim = quantizedDimension(op.getRhs().getType());
  if (llvm::is_contained(
          op.getDotDimensionNumbers().getRhsContractingDimensions(), dim))
    return op.emitOpError("expects the quantized dimension of rhs not to be "
                          "contracted, got ")
           << dim;
  return success();
}

template <typename ConvOp> LogicalResult verifyConvolution(ConvOp op) {
  if (failed(verifyProduct(op, op.getLhs().getType(), op.getRhs().getType(),
                           op.getType())))
    return failure();
  auto numbers = op.getDimensionNumbers();
  int64_t rhs = quantizedDimension(op.getRhs().getType());
  int64_t kernelOut = numbers.getKernelOutputFeatureDimension();
  if (rhs >= 0 && rhs != kernelOut)
    return op.emitOpError("expects rhs to be quantized along its output "
                          "feature dimension ")
           << kernelOut << ", got " << rhs;
  int64_t result = quantizedDimension(op.getType());
  int64_t out = numbers.getOutputFeatureDimension();
  if (result >= 0 && result != out)
    return op.emitOpError("expects the result to be quantized along its "
                          "feature dimension ")
           << out << ", got " << result;
  return success();
}

} // namespace

LogicalResult detail::verifyQuantization(Operation *op) {
  bool any = false;
  auto check = [&](Type type) -> LogicalResult {
    RankedTensorType tensor = quantizedTensor(type);
    if (!tensor)
      return success();
    any = true;
    return verifyTensor(op, tensor);
  };
  for (Type type : op->getOperandTypes())
    if (failed(check(type)))
      return failure();
  for (Type type : op->getResultTypes())
    if (failed(check(type)))
      return failure();
  if (!any)
    return success();
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([](TransposeOp op) -> LogicalResult {
        int64_t from = quantizedDimension(op.getOperand().getType());
        int64_t to = quantizedDimension(op.getType());
        ArrayRef<int64_t> order = op.getPermutation();
        if (from < 0 || to < 0 || to >= static_cast<int64_t>(order.size()) ||
            order[to] == from)
          return success();
        return misplaced(op, to, llvm::find(order, from) - order.begin());
      })
      .Case([](BroadcastInDimOp op) {
        return verifyBroadcast(op, op.getOperand().getType(), op.getType(),
                               op.getBroadcastDimensions());
      })
      .Case([](DynamicBroadcastInDimOp op) {
        return verifyBroadcast(op, op.getOperand().getType(), op.getType(),
                               op.getBroadcastDimensions());
      })
      .Case<ReshapeOp, DynamicReshapeOp>([](auto op) {
        return verifyReshape(op, op.getOperand().getType(), op.getType());
      })
      .Case([](DotGeneralOp op) { return verifyDot(op); })
      .Case([](DotOp op) {
        return verifyProduct(op, op.getLhs().getType(), op.getRhs().getType(),
                             op.getType());
      })
      .Case<ConvolutionOp, DynamicConvOp>(
          [](auto op) { return verifyConvolution(op); })
      .Case([](UniformQuantizeOp op) -> LogicalResult {
        Type from = getElementTypeOrSelf(op.getOperand().getType());
        if (auto quantized = dyn_cast<QuantizedType>(from))
          from = quantized.getExpressedType();
        auto to =
            cast<QuantizedType>(getElementTypeOrSelf(op.getResult().getType()));
        if (to.getExpressedType() == from)
          return success();
        return op.emitOpError("expects a result that expresses ")
               << from << ", got " << to;
      })
      .Default([](Operation *) { return success(); });
}

} // namespace shardwright::stablehlo
