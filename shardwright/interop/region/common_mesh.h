//===- common_mesh.h - one mesh for an entry function -----------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_INTEROP_REGION_COMMON_MESH_H
#define SHARDWRIGHT_INTEROP_REGION_COMMON_MESH_H

#include "shardwright/dialect/sdy/sdy.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace shardwright {

/// Shardings of a function's arguments and results, all on one mesh.
struct BorderShardings {
  sdy::MeshOp mesh;
  /// Closed, without priorities. Null for tokens.
  llvm::SmallVector<sdy::TensorShardingAttr> arguments, results;
};

/// Reads the shardings of the function's arguments and results; values without
/// one are replicated. Expresses shardings on different meshes by the axes of
/// the coarsest mesh on which all of them are possible. Erases the other meshes
/// of the module. Emits one diagnostic on failure.
mlir::FailureOr<BorderShardings> findBorderShardings(mlir::ModuleOp module,
                                                     mlir::func::FuncOp func);

} // namespace shardwright

#endif // SHARDWRIGHT_INTEROP_REGION_COMMON_MESH_H
