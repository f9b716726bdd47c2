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

/// Each shard would fold in the initial value, which must count once: replaces
/// initial values that are not the identity by the identity. Returns, by
/// result, the value to fold in afterwards, or null if the op keeps its own.
/// (For idempotent reducers such as max this would not be necessary, but
/// compilers take the initial value of a reduction of one element for the
/// identity.)
llvm::SmallVector<mlir::Value> takeInits(stablehlo::ReduceOp reduce,
                                         ReducerKind kind);

/// True if the reducer maps its initial values to themselves, so that each part
/// may fold them in. False if they are not constants.
bool mayRepeatInits(stablehlo::ReduceOp reduce);

/// Combines `whole`, which has the given layout, with the scalar `init`, which
/// has layout `at`. If `whole` stays a partial sum, the initial value becomes
/// one as well, so that it counts once.
mlir::Value foldInit(mlir::OpBuilder &builder, mlir::Value whole,
                     mlir::Value init, const Layout &at, ReducerKind kind,
                     const Layout &layout, MeshTable &meshes);

/// For a reduce whose partial results no collective can combine (argmax and
/// similar ones): reduces within each shard of the given layout of the inputs,
/// then over one element per shard. Returns the replacement ops, in order (the
/// reduce itself if it stays); their shardings keep the first step local.
llvm::SmallVector<mlir::Operation *> splitReduce(stablehlo::ReduceOp reduce,
                                                 const Layout &layout,
                                                 const MeshTable &meshes);

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_INSERT_REDUCE_PARTS_H
