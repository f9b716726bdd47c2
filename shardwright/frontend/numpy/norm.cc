//===- norm.cc - norms of vectors and matrices ----------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/array/value.h"
#include "shardwright/frontend/linalg/linalg.h"
#include "shardwright/frontend/numpy/arrange.h"
#include "shardwright/frontend/numpy/linalg.h"
#include "shardwright/frontend/numpy/promote.h"
#include "shardwright/frontend/numpy/reductions.h"

#include <cmath>

namespace shardwright::frontend::linalg {
namespace {

Tensor euclidean(const Tensor &x, const Axes &axes, bool keepDims) {
  return sqrt(sum(square(abs(x)), axes, keepDims));
}
/// The greatest of nonnegative numbers, 0 of none; or the least.
Tensor extreme(const Tensor &x, bool isMax, const Axes &axes, bool keepDims) {
  return isMax ? max(x, {.axes = axes, .keepDims = keepDims, .initial = 0.0})
               : min(x, axes, keepDims);
}

/// Sums of sizes along one of two axes, of which the greatest or least along
/// the other counts.
Tensor extremeSum(const Tensor &x, int64_t inner, int64_t outer, bool isMax,
                  bool keepDims) {
  Tensor sums = sum(abs(x), Ints{inner}, /*keepDims=*/true);
  Tensor out = extreme(sums, isMax, Ints{outer}, /*keepDims=*/true);
  return keepDims || !out.ok() ? out : lax::squeeze(out, {inner, outer});
}

enum class Spectrum { Greatest, Least, Sum };
Tensor spectral(const Tensor &x, Ints axes, Spectrum kind, bool keepDims) {
  Tensor moved =
      moveaxis(moveaxis(x, axes[0], -1), axes[1] - (axes[1] > axes[0]), -1);
  Tensor s = lax::linalg::svd(moved, false, false)[0];
  Tensor out = kind == Spectrum::Sum
                   ? sum(s, Ints{-1})
                   : extreme(s, kind == Spectrum::Greatest, Ints{-1}, false);
  if (!keepDims || !out.ok())
    return out;
  std::sort(axes.begin(), axes.end());
  return lax::expand_dims(out, axes);
}

/// The axes from the begin, one or two of them.
Expected<Ints> normAxes(const Tensor &x, const Axes &axes) {
  Ints given = axes ? *axes : iotaInts(x.rank());
  Expected<Ints> out = distinctAxes(given, x.rank());
  if (out && out->size() != 1 && out->size() != 2)
    return valueError(
        "Improper number of axes for norm: axis=", tupleText(Shape(given)),
        ". Pass one axis to compute a vector-norm, or two axes "
        "to compute a matrix-norm.");
  return out;
}

Tensor matrixNormOf(const Tensor &x, const Ints &axes, double order,
                    bool keepDims) {
  bool isMax = order > 0;
  if (std::abs(order) == 1)
    return extremeSum(x, axes[0], axes[1], isMax, keepDims);
  if (std::isinf(order))
    return extremeSum(x, axes[1], axes[0], isMax, keepDims);
  if (std::abs(order) == 2)
    return spectral(x, axes, isMax ? Spectrum::Greatest : Spectrum::Least,
                    keepDims);
  return valueError("Invalid order '", floatText(order), "' for matrix norm.");
}

} // namespace

Tensor vectorNorm(const Tensor &in, double order, const Axes &axes,
                  bool keepDims) {
  // Norms that are sums or extremes of integers are integers.
  bool isExact = order == 1 || std::isinf(order);
  Tensor x = isExact ? in : inexact(in);
  if (!x.ok())
    return x;
  if (order == 2)
    return euclidean(x, axes, keepDims);
  if (std::isinf(order))
    return extreme(abs(x), order > 0, axes, keepDims);
  if (order == 0)
    return sum(
        lax::ne(x, lax::full_like(x, 0)),
        {.axes = axes, .keepDims = keepDims, .dtype = realType(x.dtype())});
  if (order == 1)
    return sum(abs(x), axes, keepDims);
  Tensor sizes = abs(x), exponent = scalarOf(order, sizes.dtype()),
         inverse = lax::div(scalarOf(1.0, sizes.dtype()), exponent);
  return power(sum(power(sizes, exponent), axes, keepDims), inverse);
}

Tensor norm(const Tensor &in, double order, const Axes &axes, bool keepDims) {
  Tensor x = inexact(in);
  if (!x.ok())
    return x;
  Expected<Ints> which = normAxes(x, axes);
  if (!which)
    return which.error();
  return which->size() == 1 ? vectorNorm(x, order, *which, keepDims)
                            : matrixNormOf(x, *which, order, keepDims);
}

Tensor norm(const Tensor &in, const Axes &axes, Norm kind, bool keepDims) {
  Tensor x = inexact(in);
  if (!x.ok())
    return x;
  if (!axes && kind == Norm::Euclidean)
    return euclidean(x, axes, keepDims);
  Expected<Ints> which = normAxes(x, axes);
  if (!which)
    return which.error();
  switch (kind) {
  case Norm::Euclidean:
    return euclidean(x, *which, keepDims);
  case Norm::One:
    return norm(x, 1, *which, keepDims);
  case Norm::Infinity:
    return norm(x, INFINITY, *which, keepDims);
  case Norm::Spectral:
    return norm(x, 2, *which, keepDims);
  case Norm::Nuclear:
    break;
  }
  if (which->size() == 1)
    return valueError(
        "the nuclear norm is defined for matrices only: give two axes");
  return spectral(x, *which, Spectrum::Sum, keepDims);
}

Tensor matrixNorm(const Tensor &x, Norm kind, bool keepDims) {
  return norm(x, Ints{-2, -1}, kind, keepDims);
}
Tensor matrixNorm(const Tensor &x, double order, bool keepDims) {
  return norm(x, order, Ints{-2, -1}, keepDims);
}

} // namespace shardwright::frontend::linalg
