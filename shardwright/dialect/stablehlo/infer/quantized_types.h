//===- quantized_types.h - quantized types of moved data --------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_DIALECT_STABLEHLO_INFER_QUANTIZED_TYPES_H
#define SHARDWRIGHT_DIALECT_STABLEHLO_INFER_QUANTIZED_TYPES_H

#include "mlir/IR/Types.h"

namespace shardwright::stablehlo {

/// True if two element types are compatible apart from their quantized
/// dimensions, which ops that move dimensions renumber.
bool areElementTypesAlike(mlir::Type a, mlir::Type b);

/// The element type after a transpose, which `permutation` gives a new
/// quantized dimension. Other types are unchanged.
mlir::Type permutedElementType(mlir::Type element,
                               llvm::ArrayRef<int64_t> permutation);

} // namespace shardwright::stablehlo

#endif // SHARDWRIGHT_DIALECT_STABLEHLO_INFER_QUANTIZED_TYPES_H
