//===- frontend_attributes.h - attributes as strings ------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_INTEROP_ROUND_TRIP_FRONTEND_ATTRIBUTES_H
#define SHARDWRIGHT_INTEROP_ROUND_TRIP_FRONTEND_ATTRIBUTES_H

#include "shardwright/dialect/sdy/border_attributes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace shardwright {

inline constexpr llvm::StringLiteral
    kFrontendAttributes("mhlo.frontend_attributes");
inline constexpr llvm::StringLiteral kXlaMeshes("xla.sdy.meshes");
inline constexpr llvm::StringLiteral kXlaSharding("xla.sdy.sharding");
inline constexpr llvm::StringLiteral kXlaShardingRule("xla.sdy.sharding_rule");
inline constexpr llvm::StringLiteral kXlaGroupId("xla.sdy.sharding_group_id");
inline constexpr llvm::StringLiteral
    kXlaAllowedDirection("xla.sdy.allowed_direction");
inline constexpr llvm::StringLiteral kXlaInShardings("xla.sdy.in_shardings");
inline constexpr llvm::StringLiteral kXlaOutShardings("xla.sdy.out_shardings");
inline constexpr llvm::StringLiteral kXlaManualAxes("xla.sdy.manual_axes");
inline constexpr llvm::StringLiteral
    kXlaTupleArgs("xla.sdy.tuple_args_shardings");
inline constexpr llvm::StringLiteral
    kXlaTupleResults("xla.sdy.tuple_results_shardings");
/// Targets of custom calls.
inline constexpr llvm::StringLiteral kXlaCallPrefix("xla.sdy.");
inline constexpr llvm::StringLiteral kXlaShardingGroup("xla.sdy.ShardingGroup");
inline constexpr llvm::StringLiteral
    kXlaPropagationBarrier("xla.sdy.PropagationBarrier");
inline constexpr llvm::StringLiteral
    kManualBody("xla.sdy.manual_computation_body");

/// Adds the text of this attribute to the dictionary.
mlir::DictionaryAttr withFrontendAttribute(mlir::DictionaryAttr attributes,
                                           llvm::StringRef name,
                                           mlir::Attribute value);
/// Adds it to the op.
void setFrontendAttribute(mlir::Operation *op, llvm::StringRef name,
                          mlir::Attribute value);

/// Removes the attribute from the dictionary of the op (or argument) and parses
/// it; null if there is none. Errors are reported at the op (or at `where`).
mlir::FailureOr<mlir::Attribute> takeFrontendAttribute(mlir::Operation *op,
                                                       llvm::StringRef name);
mlir::FailureOr<mlir::Attribute>
takeArgFrontendAttribute(sdy::BorderAttributes &border, unsigned argument,
                         llvm::StringRef name, mlir::Location where);

/// Likewise, but an error unless it is a `T`.
template <typename T>
mlir::FailureOr<T> takeAs(mlir::Operation *op, llvm::StringRef name) {
  mlir::FailureOr<mlir::Attribute> attr = takeFrontendAttribute(op, name);
  if (mlir::failed(attr))
    return mlir::failure();
  if (!*attr)
    return T();
  if (auto cast = mlir::dyn_cast<T>(*attr))
    return cast;
  return op->emitError() << name << " is " << *attr
                         << ", expected another kind "
                         << "of attribute";
}

} // namespace shardwright

#endif // SHARDWRIGHT_INTEROP_ROUND_TRIP_FRONTEND_ATTRIBUTES_H
