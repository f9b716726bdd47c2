//===- import_gspmd.h - convert mhlo.sharding to sdy ------------*- C++ -*-===//
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

/// True if the module has GSPMD's shardings and none of sdy.
bool hasGspmdShardings(mlir::ModuleOp module);

/// Turns `mhlo.sharding` and the custom calls @Sharding, @SPMDFullToShardShape
/// and @SPMDShardToFullShape into sdy: a mesh, shardings, constraints, sharding
/// groups, manual computations. Every device holds the same data as before. The
/// mesh is `axes` if given, else the coarsest one on which every sharding is a
/// list of axes. `devices` is used if no sharding is tiled (0: unknown). Errors
/// are located at the op whose sharding cannot be converted.
mlir::LogicalResult importGspmd(mlir::ModuleOp module,
                                llvm::ArrayRef<MeshAxis> axes = {},
                                int64_t devices = 0);

/// `sw-import-gspmd`, and `xla-sdy-stablehlo-import-pipeline`, XLA's name for
/// it.
void registerGspmdPasses();

} // namespace shardwright

#endif // SHARDWRIGHT_INTEROP_GSPMD_IMPORT_GSPMD_H
