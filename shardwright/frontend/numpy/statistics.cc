//===- statistics.cc - counts, order and floating-point classes -----------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/numpy/arrange.h"
#include "shardwright/frontend/numpy/promote.h"

namespace shardwright::frontend {
namespace {

Tensor alongAxis(const Tensor &x, int64_t axis,
                 const std::function<Tensor(int64_t)> &op) {
  if (!x.ok())
    return x;
  Expected<int64_t> d = normalizedAxis(axis, x.rank());
  return d ? op(*d) : Tensor(d.error());
}
Tensor fillNan(const Tensor &x, double value) {
  Tensor f = inexact(x);
  return where(isnan(f), lax::full_like(f, value), f);
}
Tensor always(const Tensor &x, bool value) {
  return lax::full(x.shape(), value, DType::Bool);
}

} // namespace

Tensor cumprod(const Tensor &x, int64_t axis) {
  return alongAxis(x, axis, [&](int64_t d) { return lax::cumprod(x, d); });
}
Tensor diff(const Tensor &x, int64_t n, int64_t axis) {
  return alongAxis(x, axis, [&](int64_t d) {
    Tensor out = x;
    for (int64_t i = 0; i < n && out.dim(d); ++i) {
      int64_t size = out.dim(d);
      Tensor after = lax::slice_in_dim(out, 1, size, 1, d),
             before = lax::slice_in_dim(out, 0, size - 1, 1, d);
      out = out.dtype() == DType::Bool ? lax::ne(after, before)
                                       : lax::sub(after, before);
    }
    return out;
  });
}
Tensor searchsorted(const Tensor &sorted, const Tensor &values, bool right) {
  if (const Error *error = errorIn(Tensors{sorted, values}))
    return *error;
  if (sorted.rank() != 1)
    return valueError("a must be a one-dimensional array, got shape ",
                      tupleText(sorted.shape()));
  // How many elements are before each value.
  Tensor a = lax::reshape(sorted, [&] {
    Shape shape(Ints(values.rank(), 1));
    shape.push_back(sorted.dim(0));
    return shape;
  }());
  Tensor v = expandDims(values, -1);
  return sum(astype(right ? a <= v : a < v, DType::I32), Ints{-1});
}
Tensor bincount(const Tensor &x, int64_t length) {
  if (!x.ok())
    return x;
  if (x.rank() != 1 || !isInteger(x.dtype()))
    return typeError("bincount expects a one-dimensional array of integers, "
                     "got ",
                     x.aval().longStr());
  Tensor zero = scalarOf(int64_t(0), x.dtype());
  Tensor ones = lax::full({x.dim(0)}, 1, DType::I32);
  return lax::scatter(lax::ScatterKind::Add, lax::full({length}, 0, DType::I32),
                      lax::expand_dims(lax::max(x, zero), {1}), ones,
                      {{}, {0}, {0}, {}, {}}, GatherMode::FillOrDrop);
}
Tensor histogram(const Tensor &x, const Tensor &edges) {
  if (const Error *error = errorIn(Tensors{x, edges}))
    return *error;
  if (edges.rank() != 1 || edges.dim(0) < 2)
    return valueError("histogram expects two or more edges in one dimension, "
                      "got shape ",
                      tupleText(edges.shape()));
  int64_t bins = edges.dim(0) - 1;
  Tensor flat = ravel(x), last = edges[-1];
  // The last bin contains its right edge.
  Tensor bin = where(flat == last, scalarOf(bins - 1, DType::I32),
                     searchsorted(edges, flat, /*right=*/true) - 1);
  Tensor isInside = (flat >= edges[0]) & (flat <= last);
  Tensor weights = astype(isInside, DType::F32);
  return lax::scatter(lax::ScatterKind::Add, lax::full({bins}, 0, DType::F32),
                      lax::expand_dims(clip(bin, 0, bins - 1), {1}), weights,
                      {{}, {0}, {0}, {}, {}}, GatherMode::FillOrDrop);
}

Tensor isnan(const Tensor &x) {
  if (!x.ok())
    return x;
  return isInexact(x.dtype()) ? lax::ne(x, x) : always(x, false);
}
Tensor isinf(const Tensor &x) {
  if (!x.ok())
    return x;
  if (isComplex(x.dtype()))
    return isinf(lax::real(x)) | isinf(lax::imag(x));
  return isFloat(x.dtype()) ? lax::eq(lax::abs(x), lax::full_like(x, INFINITY))
                            : always(x, false);
}
Tensor isfinite(const Tensor &x) {
  if (!x.ok())
    return x;
  if (isComplex(x.dtype()))
    return lax::is_finite(lax::real(x)) & lax::is_finite(lax::imag(x));
  return isFloat(x.dtype()) ? lax::is_finite(x) : always(x, true);
}
Tensor nanToNum(const Tensor &x) {
  if (!x.ok() || !isFloat(x.dtype()))
    return x;
  Tensor zero = lax::full_like(x, 0);
  // The greatest finite number is the one before infinity.
  Tensor most = lax::nextafter(lax::full_like(x, INFINITY), zero);
  Tensor out = lax::select(lax::ne(x, x), zero, x);
  out = lax::select(lax::eq(x, lax::full_like(x, INFINITY)), most, out);
  return lax::select(lax::eq(x, lax::full_like(x, -INFINITY)), lax::neg(most),
                     out);
}
Tensor nansum(const Tensor &x, const Axes &axes, bool keepDims) {
  return sum(fillNan(x, 0), axes, keepDims);
}
Tensor nanmean(const Tensor &x, const Axes &axes, bool keepDims) {
  if (!x.ok())
    return x;
  Tensor count = sum(astype(~isnan(x), DType::F32), axes, keepDims);
  return nansum(x, axes, keepDims) / count;
}
Tensor nanmax(const Tensor &x, const Axes &axes, bool keepDims) {
  Tensor out = max(fillNan(x, -INFINITY), axes, keepDims);
  return where(all(isnan(x), axes, keepDims), lax::full_like(out, NAN), out);
}
Tensor nanmin(const Tensor &x, const Axes &axes, bool keepDims) {
  Tensor out = min(fillNan(x, INFINITY), axes, keepDims);
  return where(all(isnan(x), axes, keepDims), lax::full_like(out, NAN), out);
}
Tensor stddev(const Tensor &x, const Axes &axes, bool keepDims, int64_t ddof) {
  if (!x.ok())
    return x;
  Tensor squares = square(inexact(x) - mean(x, axes, /*keepDims=*/true));
  Tensor total = sum(squares, axes, keepDims);
  if (!total.ok())
    return total;
  int64_t kept = std::max<int64_t>(total.size(), 1);
  double count = static_cast<double>(x.size() / kept - ddof);
  return sqrt(total / scalarOf(count, total.dtype()));
}
Tensor countNonzero(const Tensor &x, const Axes &axes) {
  if (!x.ok())
    return x;
  Tensor zero = lax::full_like(x, 0);
  return sum(astype(lax::ne(x, zero), DType::I32), axes);
}
Tensor median(const Tensor &x, int64_t axis) {
  return alongAxis(x, axis, [&](int64_t d) -> Tensor {
    int64_t n = x.dim(d);
    if (!n)
      return valueError("median of an empty dimension");
    Tensor ordered = sort(inexact(x), d);
    Tensor low = lax::slice_in_dim(ordered, (n - 1) / 2, (n - 1) / 2 + 1, 1, d),
           high = lax::slice_in_dim(ordered, n / 2, n / 2 + 1, 1, d);
    Tensor middle = lax::squeeze(n % 2 ? low : (low + high) * 0.5, {d});
    Tensor hasNan = any(isnan(inexact(x)), Ints{d});
    return where(hasNan, lax::full_like(middle, NAN), middle);
  });
}
Tensor logaddexp(const Tensor &x, const Tensor &y) {
  auto [a, b] = promotePair(x, y);
  a = inexact(a), b = inexact(b);
  Tensor top = lax::stop_gradient(lax::max(a, b));
  top = where(lax::is_finite(top), top, zerosLike(top));
  return log(exp(a - top) + exp(b - top)) + top;
}
Tensor floorDivide(const Tensor &x, const Tensor &y) {
  auto [a, b] = promotePair(x, y);
  if (const Error *error = errorIn(Tensors{a, b}))
    return *error;
  Tensor zero = scalarOf(int64_t(0), a.dtype());
  if (isUnsigned(a.dtype()))
    return lax::div(a, b);
  if (isInteger(a.dtype())) {
    Tensor q = lax::div(a, b), r = lax::rem(a, b);
    Tensor isLow = lax::bitwise_and(
        lax::ne(r, zero), lax::ne(lax::lt(r, zero), lax::lt(b, zero)));
    return where(isLow, q - 1, q);
  }
  return lax::floor(lax::div(a, b));
}
Tensor hypot(const Tensor &x, const Tensor &y) {
  auto [a, b] = promotePair(x, y);
  a = abs(inexact(a)), b = abs(inexact(b));
  Tensor big = maximum(a, b), small = minimum(a, b);
  Tensor isZero = big == 0.0;
  Tensor ratio = small / where(isZero, onesLike(big), big);
  return where(isZero, big, big * sqrt(1.0 + square(ratio)));
}
Tensor arctan2(const Tensor &y, const Tensor &x) {
  auto [a, b] = promotePair(y, x);
  return lax::atan2(inexact(a), inexact(b));
}
Tensor reciprocal(const Tensor &x) {
  Tensor f = inexact(x);
  return f.ok() ? lax::integer_pow(f, -1) : f;
}
Tensor round(const Tensor &x) {
  if (!x.ok() || isInteger(x.dtype()))
    return x;
  return lax::round(x, RoundingMethod::ToNearestEven);
}
Tensor trunc(const Tensor &x) {
  if (!x.ok() || isInteger(x.dtype()))
    return x;
  return where(x < 0.0, ceil(x), floor(x));
}
Tensor isclose(const Tensor &x, const Tensor &y, double rtol, double atol) {
  auto [a, b] = promotePair(x, y);
  a = inexact(a), b = inexact(b);
  Tensor isNear = lax::abs(a - b) <= atol + rtol * abs(b);
  Tensor areFinite = isfinite(a) & isfinite(b);
  return where(areFinite, isNear, a == b);
}
Tensor allclose(const Tensor &x, const Tensor &y, double rtol, double atol) {
  return all(isclose(x, y, rtol, atol));
}

} // namespace shardwright::frontend
