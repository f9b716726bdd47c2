//===- shard_plan.h - the shards of an array by device ----------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_RUNTIME_SHARD_PLAN_H
#define SHARDWRIGHT_RUNTIME_SHARD_PLAN_H

#include "shardwright/cpu/collectives/reduce.h"
#include "shardwright/mesh/sharding.h"
#include "shardwright/runtime/box.h"

#include <vector>

namespace shardwright {

/// The shards of a global array, and the devices that hold them.
struct ShardPlan {
  struct Shard {
    Box box; ///< clipped to the shape
    /// Devices that hold the same summand, by index along the unreduced axes; a
    /// single list if no axis is unreduced.
    std::vector<std::vector<int32_t>> summands;
  };
  llvm::SmallVector<int64_t, 4> localDims; ///< with padding
  std::vector<Shard> shards;               ///< in order of their lowest device

  /// If `mesh` is null, empty or maximal, every device holds the full array,
  /// and the first of the list is the device of the maximal mesh.
  static ShardPlan create(llvm::ArrayRef<int64_t> shape,
                          const TensorSharding &sharding, const Mesh *mesh,
                          int64_t numDevices);
};

/// The reduction that resolves partial values.
cpu::ReduceKind reductionOf(ReductionKind kind);

} // namespace shardwright

#endif // SHARDWRIGHT_RUNTIME_SHARD_PLAN_H
