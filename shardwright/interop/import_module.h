//===- import_module.h - the import stage -----------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_INTEROP_IMPORT_MODULE_H
#define SHARDWRIGHT_INTEROP_IMPORT_MODULE_H

#include "shardwright/mesh/mesh.h"

#include "mlir/IR/BuiltinOps.h"

#include <functional>

namespace shardwright {

struct ImportOptions {
  /// New sizes for the axes of the module's meshes, by name; every axis of
  /// every mesh must be listed. Empty: keep the module's sizes.
  llvm::SmallVector<MeshAxis, 4> meshSizes;
  /// Number of devices if the module has none; 0: not given.
  int64_t devices = 0;
  /// Returns the shape of an argument of @main, by position. Called for
  /// arguments with dimensions of unknown size. May be null.
  std::function<std::optional<llvm::SmallVector<int64_t, 4>>(unsigned)>
      shapeOfArgument;
  /// Read the shardings of all ops from frontend attributes, not only those
  /// that propagation cannot infer again.
  bool keepOpShardings = false;
  /// Leave elementwise functions of CHLO with long expansions (erf, lgamma) to
  /// the compiler of the program of one device.
  bool keepFunctions = false;
};

/// Converts shardings of GSPMD (`mhlo.sharding`) or in frontend attributes to
/// sdy, and resizes meshes. Nothing else changes.
mlir::LogicalResult importShardings(mlir::ModuleOp module,
                                    const ImportOptions &options = {});

/// Converts a parsed module to the input of the later stages: StableHLO and sdy
/// only, composites called, CHLO expanded (but `keepFunctions`), meshes
/// resized, replica groups dense, and no meshes of other numbers of devices
/// than the entry's (entry_meshes.h). Runs no sdy import pass. Emits one
/// diagnostic on failure.
mlir::LogicalResult importModule(mlir::ModuleOp module,
                                 const ImportOptions &options = {});

/// Number of devices on which the module runs: its mesh times num_replicas,
/// else its num_partitions * num_replicas, else `devices`, else 1. A
/// contradiction is an error.
mlir::FailureOr<int64_t> countDevices(mlir::ModuleOp module, int64_t devices);

/// mhlo.num_replicas, at least 1.
int64_t countReplicas(mlir::ModuleOp module);

} // namespace shardwright

#endif // SHARDWRIGHT_INTEROP_IMPORT_MODULE_H
