//===- import_gspmd.h - modules with mhlo.sharding become sdy ---*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_INTEROP_GSPMD_IMPORT_GSPMD_H
#define SHARDWRIGHT_INTEROP_GSPMD_IMPORT_GSPMD_H

#include "shardwright/mesh/mesh.h"

#include "mlir/IR/BuiltinOps.h"

#include <memory>

namespace mlir {
class Pass;
}

namespace shardwright {

/// Does the module say where its values are in GSPMD's way, and not in sdy's?
bool hasGspmdShardings(mlir::ModuleOp module);

/// Turns `mhlo.sharding` and the custom calls @Sharding, @SPMDFullToShardShape
/// and @SPMDShardToFullShape into sdy: a mesh, shardings, constraints, sharding
/// groups, manual computations. Every device holds what it held. The mesh is
/// `axes` when given, else the coarsest one on which every sharding is a list
/// of axes; `devices` counts when no sharding is tiled (0: unknown). Errors are
/// located at the op whose sharding cannot be said.
mlir::LogicalResult importGspmd(mlir::ModuleOp module,
                                llvm::ArrayRef<MeshAxis> axes = {},
                                int64_t devices = 0);

/// `sw-import-gspmd`, and `xla-sdy-stablehlo-import-pipeline` by upstream's
/// name.
void registerGspmdPasses();

} // namespace shardwright

#endif // SHARDWRIGHT_INTEROP_GSPMD_IMPORT_GSPMD_H
