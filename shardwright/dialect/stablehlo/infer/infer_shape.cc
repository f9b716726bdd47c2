//===- infer_shape.cc - result types of ops that move data --------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "shardwright/dialect/stablehlo/infer/infer.h"
#include "shardwright/dialect/stablehlo/infer/quantized_types.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;

namespace shardwright::stablehlo {

static bool isDynamic(int64_t size) { return ShapedType::isDynamic(size); }

SmallVector<int64_t> fullBounds(RankedTensorType type) {
  SmallVector<int64_t> bounds(type.getRank(), ShapedType::kDynamic);
  llvm::copy(boundsOf(type), bounds.begin());
  return bounds;
}

LogicalResult inferBroadcast(MaybeLoc loc, Value operand, Dims sizes,
                             Types &types) {
  auto type = cast<RankedTensorType>(operand.getType());
  for (int64_t size : sizes)
    if (size < 0)
      return emitOptionalError(loc, "Broadcast with negative dimension size ",
                               size);
  SmallVector<int64_t> shape(sizes), bounds(sizes.size(), ShapedType::kDynamic);
  llvm::append_range(shape, type.getShape());
  llvm::append_range(bounds, fullBounds(type));
  types.push_back(tensorType(shape, bounds, type.getElementType()));
  return success();
}

LogicalResult inferTranspose(MaybeLoc loc, Value operand, Dims permutation,
                             Types &types) {
  auto type = cast<RankedTensorType>(operand.getType());
  int64_t rank = type.getRank();
  if (static_cast<int64_t>(permutation.size()) != rank)
    return emitOptionalError(loc, "TransposeOp operand rank ", rank,
                             " does not match permutation size ",
                             permutation.size());
  llvm::SmallBitVector seen(rank);
  for (int64_t dim : permutation) {
    if (dim < 0 || dim >= rank || seen.test(dim))
      return emitOptionalError(
          loc, "attribute permutation must be a permutation of ",
          dimsText(llvm::to_vector(llvm::seq<int64_t>(0, rank))), " but got ",
          StringRef(dimsText(permutation)).drop_front().drop_back());
    seen.set(dim);
  }
  SmallVector<int64_t> from = fullBounds(type), shape, bounds;
  for (int64_t dim : permutation) {
    shape.push_back(type.getDimSize(dim));
    bounds.push_back(from[dim]);
  }
  types.push_back(tensorType(
      shape, bounds, permutedElementType(type.getElementType(), permutation)));
  return success();
}

LogicalResult inferSlice(MaybeLoc loc, Value operand, Dims start, Dims limit,
                         Dims strides, Types &types) {
  auto type = cast<RankedTensorType>(operand.getType());
  size_t rank = type.getRank();
  if (start.size() != rank)
    return emitOptionalError(
        loc, "the number of elements in start_indices (", start.size(),
        ") does not match the rank of the operand (", rank, ")");
  if (limit.size() != rank)
    return emitOptionalError(
        loc, "the number of elements in limit_indices (", limit.size(),
        ") does not match the number of elements in start_indices (",
        start.size(), ")");
  if (strides.size() != rank)
    return emitOptionalError(
        loc, "the number of elements in strides (", strides.size(),
        ") does not match the number of elements in start_indices (",
        start.size(), ")");
  SmallVector<int64_t> bounds = fullBounds(type), shape;
  for (size_t d = 0; d < rank; ++d) {
    if (start[d] < 0)
      return emitOptionalError(loc, "negative start index ", start[d],
                               " in dimension ", d);
    int64_t size =
        isDynamic(type.getDimSize(d)) ? bounds[d] : type.getDimSize(d);
    if (!isDynamic(size) && limit[d] > size)
      return emitOptionalError(loc, "limit index ", limit[d],
                               isDynamic(type.getDimSize(d))
                                   ? " is larger than dimension bound "
                                   : " is larger than dimension size ",
                               size, " in dimension ", d);
    if (start[d] > limit[d])
      return emitOptionalError(loc, "start index ", start[d],
                               " is larger than limit index ", limit[d],
                               " in dimension ", d);
    if (strides[d] <= 0)
      return emitOptionalError(loc, "stride must be positive but got ",
                               strides[d], " in dimension ", d);
    int64_t span = limit[d] - start[d];
    shape.push_back(span == 0 ? 0 : (span - 1) / strides[d] + 1);
  }
  types.push_back(RankedTensorType::get(shape, type.getElementType()));
  return success();
}

LogicalResult inferDynamicSlice(MaybeLoc loc, Value operand,
                                ValueRange startIndices, Dims sizes,
                                Types &types) {
  auto type = cast<RankedTensorType>(operand.getType());
  size_t rank = type.getRank();
  if (sizes.size() != startIndices.size())
    return emitOptionalError(loc, "has mismatched number of slice sizes (",
                             sizes.size(), ") and number of start indices (",
                             startIndices.size(), ")");
  if (startIndices.size() != rank)
    return emitOptionalError(loc, "has mismatched number of start indices (",
                             startIndices.size(), ") and the rank of operand (",
                             rank, ")");
  if (!llvm::all_equal(startIndices.getTypes()))
    return emitOptionalError(loc, "start indices must have same element type");
  for (size_t d = 0; d < rank; ++d) {
    if (sizes[d] < 0)
      return emitOptionalError(
          loc, "has negative size index to dynamic slice: ", sizes[d]);
    if (!type.isDynamicDim(d) && sizes[d] > type.getDimSize(d))
      return emitOptionalError(
          loc, "has slice size ", sizes[d], " greater than dimension size ",
          type.getDimSize(d), " in dimension ", d, " of operand");
  }
  types.push_back(RankedTensorType::get(sizes, type.getElementType()));
  return success();
}

LogicalResult inferDynamicUpdateSlice(MaybeLoc loc, Value operand, Value update,
                                      ValueRange startIndices, Types &types) {
  auto type = cast<RankedTensorType>(operand.getType());
  auto updateType = cast<RankedTensorType>(update.getType());
  if (updateType.getRank() != type.getRank())
    return emitOptionalError(loc, "update rank does not match operand rank: ",
                             updateType.getRank(), " vs ", type.getRank(), ".");
  if (static_cast<int64_t>(startIndices.size()) != type.getRank())
    return emitOptionalError(
        loc, "expects number of start_indices to match operand rank: ",
        startIndices.size(), " vs ", type.getRank(), ".");
  if (!areElementTypesCompatible(type.getElementType(),
                                 updateType.getElementType()))
    return emitOptionalError(
        loc, "expects update element type to match the operand's: ",
        updateType.getElementType(), " vs ", type.getElementType(), ".");
  if (!llvm::all_equal(startIndices.getTypes()))
    return emitOptionalError(loc, "start indices must have same element type");
  SmallVector<int64_t> bounds = fullBounds(type);
  for (int64_t d = 0; d < type.getRank(); ++d) {
    int64_t limit = type.isDynamicDim(d) ? bounds[d] : type.getDimSize(d);
    if (!updateType.isDynamicDim(d) && !isDynamic(limit) &&
        updateType.getDimSize(d) > limit)
      return emitOptionalError(loc, "expects size at dimension ", d,
                               " of update to be in range [0, ", limit,
                               "]. Got: ", updateType.getDimSize(d), ".");
  }
  types.push_back(type);
  return success();
}

LogicalResult inferConcatenate(MaybeLoc loc, ValueRange inputs,
                               int64_t dimension, Types &types) {
  if (inputs.empty())
    return emitOptionalError(loc, "expected 1 or more operands, but found 0");
  auto first = cast<RankedTensorType>(inputs.front().getType());
  int64_t rank = first.getRank();
  if (dimension < 0)
    return emitOptionalError(loc, "dimension ", dimension, " is negative");
  if (rank == 0)
    return emitOptionalError(loc, "rank-0 values cannot be concatenated");
  if (dimension >= rank)
    return emitOptionalError(loc, "dimension ", dimension,
                             " is out-of-bounds for input rank ", rank);
  SmallVector<int64_t> shape(first.getShape()), bounds = fullBounds(first);
  int64_t total = 0, totalBound = 0;
  for (auto [index, input] : llvm::enumerate(inputs)) {
    auto type = cast<RankedTensorType>(input.getType());
    if (type.getRank() != rank)
      return emitOptionalError(loc, "operands (0) and (", index,
                               ") do not match rank");
    if (!areElementTypesCompatible(type.getElementType(),
                                   first.getElementType()))
      return emitOptionalError(
          loc, "operands (0) and (", index,
          ") do not match element types: ", first.getElementType(), " and ",
          type.getElementType());
    SmallVector<int64_t> own = fullBounds(type);
    for (int64_t d = 0; d < rank; ++d) {
      int64_t size = type.getDimSize(d);
      if (d == dimension) {
        int64_t most = isDynamic(size) ? own[d] : size;
        total = isDynamic(size) || isDynamic(total)
                    ? ShapedType::kDynamic
                    : clampSize(static_cast<WideSize>(total) + size);
        totalBound = isDynamic(most) || isDynamic(totalBound)
                         ? ShapedType::kDynamic
                         : clampSize(static_cast<WideSize>(totalBound) + most);
        continue;
      }
      if (!isDynamic(size) && !isDynamic(shape[d]) && size != shape[d])
        return emitOptionalError(
            loc, "shapes of operand (0) and (", index,
            ") are not compatible at non-concat index ", d, ": (",
            StringRef(dimsText(first.getShape())).drop_front().drop_back(),
            ") != (",
            StringRef(dimsText(type.getShape())).drop_front().drop_back(), ")");
      if (!isDynamic(size))
        shape[d] = size;
      if (!isDynamic(own[d]))
        bounds[d] = isDynamic(bounds[d]) ? own[d] : std::min(bounds[d], own[d]);
    }
  }
  shape[dimension] = total;
  bounds[dimension] = totalBound;
  types.push_back(tensorType(shape, bounds, first.getElementType()));
  return success();
}

LogicalResult inferPad(MaybeLoc loc, Value operand, Value value, Dims low,
                       Dims high, Dims interior, Types &types) {
  auto type = cast<RankedTensorType>(operand.getType());
  auto valueType = cast<RankedTensorType>(value.getType());
  size_t rank = type.getRank();
  if (valueType.getRank() != 0)
    return emitOptionalError(
        loc, "padding value type should be a rank-0 tensor, is rank ",
        valueType.getRank());
  if (!areElementTypesCompatible(type.getElementType(),
                                 valueType.getElementType()))
    return emitOptionalError(
        loc, "requires the same element type for all operands and results");
  if (low.size() != rank)
    return emitOptionalError(loc, "edge_padding_low length (", low.size(),
                             ") must match operand rank (", rank, ")");
  if (high.size() != rank || interior.size() != rank)
    return emitOptionalError(loc,
                             high.size() != rank ? "edge_padding_high length ("
                                                 : "interior_padding length (",
                             high.size() != rank ? high.size()
                                                 : interior.size(),
                             ") must match operand rank (", rank, ")");
  SmallVector<int64_t> own = fullBounds(type), shape, bounds;
  for (size_t d = 0; d < rank; ++d) {
    if (interior[d] < 0)
      return emitOptionalError(
          loc, "Interior padding cannot be negative: ", interior[d]);
    auto padded = [&](int64_t size) -> int64_t {
      if (isDynamic(size))
        return ShapedType::kDynamic;
      return clampSize(static_cast<WideSize>(low[d]) + size +
                       static_cast<WideSize>(std::max<int64_t>(size - 1, 0)) *
                           interior[d] +
                       high[d]);
    };
    shape.push_back(padded(type.getDimSize(d)));
    bounds.push_back(padded(own[d]));
    bool dynamic = type.isDynamicDim(d);
    int64_t size = dynamic ? bounds[d] : shape[d];
    if ((!dynamic || !isDynamic(own[d])) && size < 0)
      return emitOptionalError(loc, "Padding result in negative ",
                               dynamic ? "bound" : "size", " for dimension ",
                               d);
  }
  types.push_back(tensorType(shape, bounds, type.getElementType()));
  return success();
}

//===----------------------------------------------------------------------===//
// Sizes as values
//===----------------------------------------------------------------------===//

LogicalResult inferGetDimensionSize(MaybeLoc loc, Value operand,
                                    int64_t dimension, Types &types) {
  auto type = cast<RankedTensorType>(operand.getType());
  if (dimension < 0 || dimension >= type.getRank())
    return emitOptionalError(loc, "requires dimension attribute in range [0, ",
                             type.getRank(), "); found (", dimension, ")");
  types.push_back(
      RankedTensorType::get({}, IntegerType::get(type.getContext(), 32)));
  return success();
}

LogicalResult inferSetDimensionSize(MaybeLoc loc, Value operand, Value size,
                                    int64_t dimension, Types &types) {
  auto type = cast<RankedTensorType>(operand.getType());
  auto sizeType = cast<RankedTensorType>(size.getType());
  if (sizeType.getRank() != 0)
    return emitOptionalError(loc, "size operand should be of rank-0");
  if (dimension < 0 || dimension >= type.getRank())
    return emitOptionalError(loc, "requires dimension attribute in range [0, ",
                             type.getRank(), "); found (", dimension, ")");
  SmallVector<int64_t> shape(type.getShape()), bounds = fullBounds(type);
  if (!isDynamic(shape[dimension]))
    bounds[dimension] = shape[dimension];
  // A constant equal to the full size keeps the dimension static.
  shape[dimension] = ShapedType::kDynamic;
  DenseIntElementsAttr constant;
  if (matchPattern(size, m_Constant(&constant)) && constant.isSplat() &&
      constant.getSplatValue<APInt>() == bounds[dimension])
    shape[dimension] = bounds[dimension];
  types.push_back(tensorType(shape, bounds, type.getElementType()));
  return success();
}

} // namespace shardwright::stablehlo
