//===- axes_of_groups.h - axes of device groups -----------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_MESH_AXES_OF_GROUPS_H
#define SHARDWRIGHT_MESH_AXES_OF_GROUPS_H

#include "shardwright/mesh/mesh.h"

namespace shardwright {

/// The inverse of `deviceGroups`: axes (major to minor) whose device groups are
/// these; none if no list of (sub-)axes has them. `groups` is row-major
/// [numGroups][groupSize].
std::optional<AxisList> axesOfGroups(const Mesh &mesh,
                                     llvm::ArrayRef<int64_t> groups,
                                     int64_t groupSize);

} // namespace shardwright

#endif // SHARDWRIGHT_MESH_AXES_OF_GROUPS_H
