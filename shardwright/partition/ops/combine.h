//===- combine.h - ops and regions of reducers ------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_OPS_COMBINE_H
#define SHARDWRIGHT_PARTITION_OPS_COMBINE_H

#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/rules/reducer.h"

#include "mlir/IR/Builders.h"

namespace shardwright {

/// The elementwise StableHLO op of this kind.
mlir::Value buildCombine(mlir::OpBuilder &builder, mlir::Location loc,
                         ReducerKind kind, mlir::Value lhs, mlir::Value rhs);

/// Compares signed integers of one type.
mlir::Value buildCompare(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::Value lhs, mlir::Value rhs,
                         stablehlo::ComparisonDirection direction);

/// A constant of zeros; -0 for floats if `negative`.
mlir::Value buildZero(mlir::OpBuilder &builder, mlir::Location loc,
                      mlir::RankedTensorType type, bool negative = false);

/// Fills an empty region with a reducer of scalars of this type.
void buildReducerBody(mlir::Region &body, mlir::Location loc, ReducerKind kind,
                      mlir::Type elementType);

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_OPS_COMBINE_H
