//===- reduce_parts.h - reductions over sharded dimensions ------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_INSERT_REDUCE_PARTS_H
#define SHARDWRIGHT_PARTITION_INSERT_REDUCE_PARTS_H

#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/partition/layout/layout.h"
#include "shardwright/rules/reducer.h"

namespace shardwright {

/// Every shard would fold the initial value into its part although it counts
/// once: replaces one that is not the identity by the identity. Returns, by
/// result, the value to fold in afterwards, null where the op keeps its own.
/// (For max and the like once more would do no harm, but compilers take the
/// initial value of a reduction of one element for the identity.)
llvm::SmallVector<mlir::Value> takeInits(stablehlo::ReduceOp reduce,
                                         ReducerKind kind);

/// The reducer makes of its initial values these values again, so that folding
/// them in once for each part changes nothing. False where they are not
/// constants.
bool mayRepeatInits(stablehlo::ReduceOp reduce);

/// `whole`, which has the given layout, combined with the scalar `init`, which
/// has layout `at`. Where `whole` stays a partial sum, the initial value
/// becomes one as well, so that it counts once.
mlir::Value foldInit(mlir::OpBuilder &builder, mlir::Value whole,
                     mlir::Value init, const Layout &at, ReducerKind kind,
                     const Layout &layout, MeshTable &meshes);

/// A scalar.
mlir::Value constantScalar(mlir::OpBuilder &builder, mlir::Location loc,
                           mlir::TypedAttr value);

/// `value` with so many rows of a dimension, those beyond the end being `fill`;
/// in the given layout. The op goes to `ops`.
mlir::Value padRows(mlir::OpBuilder &builder, mlir::Value value, int64_t dim,
                    int64_t rows, mlir::Value fill, const Layout &layout,
                    const MeshTable &meshes,
                    llvm::SmallVectorImpl<mlir::Operation *> &ops);

/// A reduce whose parts no collective can combine (argmax and the like):
/// reduces within each shard of the given layout of the inputs, then over one
/// element a shard. Returns the ops that take its place, in order (the reduce
/// itself if it stays); they carry the shardings that keep the first step
/// local.
llvm::SmallVector<mlir::Operation *> splitReduce(stablehlo::ReduceOp reduce,
                                                 const Layout &layout,
                                                 const MeshTable &meshes);

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_INSERT_REDUCE_PARTS_H
