//===- reductions.h - reductions with named options ------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_NUMPY_REDUCTIONS_H
#define SHARDWRIGHT_FRONTEND_NUMPY_REDUCTIONS_H

#include "shardwright/frontend/numpy/numpy.h"

// The reductions of numpy.h, arrange.h and spread.h with all options of
// jax.numpy: `sum(x, {.axes = Ints{0}, .where = mask})`. In all of them `axes`
// are the dimensions to reduce (none: all), `keepDims` leaves them with size 1,
// and `where` is an array of booleans, broadcast with x: elements where it is
// false do not count.
namespace shardwright::frontend {

struct SumOptions {
  Axes axes = {};
  bool keepDims = false;
  /// The type of the result, in which elements are added or multiplied.
  std::optional<DType> dtype = {};
  std::optional<Tensor> where = {};
  /// A scalar that is one more operand.
  std::optional<Tensor> initial = {};
  /// Without a type: short integers become 32-bit ones.
  bool promoteIntegers = true;
};
Tensor sum(const Tensor &x, const SumOptions &options);
Tensor prod(const Tensor &x, const SumOptions &options);
// Without NaN elements.
Tensor nansum(const Tensor &x, const SumOptions &options);
Tensor nanprod(const Tensor &x, const SumOptions &options);

struct ExtremeOptions {
  Axes axes = {};
  bool keepDims = false;
  /// Needs an initial value.
  std::optional<Tensor> where = {};
  /// A scalar that is one more operand.
  std::optional<Tensor> initial = {};
};
Tensor max(const Tensor &x, const ExtremeOptions &options);
Tensor min(const Tensor &x, const ExtremeOptions &options);
/// NaN without an initial value where all elements are NaN.
Tensor nanmax(const Tensor &x, const ExtremeOptions &options);
Tensor nanmin(const Tensor &x, const ExtremeOptions &options);

struct TruthOptions {
  Axes axes = {};
  bool keepDims = false;
  std::optional<Tensor> where = {};
};
Tensor any(const Tensor &x, const TruthOptions &options);
Tensor all(const Tensor &x, const TruthOptions &options);

struct MeanOptions {
  Axes axes = {};
  bool keepDims = false;
  std::optional<DType> dtype = {};
  std::optional<Tensor> where = {};
};
Tensor mean(const Tensor &x, const MeanOptions &options);
Tensor nanmean(const Tensor &x, const MeanOptions &options);

struct VarianceOptions {
  Axes axes = {};
  bool keepDims = false;
  std::optional<DType> dtype = {};
  std::optional<Tensor> where = {};
  /// Subtracted from the count of elements: numpy's ddof.
  double correction = 0;
  /// The mean, if it is known: it broadcasts with x.
  std::optional<Tensor> mean = {};
};
Tensor var(const Tensor &x, const VarianceOptions &options);
/// The square root of `var`.
Tensor stddev(const Tensor &x, const VarianceOptions &options);
Tensor nanvar(const Tensor &x, const VarianceOptions &options);
Tensor nanstd(const Tensor &x, const VarianceOptions &options);

Tensor countNonzero(const Tensor &x, const Axes &axes, bool keepDims);
/// The average, and the sum of the weights of each.
std::pair<Tensor, Tensor>
averageAndWeights(const Tensor &x, const Axes &axes = {},
                  const std::optional<Tensor> &weights = {},
                  bool keepDims = false);

// Along an axis (none: of the flattened array), added or multiplied in a type,
// which is the result's.
Tensor cumsum(const Tensor &x, std::optional<int64_t> axis, DType type);
Tensor cumprod(const Tensor &x, std::optional<int64_t> axis, DType type);
Tensor nancumsum(const Tensor &x, std::optional<int64_t> axis, DType type);
Tensor nancumprod(const Tensor &x, std::optional<int64_t> axis, DType type);
Tensor cumulativeSum(const Tensor &x, std::optional<int64_t> axis, DType type,
                     bool includeInitial = false);
Tensor cumulativeProd(const Tensor &x, std::optional<int64_t> axis, DType type,
                      bool includeInitial = false);

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_NUMPY_REDUCTIONS_H
