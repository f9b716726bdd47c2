//===- mesh_users.h - ops that name meshes outside of shardings -*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_RULES_MESH_USERS_H
#define SHARDWRIGHT_RULES_MESH_USERS_H

#include "shardwright/dialect/sdy/sdy.h"
#include "shardwright/dialect/stablehlo/stablehlo.h"

#include "mlir/IR/BuiltinOps.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace shardwright {

/// The mesh as replica groups hold it.
stablehlo::MeshAttr toStablehloMesh(sdy::MeshAttr mesh);

/// Replaces the mesh (a FlatSymbolRefAttr or an sdy::MeshAttr) of every op with
/// MeshUserOpInterface by transform(mesh).
void transformUsedMeshes(
    mlir::ModuleOp module,
    llvm::function_ref<mlir::Attribute(mlir::Attribute)> transform);

} // namespace shardwright

#endif // SHARDWRIGHT_RULES_MESH_USERS_H
