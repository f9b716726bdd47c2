//===- segment.h - reductions of segments ----------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_SCIPY_SEGMENT_H
#define SHARDWRIGHT_FRONTEND_SCIPY_SEGMENT_H

#include "shardwright/frontend/numpy/numpy.h"

/// JAX: jax.ops.
namespace shardwright::frontend::ops {

struct SegmentOptions {
  /// Without it: one more than the greatest id, which must be known.
  std::optional<int64_t> numSegments = {};
  bool indicesAreSorted = false, uniqueIndices = false;
  /// Reduces so many elements at a time, for accuracy.
  std::optional<int64_t> bucketSize = {};
  /// Elements of ids that are no segments are dropped, by default.
  std::optional<GatherMode> mode = {};
};

/// Sums of the slices of `data` along its first dimension that have the same
/// id. Segments without slices are 0.
Tensor segmentSum(const Tensor &data, const Tensor &segmentIds,
                  const SegmentOptions &options = {});
/// Segments without slices are 1.
Tensor segmentProd(const Tensor &data, const Tensor &segmentIds,
                   const SegmentOptions &options = {});
/// Segments without slices are the least value of the type.
Tensor segmentMax(const Tensor &data, const Tensor &segmentIds,
                  const SegmentOptions &options = {});
/// Segments without slices are the greatest value of the type.
Tensor segmentMin(const Tensor &data, const Tensor &segmentIds,
                  const SegmentOptions &options = {});

} // namespace shardwright::frontend::ops

#endif // SHARDWRIGHT_FRONTEND_SCIPY_SEGMENT_H
