//===- reducer_ops.h - ops and regions of reducers --------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_OPS_REDUCER_OPS_H
#define SHARDWRIGHT_PARTITION_OPS_REDUCER_OPS_H

#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/rules/reducer.h"

#include "mlir/IR/Builders.h"

namespace shardwright {

/// Builds the elementwise StableHLO op of this kind.
mlir::Value buildCombine(mlir::OpBuilder &builder, mlir::Location loc,
                         ReducerKind kind, mlir::Value lhs, mlir::Value rhs);

/// Fills an empty region with a reducer of scalars of this type.
void buildReducerBody(mlir::Region &body, mlir::Location loc, ReducerKind kind,
                      mlir::Type elementType);

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_OPS_REDUCER_OPS_H
