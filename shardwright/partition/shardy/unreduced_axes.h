//===- unreduced_axes.h - reductions made explicit --------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A value with unreduced axes holds partial sums along them. Where a user wants
// it without, an sdy.all_reduce goes in between; where a user wants a whole
// value unreduced, the others' parts become zeros.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_SHARDY_UNREDUCED_AXES_H
#define SHARDWRIGHT_PARTITION_SHARDY_UNREDUCED_AXES_H

#include "shardwright/dialect/sdy/sdy.h"
#include "shardwright/mesh/sharding.h"

#include "mlir/IR/Builders.h"

namespace shardwright {

/// `value` reduced along those of its unreduced axes that `target` (null: no
/// axes) does not have; the value itself if there are none.
mlir::Value reduceDroppedAxes(mlir::OpBuilder &builder, mlir::Location loc,
                              mlir::Value value,
                              sdy::TensorShardingAttr target);

/// Whether going from `source` to `target` adds unreduced axes.
bool gainsUnreducedAxes(sdy::TensorShardingAttr source,
                        sdy::TensorShardingAttr target, mlir::Operation *op);

/// `value` with the unreduced axes of `target` (and, where that takes a
/// reshard, its dimension shardings). Fails with a diagnostic at `op` if value
/// has others already.
llvm::FailureOr<mlir::Value> gainUnreducedAxes(mlir::OpBuilder &builder,
                                               mlir::Operation *op,
                                               mlir::Value value,
                                               sdy::TensorShardingAttr target);

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_SHARDY_UNREDUCED_AXES_H
