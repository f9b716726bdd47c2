//===- spread.h - quantiles, histograms, correlations ----------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_NUMPY_SPREAD_H
#define SHARDWRIGHT_FRONTEND_NUMPY_SPREAD_H

#include "shardwright/frontend/numpy/arrange.h"

// Statistics, windows and differences. JAX: jax.numpy.
namespace shardwright::frontend {

/// Between the two elements next to a quantile.
enum class QuantileMethod { Linear, Lower, Higher, Midpoint, Nearest };
/// q: a scalar or a list of numbers in [0, 1]; with a list, the first dimension
/// of the result is that of q. NaN where an element is.
Tensor quantile(const Tensor &x, const Tensor &q, const Axes &axes = {},
                QuantileMethod method = QuantileMethod::Linear,
                bool keepDims = false);
/// Without NaN elements.
Tensor nanquantile(const Tensor &x, const Tensor &q, const Axes &axes = {},
                   QuantileMethod method = QuantileMethod::Linear,
                   bool keepDims = false);
/// q in [0, 100].
Tensor percentile(const Tensor &x, const Tensor &q, const Axes &axes = {},
                  QuantileMethod method = QuantileMethod::Linear,
                  bool keepDims = false);
Tensor nanpercentile(const Tensor &x, const Tensor &q, const Axes &axes = {},
                     QuantileMethod method = QuantileMethod::Linear,
                     bool keepDims = false);
Tensor median(const Tensor &x, const Axes &axes, bool keepDims = false);
Tensor nanmedian(const Tensor &x, const Axes &axes = {}, bool keepDims = false);

Tensor average(const Tensor &x, const Axes &axes = {},
               const std::optional<Tensor> &weights = {},
               bool keepDims = false);
/// The greatest less the least element.
Tensor ptp(const Tensor &x, const Axes &axes = {}, bool keepDims = false);
Tensor nanprod(const Tensor &x, const Axes &axes = {}, bool keepDims = false);
Tensor nanvar(const Tensor &x, const Axes &axes = {}, bool keepDims = false,
              int64_t ddof = 0);
Tensor nanstd(const Tensor &x, const Axes &axes = {}, bool keepDims = false,
              int64_t ddof = 0);
Tensor nanargmax(const Tensor &x, std::optional<int64_t> axis = {},
                 bool keepDims = false);
Tensor nanargmin(const Tensor &x, std::optional<int64_t> axis = {},
                 bool keepDims = false);
Tensor nancumsum(const Tensor &x, std::optional<int64_t> axis = {});
Tensor nancumprod(const Tensor &x, std::optional<int64_t> axis = {});
Tensor cumprod(const Tensor &x);
/// One dimension, or along an axis; `includeInitial`: begins with 0.
Tensor cumulativeSum(const Tensor &x, std::optional<int64_t> axis = {},
                     bool includeInitial = false);
Tensor cumulativeProd(const Tensor &x, std::optional<int64_t> axis = {},
                      bool includeInitial = false);

struct HistogramOptions {
  /// The outer edges: two numbers. Without it: the least and greatest element.
  std::optional<std::pair<double, double>> range = {};
  std::optional<Tensor> weights = {};
  /// Divides by the total and by the widths of the bins.
  bool density = false;
};
/// (counts, edges) of bins of equal widths. The last bin contains its right
/// edge.
std::pair<Tensor, Tensor> histogram(const Tensor &x, int64_t bins,
                                    const HistogramOptions &options = {});
/// (counts, edges) of these bins.
std::pair<Tensor, Tensor> histogram(const Tensor &x, const Tensor &edges,
                                    const HistogramOptions &options);
Tensor histogramBinEdges(const Tensor &x, int64_t bins = 10,
                         const HistogramOptions &options = {});
/// Counts in the cells of a grid, then the edges along each dimension.
/// `samples`: [points, dimensions].
struct GridHistogram {
  Tensor counts;
  Tensors edges;
};
GridHistogram histogramdd(const Tensor &samples, const Ints &bins,
                          const std::optional<Tensor> &weights = {},
                          bool density = false);
GridHistogram histogramdd(const Tensor &samples, const Tensors &edges,
                          const std::optional<Tensor> &weights = {},
                          bool density = false);
GridHistogram histogram2d(const Tensor &x, const Tensor &y, int64_t bins = 10,
                          const std::optional<Tensor> &weights = {},
                          bool density = false);
/// Which bin each element is in.
Tensor digitize(const Tensor &x, const Tensor &bins, bool right = false);
/// With weights that are summed instead of counted.
Tensor bincount(const Tensor &x, const Tensor &weights, int64_t length);

/// Covariances of rows (`rowvar`) or columns, and their normalized form.
Tensor cov(const Tensor &x, bool rowvar = true,
           std::optional<int64_t> ddof = {});
Tensor corrcoef(const Tensor &x, bool rowvar = true);
enum class ConvolveMode { Full, Same, Valid };
Tensor convolve(const Tensor &x, const Tensor &y,
                ConvolveMode mode = ConvolveMode::Full);
Tensor correlate(const Tensor &x, const Tensor &y,
                 ConvolveMode mode = ConvolveMode::Valid);

/// Linear interpolation of points (xp, fp), where xp rises; the outer values
/// beyond them.
Tensor interp(const Tensor &x, const Tensor &xp, const Tensor &fp);
/// Central differences along each axis, one-sided at the ends.
Tensors gradient(const Tensor &x, double spacing = 1, const Axes &axes = {});
Tensor trapezoid(const Tensor &y, double dx = 1, int64_t axis = -1);
Tensor trapezoid(const Tensor &y, const Tensor &x, int64_t axis = -1);
Tensor ediff1d(const Tensor &x);
Tensor unwrap(const Tensor &x, int64_t axis = -1,
              std::optional<double> period = {});

// Windows of n points.
Tensor bartlett(int64_t n);
Tensor blackman(int64_t n);
Tensor hamming(int64_t n);
Tensor hanning(int64_t n);
Tensor kaiser(int64_t n, double beta);

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_NUMPY_SPREAD_H
