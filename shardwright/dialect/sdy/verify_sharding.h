//===- verify_sharding.h - checks shared by the sdy verifiers ---*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to this folder. Texts and their order are those of Shardy, as users'
// tests compare them; what only we diagnose says so beside it.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_DIALECT_SDY_VERIFY_SHARDING_H
#define SHARDWRIGHT_DIALECT_SDY_VERIFY_SHARDING_H

#include "shardwright/dialect/sdy/sdy.h"

#include "llvm/ADT/DenseSet.h"

namespace shardwright::sdy {

/// Starts a diagnostic that names the value at fault.
using EmitError = llvm::function_ref<mlir::InFlightDiagnostic()>;
using SeenAxes = llvm::SmallDenseSet<AxisRefAttr, 8>;

/// Checks `sharding` against a value of `type`; `type` may be null (an op
/// without results). `op` is where the mesh is looked up and whose enclosing
/// manual computations count.
mlir::LogicalResult verifySharding(TensorShardingAttr sharding, mlir::Type type,
                                   mlir::Operation *op, EmitError emitError);

/// Checks one sharding for each of `types`. Errors begin with `kind`, such as
/// `operand`, and the index if there are several values.
mlir::LogicalResult verifyShardings(TensorShardingPerValueAttr shardings,
                                    mlir::TypeRange types, mlir::Operation *op,
                                    llvm::StringRef kind);

/// Names known and none twice (`seen` carries over from list to list), no
/// neighbours that are one sub-axis.
mlir::LogicalResult verifyAxisList(llvm::ArrayRef<AxisRefAttr> axes,
                                   MeshAttr mesh, SeenAxes &seen,
                                   EmitError emitError);
/// In mesh order (not strictly).
bool isInMeshOrder(llvm::ArrayRef<AxisRefAttr> axes, MeshAttr mesh);
/// Every sub-axis of one axis name fits the axis and overlaps no other.
mlir::LogicalResult verifySubAxes(llvm::ArrayRef<AxisRefAttr> axes,
                                  MeshAttr mesh, EmitError emitError);

/// No axis of `names` is manual in an enclosing manual computation of `op`.
mlir::LogicalResult verifyNotManual(llvm::ArrayRef<llvm::StringRef> names,
                                    mlir::Operation *op, EmitError emitError);

/// The rule in `sdy.sharding_rule`.
mlir::LogicalResult verifyShardingRule(OpShardingRuleAttr rule,
                                       mlir::Operation *op);

} // namespace shardwright::sdy

#endif // SHARDWRIGHT_DIALECT_SDY_VERIFY_SHARDING_H
