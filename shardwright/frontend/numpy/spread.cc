//===- spread.cc - histograms, correlations, differences, windows ---------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/numpy/spread.h"

#include "shardwright/frontend/numpy/promote.h"
#include "shardwright/frontend/numpy/rearrange.h"
#include "shardwright/frontend/numpy/ufuncs.h"

#include <limits>
#include <numbers>

namespace shardwright::frontend {
namespace {

Tensor flat(const Tensor &x) { return ravel(inexact(x)); }

/// `count` numbers at equal distances between two scalars of one type.
Tensor edgesBetween(const Tensor &low, const Tensor &high, int64_t bins) {
  DType type = low.dtype();
  Tensor step = lax::div(lax::iota(type, {bins}, 0),
                         scalarOf(static_cast<double>(bins), type));
  Tensor inner = lax::add(lax::mul(low, lax::sub(scalarOf(1.0, type), step)),
                          lax::mul(high, step));
  return lax::concatenate({inner, lax::reshape(high, {1})}, 0);
}

/// The bins of values: 1 to the number of bins, 0 or one more outside.
Tensor binsOf(const Tensor &edges, const Tensor &values) {
  int64_t last = edges.dim(0) - 1;
  Tensor bin = searchsorted(edges, values, /*right=*/true);
  return where(values == edges[-1], last, bin);
}

Tensor slicedAt(const Tensor &x, std::optional<int64_t> from,
                std::optional<int64_t> to, int64_t axis) {
  return lax::slice_in_dim(x, from, to, 1, axis);
}

Tensor convolved(const Tensor &x, const Tensor &y, ConvolveMode mode,
                 bool isCorrelation) {
  auto [a, b] = promotePair(x, y);
  a = inexact(a), b = inexact(b);
  if (const Error *error = errorIn(Tensors{a, b}))
    return *error;
  const char *name = isCorrelation ? "correlate" : "convolve";
  if (a.rank() != 1 || b.rank() != 1)
    return valueError(name, "() only support 1-dimensional inputs.");
  if (!a.dim(0) || !b.dim(0))
    return valueError(name, ": inputs cannot be empty, got shapes ",
                      tupleText(a.shape()), " and ", tupleText(b.shape()), ".");
  // The shorter one is the kernel.
  bool isSwapped = a.dim(0) < b.dim(0);
  if (isCorrelation)
    b = conjugate(b);
  if (isSwapped)
    std::swap(a, b);
  if (!isCorrelation)
    b = flip(b);
  int64_t m = a.dim(0), n = b.dim(0);
  Ints padding = mode == ConvolveMode::Valid  ? Ints{0, 0}
                 : mode == ConvolveMode::Full ? Ints{n - 1, n - 1}
                                              : Ints{n / 2, n - n / 2 - 1};
  Tensor out = lax::conv_general_dilated(
      lax::reshape(a, {1, 1, m}), lax::reshape(b, {1, 1, n}),
      {.strides = {1}, .padding = {padding}, .layout = {"NCH", "OIH", "NCH"}});
  if (!out.ok())
    return out;
  out = lax::reshape(out, {out.dim(2)});
  return isSwapped && isCorrelation ? flip(out) : out;
}

} // namespace

Tensor histogramBinEdges(const Tensor &in, int64_t bins,
                         const HistogramOptions &options) {
  Tensor x = flat(in);
  if (!x.ok())
    return x;
  if (bins < 1 || bins > int64_t(1) << 28)
    return valueError("`bins` must be at least 1 and at most 2^28, got ", bins);
  Tensor low, high;
  if (options.range) {
    low = scalarOf(options.range->first, x.dtype());
    high = scalarOf(options.range->second, x.dtype());
  } else {
    low = min(x), high = max(x);
  }
  if (const Error *error = errorIn(Tensors{low, high}))
    return *error;
  Tensor isPoint = lax::eq(low, high), half = scalarOf(0.5, x.dtype());
  return edgesBetween(where(isPoint, lax::sub(low, half), low),
                      where(isPoint, lax::add(high, half), high), bins);
}
std::pair<Tensor, Tensor> histogram(const Tensor &in, const Tensor &given,
                                    const HistogramOptions &options) {
  Tensor x = flat(in);
  Tensor weights = options.weights ? flat(*options.weights) : onesLike(x);
  auto [a, w] = promotePair(x, weights);
  Tensor edges = a.ok() ? lax::convert_element_type(given, a.dtype()) : a;
  if (const Error *error = errorIn(Tensors{a, w, edges}))
    return {*error, *error};
  Error wrong;
  if (edges.rank() != 1 || edges.dim(0) < 2)
    wrong = valueError("histogram expects two or more edges in one dimension, "
                       "got shape ",
                       tupleText(edges.shape()));
  else if (a.shape() != w.shape())
    wrong = valueError("weights should have the same shape as a.");
  if (!wrong.text.empty())
    return {wrong, wrong};
  Tensor counts = zeros({edges.dim(0)}, w.dtype()).at(binsOf(edges, a)).add(w);
  counts = slicedAt(counts, 1, {}, 0);
  if (options.density)
    counts = counts / diff(edges) / sum(counts);
  return {counts, edges};
}
std::pair<Tensor, Tensor> histogram(const Tensor &x, int64_t bins,
                                    const HistogramOptions &options) {
  Tensor edges = histogramBinEdges(x, bins, options);
  if (!edges.ok())
    return {edges, edges};
  return histogram(x, edges, options);
}

GridHistogram histogramdd(const Tensor &in, const Tensors &given,
                          const std::optional<Tensor> &weights, bool density) {
  auto failed = [&](const Error &error) {
    return GridHistogram{Tensor(error), Tensors(given.size(), Tensor(error))};
  };
  Tensor samples = inexact(in);
  Tensor w = weights ? inexact(*weights) : samples;
  if (const Error *error = errorIn(Tensors{samples, w}))
    return failed(*error);
  auto dims = static_cast<int64_t>(given.size());
  if (samples.rank() != 2 || samples.dim(1) != dims)
    return failed(valueError("histogramdd expects samples of shape (points, ",
                             dims, "), got ", tupleText(samples.shape())));
  GridHistogram out;
  Tensors bins;
  Shape cells;
  for (int64_t d = 0; d < dims; ++d) {
    Tensor edges = lax::convert_element_type(given[d], samples.dtype());
    if (!edges.ok() || edges.rank() != 1 || edges.dim(0) < 2)
      return failed(edges.ok() ? valueError("histogramdd expects two or more "
                                            "edges along each dimension")
                               : edges.error());
    out.edges.push_back(edges);
    Tensor values = lax::squeeze(slicedAt(samples, d, d + 1, 1), {1});
    bins.push_back(binsOf(edges, values));
    cells.push_back(edges.dim(0) + 1);
  }
  Tensor cell = ravelMultiIndex(bins, cells);
  Tensor counts = weights ? bincount(cell, w, cells.elements())
                          : bincount(cell, cells.elements());
  counts = lax::reshape(counts, cells);
  for (int64_t d = 0; d < dims; ++d)
    counts = slicedAt(counts, 1, -1, d);
  if (density) {
    counts = astype(counts, samples.dtype());
    counts = counts / sum(counts);
    Tensors widths;
    for (const Tensor &edges : out.edges)
      widths.push_back(diff(edges));
    for (const Tensor &width : ix(widths))
      counts = counts / width;
  }
  out.counts = counts;
  return out;
}
GridHistogram histogramdd(const Tensor &in, const Ints &bins,
                          const std::optional<Tensor> &weights, bool density) {
  Tensor samples = inexact(in);
  Tensors edges;
  for (size_t d = 0; d < bins.size(); ++d) {
    auto at = static_cast<int64_t>(d);
    bool isThere = samples.ok() && samples.rank() == 2 && at < samples.dim(1);
    edges.push_back(
        isThere ? histogramBinEdges(slicedAt(samples, at, at + 1, 1), bins[d])
                : samples);
  }
  return histogramdd(samples, edges, weights, density);
}
GridHistogram histogram2d(const Tensor &x, const Tensor &y, int64_t bins,
                          const std::optional<Tensor> &weights, bool density) {
  return histogramdd(transpose(stack({x, y})), Ints{bins, bins}, weights,
                     density);
}
Tensor digitize(const Tensor &x, const Tensor &bins, bool right) {
  if (const Error *error = errorIn(Tensors{x, bins}))
    return *error;
  if (bins.rank() != 1)
    return valueError("digitize: bins must be a 1-dimensional array; got "
                      "shape ",
                      tupleText(bins.shape()));
  if (!bins.dim(0))
    return zeros(x.shape(), DType::I32);
  return where(bins[-1] >= bins[0], searchsorted(bins, x, !right),
               bins.dim(0) - searchsorted(flip(bins), x, !right));
}
Tensor bincount(const Tensor &x, const Tensor &weights, int64_t length) {
  if (const Error *error = errorIn(Tensors{x, weights}))
    return *error;
  if (x.rank() != 1 || !isInteger(x.dtype()))
    return typeError("bincount expects a one-dimensional array of integers, "
                     "got ",
                     x.aval().longStr());
  if (weights.shape() != x.shape())
    return valueError("shape of weights must match shape of x.");
  if (length < 0)
    return valueError("bincount expects a length of at least 0, got ", length);
  Tensor at = lax::max(x, scalarOf(int64_t(0), x.dtype()));
  return zeros({length}, weights.dtype()).at(at).add(weights);
}

Tensor cov(const Tensor &in, bool rowvar, std::optional<int64_t> ddof) {
  Tensor x = inexact(in);
  if (!x.ok())
    return x;
  if (x.rank() > 2)
    return valueError("m has more than 2 dimensions");
  Tensor rows = atleast2d(x);
  if (!rowvar && x.rank() != 1)
    rows = transpose(rows);
  int64_t n = rows.dim(0), points = rows.dim(1);
  if (!n)
    return zeros({0, 0}, x.dtype());
  if (!points)
    return full(n == 1 ? Shape() : Shape{n, n},
                std::numeric_limits<double>::quiet_NaN(), x.dtype());
  Tensor centered = lax::sub(rows, mean(rows, Ints{1}, /*keepDims=*/true));
  double count = static_cast<double>(points - ddof.value_or(1));
  Tensor out = matmul(centered, transpose(conjugate(centered))) /
               scalarOf(count, x.dtype());
  return squeeze(out, Axes());
}
Tensor corrcoef(const Tensor &x, bool rowvar) {
  Tensor c = cov(x, rowvar);
  if (!c.ok())
    return c;
  if (!c.rank())
    return c / c;
  Tensor deviation = lax::convert_element_type(sqrt(real(diag(c))), c.dtype());
  c = c / expandDims(deviation, 1) / expandDims(deviation, 0);
  if (!isComplex(c.dtype()))
    return clip(c, -1.0, 1.0);
  return lax::complex(clip(lax::real(c), -1.0, 1.0),
                      clip(lax::imag(c), -1.0, 1.0));
}
Tensor convolve(const Tensor &x, const Tensor &y, ConvolveMode mode) {
  return convolved(x, y, mode, false);
}
Tensor correlate(const Tensor &x, const Tensor &y, ConvolveMode mode) {
  return convolved(x, y, mode, true);
}

Tensor interp(const Tensor &x, const Tensor &xp, const Tensor &fp) {
  if (const Error *error = errorIn(Tensors{x, xp, fp}))
    return *error;
  if (xp.shape() != fp.shape() || xp.rank() != 1 || !xp.dim(0))
    return valueError("xp and fp must be one-dimensional arrays of equal size");
  auto [pa, pp] = promotePair(x, xp);
  Tensor at = lax::convert_element_type(x, inexact(pa).dtype()),
         from = lax::convert_element_type(xp, at.dtype()), to = inexact(fp);
  if (isComplex(at.dtype()))
    return valueError("jnp.interp: complex x values not supported.");
  int64_t n = from.dim(0);
  Tensor i = minimum(maximum(searchsorted(from, at, /*right=*/true), 1), n - 1);
  Tensor before = take(from, i - 1, 0, {TakeMode::Clip}),
         value = take(to, i - 1, 0, {TakeMode::Clip});
  Tensor df = take(to, i, 0, {TakeMode::Clip}) - value,
         dx = take(from, i, 0, {TakeMode::Clip}) - before;
  // No NaN in derivatives where two points are one.
  Tensor isPoint = abs(dx) <= 1.5e-14;
  Tensor f = where(isPoint, value,
                   value + ((at - before) / where(isPoint, 1.0, dx)) * df);
  f = where(at < from[0], to[0], f);
  return where(at > from[-1], to[-1], f);
}
Tensors gradient(const Tensor &in, double spacing, const Axes &axes) {
  Tensor x = inexact(in);
  if (!x.ok())
    return {x};
  Tensors out;
  for (int64_t axis : axes ? *axes : iotaInts(x.rank())) {
    Expected<int64_t> d = normalizedAxis(axis, x.rank());
    if (!d)
      return {Tensor(d.error())};
    if (x.dim(*d) < 2)
      return {Tensor(valueError(
          "Shape of array too small to calculate a numerical gradient, at "
          "least 2 elements are required."))};
    Tensor h = scalarOf(spacing, x.dtype());
    Tensor first = slicedAt(x, 1, 2, *d) - slicedAt(x, 0, 1, *d),
           last = slicedAt(x, -1, {}, *d) - slicedAt(x, -2, -1, *d);
    Tensor inner = (slicedAt(x, 2, {}, *d) - slicedAt(x, {}, -2, *d)) * 0.5;
    out.push_back(lax::concatenate({first / h, inner / h, last / h}, *d));
  }
  return out;
}
static Tensor trapezoidOf(const Tensor &y, const Tensor &dx, int64_t axis) {
  Tensor rows = y.ok() ? moveaxis(y, axis, -1) : y;
  if (const Error *error = errorIn(Tensors{rows, dx}))
    return *error;
  int64_t d = rows.rank() - 1;
  if (!dx.rank()) {
    if (!rows.dim(d))
      return valueError("trapezoid expects at least one point");
    Tensor ends = lax::squeeze(slicedAt(rows, 0, 1, d), {d}) +
                  lax::squeeze(slicedAt(rows, -1, {}, d), {d});
    return dx * (sum(rows, Ints{-1}) - 0.5 * ends);
  }
  Tensor pairs = slicedAt(rows, 1, {}, d) + slicedAt(rows, {}, -1, d);
  return 0.5 * sum(dx * pairs, Ints{-1});
}
Tensor trapezoid(const Tensor &y, double dx, int64_t axis) {
  return trapezoidOf(inexact(y), Tensor(dx), axis);
}
Tensor trapezoid(const Tensor &y, const Tensor &x, int64_t axis) {
  auto [a, b] = promotePair(y, x);
  if (const Error *error = errorIn(Tensors{a, b}))
    return *error;
  DType type = inexact(a).dtype();
  Tensor at = lax::convert_element_type(x, type);
  Tensor dx = x.rank() == 1 ? diff(at) : moveaxis(diff(at, 1, axis), axis, -1);
  return trapezoidOf(lax::convert_element_type(y, type), dx, axis);
}
Tensor ediff1d(const Tensor &x) { return diff(ravel(x)); }
Tensor unwrap(const Tensor &x, int64_t axis, std::optional<double> period) {
  Tensor p = inexact(x);
  if (!p.ok())
    return p;
  Expected<int64_t> d = normalizedAxis(axis, p.rank());
  if (!d)
    return d.error();
  if (isComplex(p.dtype()))
    return valueError("jnp.unwrap does not support complex inputs.");
  if (!p.dim(*d))
    return p;
  double length = period.value_or(2 * std::numbers::pi), half = length / 2;
  Tensor steps = diff(p, 1, *d);
  Tensor wrapped = (steps + half) % length - half;
  wrapped = where((wrapped == -half) & (steps > 0.0), half, wrapped);
  Tensor correction = where(abs(steps) < half, 0.0, wrapped - steps);
  return lax::concatenate(
      {slicedAt(p, 0, 1, *d), slicedAt(p, 1, {}, *d) + cumsum(correction, *d)},
      *d);
}

/// A window from the numbers of its points; of fewer than two: ones.
static Tensor window(int64_t n,
                     const std::function<Tensor(const Tensor &)> &make) {
  DType type = canonicalType(DType::F64);
  if (n < 2)
    return n < 0 ? Tensor(valueError("a window of ", n, " points"))
                 : ones({n}, type);
  return make(lax::iota(type, {n}, 0));
}
Tensor bartlett(int64_t n) {
  auto m = static_cast<double>(n);
  return window(n, [m](const Tensor &i) {
    return 1.0 - abs(2.0 * i + 1.0 - m) / (m - 1);
  });
}
/// The cosine of `turns` turns over the window.
static Tensor turned(const Tensor &i, int64_t n, double turns) {
  return cos(turns * 2 * std::numbers::pi * i / (static_cast<double>(n) - 1));
}
Tensor blackman(int64_t n) {
  return window(n, [n](const Tensor &i) {
    return 0.42 - 0.5 * turned(i, n, 1) + 0.08 * turned(i, n, 2);
  });
}
Tensor hamming(int64_t n) {
  return window(n,
                [n](const Tensor &i) { return 0.54 - 0.46 * turned(i, n, 1); });
}
Tensor hanning(int64_t n) {
  return window(n,
                [n](const Tensor &i) { return 0.5 * (1.0 - turned(i, n, 1)); });
}
Tensor kaiser(int64_t n, double beta) {
  double middle = 0.5 * (static_cast<double>(n) - 1);
  return window(n, [=](const Tensor &i) {
    Tensor place = (i - middle) / middle;
    return i0(beta * sqrt(1.0 - square(place))) / i0(beta);
  });
}

} // namespace shardwright::frontend
