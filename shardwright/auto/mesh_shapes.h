//===- mesh_shapes.h - meshes of a number of devices ------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_AUTO_MESH_SHAPES_H
#define SHARDWRIGHT_AUTO_MESH_SHAPES_H

#include "shardwright/auto/auto_shard.h"

namespace shardwright {

/// All meshes of this many devices with at most three axes, larger axes first.
/// The axes are named `data`, `model` and `expert`.
std::vector<llvm::SmallVector<MeshAxis, 4>> meshShapes(int64_t devices);

/// autoShard on the meshes of at most `devices` devices: recipes on all shapes,
/// a search on the best. One device is a candidate too.
mlir::FailureOr<AutoResult> autoShardDevices(mlir::ModuleOp module,
                                             int64_t devices,
                                             const AutoOptions &options);

} // namespace shardwright

#endif // SHARDWRIGHT_AUTO_MESH_SHAPES_H
