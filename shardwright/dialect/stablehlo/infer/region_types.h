//===- region_types.h - types inside and outside of a region ------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_DIALECT_STABLEHLO_INFER_REGION_TYPES_H
#define SHARDWRIGHT_DIALECT_STABLEHLO_INFER_REGION_TYPES_H

#include "mlir/IR/Types.h"

namespace shardwright::stablehlo {

/// True if two values may be the same one in a reduction: compatible types,
/// where all floats count as one kind of number.
bool sameUpToPrecision(mlir::Type a, mlir::Type b);

} // namespace shardwright::stablehlo

#endif // SHARDWRIGHT_DIALECT_STABLEHLO_INFER_REGION_TYPES_H
