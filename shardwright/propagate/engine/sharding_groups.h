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

/// Before propagation: gives every member of a sharding group the sharding that
/// its members have. Where they have several, warns and puts an open
/// sharding_constraint after each member, which becomes the member.
void syncShardingGroups(mlir::ModuleOp module);

} // namespace shardwright

#endif // SHARDWRIGHT_PROPAGATE_ENGINE_SHARDING_GROUPS_H
