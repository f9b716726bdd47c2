//===- device_groups.h - replica groups of mesh axes ------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Groups of devices as attributes of collectives, and their axes; likewise the
// pairs of permutes. Lists of a
// million devices take longer to make, to compare and to read than all else
// that is done for an op; so each context keeps those that it has made or read.
// Any thread may call these functions.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_DIALECT_SDY_DEVICE_GROUPS_H
#define SHARDWRIGHT_DIALECT_SDY_DEVICE_GROUPS_H

#include "shardwright/mesh/mesh.h"
#include "shardwright/mesh/sharding.h"

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

/// The source-target pairs of a permute between two layouts: tensor<pairs x 2 x
/// i64>, made of the flat list that `make` returns; null if it is empty. `make`
/// depends on the layouts only.
mlir::DenseIntElementsAttr
permutePairsAttr(mlir::MLIRContext *context, const Mesh &fromMesh,
                 const TensorSharding &from, const Mesh &toMesh,
                 const TensorSharding &to,
                 llvm::function_ref<llvm::SmallVector<int64_t>()> make);

struct PermuteTraffic {
  /// By axis of the mesh: a device sends to one elsewhere along it. True of all
  /// axes if an id is not in the mesh.
  llvm::SmallVector<bool, 4> crosses;
  /// Devices that send to another one.
  int64_t senders = 0;
};

/// What source-target pairs send.
PermuteTraffic readPermutePairs(const Mesh &mesh,
                                mlir::DenseIntElementsAttr pairs);

/// Adds the memory of these functions to the dialect.
void addDeviceGroupsMemory(mlir::Dialect &dialect);

} // namespace shardwright::sdy

#endif // SHARDWRIGHT_DIALECT_SDY_DEVICE_GROUPS_H
