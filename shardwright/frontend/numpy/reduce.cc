//===- reduce.cc - reductions ---------------------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/numpy/promote.h"

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

int64_t countOf(const Tensor &x, const Axes &axes) {
  Expected<Ints> dims = normalizedAxes(x, axes);
  int64_t n = 1;
  for (int64_t d : *dims)
    n *= x.dim(d);
  return n;
}
Tensor summable(const Tensor &x) {
  return x.ok() && x.dtype() == DType::Bool ? astype(x, DType::I32) : x;
}
Tensor boolean(const Tensor &x) {
  return x.ok() && x.dtype() != DType::Bool
             ? lax::ne(x, scalarOf(int64_t(0), x.dtype()))
             : x;
}
} // namespace

Tensor sum(const Tensor &x, const Axes &axes, bool keepDims) {
  return reduce(lax::reduce_sum, summable(x), axes, keepDims);
}
Tensor prod(const Tensor &x, const Axes &axes, bool keepDims) {
  return reduce(lax::reduce_prod, summable(x), axes, keepDims);
}
Tensor max(const Tensor &x, const Axes &axes, bool keepDims) {
  return reduce(lax::reduce_max, x, axes, keepDims);
}
Tensor min(const Tensor &x, const Axes &axes, bool keepDims) {
  return reduce(lax::reduce_min, x, axes, keepDims);
}
Tensor any(const Tensor &x, const Axes &axes, bool keepDims) {
  return reduce(lax::reduce_or, boolean(x), axes, keepDims);
}
Tensor all(const Tensor &x, const Axes &axes, bool keepDims) {
  return reduce(lax::reduce_and, boolean(x), axes, keepDims);
}
Tensor mean(const Tensor &x, const Axes &axes, bool keepDims) {
  Tensor total = sum(inexact(x), axes, keepDims);
  if (!total.ok())
    return total;
  return lax::div(
      total, scalarOf(static_cast<double>(countOf(x, axes)), total.dtype()));
}
Tensor var(const Tensor &x, const Axes &axes, bool keepDims) {
  Tensor centered = inexact(x) - mean(x, axes, /*keepDims=*/true);
  return mean(square(centered), axes, keepDims);
}

static Tensor alongAxis(const Tensor &x, int64_t axis,
                        const std::function<Tensor(int64_t)> &op) {
  if (!x.ok())
    return x;
  Expected<int64_t> d = normalizedAxis(axis, x.rank());
  return d ? op(*d) : Tensor(d.error());
}
Tensor argmax(const Tensor &x, int64_t axis) {
  return alongAxis(x, axis, [&](int64_t d) { return lax::argmax(x, d); });
}
Tensor argmin(const Tensor &x, int64_t axis) {
  return alongAxis(x, axis, [&](int64_t d) { return lax::argmin(x, d); });
}
Tensor cumsum(const Tensor &x, int64_t axis) {
  return alongAxis(x, axis,
                   [&](int64_t d) { return lax::cumsum(summable(x), d); });
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
