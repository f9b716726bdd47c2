//===- make_agree.h - one set of axes for each factor of an op --*- C++ -*-===//
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

/// Absent, or without axes and nothing unreduced.
bool isReplicated(sdy::TensorShardingAttr sharding);
sdy::TensorShardingAttr closedReplicated(mlir::Value value,
                                         mlir::Attribute mesh);

/// The mesh on which the most tensors are sharded, if all are on meshes with
/// the same axes; else null.
mlir::Attribute chooseMesh(mlir::ModuleOp module,
                           llvm::ArrayRef<sdy::TensorShardingAttr> shardings);

/// Reshards operands before the op and results after it, so that all its
/// tensors have the axes that chooseFactorAxes() names, and sums results up.
/// `shardings`: of operands, then of results, as they are.
void makeAgree(mlir::Operation *op, OpFactors &factors,
               llvm::ArrayRef<sdy::TensorShardingAttr> shardings,
               mlir::Attribute meshOrRef);

/// Puts an all_reduce after each result, but over axes along which the first is
/// to stay unreduced.
void allReduceResults(mlir::Operation *op, AxisList axes, const Mesh &mesh,
                      mlir::Attribute meshOrRef);

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_SHARDY_MAKE_AGREE_H
