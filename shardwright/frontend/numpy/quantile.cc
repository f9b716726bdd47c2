//===- quantile.cc - quantiles and statistics without NaN -----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/numpy/promote.h"
#include "shardwright/frontend/numpy/rearrange.h"
#include "shardwright/frontend/numpy/reductions.h"
#include "shardwright/frontend/numpy/spread.h"

#include <cmath>

namespace shardwright::frontend {
namespace {

/// The dimensions to reduce as one last dimension.
struct Flattened {
  Tensor x;
  Shape kept; ///< the shape of a result with dimensions of size 1
};
Expected<Flattened> flattened(const Tensor &x, const Axes &axes) {
  if (!axes)
    return Flattened{ravel(x), Shape(Ints(x.rank(), 1))};
  Expected<Ints> distinct = distinctAxes(*axes, x.rank());
  if (!distinct)
    return distinct.error();
  Ints dims = *distinct;
  std::sort(dims.begin(), dims.end());
  Flattened out{x, x.shape()};
  for (int64_t d : dims)
    out.kept.at(d) = 1;
  Ints order = withoutInts(x.rank(), dims);
  Shape shape;
  for (int64_t d : order)
    shape.push_back(x.dim(d));
  int64_t count = 1;
  for (int64_t d : dims)
    count *= x.dim(d);
  shape.push_back(count);
  order.insert(order.end(), dims.begin(), dims.end());
  out.x = lax::reshape(lax::transpose(x, order), shape);
  return out;
}

Tensor between(const Tensor &low, const Tensor &high, const Tensor &weight,
               QuantileMethod method) {
  Tensor one = scalarOf(1.0, weight.dtype());
  switch (method) {
  case QuantileMethod::Lower:
    return low;
  case QuantileMethod::Higher:
    return high;
  case QuantileMethod::Midpoint:
    return lax::mul(lax::add(low, high), scalarOf(0.5, low.dtype()));
  case QuantileMethod::Nearest:
    return where(lax::le(weight, scalarOf(0.5, weight.dtype())), low, high);
  case QuantileMethod::Linear:
    break;
  }
  DType type = weight.dtype();
  return lax::add(
      lax::mul(lax::convert_element_type(low, type), lax::sub(one, weight)),
      lax::mul(lax::convert_element_type(high, type), weight));
}

Tensor quantileOf(const Tensor &in, const Tensor &given, const Axes &axes,
                  QuantileMethod method, bool keepDims, bool ignoresNan) {
  auto [px, pq] = promotePair(in, given, /*function=*/nullptr);
  if (const Error *error = errorIn(Tensors{px, pq}))
    return *error;
  Tensor x = inexact(in);
  Tensor q = lax::convert_element_type(given, inexact(pq).dtype());
  if (isComplex(x.dtype()) || isComplex(q.dtype()))
    return valueError("quantile does not support complex input, as the "
                      "operation is poorly defined.");
  if (q.rank() > 1)
    return valueError("q must be have rank <= 1, got shape ",
                      tupleText(q.shape()));
  Expected<Flattened> flat = flattened(x, axes);
  if (!flat)
    return flat.error();
  Tensor rows = flat->x;
  int64_t last = rows.rank() - 1, n = rows.dim(last);
  if (!n)
    return valueError("quantile expects an array with elements");
  if (!ignoresNan)
    rows = where(any(isnan(rows), Ints{-1}, true), NAN, rows);
  rows = sort(where(isnan(rows), NAN, rows), -1);
  // [q, 1 .. 1], beside the counts of the rows.
  Shape wide(Ints(last + q.rank(), 1));
  if (q.rank())
    wide.at(0) = q.dim(0);
  Tensor at = lax::reshape(q, wide);
  Tensor count = ignoresNan ? sum(astype(~isnan(rows), q.dtype()), Ints{-1})
                            : scalarOf(static_cast<double>(n), q.dtype());
  if (const Error *error = errorIn(Tensors{rows, at, count}))
    return *error;
  // Of the rank of `at`.
  if (ignoresNan && q.rank())
    count = lax::expand_dims(count, {0});
  Tensor zero = scalarOf(0.0, q.dtype()), one = scalarOf(1.0, q.dtype());
  Tensor top = lax::sub(count, one);
  Tensor place = at * top;
  Tensor low = lax::floor(place), weight = lax::sub(place, low);
  auto element = [&](const Tensor &position) {
    Tensor inside = maximum(zero, minimum(position, top));
    Tensor index = astype(inside, DType::I32);
    Shape shape = rows.shape();
    shape.pop_back();
    if (q.rank())
      shape.insert(shape.begin(), q.dim(0));
    index = expandDims(broadcastTo(index, shape), -1);
    Tensor from = q.rank() ? lax::expand_dims(rows, {0}) : rows;
    return squeeze(takeAlongAxis(from, index, -1), -1);
  };
  Tensor out = between(element(low), element(lax::ceil(place)), weight, method);
  if (!out.ok())
    return out;
  if (keepDims) {
    Shape kept = flat->kept;
    if (q.rank())
      kept.insert(kept.begin(), q.dim(0));
    out = lax::reshape(out, kept);
  }
  return lax::convert_element_type(out, x.dtype());
}
Tensor hundredths(const Tensor &q) {
  Tensor f = inexact(q);
  return f.ok() ? lax::div(f, scalarOf(100.0, f.dtype())) : f;
}

} // namespace

Tensor quantile(const Tensor &x, const Tensor &q, const Axes &axes,
                QuantileMethod method, bool keepDims) {
  return quantileOf(x, q, axes, method, keepDims, false);
}
Tensor nanquantile(const Tensor &x, const Tensor &q, const Axes &axes,
                   QuantileMethod method, bool keepDims) {
  return quantileOf(x, q, axes, method, keepDims, true);
}
Tensor percentile(const Tensor &x, const Tensor &q, const Axes &axes,
                  QuantileMethod method, bool keepDims) {
  return quantileOf(x, hundredths(q), axes, method, keepDims, false);
}
Tensor nanpercentile(const Tensor &x, const Tensor &q, const Axes &axes,
                     QuantileMethod method, bool keepDims) {
  return quantileOf(x, hundredths(q), axes, method, keepDims, true);
}
Tensor median(const Tensor &x, const Axes &axes, bool keepDims) {
  return quantileOf(x, 0.5, axes, QuantileMethod::Midpoint, keepDims, false);
}
Tensor nanmedian(const Tensor &x, const Axes &axes, bool keepDims) {
  return quantileOf(x, 0.5, axes, QuantileMethod::Midpoint, keepDims, true);
}

std::pair<Tensor, Tensor>
averageAndWeights(const Tensor &x, const Axes &axes,
                  const std::optional<Tensor> &weights, bool keepDims) {
  auto failed = [](const Error &error) {
    return std::pair<Tensor, Tensor>(error, error);
  };
  if (!weights) {
    Tensor out = mean(x, axes, keepDims);
    if (!out.ok())
      return {out, out};
    int64_t count = x.size() / std::max<int64_t>(1, out.size());
    return {out, lax::full_like(out, static_cast<double>(count))};
  }
  auto [p, q] = promotePair(x, *weights);
  if (const Error *error = errorIn(Tensors{p, q}))
    return failed(*error);
  Tensor a = lax::convert_element_type(x, inexact(p).dtype());
  Tensor w = lax::convert_element_type(*weights, a.dtype());
  if (w.shape() != a.shape()) {
    if (!axes)
      return failed(valueError("Axis must be specified when shapes of a and "
                               "weights differ."));
    Expected<Ints> dims = distinctAxes(*axes, a.rank());
    if (!dims)
      return failed(dims.error());
    Shape expected;
    for (int64_t d : *dims)
      expected.push_back(a.dim(d));
    if (w.shape() != expected)
      return failed(valueError("Shape of weights must be consistent with shape "
                               "of a along specified axis."));
    // The dimensions of the weights in the order of those of x.
    Ints order = iotaInts(w.rank());
    std::sort(order.begin(), order.end(),
              [&](int64_t i, int64_t j) { return (*dims)[i] < (*dims)[j]; });
    Ints sorted = *dims;
    std::sort(sorted.begin(), sorted.end());
    w = lax::broadcast_in_dim(lax::transpose(w, order), a.shape(), sorted);
  }
  Tensor total = sum(w, axes, keepDims);
  return {sum(lax::mul(a, w), axes, keepDims) / total, total};
}
Tensor average(const Tensor &x, const Axes &axes,
               const std::optional<Tensor> &weights, bool keepDims) {
  return averageAndWeights(x, axes, weights, keepDims).first;
}
Tensor ptp(const Tensor &x, const Axes &axes, bool keepDims) {
  return lax::sub(max(x, axes, keepDims), min(x, axes, keepDims));
}
static Tensor nanPosition(const Tensor &x, std::optional<int64_t> axis,
                          bool keepDims, bool isMax) {
  if (!x.ok() || !isFloat(x.dtype()))
    return isMax ? argmax(x, axis, keepDims) : argmin(x, axis, keepDims);
  Tensor full = withoutNan(x, isMax ? -INFINITY : INFINITY);
  Tensor out =
      isMax ? argmax(full, axis, keepDims) : argmin(full, axis, keepDims);
  Axes axes = axis ? Axes(Ints{*axis}) : Axes();
  return where(all(isnan(x), axes, keepDims), -1, out);
}
Tensor nanargmax(const Tensor &x, std::optional<int64_t> axis, bool keepDims) {
  return nanPosition(x, axis, keepDims, true);
}
Tensor nanargmin(const Tensor &x, std::optional<int64_t> axis, bool keepDims) {
  return nanPosition(x, axis, keepDims, false);
}

// Along an axis.

namespace {
struct Accumulation {
  Tensor (*op)(const Tensor &, int64_t, bool);
  const char *noun;
  double identity;
};
constexpr Accumulation sums = {lax::cumsum, "sum", 0},
                       products = {lax::cumprod, "product", 1};
} // namespace

/// `type`: that of the result; none: of x, or 32-bit integers for booleans.
static Tensor accumulated(const Accumulation &kind, const Tensor &in,
                          std::optional<int64_t> axis,
                          std::optional<DType> type) {
  if (!in.ok())
    return in;
  Tensor x = axis ? in : lax::reshape(in, {in.size()});
  return alongAxis(x, axis.value_or(0), [&](int64_t d) {
    DType result = type                       ? canonicalType(*type)
                   : x.dtype() == DType::Bool ? DType::I32
                                              : x.dtype();
    Tensor operand = result == DType::Bool ? boolean(x) : x;
    operand = lax::convert_element_type(
        operand, result == DType::Bool ? DType::I32 : result);
    return lax::convert_element_type(kind.op(operand, d, false), result);
  });
}
Tensor cumsum(const Tensor &x, std::optional<int64_t> axis) {
  return accumulated(sums, x, axis, {});
}
Tensor cumsum(const Tensor &x, std::optional<int64_t> axis, DType type) {
  return accumulated(sums, x, axis, type);
}
Tensor cumprod(const Tensor &x, int64_t axis) {
  return accumulated(products, x, axis, {});
}
Tensor cumprod(const Tensor &x) { return accumulated(products, x, {}, {}); }
Tensor cumprod(const Tensor &x, std::optional<int64_t> axis, DType type) {
  return accumulated(products, x, axis, type);
}
Tensor nancumsum(const Tensor &x, std::optional<int64_t> axis) {
  return cumsum(withoutNan(x, 0), axis);
}
Tensor nancumsum(const Tensor &x, std::optional<int64_t> axis, DType type) {
  return cumsum(withoutNan(x, 0), axis, type);
}
Tensor nancumprod(const Tensor &x, std::optional<int64_t> axis) {
  return accumulated(products, withoutNan(x, 1), axis, {});
}
Tensor nancumprod(const Tensor &x, std::optional<int64_t> axis, DType type) {
  return accumulated(products, withoutNan(x, 1), axis, type);
}
static Tensor cumulative(const Accumulation &kind, const Tensor &x,
                         std::optional<int64_t> axis, std::optional<DType> type,
                         bool includeInitial) {
  if (!x.ok())
    return x;
  if (!x.rank())
    return valueError("The input must be non-scalar to take a cumulative ",
                      kind.noun,
                      ", however a scalar value or scalar array was given.");
  if (!axis && x.rank() != 1)
    return valueError("The input array has rank ", x.rank(),
                      ", however axis was not set to an explicit value. The "
                      "axis argument is only optional for one-dimensional "
                      "arrays.");
  Expected<int64_t> d = normalizedAxis(axis.value_or(0), x.rank());
  if (!d)
    return d.error();
  Tensor out = accumulated(kind, x, *d, type);
  if (!includeInitial || !out.ok())
    return out;
  Shape shape = x.shape();
  shape.at(*d) = 1;
  return lax::concatenate({full(shape, kind.identity, out.dtype()), out}, *d);
}
Tensor cumulativeSum(const Tensor &x, std::optional<int64_t> axis,
                     bool includeInitial) {
  if (!x.ok())
    return x;
  return cumulative(sums, x, axis, sumType(x.dtype()), includeInitial);
}
Tensor cumulativeSum(const Tensor &x, std::optional<int64_t> axis, DType type,
                     bool includeInitial) {
  return cumulative(sums, x, axis, type, includeInitial);
}
Tensor cumulativeProd(const Tensor &x, std::optional<int64_t> axis,
                      bool includeInitial) {
  return cumulative(products, x, axis, {}, includeInitial);
}
Tensor cumulativeProd(const Tensor &x, std::optional<int64_t> axis, DType type,
                      bool includeInitial) {
  return cumulative(products, x, axis, type, includeInitial);
}

} // namespace shardwright::frontend
