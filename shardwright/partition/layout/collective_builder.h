//===- collective_builder.h - plans as sdy collectives ----------*- C++ -*-===//
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

/// Discardable attribute of sdy.all_reduce and sdy.reduce_scatter that names
/// what combines the parts when it is not `add`: the StableHLO op's name.
inline constexpr llvm::StringLiteral kReducerAttrName = "sw.reducer";

/// Discardable attribute of an sdy.reshard that is done as a direct exchange
/// (direct_exchange.h).
inline constexpr llvm::StringLiteral kExchangeAttrName = "sw.exchange";

/// The kind that an all_reduce or reduce_scatter combines by; none if the
/// attribute names no op.
std::optional<ReducerKind> getReducer(mlir::Operation *collective);

/// Moves `value` from one layout to the other, of any rank. Completes and makes
/// partial sums as the layouts say; goes to meshes with another device order
/// and to meshes with other axes. New ops take `loc`.
mlir::Value buildReshard(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::Value value, const Layout &from,
                         const Layout &to, MeshTable &meshes);

/// What buildReshard would cost.
double reshardCost(mlir::Type type, const Layout &from, const Layout &to,
                   MeshTable &meshes);

/// Completes a partial result: reduce_scatter, then all_reduce.
mlir::Value buildCompletion(mlir::OpBuilder &builder, mlir::Location loc,
                            mlir::Value value, int32_t mesh,
                            const Completion &completion, ReducerKind reducer,
                            MeshTable &meshes);

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_LAYOUT_COLLECTIVE_BUILDER_H
