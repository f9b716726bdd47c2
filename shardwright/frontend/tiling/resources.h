//===- resources.h - names of axes and the mesh axes for them ---*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_TILING_RESOURCES_H
#define SHARDWRIGHT_FRONTEND_TILING_RESOURCES_H

#include "shardwright/frontend/tiling/tiling.h"

namespace shardwright::frontend {

/// Errors: a resource that is no axis of the mesh; an axis of the mesh that two
/// names in the specs stand for, because the values along them may meet.
Status checkResources(const TilingOptions &options);

/// Specs that name axes of the mesh.
std::vector<PartitionSpec> onResources(const std::vector<PartitionSpec> &specs,
                                       const TilingOptions &options);

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_TILING_RESOURCES_H
