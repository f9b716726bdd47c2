//===- tensor_types.cc - shapes and sizes of tensor types -----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/support/tensor_types.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace shardwright {

ArrayRef<int64_t> dimsOf(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? tensor.getShape() : ArrayRef<int64_t>();
}

std::optional<int64_t> countElements(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return std::nullopt;
  int64_t count = 1;
  for (int64_t size : tensor.getShape()) {
    if (ShapedType::isDynamic(size))
      return std::nullopt;
    count *= size;
  }
  return count;
}

Type elementTypeOf(Type type) {
  // Without a search for the interface of shaped types.
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return tensor.getElementType();
  return getElementTypeOrSelf(type);
}

bool isStaticTensor(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape();
}

bool isShardable(Type type) {
  return isStaticTensor(type) && !dimsOf(type).empty();
}

double elementBytes(Type type) {
  Type element = elementTypeOf(type);
  if (auto complex = dyn_cast<ComplexType>(element))
    return 2 * elementBytes(complex.getElementType());
  if (element.isInteger(1))
    return 1;
  if (element.isIntOrFloat())
    return double(element.getIntOrFloatBitWidth()) / 8;
  return 4;
}

bool hasKind(Type type, ReductionKind kind) {
  return kind == ReductionKind::Sum || elementTypeOf(type).isIntOrFloat();
}

} // namespace shardwright
