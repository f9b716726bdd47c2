//===- infer_contraction.cc - result types of linear algebra, rng, collectives
//===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "shardwright/dialect/stablehlo/infer.h"

using namespace mlir;

namespace shardwright::stablehlo {

// `4, 6`
static std::string bare(Dims dims) {
  std::string text = dimsText(dims);
  return text.substr(1, text.size() - 2);
}

LogicalResult inferFft(MaybeLoc loc, Value operand, FftType type, Dims length,
                       Types &types) {
  auto operandType = cast<RankedTensorType>(operand.getType());
  Type element = operandType.getElementType();
  int64_t rank = operandType.getRank(), fftRank = length.size();
  if (fftRank < 1 || fftRank > 3)
    return emitOptionalError(loc, "rank must be between 1 and 3, but got ",
                             fftRank, ".");
  bool forwardReal = type == FftType::RFFT,
       inverseReal = type == FftType::IRFFT;
  if (forwardReal) {
    if (!element.isF32() && !element.isF64())
      return emitOptionalError(
          loc, "RFFT requires f32 or f64 input type, but is given ", element,
          ".");
  } else if (!isa<ComplexType>(element)) {
    return emitOptionalError(loc, stringifyFftType(type),
                             " takes a complex tensor as input, but is given ",
                             operandType, ".");
  }
  if (rank < fftRank)
    return emitOptionalError(
        loc, "operand rank must not be less than fft rank of ", fftRank,
        " for operand of type ", operandType, ".");
  SmallVector<int64_t> shape(operandType.getShape());
  for (int64_t i = 0; i < fftRank; ++i) {
    int64_t size = shape[rank - fftRank + i];
    bool last = i + 1 == fftRank;
    if (length[i] < 0)
      return emitOptionalError(loc, "fft_length must not be negative, got ",
                               length[i], ".");
    int64_t expected = inverseReal && last
                           ? (length[i] > 0 ? length[i] / 2 + 1 : 0)
                           : length[i];
    if (!ShapedType::isDynamic(size) && size != expected)
      return emitOptionalError(loc, stringifyFftType(type),
                               inverseReal
                                   ? " requires non-final dimensions to be "
                                     "match fft_length, and the final "
                                     "dimension fft_length/2+1. Operand type ("
                                   : " requires innermost dimensions to be "
                                     "equal to fft_length. Got: ",
                               operandType, inverseReal ? ")" : "",
                               " with fft_length ", dimsText(length), ".");
  }
  Type result = element;
  if (forwardReal) {
    result = ComplexType::get(element);
    if (length.back() > 0)
      shape.back() = length.back() / 2 + 1;
  } else if (inverseReal) {
    result = cast<ComplexType>(element).getElementType();
    shape.back() = length.back();
  }
  types.push_back(tensorType(shape, boundsOf(operandType), result));
  return success();
}

LogicalResult inferCholesky(MaybeLoc loc, Value a, Types &types) {
  auto type = cast<RankedTensorType>(a.getType());
  int64_t rank = type.getRank();
  if (rank < 2)
    return emitOptionalError(loc,
                             "argument 'a' must have rank >= 2, got shape ",
                             bare(type.getShape()), ".");
  int64_t rows = type.getDimSize(rank - 2), columns = type.getDimSize(rank - 1);
  if (!ShapedType::isDynamic(rows) && !ShapedType::isDynamic(columns) &&
      rows != columns)
    return emitOptionalError(
        loc, "minor dimensions of 'a' must have equal size, got shape ",
        bare(type.getShape()), ".");
  types.push_back(type);
  return success();
}

LogicalResult inferTriangularSolve(MaybeLoc loc, Value a, Value b,
                                   bool leftSide, Transpose transpose,
                                   Types &types) {
  auto aType = cast<RankedTensorType>(a.getType()),
       bType = cast<RankedTensorType>(b.getType());
  int64_t rank = aType.getRank();
  if (aType.getElementType() != bType.getElementType())
    return emitOptionalError(
        loc, "requires the same element type for all operands and results");
  if (rank < 2)
    return emitOptionalError(loc, "operand 'a' must have rank >= 2, but got ",
                             aType);
  auto differ = [](int64_t x, int64_t y) {
    return !ShapedType::isDynamic(x) && !ShapedType::isDynamic(y) && x != y;
  };
  if (differ(aType.getDimSize(rank - 2), aType.getDimSize(rank - 1)))
    return emitOptionalError(
        loc,
        "two minor dimensions of operand 'a' must have equal size, "
        "but got ",
        aType);
  if (bType.getRank() != rank)
    return emitOptionalError(loc, "operands must have equal rank, but got ",
                             aType, " and ", bType);
  if (differ(aType.getDimSize(rank - 1),
             bType.getDimSize(rank - (leftSide ? 2 : 1))))
    return emitOptionalError(
        loc,
        "shared dimension of operands 'a' and 'b' does not match, but "
        "got ",
        aType, " and ", bType);
  for (int64_t d = 0; d < rank - 2; ++d)
    if (differ(aType.getDimSize(d), bType.getDimSize(d)))
      return emitOptionalError(
          loc,
          "leading batch dimensions of the operands must be same, but "
          "got ",
          aType, " and ", bType);
  if (transpose == Transpose::TRANSPOSE_INVALID)
    return emitOptionalError(
        loc, "Invalid transpose option value for triangular solve");
  types.push_back(bType);
  return success();
}

LogicalResult inferBatchNorm(MaybeLoc loc, Value operand, ValueRange others,
                             int64_t featureIndex, int numResults,
                             Types &types) {
  auto type = cast<RankedTensorType>(operand.getType());
  if (featureIndex < 0 || featureIndex >= type.getRank())
    return emitOptionalError(
        loc,
        "expects feature_index to be smaller than the rank of operand "
        "type; got feature_index ",
        featureIndex, ", and rank ", type.getRank(), ".");
  int64_t features = type.getDimSize(featureIndex);
  for (Value other : others) {
    auto otherType = cast<RankedTensorType>(other.getType());
    if (otherType.getElementType() != type.getElementType())
      return emitOptionalError(
          loc, "requires the same element type for all operands and results");
    // batch_norm_grad's last operand has the shape of the first.
    if (other == others.back() && others.size() == 4 && numResults == 3) {
      if (!areCompatible(otherType, type))
        return emitOptionalError(
            loc,
            "expects the shapes of operand and grad_output to be "
            "compatible, got ",
            type, " and ", otherType);
      continue;
    }
    if (otherType.getRank() != 1)
      return emitOptionalError(
          loc, "expects single-dimensional operands to have rank 1, got ",
          otherType);
    int64_t size = otherType.getDimSize(0);
    if (!ShapedType::isDynamic(size) && !ShapedType::isDynamic(features) &&
        size != features)
      return emitOptionalError(
          loc,
          "expects the size of single-dimensional operands to be "
          "compatible with feature count, but the size of "
          "single-dimensional operand is ",
          size, " and the feature count is ", features, ".");
  }
  types.push_back(type);
  Dims bounds = boundsOf(type);
  SmallVector<int64_t, 1> bound;
  if (!bounds.empty())
    bound.push_back(bounds[featureIndex]);
  for (int i = 1; i < numResults; ++i)
    types.push_back(tensorType({features}, bound, type.getElementType()));
  return success();
}

LogicalResult inferRng(MaybeLoc loc, Value a, Value b, Value shape,
                       RngDistribution distribution, Types &types) {
  auto aType = cast<RankedTensorType>(a.getType()),
       bType = cast<RankedTensorType>(b.getType());
  auto shapeType = cast<RankedTensorType>(shape.getType());
  if (aType.getElementType() != bType.getElementType())
    return emitOptionalError(
        loc, "requires the same element type for all operands and results");
  if (distribution == RngDistribution::NORMAL &&
      !isa<FloatType>(aType.getElementType()))
    return emitOptionalError(loc, "mu and sigma must be floats");
  SmallVector<int64_t> sizes(shapeType.getDimSize(0), ShapedType::kDynamic);
  DenseIntElementsAttr constant;
  if (matchPattern(shape, m_Constant(&constant)))
    for (auto [size, value] : llvm::zip(sizes, constant.getValues<APInt>())) {
      size = value.getSExtValue();
      if (size < 0)
        return emitOptionalError(
            loc, "shape must not have negative sizes, got ", size);
    }
  types.push_back(RankedTensorType::get(sizes, aType.getElementType()));
  return success();
}

LogicalResult inferGetTupleElement(MaybeLoc loc, Value operand, int64_t index,
                                   Types &types) {
  auto tuple = cast<TupleType>(operand.getType());
  if (index < 0 || index >= static_cast<int64_t>(tuple.size()))
    return emitOptionalError(loc, "index ", index,
                             " is out of bounds of operand with size ",
                             tuple.size());
  types.push_back(tuple.getType(index));
  return success();
}

LogicalResult inferDeviceId(MLIRContext *context, Types &types) {
  types.push_back(RankedTensorType::get(
      {}, IntegerType::get(context, 32, IntegerType::Unsigned)));
  return success();
}

LogicalResult inferAllToAll(MaybeLoc loc, ValueRange operands,
                            int64_t splitDimension, int64_t concatDimension,
                            int64_t splitCount, Types &types) {
  for (Value operand : operands) {
    auto type = cast<RankedTensorType>(operand.getType());
    if (splitDimension < 0 || splitDimension >= type.getRank())
      return emitOptionalError(loc, "AllToAll split_dimension ", splitDimension,
                               " is out-of-bounds for input rank ",
                               type.getRank());
    if (concatDimension < 0 || concatDimension >= type.getRank())
      return emitOptionalError(
          loc, "AllToAll concat_dimension ", concatDimension,
          " is out-of-bounds for input rank ", type.getRank());
    if (splitCount <= 0)
      return emitOptionalError(
          loc, "AllToAll split_count must be positive, got ", splitCount);
    SmallVector<int64_t> shape(type.getShape()), bounds(boundsOf(type));
    if (!ShapedType::isDynamic(shape[splitDimension])) {
      if (shape[splitDimension] % splitCount != 0)
        return emitOptionalError(
            loc, "split dimension has size ", shape[splitDimension],
            ", expected to be a multiple of split_count ", splitCount);
      shape[splitDimension] /= splitCount;
    } else if (!bounds.empty() &&
               !ShapedType::isDynamic(bounds[splitDimension])) {
      bounds[splitDimension] =
          llvm::divideCeil(bounds[splitDimension], splitCount);
    }
    if (!ShapedType::isDynamic(shape[concatDimension]))
      shape[concatDimension] =
          clampSize(static_cast<WideSize>(shape[concatDimension]) * splitCount);
    else if (!bounds.empty() && !ShapedType::isDynamic(bounds[concatDimension]))
      bounds[concatDimension] = clampSize(
          static_cast<WideSize>(bounds[concatDimension]) * splitCount);
    types.push_back(tensorType(shape, bounds, type.getElementType()));
  }
  return success();
}

} // namespace shardwright::stablehlo
