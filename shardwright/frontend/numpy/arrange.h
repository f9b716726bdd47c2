//===- arrange.h - more functions of jax.numpy -----------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_NUMPY_ARRANGE_H
#define SHARDWRIGHT_FRONTEND_NUMPY_ARRANGE_H

#include "shardwright/frontend/numpy/numpy.h"

// Padding, tiling, rolling, joining, and products of matrices, in the manner of
// jax.numpy. Negative axes count from the end.
namespace shardwright::frontend {

/// What `pad` writes around an array.
enum class PadMode {
  Constant,
  Edge,      ///< the nearest element
  Reflect,   ///< mirrored; the edge once
  Symmetric, ///< mirrored; the edge twice
  Wrap,      ///< from the other side
};
/// `widths`: (before, after) of each dimension, or one pair for all.
Tensor pad(const Tensor &x, const std::vector<Ints> &widths,
           PadMode mode = PadMode::Constant, double value = 0);
/// Rolls elements along axes; none: along the flattened array.
Tensor roll(const Tensor &x, int64_t shift, const Axes &axes = {});
/// Repeats the array; missing leading repetitions or dimensions are 1.
Tensor tile(const Tensor &x, const Ints &reps);
/// Repeats each element along an axis; no axis: of the flattened array.
Tensor repeat(const Tensor &x, int64_t repeats,
              std::optional<int64_t> axis = {});
/// Reverses the order along axes; none: along all.
Tensor flip(const Tensor &x, const Axes &axes = {});
Tensor moveaxis(const Tensor &x, int64_t from, int64_t to);
/// One dimension.
Tensor ravel(const Tensor &x);
Tensor hstack(const Tensors &xs);
Tensor vstack(const Tensors &xs);
/// Parts between positions along an axis.
Tensors splitAt(const Tensor &x, const Ints &positions, int64_t axis = 0);
Tensors unstack(const Tensor &x, int64_t axis = 0);
/// Arrays that hold the coordinates of a grid; `xy`: the first two dimensions
/// are exchanged.
Tensors meshgrid(const Tensors &xs, bool xy = true);
Tensor eye(int64_t n, DType type = DType::F32);
/// A matrix with this diagonal, or the diagonal of a matrix.
Tensor diag(const Tensor &x, int64_t k = 0);
Tensor diagonal(const Tensor &x, int64_t offset = 0);
Tensor trace(const Tensor &x);
Tensor linspace(double start, double stop, int64_t count);

Tensor dot(const Tensor &x, const Tensor &y);
Tensor vdot(const Tensor &x, const Tensor &y);
Tensor inner(const Tensor &x, const Tensor &y);
Tensor outer(const Tensor &x, const Tensor &y);
Tensor kron(const Tensor &x, const Tensor &y);
/// Contracts the last `axes` dimensions of x with the first ones of y.
Tensor tensordot(const Tensor &x, const Tensor &y, int64_t axes = 2);
/// Contracts these dimensions of x with these of y.
Tensor tensordot(const Tensor &x, const Tensor &y, const Ints &xAxes,
                 const Ints &yAxes);

Tensor cumprod(const Tensor &x, int64_t axis);
/// x[i + 1] - x[i] along an axis.
Tensor diff(const Tensor &x, int64_t n = 1, int64_t axis = -1);
/// Where each value belongs in a sorted array; `right`: behind equal ones.
Tensor searchsorted(const Tensor &sorted, const Tensor &values,
                    bool right = false);
/// How often each number below `length` occurs.
Tensor bincount(const Tensor &x, int64_t length);
/// Counts of elements in bins between these edges.
Tensor histogram(const Tensor &x, const Tensor &edges);

Tensor isnan(const Tensor &x);
Tensor isinf(const Tensor &x);
Tensor isfinite(const Tensor &x);
/// Finite numbers instead of NaN and infinities.
Tensor nanToNum(const Tensor &x);
// Without NaN elements.
Tensor nansum(const Tensor &x, const Axes &axes = {}, bool keepDims = false);
Tensor nanmean(const Tensor &x, const Axes &axes = {}, bool keepDims = false);
Tensor nanmax(const Tensor &x, const Axes &axes = {}, bool keepDims = false);
Tensor nanmin(const Tensor &x, const Axes &axes = {}, bool keepDims = false);
/// The divisor is the count less `ddof`; NaN if that is not positive.
Tensor var(const Tensor &x, const Axes &axes, bool keepDims, int64_t ddof);
/// The square root of `var`.
Tensor stddev(const Tensor &x, const Axes &axes = {}, bool keepDims = false,
              int64_t ddof = 0);
Tensor countNonzero(const Tensor &x, const Axes &axes = {});
Tensor median(const Tensor &x, int64_t axis = -1);
Tensor logaddexp(const Tensor &x, const Tensor &y);
Tensor floorDivide(const Tensor &x, const Tensor &y);
Tensor hypot(const Tensor &x, const Tensor &y);
Tensor arctan2(const Tensor &y, const Tensor &x);
Tensor reciprocal(const Tensor &x);
/// To the nearest integer, halves to even.
Tensor round(const Tensor &x);
Tensor trunc(const Tensor &x);
Tensor isclose(const Tensor &x, const Tensor &y, double rtol = 1e-5,
               double atol = 1e-8);
Tensor allclose(const Tensor &x, const Tensor &y, double rtol = 1e-5,
                double atol = 1e-8);

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_NUMPY_ARRANGE_H
