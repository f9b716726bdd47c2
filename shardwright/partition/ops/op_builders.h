//===- op_builders.h - ops that many rewrites build -------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_OPS_OP_BUILDERS_H
#define SHARDWRIGHT_PARTITION_OPS_OP_BUILDERS_H

#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/partition/layout/layout.h"

#include "mlir/IR/Builders.h"

namespace shardwright {

/// Builds a comparison of signed integers of one type.
mlir::Value buildCompare(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::Value lhs, mlir::Value rhs,
                         stablehlo::ComparisonDirection direction);

/// Builds a constant full of zeros; of floats, -0 if asked for.
mlir::Value buildZero(mlir::OpBuilder &builder, mlir::Location loc,
                      mlir::RankedTensorType type, bool negative = false);

/// The value with this shape; itself if it has it.
mlir::Value buildReshape(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::Value value, llvm::ArrayRef<int64_t> shape);

/// The value with its dimensions in this order; itself if that is theirs.
mlir::Value buildTranspose(mlir::OpBuilder &builder, mlir::Location loc,
                           mlir::Value value,
                           llvm::ArrayRef<int64_t> permutation);

/// Builds a constant of rank 0. `value` is a number or a splat.
mlir::Value buildScalar(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::TypedAttr value);

/// Builds an `if` that runs a clone of `op` where `predicate` holds, and
/// elsewhere gives zeros (-0 if asked for) of the same types. Fails with a
/// diagnostic if a result of the op has no zeros.
mlir::FailureOr<stablehlo::IfOp> buildConditional(mlir::OpBuilder &builder,
                                                  mlir::Operation *op,
                                                  mlir::Value predicate,
                                                  bool negative = false);

/// Pads `value` at the end of dimension `dim` to `rows` rows of `fill`. The
/// result has the given layout; the pad is appended to `ops`.
mlir::Value padRows(mlir::OpBuilder &builder, mlir::Value value, int64_t dim,
                    int64_t rows, mlir::Value fill, const Layout &layout,
                    const MeshTable &meshes,
                    llvm::SmallVectorImpl<mlir::Operation *> &ops);

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_OPS_OP_BUILDERS_H
