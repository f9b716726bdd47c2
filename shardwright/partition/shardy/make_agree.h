//===- make_agree.h - reshard operands to common axes -----------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_SHARDY_MAKE_AGREE_H
#define SHARDWRIGHT_PARTITION_SHARDY_MAKE_AGREE_H

#include "shardwright/partition/shardy/common_factor_axes.h"

#include "shardwright/dialect/sdy/sdy.h"

namespace shardwright {

/// True if there is no sharding, or one without axes, also no unreduced ones.
bool isReplicated(sdy::TensorShardingAttr sharding);
sdy::TensorShardingAttr closedReplicated(mlir::Value value,
                                         mlir::Attribute mesh);

/// The mesh on which the most tensors are sharded if all meshes have equal
/// axes; otherwise null.
mlir::Attribute chooseMesh(mlir::ModuleOp module,
                           llvm::ArrayRef<sdy::TensorShardingAttr> shardings);

/// Reshards operands before the op and results after it, so that all its
/// tensors have the axes chosen by chooseFactorAxes(), and reduces results.
/// `shardings`: current shardings of operands, then of results. markPartial:
/// see allReduceResults().
void makeAgree(mlir::Operation *op, OpFactors &factors,
               llvm::ArrayRef<sdy::TensorShardingAttr> shardings,
               mlir::Attribute meshOrRef, bool markPartial);

/// Inserts an all_reduce after each result, except along axes along which the
/// first result stays unreduced. markPartial: the shardings of the results
/// state the axes to reduce as unreduced, if the op combines parts by a kind of
/// reduction that shardings can state.
void allReduceResults(mlir::Operation *op, AxisList axes, const Mesh &mesh,
                      mlir::Attribute meshOrRef, bool markPartial);

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_SHARDY_MAKE_AGREE_H
