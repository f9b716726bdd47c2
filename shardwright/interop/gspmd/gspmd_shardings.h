//===- gspmd_shardings.h - the shardings of one module ----------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_INTEROP_GSPMD_GSPMD_SHARDINGS_H
#define SHARDWRIGHT_INTEROP_GSPMD_GSPMD_SHARDINGS_H

#include "shardwright/dialect/sdy/sdy.h"
#include "shardwright/mesh/hlo/named_conversion.h"

#include "mlir/IR/BuiltinOps.h"

namespace shardwright {

inline constexpr llvm::StringLiteral kMhloSharding("mhlo.sharding");

/// Parses each distinct text once, finds the mesh, and expresses each sharding
/// in its axes.
class GspmdShardings {
public:
  explicit GspmdShardings(mlir::ModuleOp module) : module(module) {}

  /// Reads every `mhlo.sharding` of the module.
  mlir::LogicalResult collect();
  /// The result of `collect`, in program order: functions, and ops with a
  /// sharding.
  llvm::ArrayRef<mlir::Operation *> carriers() const { return found; }
  /// True if the module has custom calls that enter or leave manual regions.
  bool hasManualRegions() const { return manualRegions; }
  /// Makes the mesh and its symbols.
  mlir::LogicalResult makeMeshes(llvm::ArrayRef<MeshAxis> axes,
                                 int64_t devices);

  /// The parsed sharding of an op, or null.
  const HloSharding *of(mlir::Operation *op) const;
  const HloSharding *of(mlir::Attribute text) const;
  const Mesh &mesh() const { return theMesh; }

  /// Converts to axes of the mesh; reports errors at `where`.
  mlir::FailureOr<NamedHloSharding> named(const HloSharding &sharding,
                                          mlir::Type type,
                                          mlir::Location where) const;
  /// Converts to an attribute, without manual axes and dimensions that become
  /// empty.
  sdy::TensorShardingAttr attr(const NamedHloSharding &named) const;
  /// Both conversions.
  mlir::FailureOr<sdy::TensorShardingAttr> attr(const HloSharding &sharding,
                                                mlir::Type type,
                                                mlir::Location where) const;

private:
  mlir::LogicalResult read(mlir::Attribute text, mlir::Location where);

  mlir::ModuleOp module;
  mlir::MLIRContext *context = module.getContext();
  llvm::DenseMap<mlir::Attribute, HloSharding> parsed;
  llvm::SmallVector<mlir::Operation *> found;
  bool manualRegions = false;
  MeshInference inference;
  Mesh theMesh;
  mlir::Location lastTiled = mlir::UnknownLoc::get(context);
};

} // namespace shardwright

#endif // SHARDWRIGHT_INTEROP_GSPMD_GSPMD_SHARDINGS_H
