//===- dot_dimensions.h - paired dimensions of a product --------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_DIALECT_STABLEHLO_INFER_DOT_DIMENSIONS_H
#define SHARDWRIGHT_DIALECT_STABLEHLO_INFER_DOT_DIMENSIONS_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Location.h"

namespace shardwright::stablehlo {

/// The paired dimensions of a product; both lists of a pair have equal length.
struct DotDimensions {
  llvm::ArrayRef<int64_t> lhsBatching, rhsBatching, lhsContracting,
      rhsContracting;
};

/// Checks that dimensions are in range, have one role each and pair equal
/// sizes.
mlir::LogicalResult verifyDotDimensions(mlir::Location loc,
                                        mlir::RankedTensorType lhs,
                                        mlir::RankedTensorType rhs,
                                        const DotDimensions &dims);

} // namespace shardwright::stablehlo

#endif // SHARDWRIGHT_DIALECT_STABLEHLO_INFER_DOT_DIMENSIONS_H
