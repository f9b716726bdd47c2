//===- random.cc - distributions of random numbers ------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/numpy/random.h"

#include "shardwright/frontend/numpy/arrange.h"
#include "shardwright/frontend/numpy/promote.h"

#include <cmath>
#include <limits>

namespace shardwright::frontend::random {
namespace {

constexpr double tiny = std::numeric_limits<float>::min();
constexpr double epsilon = std::numeric_limits<float>::epsilon();

Tensor like(const Tensor &x, double v) { return scalarOf(v, x.dtype()); }

/// Uniform numbers between bounds that are scalars.
Tensor uniformBetween(const Tensor &key, const Shape &shape, const Tensor &lo,
                      const Tensor &hi) {
  Tensor bits = lax::random_bits(key, 32, shape);
  // The mantissa of a number in [1, 2).
  Tensor mantissa = lax::bitwise_or(
      lax::shift_right_logical(bits, scalarOf(int64_t(9), DType::U32)),
      scalarOf(int64_t(0x3f800000), DType::U32));
  Tensor unit = lax::sub(lax::bitcast_convert_type(mantissa, DType::F32),
                         scalarOf(1.0, DType::F32));
  auto wide = [&](const Tensor &x) {
    return lax::reshape(x, Shape(Ints(shape.size(), 1)));
  };
  Tensor low = wide(lo);
  return lax::max(low, lax::add(lax::mul(unit, lax::sub(wide(hi), low)), low));
}

/// The order of 0 .. n - 1 by random sort keys, in rounds enough for ties not
/// to show.
Tensor shuffled(Tensor key, Tensor x) {
  double n = static_cast<double>(std::max<int64_t>(1, x.dim(0)));
  auto rounds =
      static_cast<int64_t>(std::ceil(3 * std::log(n) / std::log(4294967295.0)));
  for (int64_t i = 0; i < rounds; ++i) {
    Tensors keys = split(key);
    key = keys[0];
    Tensor order = lax::random_bits(keys[1], 32, x.shape());
    x = lax::sort({order, x}, 0)[1];
  }
  return x;
}

} // namespace

Tensor truncatedNormal(const Tensor &key, const Tensor &lower,
                       const Tensor &upper, const Shape &shape) {
  Tensor lo = astype(lower, DType::F32), hi = astype(upper, DType::F32);
  if (const Error *error = errorIn(Tensors{key, lo, hi}))
    return *error;
  if (lo.rank() || hi.rank())
    return valueError("truncatedNormal expects scalar bounds, got shapes ",
                      tupleText(lo.shape()), " and ", tupleText(hi.shape()));
  Tensor root = scalarOf(std::sqrt(2.0), DType::F32);
  Tensor u = uniformBetween(key, shape, lax::erf(lax::div(lo, root)),
                            lax::erf(lax::div(hi, root)));
  Tensor out = lax::mul(root, lax::erf_inv(u));
  Tensor infinity = scalarOf(INFINITY, DType::F32);
  return minimum(maximum(out, lax::nextafter(lax::stop_gradient(lo), infinity)),
                 lax::nextafter(lax::stop_gradient(hi), lax::neg(infinity)));
}
Tensor gumbel(const Tensor &key, const Shape &shape) {
  return lax::neg(lax::log(lax::neg(lax::log(uniform(key, shape, tiny, 1)))));
}
Tensor exponential(const Tensor &key, const Shape &shape) {
  return lax::neg(lax::log1p(lax::neg(uniform(key, shape))));
}
Tensor laplace(const Tensor &key, const Shape &shape) {
  Tensor u = uniform(key, shape, -1 + epsilon / 2, 1);
  return lax::mul(lax::sign(u), lax::log1p(lax::neg(lax::abs(u))));
}
Tensor logistic(const Tensor &key, const Shape &shape) {
  Tensor u = uniform(key, shape, tiny, 1);
  return lax::sub(lax::log(u), lax::log1p(lax::neg(u)));
}
Tensor cauchy(const Tensor &key, const Shape &shape) {
  Tensor u = uniform(key, shape, epsilon, 1);
  return lax::tan(lax::mul(like(u, M_PI), lax::sub(u, like(u, 0.5))));
}
Tensor rademacher(const Tensor &key, const Shape &shape) {
  Tensor heads = astype(bernoulli(key, 0.5, shape), DType::I32);
  return 2 * heads - 1;
}
Tensor categorical(const Tensor &key, const Tensor &logits, int64_t axis) {
  if (!logits.ok())
    return logits;
  return argmax(gumbel(key, logits.shape()) + logits, axis);
}
Tensor permutation(const Tensor &key, const Tensor &x, int64_t axis) {
  if (!x.ok())
    return x;
  Expected<int64_t> d = normalizedAxis(axis, x.rank());
  if (!d)
    return d.error();
  if (x.rank() == 1)
    return shuffled(key, x);
  return take(x, permutation(key, x.dim(*d)), *d);
}
Tensor permutation(const Tensor &key, int64_t n) {
  return shuffled(key, arange(n));
}
Tensor choice(const Tensor &key, int64_t n, const Shape &shape, bool replace) {
  int64_t count = shape.elements();
  if (n < 1 && count)
    return valueError("a must be greater than 0 unless no samples are taken");
  if (replace)
    return randint(key, shape, 0, n);
  if (count > n)
    return valueError("Cannot take a larger sample (size ", count,
                      ") than population (size ", n, ") when 'replace=False'");
  return reshape(lax::slice_in_dim(permutation(key, n), 0, count, 1, 0), shape);
}
Tensor choice(const Tensor &key, const Tensor &probabilities,
              const Shape &shape) {
  if (!probabilities.ok())
    return probabilities;
  if (probabilities.rank() != 1)
    return valueError("p must be one-dimensional, got shape ",
                      tupleText(probabilities.shape()));
  Tensor sums = cumsum(inexact(probabilities), 0);
  Tensor total = sums[-1];
  return searchsorted(sums, total * (1.0 - uniform(key, shape)));
}

} // namespace shardwright::frontend::random
