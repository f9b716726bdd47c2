//===- verify_dynamic.cc - verifiers of ops whose shapes are values -----===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "shardwright/dialect/stablehlo/dynamic.h"
#include "shardwright/dialect/stablehlo/infer/infer.h"
#include "shardwright/dialect/stablehlo/infer/quantized_types.h"

using namespace mlir;

namespace shardwright::stablehlo {

static bool isDynamic(int64_t size) { return ShapedType::isDynamic(size); }

// Checks that a constant shape operand matches the result's type.
static LogicalResult verifyConstantShape(Location loc, Value shape,
                                         RankedTensorType result) {
  DenseIntElementsAttr constant;
  if (!matchPattern(shape, m_Constant(&constant)))
    return success();
  SmallVector<int64_t> sizes;
  for (const APInt &value : constant.getValues<APInt>())
    sizes.push_back(value.getSExtValue());
  bool good = static_cast<int64_t>(sizes.size()) == result.getRank();
  Dims bounds = boundsOf(result);
  for (size_t d = 0; good && d < sizes.size(); ++d) {
    int64_t size = result.getDimSize(d);
    good = isDynamic(size)
               ? bounds.empty() || isDynamic(bounds[d]) || sizes[d] <= bounds[d]
               : size == sizes[d];
  }
  if (good)
    return success();
  return emitError(loc) << "output shape ["
                        << StringRef(dimsText(sizes)).drop_front().drop_back()
                        << "] is incompatible with return type of operation "
                        << result;
}

LogicalResult DynamicReshapeOp::verify() {
  Location loc = getLoc();
  auto from = cast<RankedTensorType>(getOperand().getType());
  auto to = cast<RankedTensorType>(getType());
  auto shape = cast<RankedTensorType>(getOutputShape().getType());
  if (!areElementTypesAlike(from.getElementType(), to.getElementType()))
    return mlir::emitError(loc)
           << "expects operand and result to have compatible element type. "
              "Got: "
           << from << " and " << to;
  if (from.hasStaticShape() && to.hasStaticShape() &&
      from.getNumElements() != to.getNumElements())
    return mlir::emitError(loc)
           << "number of output elements (" << to.getNumElements()
           << ") doesn't match expected number of elements ("
           << from.getNumElements() << ")";
  if (shape.getDimSize(0) != to.getRank())
    return mlir::emitError(loc, "result should have a rank equal to the number "
                                "of elements in output_shape");
  return verifyConstantShape(loc, getOutputShape(), to);
}

LogicalResult DynamicBroadcastInDimOp::verify() {
  Location loc = getLoc();
  auto from = cast<RankedTensorType>(getOperand().getType());
  auto to = cast<RankedTensorType>(getType());
  auto shape = cast<RankedTensorType>(getOutputDimensions().getType());
  Dims dims = getBroadcastDimensions();
  if (!areElementTypesAlike(from.getElementType(), to.getElementType()))
    return mlir::emitError(loc)
           << "expects operand and result to have compatible element type. "
              "Got: "
           << from << " and " << to;
  if (static_cast<int64_t>(dims.size()) != from.getRank())
    return mlir::emitError(loc)
           << "broadcast_dimensions size (" << dims.size()
           << ") does not match operand rank (" << from.getRank() << ")";
  if (from.getRank() > to.getRank())
    return mlir::emitError(loc)
           << "result rank (" << to.getRank() << ") is less than operand rank ("
           << from.getRank() << ")";
  for (auto [index, dim] : llvm::enumerate(dims)) {
    if (llvm::is_contained(dims.take_front(index), dim))
      return mlir::emitError(loc,
                             "broadcast_dimensions should not have duplicates");
    if (dim < 0 || dim >= to.getRank())
      return mlir::emitError(loc)
             << "broadcast_dimensions contains invalid value " << dim
             << " for result with rank " << to.getRank();
    int64_t size = from.getDimSize(index), result = to.getDimSize(dim);
    if (!isDynamic(size) && !isDynamic(result) && size != 1 && size != result)
      return mlir::emitError(loc)
             << "size of operand dimension " << index << " (" << size
             << ") is not compatible with size of result dimension " << dim
             << " (" << result << ")";
  }
  if (shape.getDimSize(0) != to.getRank())
    return mlir::emitError(loc)
           << "result rank (" << to.getRank()
           << ") is not equal to number of output dimensions ("
           << shape.getDimSize(0) << ")";
  // Each operand dimension may be listed at most once in both lists.
  SmallVector<int64_t> known;
  for (std::optional<Dims> list :
       {getKnownExpandingDimensions(), getKnownNonexpandingDimensions()})
    for (int64_t dim : list.value_or(Dims())) {
      if (dim < 0 || dim >= from.getRank())
        return mlir::emitError(loc)
               << "hint for expanding dimension " << dim
               << " does not refer to a valid operand dimension";
      if (llvm::is_contained(known, dim))
        return mlir::emitError(loc)
               << "duplicate expansion hint for at least one operand dimension";
      known.push_back(dim);
    }
  return verifyConstantShape(loc, getOutputDimensions(), to);
}

LogicalResult DynamicIotaOp::verify() {
  auto to = cast<RankedTensorType>(getType());
  auto shape = cast<RankedTensorType>(getOutputShape().getType());
  if (static_cast<int64_t>(getIotaDimension()) >= to.getRank())
    return mlir::emitError(getLoc(),
                           "iota dimension cannot go beyond the output rank.");
  if (shape.getDimSize(0) != to.getRank())
    return mlir::emitError(getLoc(), "result should have a rank equal to the "
                                     "number of elements in output_shape");
  return verifyConstantShape(getLoc(), getOutputShape(), to);
}

LogicalResult DynamicPadOp::verify() {
  Location loc = getLoc();
  auto from = cast<RankedTensorType>(getOperand().getType());
  auto to = cast<RankedTensorType>(getType());
  SmallVector<int64_t> constants[3];
  Value operands[] = {getEdgePaddingLow(), getEdgePaddingHigh(),
                      getInteriorPadding()};
  for (auto [operand, values] : llvm::zip(operands, constants)) {
    int64_t size = cast<RankedTensorType>(operand.getType()).getDimSize(0);
    if (size != from.getRank())
      return mlir::emitError(loc)
             << "padding operands size (" << size
             << ") must match operand rank (" << from.getRank() << ")";
    DenseIntElementsAttr constant;
    if (matchPattern(operand, m_Constant(&constant)))
      for (const APInt &element : constant.getValues<APInt>())
        values.push_back(element.getSExtValue());
  }
  for (int64_t d = 0; d < from.getRank(); ++d) {
    if (!constants[2].empty() && constants[2][d] < 0)
      return mlir::emitError(loc)
             << "Interior padding cannot be negative: " << constants[2][d];
    if (constants[0].empty() || constants[1].empty() || constants[2].empty() ||
        from.isDynamicDim(d) || to.isDynamicDim(d))
      continue;
    int64_t size = from.getDimSize(d);
    int64_t padded =
        clampSize(static_cast<WideSize>(constants[0][d]) + size +
                  static_cast<WideSize>(std::max<int64_t>(size - 1, 0)) *
                      constants[2][d] +
                  constants[1][d]);
    if (padded != to.getDimSize(d))
      return mlir::emitError(loc)
             << "expected output dimension at index " << d << " to equal "
             << padded << ", but got " << to.getDimSize(d);
  }
  return success();
}

LogicalResult RealDynamicSliceOp::verify() {
  Location loc = getLoc();
  auto from = cast<RankedTensorType>(getOperand().getType());
  auto to = cast<RankedTensorType>(getType());
  std::pair<StringRef, Value> operands[] = {
      {"start_indices", getStartIndices()},
      {"limit_indices", getLimitIndices()},
      {"strides", getStrides()}};
  for (auto [name, operand] : operands) {
    auto type = cast<RankedTensorType>(operand.getType());
    if (type.getDimSize(0) != from.getRank())
      return mlir::emitError(loc)
             << "has mismatched number of operand rank (" << from.getRank()
             << ") and " << name << " size (" << type.getDimSize(0) << ")";
  }
  if (to.getRank() != from.getRank())
    return mlir::emitError(loc)
           << "operand rank (" << from.getRank() << ") must match result rank ("
           << to.getRank() << ")";
  return success();
}

} // namespace shardwright::stablehlo
