//===- statistics.cc - counts, order and floating-point classes -----------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/control/control.h"
#include "shardwright/frontend/numpy/arrange.h"
#include "shardwright/frontend/numpy/promote.h"
#include "shardwright/frontend/numpy/ufuncs.h"

namespace shardwright::frontend {
namespace {

Tensor always(const Tensor &x, bool value) {
  return lax::full(x.shape(), value, DType::Bool);
}

} // namespace

using ArgReduction = Tensor (*)(const Tensor &, int64_t, DType);
static Tensor extremePosition(ArgReduction op, const char *name,
                              const Tensor &x, std::optional<int64_t> axis,
                              bool keepDims) {
  if (!x.ok())
    return x;
  if (!axis) {
    if (!x.size())
      return valueError("attempt to get ", name, " of an empty sequence");
    Tensor out = op(lax::reshape(x, {x.size()}), 0, DType::I32);
    return keepDims ? lax::reshape(out, Shape(Ints(x.rank(), 1))) : out;
  }
  return alongAxis(x, *axis, [&](int64_t d) -> Tensor {
    if (!x.dim(d))
      return valueError("attempt to get ", name, " of an empty sequence");
    Tensor out = op(x, d, DType::I32);
    return keepDims ? lax::expand_dims(out, {d}) : out;
  });
}
Tensor argmax(const Tensor &x, std::optional<int64_t> axis, bool keepDims) {
  return extremePosition(lax::argmax, "argmax", x, axis, keepDims);
}
Tensor argmin(const Tensor &x, std::optional<int64_t> axis, bool keepDims) {
  return extremePosition(lax::argmin, "argmin", x, axis, keepDims);
}
Tensor sort(const Tensor &x, int64_t axis) {
  return alongAxis(x, axis, [&](int64_t d) { return lax::sort({x}, d)[0]; });
}
Tensor argsort(const Tensor &x, int64_t axis) {
  return alongAxis(x, axis, [&](int64_t d) {
    return lax::sort({x, lax::iota(DType::I32, x.shape(), d)}, d, 1)[1];
  });
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
  if (!x.ok() || !isInexact(x.dtype()))
    return x;
  if (isComplex(x.dtype()))
    return lax::complex(nanToNum(lax::real(x)), nanToNum(lax::imag(x)));
  Tensor zero = lax::full_like(x, 0);
  // The greatest finite number is the one before infinity.
  Tensor most = lax::nextafter(lax::full_like(x, INFINITY), zero);
  Tensor out = lax::select(lax::ne(x, x), zero, x);
  out = lax::select(lax::eq(x, lax::full_like(x, INFINITY)), most, out);
  return lax::select(lax::eq(x, lax::full_like(x, -INFINITY)), lax::neg(most),
                     out);
}
Tensor median(const Tensor &x, int64_t axis) {
  return alongAxis(x, axis, [&](int64_t d) -> Tensor {
    int64_t n = x.dim(d);
    if (!n)
      return valueError("median expects a dimension with elements");
    Tensor ordered = sort(inexact(x), d);
    Tensor low = lax::slice_in_dim(ordered, (n - 1) / 2, (n - 1) / 2 + 1, 1, d),
           high = lax::slice_in_dim(ordered, n / 2, n / 2 + 1, 1, d);
    Tensor middle = lax::squeeze(n % 2 ? low : (low + high) * 0.5, {d});
    Tensor hasNan = any(isnan(inexact(x)), Ints{d});
    return where(hasNan, lax::full_like(middle, NAN), middle);
  });
}
Tensor logaddexp(const Tensor &x, const Tensor &y) {
  auto [a, b] = inexactPair(x, y);
  if (const Error *error = errorIn(Tensors{a, b}))
    return *error;
  if (isComplex(a.dtype()))
    return notImplemented("logaddexp of complex numbers");
  return logAddExp(a, b);
}
/// The quotient, rounded down, and the remainder of floats.
static std::pair<Tensor, Tensor> divideFloats(const Tensor &a,
                                              const Tensor &b) {
  Tensor zero = scalarOf(0.0, a.dtype()), one = scalarOf(1.0, a.dtype());
  Tensor rest = lax::rem(a, b);
  Tensor top = where(lax::eq(b, zero), a, lax::sub(a, rest));
  Tensor quotient = lax::div(top, b);
  Tensor isLow = lax::bitwise_and(lax::ne(rest, zero),
                                  lax::ne(lax::sign(b), lax::sign(rest)));
  return {lax::round(where(isLow, lax::sub(quotient, one), quotient)),
          where(isLow, lax::add(rest, b), rest)};
}
Tensor floorDivide(const Tensor &x, const Tensor &y) {
  auto [p, q] = promotePair(x, y);
  if (const Error *error = errorIn(Tensors{p, q}))
    return *error;
  bool isBool = p.dtype() == DType::Bool;
  Tensor a = isBool ? astype(p, DType::I32) : p,
         b = isBool ? astype(q, DType::I32) : q;
  if (isComplex(a.dtype()))
    return typeError("floor_divide does not support complex-valued inputs");
  if (isUnsigned(a.dtype()))
    return lax::div(a, b);
  if (isInteger(a.dtype())) {
    Tensor zero = scalarOf(int64_t(0), a.dtype()),
           one = scalarOf(int64_t(1), a.dtype());
    Tensor quotient = lax::div(a, b);
    Tensor isLow = lax::bitwise_and(lax::ne(lax::sign(a), lax::sign(b)),
                                    lax::ne(lax::rem(a, b), zero));
    return where(isLow, lax::sub(quotient, one), quotient);
  }
  return divideFloats(a, b).first;
}
std::pair<Tensor, Tensor> divmod(const Tensor &x, const Tensor &y) {
  auto [a, b] = promotePair(x, y);
  if (a.ok() && b.ok() && isFloat(a.dtype()))
    return divideFloats(a, b);
  return {floorDivide(x, y), x % y};
}
Tensor hypot(const Tensor &x, const Tensor &y) {
  auto [p, q] = promotePair(x, y);
  Tensor a = abs(inexact(p)), b = abs(inexact(q));
  if (const Error *error = errorIn(Tensors{p, q, a, b}))
    return *error;
  if (isComplex(p.dtype()))
    return valueError("jnp.hypot is not well defined for complex-valued "
                      "inputs. Please convert to real values first, such as "
                      "by using abs(x)");
  Tensor zero = scalarOf(0.0, a.dtype()), one = scalarOf(1.0, a.dtype());
  Tensor infinity = scalarOf(INFINITY, a.dtype());
  Tensor isInfinite =
      lax::bitwise_or(lax::eq(a, infinity), lax::eq(b, infinity));
  Tensor big = lax::max(a, b), small = lax::min(a, b);
  Tensor isZero = lax::eq(big, zero);
  Tensor ratio = lax::div(small, where(isZero, onesLike(big), big));
  Tensor length = where(
      isZero, big, lax::mul(big, lax::sqrt(lax::add(lax::square(ratio), one))));
  return where(isInfinite, infinity, length);
}
Tensor arctan2(const Tensor &y, const Tensor &x) {
  auto [a, b] = promotePair(y, x);
  return lax::atan2(inexact(a), inexact(b));
}
Tensor reciprocal(const Tensor &x) {
  Tensor f = inexact(x);
  return f.ok() ? lax::integer_pow(f, -1) : f;
}
Tensor round(const Tensor &x) { return round(x, 0); }
Tensor trunc(const Tensor &x) {
  if (!x.ok() || isInteger(x.dtype()) || x.dtype() == DType::Bool)
    return x;
  Tensor zero = scalarOf(0.0, x.dtype());
  return where(x < zero, lax::ceil(x), lax::floor(x));
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
