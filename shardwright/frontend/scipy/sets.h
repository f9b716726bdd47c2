//===- sets.h - positions, sets and orders of elements ---------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_SCIPY_SETS_H
#define SHARDWRIGHT_FRONTEND_SCIPY_SETS_H

#include "shardwright/frontend/numpy/numpy.h"

// The size of a result depends on the elements. Without `size` they must be
// known; with it, a result that is shorter is filled, and one that is longer
// is cut, so that the functions can be traced. JAX: jax.numpy.
namespace shardwright::frontend {

/// The positions of nonzero elements, an array for each dimension.
Tensors nonzero(const Tensor &x, std::optional<int64_t> size = {},
                int64_t fill = 0);
Tensors where(const Tensor &condition);
Tensor flatnonzero(const Tensor &x, std::optional<int64_t> size = {},
                   int64_t fill = 0);
/// [elements, dimensions].
Tensor argwhere(const Tensor &x, std::optional<int64_t> size = {},
                int64_t fill = 0);
/// Elements of the flattened array where the condition holds.
Tensor extract(const Tensor &condition, const Tensor &x,
               std::optional<int64_t> size = {});
/// Slices along an axis where the condition holds; none: of the flattened
/// array.
Tensor compress(const Tensor &condition, const Tensor &x,
                std::optional<int64_t> axis = {});

struct UniqueResult {
  Tensor values;  ///< sorted
  Tensor index;   ///< where each occurs first
  Tensor inverse; ///< which value each element is, in the shape of x
  Tensor counts;
};
/// The distinct elements of the flattened array. Beyond them, values are filled
/// with the least one.
UniqueResult uniqueAll(const Tensor &x, std::optional<int64_t> size = {});
Tensor unique(const Tensor &x, std::optional<int64_t> size = {});
Tensor uniqueValues(const Tensor &x, std::optional<int64_t> size = {});
std::pair<Tensor, Tensor> uniqueCounts(const Tensor &x,
                                       std::optional<int64_t> size = {});
std::pair<Tensor, Tensor> uniqueInverse(const Tensor &x,
                                        std::optional<int64_t> size = {});
// Of flattened arrays, sorted. Elements must be known.
Tensor union1d(const Tensor &x, const Tensor &y);
Tensor intersect1d(const Tensor &x, const Tensor &y);
Tensor setdiff1d(const Tensor &x, const Tensor &y);
Tensor setxor1d(const Tensor &x, const Tensor &y);
/// Whether each element of x is among those of y.
Tensor isin(const Tensor &x, const Tensor &y, bool invert = false);

/// The order of the last key, then of the one before it, ..
Tensor lexsort(const Tensors &keys, int64_t axis = -1);
/// Sorted such that elements before position k are not greater.
Tensor partition(const Tensor &x, int64_t k, int64_t axis = -1);
Tensor argpartition(const Tensor &x, int64_t k, int64_t axis = -1);

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_SCIPY_SETS_H
