//===- infer_elementwise.cc - result types of elementwise ops -----------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/Builders.h"
#include "shardwright/dialect/stablehlo/infer/infer.h"

using namespace mlir;

namespace shardwright::stablehlo {

RankedTensorType tensorType(Dims shape, Dims bounds, Type elementType) {
  SmallVector<int64_t> kept(shape.size(), ShapedType::kDynamic);
  bool any = false;
  for (size_t d = 0; d < std::min(shape.size(), bounds.size()); ++d)
    if (ShapedType::isDynamic(shape[d]) && !ShapedType::isDynamic(bounds[d])) {
      kept[d] = bounds[d];
      any = true;
    }
  Attribute encoding;
  if (any)
    encoding = TypeExtensionsAttr::get(elementType.getContext(), kept);
  return RankedTensorType::get(shape, elementType, encoding);
}

std::string dimsText(Dims dims) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << '[';
  llvm::interleaveComma(dims, os, [&](int64_t dim) {
    if (ShapedType::isDynamic(dim))
      os << '?';
    else
      os << dim;
  });
  os << ']';
  return text;
}

FailureOr<RankedTensorType> mostSpecificType(MaybeLoc loc, TypeRange types) {
  auto first = dyn_cast<RankedTensorType>(types.front());
  if (!first)
    return emitOptionalError(loc, "expected a ranked tensor, got ",
                             types.front());
  // Usually all types are equal; this also preserves unknown encodings.
  if (llvm::all_equal(types))
    return first;
  SmallVector<int64_t> shape(first.getShape());
  SmallVector<int64_t> bounds(first.getRank(), ShapedType::kDynamic);
  llvm::copy(boundsOf(first), bounds.begin());
  for (Type type : types.drop_front()) {
    auto other = dyn_cast<RankedTensorType>(type);
    if (!other || other.getRank() != first.getRank())
      return emitOptionalError(loc, "mismatch between ranks of ", first,
                               " and ", type);
    Dims otherBounds = boundsOf(other);
    for (int64_t d = 0; d < first.getRank(); ++d) {
      int64_t size = other.getDimSize(d);
      if (!ShapedType::isDynamic(size)) {
        if (!ShapedType::isDynamic(shape[d]) && shape[d] != size)
          return emitOptionalError(loc, "mismatched sizes ", shape[d], " and ",
                                   size, " in dimension ", d);
        shape[d] = size;
      }
      if (!otherBounds.empty() && !ShapedType::isDynamic(otherBounds[d]))
        bounds[d] = ShapedType::isDynamic(bounds[d])
                        ? otherBounds[d]
                        : std::min(bounds[d], otherBounds[d]);
    }
  }
  for (int64_t d = 0; d < first.getRank(); ++d)
    if (!ShapedType::isDynamic(shape[d]) && !ShapedType::isDynamic(bounds[d]) &&
        shape[d] > bounds[d])
      return emitOptionalError(loc, "Mismatched dimension size ", shape[d],
                               " and bound ", bounds[d], " in dimension ", d);
  return tensorType(shape, bounds, first.getElementType());
}

LogicalResult inferSameType(MaybeLoc loc, ValueRange operands, Types &types) {
  if (operands.empty())
    return emitOptionalError(loc, "expected at least one operand");
  FailureOr<RankedTensorType> type = mostSpecificType(loc, operands.getTypes());
  if (failed(type))
    return failure();
  types.push_back(*type);
  return success();
}

LogicalResult inferRealPart(MaybeLoc loc, Value operand, Types &types) {
  auto type = cast<RankedTensorType>(operand.getType());
  Type element = type.getElementType();
  if (auto complex = dyn_cast<ComplexType>(element))
    element = complex.getElementType();
  types.push_back(type.clone(element));
  return success();
}

LogicalResult inferPredicate(MaybeLoc loc, ValueRange operands, Types &types) {
  FailureOr<RankedTensorType> type = mostSpecificType(loc, operands.getTypes());
  if (failed(type))
    return failure();
  types.push_back(type->clone(IntegerType::get(type->getContext(), 1)));
  return success();
}

LogicalResult inferDequantized(MaybeLoc loc, Value operand, Types &types) {
  auto type = cast<RankedTensorType>(operand.getType());
  auto quantized = dyn_cast<quant::QuantizedType>(type.getElementType());
  if (!quantized)
    return emitOptionalError(loc, "expected a quantized operand, got ", type);
  types.push_back(type.clone(quantized.getExpressedType()));
  return success();
}

LogicalResult inferComplex(MaybeLoc loc, ValueRange operands, Types &types) {
  FailureOr<RankedTensorType> type = mostSpecificType(loc, operands.getTypes());
  if (failed(type))
    return failure();
  types.push_back(type->clone(ComplexType::get(type->getElementType())));
  return success();
}

LogicalResult inferSelect(MaybeLoc loc, Value pred, Value onTrue, Value onFalse,
                          Types &types) {
  auto predType = cast<RankedTensorType>(pred.getType());
  if (!areCompatible(onTrue.getType(), onFalse.getType()))
    return emitOptionalError(
        loc, "requires compatible types for non-predicate operands");
  auto trueType = cast<RankedTensorType>(onTrue.getType());
  if (predType.getRank() != 0 &&
      failed(verifyCompatibleShape(predType.getShape(), trueType.getShape())))
    return emitOptionalError(loc, "requires the same shape for all operands");
  Type branches[] = {onTrue.getType(), onFalse.getType()};
  FailureOr<RankedTensorType> type = mostSpecificType(loc, branches);
  if (failed(type))
    return failure();
  types.push_back(*type);
  return success();
}

LogicalResult inferClamp(MaybeLoc loc, Value min, Value operand, Value max,
                         Types &types) {
  auto type = cast<RankedTensorType>(operand.getType());
  auto check = [&](StringRef name, Value bound) -> LogicalResult {
    auto boundType = cast<RankedTensorType>(bound.getType());
    if (boundType.getRank() == 0 ||
        succeeded(verifyCompatibleShape(boundType.getShape(), type.getShape())))
      return success();
    return emitOptionalError(
        loc, name, " shape ", dimsText(boundType.getShape()),
        " is not scalar and is not compatible to operand shape ",
        dimsText(type.getShape()));
  };
  if (failed(check("min", min)) || failed(check("max", max)))
    return failure();
  types.push_back(type);
  return success();
}

} // namespace shardwright::stablehlo
