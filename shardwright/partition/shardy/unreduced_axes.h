//===- unreduced_axes.h - make reductions explicit --------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A value with unreduced axes holds partial sums along them. If a user needs it
// reduced, an sdy.all_reduce is inserted; if a user needs a reduced value
// unreduced, all devices but one get zeros.
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_SHARDY_UNREDUCED_AXES_H
#define SHARDWRIGHT_PARTITION_SHARDY_UNREDUCED_AXES_H

#include "shardwright/dialect/sdy/sdy.h"
#include "shardwright/mesh/sharding.h"

#include "mlir/IR/Builders.h"

namespace shardwright {

/// Reduces `value` along its unreduced axes that `target` (null: no axes) does
/// not have; returns `value` if there are none.
mlir::Value reduceDroppedAxes(mlir::OpBuilder &builder, mlir::Location loc,
                              mlir::Value value,
                              sdy::TensorShardingAttr target);

/// True if `target` has unreduced axes that `source` does not have.
bool gainsUnreducedAxes(sdy::TensorShardingAttr source,
                        sdy::TensorShardingAttr target, mlir::Operation *op);

/// `value` with the unreduced axes of `target` (and, if that needs a reshard,
/// its dimension shardings). Fails with a diagnostic at `op` if the value
/// already has other unreduced axes.
llvm::FailureOr<mlir::Value> gainUnreducedAxes(mlir::OpBuilder &builder,
                                               mlir::Operation *op,
                                               mlir::Value value,
                                               sdy::TensorShardingAttr target);

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_SHARDY_UNREDUCED_AXES_H
