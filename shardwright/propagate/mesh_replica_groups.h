//===- mesh_replica_groups.h - replica groups named by mesh axes *- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// StableHLO collectives may name their groups by a mesh and axes instead of
// listing devices. The mesh is a symbol of an sdy.mesh or written in place.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PROPAGATE_MESH_REPLICA_GROUPS_H
#define SHARDWRIGHT_PROPAGATE_MESH_REPLICA_GROUPS_H

#include "shardwright/dialect/sdy/sdy.h"
#include "shardwright/dialect/stablehlo/dialect.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace shardwright {

/// Replaces the mesh (a FlatSymbolRefAttr or a stablehlo::MeshAttr) of every
/// such `replica_groups` by transform(mesh).
void transformReplicaGroupMeshes(
    mlir::ModuleOp module,
    llvm::function_ref<mlir::Attribute(mlir::Attribute)> transform);

stablehlo::MeshAttr toStablehloMesh(sdy::MeshAttr mesh);
/// Null if it is no valid sdy mesh.
sdy::MeshAttr toSdyMesh(stablehlo::MeshAttr mesh);

} // namespace shardwright

#endif // SHARDWRIGHT_PROPAGATE_MESH_REPLICA_GROUPS_H
