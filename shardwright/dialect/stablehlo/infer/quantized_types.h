//===- quantized_types.h - quantized element types of moved data --------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_DIALECT_STABLEHLO_INFER_QUANTIZED_TYPES_H
#define SHARDWRIGHT_DIALECT_STABLEHLO_INFER_QUANTIZED_TYPES_H

#include "mlir/IR/Types.h"

namespace shardwright::stablehlo {

/// Whether two element types are compatible but for their quantized
/// dimensions, which ops that move dimensions renumber.
bool areElementTypesAlike(mlir::Type a, mlir::Type b);

/// The element type after a transposition: its quantized dimension is where
/// `permutation` takes it. Other types stay.
mlir::Type permutedElementType(mlir::Type element,
                               llvm::ArrayRef<int64_t> permutation);

} // namespace shardwright::stablehlo

#endif // SHARDWRIGHT_DIALECT_STABLEHLO_INFER_QUANTIZED_TYPES_H
