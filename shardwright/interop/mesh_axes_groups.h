//===- mesh_axes_groups.h - replica groups given by mesh axes ---*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// `replica_groups` of a collective are a dense tensor of ids, or axes of a
/// mesh (JAX since 0.11): `#stablehlo.replica_group_mesh_axes<mesh = @mesh,
/// axes = [#stablehlo.axis_ref<name = "x">]>`. The groups of axes are those of
/// `deviceGroups` (mesh.h): axes that are not named vary slowest.
///
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_INTEROP_MESH_AXES_GROUPS_H
#define SHARDWRIGHT_INTEROP_MESH_AXES_GROUPS_H

#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/mesh/mesh.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"

namespace shardwright {

/// Reads the groups of `op`. Emits one diagnostic at `op` if the mesh is
/// missing, invalid or too large, or does not have the axes.
mlir::FailureOr<DeviceGroups>
readMeshAxesGroups(mlir::Operation *op,
                   stablehlo::ReplicaGroupMeshAxesAttr groups,
                   mlir::SymbolTableCollection &symbols);

/// Replaces the mesh axes in the replica groups of all collectives below
/// `module` by the equal dense groups (tensor<groups x members x i64>), which
/// is what the later stages read. The axes refer to the mesh of one replica:
/// groups of collectives with global device ids are repeated for each of the
/// module's replicas. `devices` is as for countDevices. Emits one diagnostic on
/// failure.
mlir::LogicalResult expandMeshAxesGroups(mlir::ModuleOp module,
                                         int64_t devices);

} // namespace shardwright

#endif // SHARDWRIGHT_INTEROP_MESH_AXES_GROUPS_H
