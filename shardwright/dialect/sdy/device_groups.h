//===- device_groups.h - replica groups of mesh axes ------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Groups of devices as attributes of collectives, and their axes. Lists of a
// million devices take longer to make, to compare and to read than all else
// that is done for an op; so each context keeps those that it has made or read.
// Any thread may call these functions.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_DIALECT_SDY_DEVICE_GROUPS_H
#define SHARDWRIGHT_DIALECT_SDY_DEVICE_GROUPS_H

#include "shardwright/mesh/mesh.h"

#include "mlir/IR/BuiltinAttributes.h"

namespace shardwright::sdy {

/// The groups of deviceGroups(mesh, axes), then those of each further replica,
/// whose ids follow: tensor<groups x size x i64>.
mlir::DenseIntElementsAttr deviceGroupsAttr(mlir::MLIRContext *context,
                                            const Mesh &mesh, AxisRefs axes,
                                            int64_t replicas = 1);

/// axesOfGroups of the elements.
std::optional<AxisList> axesOfGroupsAttr(const Mesh &mesh,
                                         mlir::DenseIntElementsAttr groups,
                                         int64_t groupSize);

/// Adds the memory of these functions to the dialect.
void addDeviceGroupsMemory(mlir::Dialect &dialect);

} // namespace shardwright::sdy

#endif // SHARDWRIGHT_DIALECT_SDY_DEVICE_GROUPS_H
