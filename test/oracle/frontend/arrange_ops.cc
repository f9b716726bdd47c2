//===- arrange_ops.cc - joining, choosing and statistics by name ----------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ops.h"

#include <cmath>

namespace shardwright::frontend {
namespace {

Axes axesOf(const Keys &k) {
  return k.count("axes") ? Axes(get(k, "axes")) : Axes();
}
std::optional<int64_t> axisOf(const Keys &k) {
  return k.count("axis") ? std::optional<int64_t>(one(k, "axis"))
                         : std::nullopt;
}
TakeMode modeOf(const Keys &k) { return static_cast<TakeMode>(one(k, "mode")); }
Tensors listOf(const std::pair<Tensor, Tensor> &both) {
  return {both.first, both.second};
}
Tensors listOf(const GridHistogram &h) {
  Tensors out{h.counts};
  out.insert(out.end(), h.edges.begin(), h.edges.end());
  return out;
}
HistogramOptions histogramOptions(const Args &a, const Keys &k) {
  HistogramOptions out;
  if (one(k, "ranged"))
    out.range = {-1.0, 2.0};
  if (a.size() > 1)
    out.weights = a[1];
  out.density = one(k, "density") != 0;
  return out;
}

} // namespace

static void addRearranged(Ops &ops) {
  OP("call_atleast_1d", atleast1d(a[0]))
  OP("call_atleast_2d", atleast2d(a[0]))
  OP("call_atleast_3d", atleast3d(a[0]))
  OP("call_permute_dims", permuteDims(a[0], get(k, "order")))
  OP("call_matrix_transpose", matrixTranspose(a[0]))
  OP("call_moveaxis", moveaxis(a[0], get(k, "from"), get(k, "to")))
  OP("call_rollaxis", rollaxis(a[0], one(k, "axis"), one(k, "start")))
  OP("call_squeeze", squeeze(a[0], axesOf(k)))
  ops["call_broadcast_arrays"] = [](const Args &a, const Keys &) {
    return broadcastArrays(a);
  };
  OP("call_append", append(a[0], a[1], axisOf(k)))
  OP("call_column_stack", columnStack(a))
  OP("call_dstack", dstack(a))
  OP("call_block", block({{a[0], a[1]}, {a[1], a[0]}}))
  ops["call_array_split"] = [](const Args &a, const Keys &k) {
    return arraySplit(a[0], one(k, "parts"), one(k, "axis"));
  };
  OP("call_rot90", rot90(a[0], one(k, "k"), get(k, "axes")))
  OP("call_roll", roll(a[0], get(k, "shifts"), get(k, "axes")))
  OP("call_full_like", fullLike(a[0], a[1]))
  OP("call_eye", eye(one(k, "rows"), one(k, "columns"), one(k, "k")))
  OP("call_tri", tri(one(k, "rows"), one(k, "columns"), one(k, "k")))
  OP("call_diagflat", diagflat(a[0], one(k, "k")))
  OP("call_vander",
     vander(a[0], one(k, "n"), /*increasing=*/one(k, "rising") != 0))
  OP("call_logspace", logspace(-1, 2, one(k, "n"), one(k, "end") != 0))
  OP("call_geomspace", geomspace(0.5, 8, one(k, "n"), one(k, "end") != 0))
  OP("call_indices", indices(Shape(get(k, "shape"))))
  OP("call_arange", arange(one(k, "start"), one(k, "stop"), one(k, "step")))
  ops["call_tril_indices"] = [](const Args &, const Keys &k) {
    return trilIndices(one(k, "rows"), one(k, "k"), one(k, "columns"));
  };
  ops["call_triu_indices"] = [](const Args &, const Keys &k) {
    return triuIndices(one(k, "rows"), one(k, "k"), one(k, "columns"));
  };
  OP("call_ravel_multi_index", ravelMultiIndex({a[0], a[1]}, {3, 4}, modeOf(k)))
  ops["call_unravel_index"] = [](const Args &a, const Keys &) {
    return unravelIndex(a[0], {3, 4});
  };
  OP("call_fill_diagonal", fillDiagonal(a[0], a[1]))
  OP("call_put", put(a[0], a[1], a[2], modeOf(k)))
  OP("call_put_along_axis", putAlongAxis(a[0], a[1], a[2], axisOf(k)))
  OP("call_resize", resize(a[0], Shape(get(k, "shape"))))
  OP("call_select", select({a[0], a[1]}, {a[2], a[3]}, a[4]))
  OP("call_choose", choose(a[0], {a[1], a[2]}, modeOf(k)))
}

static void addStatistics(Ops &ops) {
  auto method = [](const Keys &k) {
    return static_cast<QuantileMethod>(one(k, "method"));
  };
  ops["call_quantile"] = [=](const Args &a, const Keys &k) -> Tensors {
    return {quantile(a[0], a[1], axesOf(k), method(k), one(k, "keep") != 0)};
  };
  ops["call_nanquantile"] = [=](const Args &a, const Keys &k) -> Tensors {
    Tensor x = isFloat(a[0].dtype()) ? where(a[0] > 2.0, NAN, a[0]) : a[0];
    return {nanquantile(x, a[1], axesOf(k), method(k), one(k, "keep") != 0)};
  };
  ops["call_percentile"] = [=](const Args &a, const Keys &k) -> Tensors {
    return {percentile(a[0], a[1], axesOf(k), method(k), one(k, "keep") != 0)};
  };
  OP("call_median", median(a[0], axesOf(k), one(k, "keep") != 0))
  OP("call_nanmedian", nanmedian(a[0], axesOf(k), one(k, "keep") != 0))
  OP("call_average", average(a[0], axesOf(k)))
  OP("call_average_weights", average(a[0], axesOf(k), a[1]))
  OP("call_ptp", ptp(a[0], axesOf(k), one(k, "keep") != 0))
  OP("call_nanprod", nanprod(a[0], axesOf(k), one(k, "keep") != 0))
  OP("call_nanvar", nanvar(a[0], axesOf(k), one(k, "keep") != 0))
  OP("call_nanstd", nanstd(a[0], axesOf(k), one(k, "keep") != 0))
  OP("call_nanargmax", nanargmax(a[0], axisOf(k), one(k, "keep") != 0))
  OP("call_nancumsum", nancumsum(a[0], axisOf(k)))
  OP("call_nancumprod", nancumprod(a[0], axisOf(k)))
  OP("call_cumulative_sum",
     cumulativeSum(a[0], axisOf(k), one(k, "initial") != 0))
  ops["call_histogram"] = [](const Args &a, const Keys &k) {
    return listOf(histogram(a[0], one(k, "bins"), histogramOptions(a, k)));
  };
  ops["call_histogram2d"] = [](const Args &a, const Keys &k) {
    std::optional<Tensor> weights;
    if (a.size() > 2)
      weights = a[2];
    return listOf(histogram2d(a[0], a[1], one(k, "bins"), weights,
                              one(k, "density") != 0));
  };
  ops["call_histogramdd"] = [](const Args &a, const Keys &k) {
    return listOf(histogramdd(a[0], get(k, "bins")));
  };
  OP("call_digitize", digitize(a[0], sort(a[1]), one(k, "right") != 0))
  OP("call_cov", cov(a[0], one(k, "rows") != 0))
  OP("call_corrcoef", corrcoef(a[0], one(k, "rows") != 0))
  OP("call_convolve",
     convolve(a[0], a[1], static_cast<ConvolveMode>(one(k, "mode"))))
  OP("call_correlate",
     correlate(a[0], a[1], static_cast<ConvolveMode>(one(k, "mode"))))
  OP("call_interp", interp(a[0], sort(a[1]), a[2]))
  ops["call_gradient"] = [](const Args &a, const Keys &k) {
    return gradient(a[0], 0.5, axesOf(k));
  };
  OP("call_trapezoid", trapezoid(a[0], 0.5, one(k, "axis")))
  OP("call_trapezoid_x", trapezoid(a[0], a[1]))
  OP("call_ediff1d", ediff1d(a[0]))
  OP("call_unwrap", unwrap(a[0] * 4, one(k, "axis")))
  OP("call_bartlett", bartlett(one(k, "n")))
  OP("call_blackman", blackman(one(k, "n")))
  OP("call_hamming", hamming(one(k, "n")))
  OP("call_hanning", hanning(one(k, "n")))
  OP("call_kaiser", kaiser(one(k, "n"), 2.5))
}

void addArrangeCalls(Ops &ops) {
  addRearranged(ops);
  addStatistics(ops);
}

} // namespace shardwright::frontend
