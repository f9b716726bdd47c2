//===- prepare.h - a module ready for a search ------------------*- C++ -*-===//
//-*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_AUTO_PREPARE_H
#define SHARDWRIGHT_AUTO_PREPARE_H

#include "shardwright/auto/auto_shard.h"

namespace shardwright {

/// Gives a module, as it was read, the mesh of the options, removes the
/// annotations that they drop, and writes the fixed ones. Emits a diagnostic on
/// failure.
mlir::LogicalResult prepareModule(mlir::ModuleOp module,
                                  const AutoOptions &options);

/// Removes all annotations of the module, then its meshes with axes. False if
/// something else uses a mesh: a manual computation, a collective.
bool dropMeshes(mlir::ModuleOp module);

/// True if the module has a mesh with axes.
bool hasMesh(mlir::ModuleOp module);

/// True if an argument, result or inner value is annotated.
bool hasAnnotations(mlir::ModuleOp module);

} // namespace shardwright

#endif // SHARDWRIGHT_AUTO_PREPARE_H
