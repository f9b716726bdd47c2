//===- infer.cc - result types of CHLO ops ------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/chlo/infer.h"

#include "shardwright/dialect/stablehlo/infer/infer.h"

using namespace mlir;

namespace shardwright::chlo {

static bool isDynamic(int64_t size) { return ShapedType::isDynamic(size); }

LogicalResult inferSameTypeOrUnranked(MaybeLoc loc, ValueRange operands,
                                      Types &types) {
  for (Type type : operands.getTypes())
    if (!isa<RankedTensorType>(type)) {
      types.push_back(type);
      return success();
    }
  return stablehlo::inferSameType(loc, operands, types);
}

LogicalResult inferTopK(MaybeLoc loc, Value operand, int64_t k, Types &types) {
  auto *context = operand.getContext();
  Type i32 = IntegerType::get(context, 32);
  auto type = dyn_cast<RankedTensorType>(operand.getType());
  if (!type) {
    types.push_back(operand.getType());
    types.push_back(cast<ShapedType>(operand.getType()).clone(i32));
    return success();
  }
  if (type.getRank() < 1)
    return emitOptionalError(loc, "operand's rank must be at least 1");
  if (k < 0)
    return emitOptionalError(loc, "k must not be negative, got ", k);
  SmallVector<int64_t> shape(type.getShape());
  if (!isDynamic(shape.back()) && shape.back() < k)
    return emitOptionalError(loc, "operand's last dimension must be at least ",
                             k);
  shape.back() = k;
  ArrayRef<int64_t> bounds = stablehlo::boundsOf(type);
  types.push_back(stablehlo::tensorType(shape, bounds, type.getElementType()));
  types.push_back(stablehlo::tensorType(shape, bounds, i32));
  return success();
}

// The size of a dimension of the broadcast of two shapes.
static FailureOr<int64_t> broadcastSize(int64_t a, int64_t b) {
  if (a == b || b == 1)
    return a;
  if (a == 1)
    return b;
  if (isDynamic(a))
    return b;
  if (isDynamic(b))
    return a;
  return failure();
}

LogicalResult
inferBroadcastBinary(MaybeLoc loc, Value lhs, Value rhs,
                     std::optional<ArrayRef<int64_t>> broadcastDimensions,
                     Type elementType, Types &types) {
  auto lhsType = cast<ShapedType>(lhs.getType()),
       rhsType = cast<ShapedType>(rhs.getType());
  if (lhsType.getElementType() != rhsType.getElementType())
    return emitOptionalError(loc, "mismatched operand types");
  if (!elementType)
    elementType = lhsType.getElementType();
  if (!lhsType.hasRank() || !rhsType.hasRank()) {
    types.push_back(UnrankedTensorType::get(elementType));
    return success();
  }
  auto small = lhsType.getRank() <= rhsType.getRank() ? lhsType : rhsType;
  auto large = lhsType.getRank() <= rhsType.getRank() ? rhsType : lhsType;
  int64_t offset = large.getRank() - small.getRank();
  SmallVector<int64_t> map;
  for (int64_t d = 0; d < small.getRank(); ++d)
    map.push_back(d + offset);
  if (broadcastDimensions) {
    // With equal ranks or a scalar, the attribute may be empty.
    if (!broadcastDimensions->empty() || small.getRank() != 0)
      map.assign(broadcastDimensions->begin(), broadcastDimensions->end());
    if (static_cast<int64_t>(map.size()) != small.getRank())
      return emitOptionalError(
          loc, "broadcast_dimensions implies invalid ranks: expected ",
          small.getRank(), " entries, got ", map.size());
    for (auto [index, dim] : llvm::enumerate(map))
      if (dim < 0 || dim >= large.getRank() || (index && dim <= map[index - 1]))
        return emitOptionalError(
            loc, "broadcast_dimensions must be increasing and below ",
            large.getRank(), ", got ", dim);
  }
  SmallVector<int64_t> shape(large.getShape());
  for (auto [index, dim] : llvm::enumerate(map)) {
    FailureOr<int64_t> size =
        broadcastSize(shape[dim], small.getDimSize(index));
    if (failed(size))
      return emitOptionalError(loc, "shapes cannot be broadcast: sizes ",
                               shape[dim], " and ", small.getDimSize(index),
                               " in dimension ", dim);
    shape[dim] = *size;
  }
  types.push_back(RankedTensorType::get(shape, elementType));
  return success();
}

LogicalResult inferBroadcastSelect(MaybeLoc loc, Value pred, Value onTrue,
                                   Value onFalse, Types &types) {
  auto trueType = cast<ShapedType>(onTrue.getType());
  if (trueType.getElementType() != getElementTypeOrSelf(onFalse.getType()))
    return emitOptionalError(loc, "mismatched operand types");
  SmallVector<int64_t> shape;
  for (Value value : {pred, onTrue, onFalse}) {
    auto type = cast<ShapedType>(value.getType());
    if (!type.hasRank()) {
      types.push_back(UnrankedTensorType::get(trueType.getElementType()));
      return success();
    }
    // Aligned to the right.
    int64_t grow = type.getRank() - static_cast<int64_t>(shape.size());
    if (grow > 0)
      shape.insert(shape.begin(), grow, 1);
    int64_t offset = static_cast<int64_t>(shape.size()) - type.getRank();
    for (int64_t d = 0; d < type.getRank(); ++d) {
      FailureOr<int64_t> size =
          broadcastSize(shape[d + offset], type.getDimSize(d));
      if (failed(size))
        return emitOptionalError(loc,
                                 "operand shapes cannot be broadcast together");
      shape[d + offset] = *size;
    }
  }
  types.push_back(RankedTensorType::get(shape, trueType.getElementType()));
  return success();
}

} // namespace shardwright::chlo
