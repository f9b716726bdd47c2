//===- tensor_types.h - shapes and sizes of tensor types --------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_SUPPORT_TENSOR_TYPES_H
#define SHARDWRIGHT_PARTITION_SUPPORT_TENSOR_TYPES_H

#include "shardwright/mesh/sharding.h"

#include "mlir/IR/BuiltinTypes.h"

#include <optional>

namespace shardwright {

/// The dimensions of a ranked tensor; empty for any other type.
llvm::ArrayRef<int64_t> dimsOf(mlir::Type type);
/// The elements of a ranked tensor of static shape; none for any other type.
std::optional<int64_t> countElements(mlir::Type type);
/// mlir::getElementTypeOrSelf, which is slow, for any type.
mlir::Type elementTypeOf(mlir::Type type);
/// True if the type is a ranked tensor of static shape, of any rank: what
/// collectives can move.
bool isStaticTensor(mlir::Type type);
/// True if the type is a static tensor with at least one dimension.
bool isShardable(mlir::Type type);
/// True if there are partial values of this kind for the elements: complex
/// numbers have no maximum.
bool hasKind(mlir::Type type, ReductionKind kind);
/// Bytes of an element of the tensor; less than 1 for narrow integers.
double elementBytes(mlir::Type type);

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_SUPPORT_TENSOR_TYPES_H
