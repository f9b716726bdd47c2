//===- indexer.h - plans of subscripts -------------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_NUMPY_INDEXER_H
#define SHARDWRIGHT_FRONTEND_NUMPY_INDEXER_H

#include "shardwright/frontend/numpy/numpy.h"

// Subscripts as slices, dynamic slices or gathers, chosen as JAX does
// (jax/_src/numpy/indexing.py), so that traced programs are equal.
namespace shardwright::frontend {

/// A subscript and the dimensions of the array that it reads.
struct ParsedIndex {
  enum class Kind { None, Range, Ellipsis, Integer, Mask, Array };
  Kind kind;
  Index index;
  int64_t firstAxis = 0, numAxes = 0;
  /// The positions come from a mask, so that they are known while tracing.
  bool isKnown = false;
};

/// The subscripts with the dimensions that they read; an ellipsis reads those
/// that are left.
Expected<std::vector<ParsedIndex>>
parseIndices(const Shape &shape, const std::vector<Index> &indices);
/// An error if an integer is out of bounds.
Status checkIntegers(const Shape &shape, const std::vector<ParsedIndex> &parsed,
                     bool wrapNegative);

/// Slices of all dimensions, then changes of dimensions of the result.
struct SlicePlan {
  Ints start, limit, strides; ///< strides: empty if all are 1
  Ints reversed, dropped, inserted;
};
/// Nothing if a subscript is an array.
std::optional<SlicePlan> slicePlan(const Shape &shape,
                                   const std::vector<ParsedIndex> &parsed,
                                   bool wrapNegative);
Tensor applySlicePlan(const Tensor &x, const SlicePlan &plan);

/// Reads one window, whose start may be traced.
struct DynamicSlicePlan {
  Tensors starts;
  Ints sizes, reversed, dropped, inserted;
  bool isTrivial = true;
};
/// Nothing if a subscript is an array of positive rank, or a slice with steps.
std::optional<DynamicSlicePlan>
dynamicSlicePlan(const Shape &shape, const std::vector<ParsedIndex> &parsed);
Tensor applyDynamicSlicePlan(const Tensor &x, const DynamicSlicePlan &plan,
                             bool wrapNegative);

/// A gather, or, with the same dimension numbers, a scatter.
struct GatherPlan {
  Shape sliceShape; ///< of the result, and of updates
  std::vector<SpecEntry> sliceSpec;
  Ints gatherSizes;
  Tensor indices;
  GatherDims dims;
  /// The subscripts have no arrays, so that no element is named twice.
  bool isBasic = true;
  Ints reversed, inserted, scalarMasks;
};
/// Masks must be known.
Expected<GatherPlan>
gatherPlan(const Tensor &x, std::vector<ParsedIndex> parsed, bool wrapNegative);

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_NUMPY_INDEXER_H
