//===- infer_contraction.cc - types of linear algebra ops -----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "shardwright/dialect/stablehlo/infer/infer.h"

using namespace mlir;

namespace shardwright::stablehlo {

// `4, 6`
static std::string bare(Dims dims) {
  std::string text = dimsText(dims);
  return text.substr(1, text.size() - 2);
}

// The lengths are the trailing dimensions of the operand; for transforms
// between real and complex, those of the real side.
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
    return emitOptionalError(
        loc, "FFT/IFFT/IRFFT take a complex tensor as input, but is given ",
        operandType, ".");
  }
  if (rank < fftRank)
    return emitOptionalError(
        loc, "operand rank must not be less than fft rank of ", fftRank,
        " for operand of type ", operandType, ".");
  SmallVector<int64_t> shape(operandType.getShape());
  Dims trailing = Dims(shape).take_back(fftRank);
  auto differ = [](int64_t size, int64_t wanted) {
    return !ShapedType::isDynamic(size) && size != wanted;
  };
  for (int64_t i = 0; i < fftRank; ++i) {
    if (inverseReal && i + 1 == fftRank) {
      if (length[i] <= 0 || differ(trailing[i], length[i] / 2 + 1))
        return emitOptionalError(
            loc,
            "IRFFT requires innermost dimension to be compatible with "
            "fft_length[-1]/2+1. Got: ",
            trailing[i], " but fft_length is ", bare(length), ".");
    } else if (differ(trailing[i], length[i]) || length[i] < 0) {
      if (inverseReal)
        return emitOptionalError(
            loc,
            "IRFFT requires non-final dimensions to be compatible with "
            "fft_length. Got: ",
            bare(shape), " but wanted ", bare(length), ", and ", trailing[i],
            " != ", length[i], ".");
      return emitOptionalError(loc, stringifyFftType(type),
                               " requires innermost dimensions to be "
                               "compatible with fft_length. Got: ",
                               bare(shape), " but wanted ", bare(length), ".");
    }
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
  if (rank < 2)
    return emitOptionalError(loc, "operand 'a' must have rank >= 2, but got ",
                             aType);
  auto differ = [](int64_t x, int64_t y) {
    return !ShapedType::isDynamic(x) && !ShapedType::isDynamic(y) && x != y;
  };
  if (differ(aType.getDimSize(rank - 2), aType.getDimSize(rank - 1)))
    return emitOptionalError(
        loc, "two minor dimensions of operand 'a' must be compatible, but got ",
        aType);
  if (bType.getRank() != rank)
    return emitOptionalError(loc, "operands must have equal rank, but got ",
                             aType, " and ", bType);
  if (differ(aType.getDimSize(rank - 1),
             bType.getDimSize(rank - (leftSide ? 2 : 1))))
    return emitOptionalError(
        loc,
        "shared dimension of operands 'a' and 'b' must be compatible, but "
        "got ",
        aType, " and ", bType);
  for (int64_t d = 0; d < rank - 2; ++d)
    if (differ(aType.getDimSize(d), bType.getDimSize(d)))
      return emitOptionalError(
          loc, "batch dimensions of the operands must be compatible, but got ",
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
  // The last operand of batch_norm_grad has the shape of the first.
  bool isGradient = others.size() == 4 && numResults == 3;
  ValueRange vectors = isGradient ? others.drop_back() : others;
  if (isGradient &&
      failed(verifyCompatibleShape(others.back().getType(), type)))
    return emitOptionalError(
        loc, "expects multi-dimensional operands to have compatible shapes.");
  // Compare the feature count with the first vector.
  int64_t first =
      cast<RankedTensorType>(vectors.front().getType()).getDimSize(0);
  int64_t size = ShapedType::kDynamic;
  for (Value vector : vectors) {
    int64_t own = cast<RankedTensorType>(vector.getType()).getDimSize(0);
    if (!ShapedType::isDynamic(size) && !ShapedType::isDynamic(own) &&
        size != own)
      return emitOptionalError(
          loc,
          "expects single-dimensional operands to have compatible shapes.");
    size = ShapedType::isDynamic(size) ? own : size;
  }
  if (featureIndex < 0 || featureIndex >= type.getRank())
    return emitOptionalError(
        loc,
        "expects featureIndex to be smaller than the rank of "
        "multi-dimensional operands; got featureIndex ",
        featureIndex, ", and rank ", type.getRank(), ".");
  int64_t features = type.getDimSize(featureIndex);
  if (!ShapedType::isDynamic(first) && !ShapedType::isDynamic(features) &&
      first != features)
    return emitOptionalError(
        loc,
        "expects the size of single-dimensional operands to be "
        "compatible with feature count, but the size of "
        "single-dimensional operands is ",
        first, " and the feature count is ", features, ".");
  types.push_back(type);
  Dims bounds = boundsOf(type);
  SmallVector<int64_t, 1> bound;
  if (!bounds.empty())
    bound.push_back(bounds[featureIndex]);
  for (int i = 1; i < numResults; ++i)
    types.push_back(tensorType({features}, bound, type.getElementType()));
  return success();
}

LogicalResult inferRng(MaybeLoc loc, Value a, Value /*b*/, Value shape,
                       RngDistribution distribution, Types &types) {
  auto aType = cast<RankedTensorType>(a.getType());
  auto shapeType = cast<RankedTensorType>(shape.getType());
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

LogicalResult inferAsyncDone(MaybeLoc loc, Value future, Types &types) {
  ArrayRef<Type> held = cast<FutureType>(future.getType()).getTypes();
  if (held.size() != 1)
    return emitOptionalError(
        loc,
        "'stablehlo.async_done' op future must have exactly one type "
        "parameter, but got ",
        held.size());
  types.push_back(held.front());
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
