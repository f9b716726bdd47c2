//===- mesh_shapes.h - meshes of a number of devices ------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_AUTO_MESH_SHAPES_H
#define SHARDWRIGHT_AUTO_MESH_SHAPES_H

#include "shardwright/auto/auto_shard.h"

#include "llvm/Support/Error.h"

namespace shardwright {

/// Sizes of the axes of a mesh, from outside to inside.
using MeshShape = llvm::SmallVector<int64_t, 4>;

/// All shapes of meshes of this many devices with at most three axes (more only
/// if the machine has more levels of links). Each axis lies in one level of the
/// machine. Shapes that differ in the order of axes of one level are one shape,
/// the larger axes first. The error gives the numbers of devices that fill the
/// machine's levels.
llvm::Expected<std::vector<MeshShape>> meshShapes(int64_t devices,
                                                  const MachineModel &machine);

/// autoShard on the meshes of `devices` devices (a mesh of the module is
/// forgotten if all annotations are dropped, and else an error): recipes on all
/// shapes, a search on the best. Axes are named by their use (axis_roles.h), or
/// `data`, `model` and `expert` from outside to inside in all orders of their
/// sizes if the user names axes (`links` of the machine, fixed shardings).
/// `AutoResult::oneDevice` has the step of one device. Fails with a diagnostic.
mlir::FailureOr<AutoResult> autoShardDevices(mlir::ModuleOp module,
                                             int64_t devices,
                                             const AutoOptions &options);

} // namespace shardwright

#endif // SHARDWRIGHT_AUTO_MESH_SHAPES_H
