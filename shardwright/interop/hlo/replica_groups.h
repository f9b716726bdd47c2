//===- replica_groups.h - the devices of collectives ------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_INTEROP_HLO_REPLICA_GROUPS_H
#define SHARDWRIGHT_INTEROP_HLO_REPLICA_GROUPS_H

#include "shardwright/interop/hlo/hlo_module.h"

#include "mlir/IR/BuiltinAttributes.h"

namespace shardwright::hlo {

struct ReplicaGroups {
  /// The attribute `replica_groups`: ids, padded with -1, or axes of a mesh.
  mlir::Attribute attribute;
  /// The number of devices of a group; 0 if there are no groups (all devices
  /// are in one) or if their sizes differ.
  int64_t groupSize = 0;
  /// There are no groups.
  bool isAllDevices = false;
};

/// Reads the groups of a collective in any of their forms: lists, an iota, axes
/// of a mesh.
llvm::Expected<ReplicaGroups> readReplicaGroups(mlir::MLIRContext *context,
                                                const ProtoMessage &fields);

} // namespace shardwright::hlo

#endif // SHARDWRIGHT_INTEROP_HLO_REPLICA_GROUPS_H
