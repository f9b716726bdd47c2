//===- partial_sums.h - values that are sums over devices -------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A value that is unreduced along axes is the sum, maximum or minimum of the
// values that the devices along them hold (partial values). This header says
// how such a value is reduced, how a reduced value becomes partial, and in
// which stages a value goes from any layout to any other on the same mesh.
// Value types only; no IR. "Sum" in names stands for all kinds.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_RESHARD_PARTIAL_SUMS_H
#define SHARDWRIGHT_PARTITION_RESHARD_PARTIAL_SUMS_H

#include "shardwright/partition/reshard/reshard_planner.h"

namespace shardwright {

/// Local bytes of a value with this sharding; shards are counted as even.
double localBytes(llvm::ArrayRef<int64_t> shape, double elementBytes,
                  const TensorSharding &sharding);

/// How partial sums are reduced.
struct SumResolution {
  /// First: axes to reduce-scatter into each dimension; all may be empty.
  llvm::SmallVector<AxisList, 4> scatter;
  /// Then: axes left to all-reduce, in mesh order.
  AxisList reduce;
  /// The result's sharding after both.
  TensorSharding after;
  /// Mean bytes that a device sends in each of the two.
  double scatterBytes = 0, reduceBytes = 0;
  /// Bytes that a device holds before.
  double localBytes = 0;
  double cost(const ReshardPlanner &planner) const;
  bool scatters() const;
  bool isEmpty() const { return !scatters() && reduce.empty(); }
};

/// Reduces a value that is unreduced along `axes` (mesh order) towards
/// `wanted`: reduce-scatters as much as possible and all-reduces the rest.
/// `from` gives the other axes; those of them that are unreduced stay
/// unreduced.
SumResolution planSumResolution(const TensorSharding &from, AxisRefs axes,
                                const TensorSharding &wanted,
                                llvm::ArrayRef<int64_t> shape,
                                double elementBytes);

/// How a reduced value becomes unreduced. Sends nothing.
struct Unreduction {
  /// Axes that move from the end of each dimension's sharding to the unreduced
  /// axes: each device's shard stays where it is, padded with neutral elements.
  /// All empty: there is no such step.
  llvm::SmallVector<AxisList, 4> inPlace;
  /// The other axes: one device along them keeps the value.
  AxisList whole;
  /// The sharding after `inPlace`.
  TensorSharding afterInPlace;
  bool isAnyInPlace() const;
};

/// The stages from one layout to another on the same mesh: the value is reduced
/// along the axes that only `from` is unreduced along (all, if the kinds
/// differ); it moves from `start` to `end`, which are unreduced along equal
/// axes; it becomes unreduced along the axes that only `to` is unreduced
/// along.
struct ReshardStages {
  SumResolution resolution;
  TensorSharding start, end;
  Unreduction unreduction;
};

ReshardStages planStages(const TensorSharding &from, const TensorSharding &to,
                         llvm::ArrayRef<int64_t> shape, double elementBytes);

/// Cost of the stages, in units of CostModel.
double reshardCost(const TensorSharding &from, const TensorSharding &to,
                   llvm::ArrayRef<int64_t> shape, double elementBytes,
                   ReshardPlanner &planner);

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_RESHARD_PARTIAL_SUMS_H
