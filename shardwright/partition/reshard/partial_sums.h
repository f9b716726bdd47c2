//===- partial_sums.h - values that are sums over devices -------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A value that is unreduced along axes is the sum of what the devices along
// them hold. Here: how such a value is completed (reduced), how a complete one
// becomes partial, and in which stages a value goes from any layout to any
// other on the same mesh. Value types only; no IR.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_RESHARD_PARTIAL_SUMS_H
#define SHARDWRIGHT_PARTITION_RESHARD_PARTIAL_SUMS_H

#include "shardwright/partition/reshard/reshard_planner.h"

namespace shardwright {

/// Local bytes of a value with this sharding; shards are counted as even.
double localBytes(llvm::ArrayRef<int64_t> shape, double elementBytes,
                  const TensorSharding &sharding);

/// The reduction of a partial result.
struct Completion {
  /// First: axes that reduce and then split each dimension; may be all empty.
  llvm::SmallVector<AxisList, 4> scatter;
  /// Then: axes left to reduce, mesh order.
  AxisList reduce;
  /// The result's sharding after both.
  TensorSharding after;
  /// Mean bytes a device sends, in both.
  double scatterBytes = 0, reduceBytes = 0;
  double cost(const ReshardPlanner &planner) const;
  bool scatters() const;
  bool isEmpty() const { return !scatters() && reduce.empty(); }
};

/// From a value partial along `axes` (mesh order) towards `wanted`: as much as
/// possible is scattered, the rest reduced. `from` gives the other axes, of
/// which those unreduced stay so.
Completion planCompletion(const TensorSharding &from, AxisRefs axes,
                          const TensorSharding &wanted,
                          llvm::ArrayRef<int64_t> shape, double elementBytes);

/// A complete value becomes unreduced. Sends nothing.
struct Unreduction {
  /// Axes that leave the end of each dimension for it: each device's shard
  /// stays where it is, among neutral elements. All empty: no such step.
  llvm::SmallVector<AxisList, 4> inPlace;
  /// The other axes: of the devices along them, one keeps the value.
  AxisList whole;
  /// The sharding after `inPlace`.
  TensorSharding afterInPlace;
  bool isAnyInPlace() const;
};

/// The stages from one layout to another on the same mesh: sums are completed
/// along the axes that only `from` is unreduced along; then the value moves
/// from `start` to `end`, which are unreduced along equal axes; then it becomes
/// unreduced along the axes that only `to` is.
struct ReshardStages {
  Completion completion;
  TensorSharding start, end;
  Unreduction unreduction;
};

ReshardStages planStages(const TensorSharding &from, const TensorSharding &to,
                         llvm::ArrayRef<int64_t> shape, double elementBytes);

/// What the stages cost, in units of CostModel.
double reshardCost(const TensorSharding &from, const TensorSharding &to,
                   llvm::ArrayRef<int64_t> shape, double elementBytes,
                   ReshardPlanner &planner);

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_RESHARD_PARTIAL_SUMS_H
