//===- reduce.cc - reductions ---------------------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/numpy/arrange.h"
#include "shardwright/frontend/numpy/promote.h"

#include <cmath>

namespace shardwright::frontend {

Expected<int64_t> normalizedAxis(int64_t axis, int64_t rank) {
  int64_t out = axis < 0 ? axis + rank : axis;
  if (out < 0 || out >= rank)
    return valueError("axis ", axis,
                      " is out of bounds for array of "
                      "dimension ",
                      rank);
  return out;
}

namespace {
Expected<Ints> normalizedAxes(const Tensor &x, const Axes &axes) {
  if (!axes)
    return iotaInts(x.rank());
  Ints out;
  for (int64_t axis : *axes) {
    Expected<int64_t> one = normalizedAxis(axis, x.rank());
    if (!one)
      return one.error();
    out.push_back(*one);
  }
  std::sort(out.begin(), out.end());
  return out;
}

using Reducer = Tensor (*)(const Tensor &, const Ints &);
Tensor reduce(Reducer op, const Tensor &x, const Axes &axes, bool keepDims) {
  if (!x.ok())
    return x;
  Expected<Ints> dims = normalizedAxes(x, axes);
  if (!dims)
    return dims.error();
  Tensor out = op(x, *dims);
  return keepDims ? lax::expand_dims(out, *dims) : out;
}

/// How many elements are reduced, as a number of this type.
Tensor countOf(const Tensor &x, const Axes &axes, DType type) {
  Expected<Ints> dims = normalizedAxes(x, axes);
  if (!dims)
    return dims.error();
  double n = 1;
  for (int64_t d : *dims)
    n *= static_cast<double>(x.dim(d));
  return scalarOf(n, type);
}
/// Sums of booleans and short integers are 32-bit integers.
DType sumType(DType type) {
  if (type == DType::Bool || (isSigned(type) && bitWidth(type) < 32))
    return DType::I32;
  return isUnsigned(type) && bitWidth(type) < 32 ? DType::U32 : type;
}
Tensor reduceAs(Reducer op, const Tensor &x, DType result, const Axes &axes,
                bool keepDims) {
  return reduce(op, lax::convert_element_type(x, computationType(result)), axes,
                keepDims);
}
Tensor accumulated(Reducer op, const Tensor &x, const Axes &axes,
                   bool keepDims) {
  if (!x.ok())
    return x;
  DType type = sumType(x.dtype());
  return lax::convert_element_type(reduceAs(op, x, type, axes, keepDims), type);
}
Tensor extreme(Reducer op, const char *name, const Tensor &x, const Axes &axes,
               bool keepDims) {
  if (!x.ok())
    return x;
  Expected<Ints> dims = normalizedAxes(x, axes);
  if (!dims)
    return dims.error();
  for (int64_t d : *dims)
    if (!x.dim(d))
      return valueError("zero-size array to reduction operation ", name,
                        " which has no identity");
  return reduce(op, x, axes, keepDims);
}
} // namespace

Tensor sum(const Tensor &x, const Axes &axes, bool keepDims) {
  return accumulated(lax::reduce_sum, x, axes, keepDims);
}
Tensor prod(const Tensor &x, const Axes &axes, bool keepDims) {
  return accumulated(lax::reduce_prod, x, axes, keepDims);
}
Tensor max(const Tensor &x, const Axes &axes, bool keepDims) {
  return extreme(lax::reduce_max, "max", x, axes, keepDims);
}
Tensor min(const Tensor &x, const Axes &axes, bool keepDims) {
  return extreme(lax::reduce_min, "min", x, axes, keepDims);
}
Tensor any(const Tensor &x, const Axes &axes, bool keepDims) {
  return reduce(lax::reduce_or, boolean(x), axes, keepDims);
}
Tensor all(const Tensor &x, const Axes &axes, bool keepDims) {
  return reduce(lax::reduce_and, boolean(x), axes, keepDims);
}
Tensor mean(const Tensor &in, const Axes &axes, bool keepDims) {
  Tensor x = inexact(in);
  if (!x.ok())
    return x;
  Tensor total = reduceAs(lax::reduce_sum, x, x.dtype(), axes, keepDims);
  Tensor count = countOf(x, axes, computationType(x.dtype()));
  return lax::convert_element_type(lax::div(total, count), x.dtype());
}
Tensor var(const Tensor &in, const Axes &axes, bool keepDims, int64_t ddof) {
  Tensor x = inexact(in);
  if (!x.ok())
    return x;
  DType type = computationType(x.dtype());
  Tensor wide = lax::convert_element_type(x, type);
  Tensor centered = lax::sub(wide, mean(wide, axes, /*keepDims=*/true));
  Tensor squares = squaredSize(centered);
  if (!squares.ok())
    return squares;
  Tensor count = lax::sub(countOf(x, axes, squares.dtype()),
                          scalarOf(double(ddof), squares.dtype()));
  Tensor out =
      lax::div(reduce(lax::reduce_sum, squares, axes, keepDims), count);
  out = lax::convert_element_type(out, realType(x.dtype()));
  return where(lax::gt(count, scalarOf(0.0, squares.dtype())), out, NAN);
}
Tensor var(const Tensor &x, const Axes &axes, bool keepDims) {
  return var(x, axes, keepDims, 0);
}

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
static Tensor sumOperand(const Tensor &x) {
  return lax::convert_element_type(x, sumType(x.dtype()));
}
Tensor cumsum(const Tensor &in, std::optional<int64_t> axis) {
  Tensor x = axis || !in.ok() ? in : lax::reshape(in, {in.size()});
  return alongAxis(x, axis.value_or(0),
                   [&](int64_t d) { return lax::cumsum(sumOperand(x), d); });
}
Tensor sort(const Tensor &x, int64_t axis) {
  return alongAxis(x, axis, [&](int64_t d) { return lax::sort({x}, d)[0]; });
}
Tensor argsort(const Tensor &x, int64_t axis) {
  return alongAxis(x, axis, [&](int64_t d) {
    return lax::sort({x, lax::iota(DType::I32, x.shape(), d)}, d, 1)[1];
  });
}

} // namespace shardwright::frontend
