//===- verify_sharding.h - checks shared by the sdy verifiers ---*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to this folder. Texts and their order are those of Shardy, because
// users' tests compare them; comments mark checks that only we have.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_DIALECT_SDY_VERIFY_SHARDING_H
#define SHARDWRIGHT_DIALECT_SDY_VERIFY_SHARDING_H

#include "shardwright/dialect/sdy/sdy.h"

#include "llvm/ADT/DenseSet.h"

namespace shardwright::sdy {

/// Starts a diagnostic that names the invalid value.
using EmitError = llvm::function_ref<mlir::InFlightDiagnostic()>;
using SeenAxes = llvm::SmallDenseSet<AxisRefAttr, 8>;

/// Checks `sharding` for a value of `type`; `type` may be null (an op without
/// results). The mesh and enclosing manual computations are looked up from
/// `op`.
mlir::LogicalResult verifySharding(TensorShardingAttr sharding, mlir::Type type,
                                   mlir::Operation *op, EmitError emitError);

/// Checks one sharding for each of `types`. Errors begin with `kind`, such as
/// `operand`, and the index if there are several values.
mlir::LogicalResult verifyShardings(TensorShardingPerValueAttr shardings,
                                    mlir::TypeRange types, mlir::Operation *op,
                                    llvm::StringRef kind);

/// Checks that names are known and unique (`seen` is shared between lists), and
/// that no neighbours could be merged.
mlir::LogicalResult verifyAxisList(llvm::ArrayRef<AxisRefAttr> axes,
                                   MeshAttr mesh, SeenAxes &seen,
                                   EmitError emitError);
/// True if the axes are in mesh order (not strictly).
bool isInMeshOrder(llvm::ArrayRef<AxisRefAttr> axes, MeshAttr mesh);
/// Checks that every sub-axis of one axis fits the axis and overlaps no other.
mlir::LogicalResult verifySubAxes(llvm::ArrayRef<AxisRefAttr> axes,
                                  MeshAttr mesh, EmitError emitError);

/// Checks that no axis of `names` is manual in an enclosing manual computation
/// of `op`.
mlir::LogicalResult verifyNotManual(llvm::ArrayRef<llvm::StringRef> names,
                                    mlir::Operation *op, EmitError emitError);

/// Checks the rule in `sdy.sharding_rule`.
mlir::LogicalResult verifyShardingRule(OpShardingRuleAttr rule,
                                       mlir::Operation *op);

} // namespace shardwright::sdy

#endif // SHARDWRIGHT_DIALECT_SDY_VERIFY_SHARDING_H
