//===- verify_elementwise.cc - verifiers of elementwise and shape ops ---===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/TypeUtilities.h"
#include "shardwright/dialect/stablehlo/elementwise.h"
#include "shardwright/dialect/stablehlo/infer/infer.h"
#include "shardwright/dialect/stablehlo/shape.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;

namespace shardwright::stablehlo {

static bool isDynamic(int64_t size) { return ShapedType::isDynamic(size); }

// Quantized element types may differ in scale and zero point only.
LogicalResult AddOp::verify() {
  Type first = getElementTypeOrSelf(getLhs().getType());
  for (Type type : {getRhs().getType(), getResult().getType()})
    if (!areElementTypesCompatible(first, getElementTypeOrSelf(type)))
      return mlir::emitError(getLoc(),
                             "op requires the same element type for all "
                             "operands and results");
  return success();
}

LogicalResult CompareOp::verify() {
  if (!areElementTypesCompatible(getElementTypeOrSelf(getLhs().getType()),
                                 getElementTypeOrSelf(getRhs().getType())))
    return emitOpError("requires compatible element types for all operands");
  return success();
}

LogicalResult IotaOp::verify() {
  auto type = cast<RankedTensorType>(getType());
  if (type.getRank() == 0)
    return emitError("does not support scalars.");
  if (static_cast<int64_t>(getIotaDimension()) >= type.getRank())
    return emitError("iota dimension cannot go beyond the output rank.");
  return success();
}

LogicalResult BroadcastInDimOp::verify() {
  auto from = cast<RankedTensorType>(getOperand().getType());
  auto to = cast<RankedTensorType>(getType());
  Dims dims = getBroadcastDimensions(), bounds = boundsOf(to);
  if (static_cast<int64_t>(dims.size()) != from.getRank())
    return mlir::emitError(getLoc())
           << "broadcast_dimensions size (" << dims.size()
           << ") does not match operand rank (" << from.getRank() << ")";
  llvm::SmallBitVector seen(to.getRank());
  for (auto [index, dim] : llvm::enumerate(dims)) {
    if (dim < 0 || dim >= to.getRank())
      return mlir::emitError(getLoc())
             << "broadcast_dimensions contains invalid value " << dim
             << " for result with rank " << to.getRank();
    if (seen.test(dim))
      return mlir::emitError(getLoc(),
                             "broadcast_dimensions should not have duplicates");
    seen.set(dim);
    int64_t size = from.getDimSize(index), result = to.getDimSize(dim);
    if (isDynamic(size) || size == 1)
      continue;
    int64_t most = isDynamic(result) && !bounds.empty() ? bounds[dim] : result;
    if (isDynamic(result) ? size > most : size != result)
      return mlir::emitError(getLoc())
             << "size of operand dimension " << index << " (" << size
             << ") is not equal to 1 or size of result dimension " << dim
             << " (" << most << ")";
  }
  return success();
}

LogicalResult ReshapeOp::verify() {
  auto from = cast<RankedTensorType>(getOperand().getType());
  auto to = cast<RankedTensorType>(getType());
  if (!from.hasStaticShape() || !to.hasStaticShape())
    return success();
  if (from.getNumElements() != to.getNumElements())
    return mlir::emitError(getLoc())
           << "number of output elements (" << to.getNumElements()
           << ") doesn't match expected number of elements ("
           << from.getNumElements() << ")";
  return success();
}

LogicalResult ReverseOp::verify() {
  Dims dims = getDimensions();
  int64_t rank = cast<RankedTensorType>(getOperand().getType()).getRank();
  for (size_t i = 0; i < dims.size(); ++i)
    if (llvm::is_contained(dims.take_front(i), dims[i]))
      return mlir::emitError(getLoc())
             << "dimensions should be unique. Got: "
             << StringRef(dimsText(dims)).drop_front().drop_back();
  for (int64_t dim : dims) {
    if (dim < 0)
      return mlir::emitError(getLoc())
             << "all dimensions should be non-negative. Got dimension: " << dim
             << ".";
    if (dim >= rank)
      return mlir::emitError(getLoc())
             << "all dimensions should be between [0, " << rank
             << "). Got dimension: " << dim << ".";
  }
  return success();
}

// Storage bits of an element; a complex number has two parts.
static int64_t bitWidth(Type type) {
  if (auto complex = dyn_cast<ComplexType>(type))
    return 2 * bitWidth(complex.getElementType());
  if (auto quantized = dyn_cast<quant::QuantizedType>(type))
    return quantized.getStorageTypeIntegralWidth();
  return type.getIntOrFloatBitWidth();
}

LogicalResult BitcastConvertOp::verify() {
  auto from = cast<RankedTensorType>(getOperand().getType());
  auto to = cast<RankedTensorType>(getType());
  if (isa<ComplexType>(from.getElementType()) !=
      isa<ComplexType>(to.getElementType()))
    return mlir::emitError(getLoc())
           << "cannot convert between real and complex types, but got: " << from
           << " and " << to;
  int64_t fromBits = bitWidth(from.getElementType());
  int64_t toBits = bitWidth(to.getElementType());
  if (fromBits == toBits) {
    if (failed(verifyCompatibleShape(from, to)))
      return mlir::emitError(getLoc())
             << "operand and result shapes must match except for the innermost "
                "dimension of the shape with the smaller element type. Got: "
             << from << " and " << to << ".";
    return success();
  }
  auto wide = fromBits > toBits ? from : to,
       narrow = fromBits > toBits ? to : from;
  int64_t wideBits = std::max(fromBits, toBits);
  int64_t narrowBits = std::min(fromBits, toBits);
  if (narrow.getRank() != wide.getRank() + 1)
    return mlir::emitError(getLoc())
           << "rank of smaller element type (" << narrow.getRank()
           << ") should be 1 more than rank of larger element type ("
           << wide.getRank() << "), but " << narrow.getRank()
           << " != " << wide.getRank() << " + 1.";
  if (failed(verifyCompatibleShape(narrow.getShape().drop_back(),
                                   wide.getShape())))
    return mlir::emitError(getLoc())
           << "operand and result shapes must match except for the innermost "
              "dimension of the shape with the smaller element type. Got: "
           << from << " and " << to << ".";
  int64_t last = narrow.getShape().back();
  if (!isDynamic(last) && static_cast<WideSize>(last) * narrowBits != wideBits)
    return mlir::emitError(getLoc())
           << "requires compatible bit widths. Got: " << from << " and " << to
           << ", but " << narrowBits << " * " << last << " != " << wideBits
           << ".";
  return success();
}

} // namespace shardwright::stablehlo
