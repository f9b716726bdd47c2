//===- sharding_groups.h - values that share one sharding -------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PROPAGATE_ENGINE_SHARDING_GROUPS_H
#define SHARDWRIGHT_PROPAGATE_ENGINE_SHARDING_GROUPS_H

#include "mlir/IR/BuiltinOps.h"

namespace shardwright {

/// Runs before propagation. Gives every member of a sharding group the sharding
/// that its members have. If members have different shardings, warns and
/// inserts an open sharding_constraint after each member; the constraint
/// replaces it in the group.
void syncShardingGroups(mlir::ModuleOp module);

} // namespace shardwright

#endif // SHARDWRIGHT_PROPAGATE_ENGINE_SHARDING_GROUPS_H
