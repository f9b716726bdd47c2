//===- collective_builder.h - emit plans as sdy collectives -----*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_LAYOUT_COLLECTIVE_BUILDER_H
#define SHARDWRIGHT_PARTITION_LAYOUT_COLLECTIVE_BUILDER_H

#include "shardwright/partition/decide/decide.h"
#include "shardwright/partition/layout/layout.h"
#include "shardwright/rules/reducer.h"

namespace shardwright {

/// The reducer kind of an all_reduce or reduce_scatter; none if the attribute
/// names no op.
std::optional<ReducerKind> getReducer(mlir::Operation *collective);

/// Moves `value` of any rank from one layout to the other. Reduces and creates
/// partial sums as the layouts require; the meshes may differ in device order
/// and axes. New ops get location `loc`.
mlir::Value buildReshard(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::Value value, const Layout &from,
                         const Layout &to, MeshTable &meshes);

/// Cost of buildReshard.
double reshardCost(mlir::Type type, const Layout &from, const Layout &to,
                   MeshTable &meshes);

/// Reduces a partial sum: reduce_scatter, then all_reduce.
mlir::Value buildSumResolution(mlir::OpBuilder &builder, mlir::Location loc,
                               mlir::Value value, int32_t mesh,
                               const SumResolution &resolution,
                               ReducerKind reducer, MeshTable &meshes);

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_LAYOUT_COLLECTIVE_BUILDER_H
