//===- distributions.cc - more distributions of random numbers ------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/scipy/distributions.h"

#include "shardwright/frontend/numpy/linalg.h"
#include "shardwright/frontend/numpy/promote.h"

namespace shardwright::frontend::random {

static Tensor f32(double value) { return scalarOf(value, DType::F32); }

Tensor prngKey(int64_t seed) { return keyData(key(seed)); }
Tensor keyData(const Tensor &key) { return lax::random_unwrap(key); }
Tensor wrapKeyData(const Tensor &words) { return lax::random_wrap(words); }
Tensor clone(const Tensor &key) { return key; }

Tensor lognormal(const Tensor &key, const Shape &shape, double sigma) {
  return lax::exp(lax::mul(normal(key, shape), f32(sigma)));
}
Tensor pareto(const Tensor &key, double b, const Shape &shape) {
  return lax::exp(lax::div(exponential(key, shape), f32(b)));
}
Tensor rayleigh(const Tensor &key, double scale, const Shape &shape) {
  Tensor root = lax::sqrt(lax::mul(lax::log(uniform(key, shape)), f32(-2)));
  return lax::mul(f32(scale), root);
}
Tensor weibullMin(const Tensor &key, double scale, double concentration,
                  const Shape &shape) {
  Tensor log = lax::neg(lax::log1p(lax::neg(uniform(key, shape))));
  return lax::mul(lax::pow(log, f32(1 / concentration)), f32(scale));
}
Tensor triangular(const Tensor &key, double left, double mode, double right,
                  const Shape &shape) {
  Tensor l = f32(left), m = f32(mode), r = f32(right);
  Tensor turn = lax::div(lax::sub(m, l), lax::sub(r, l));
  Tensor u = uniform(key, shape);
  Tensor low = l + lax::sqrt(u * (r - l) * (m - l));
  Tensor high = r - lax::sqrt((1.0 - u) * (r - l) * (r - m));
  return where(u < turn, low, high);
}
Tensor maxwell(const Tensor &key, const Shape &shape) {
  Shape wide = shape;
  wide.push_back(3);
  return linalg::norm(normal(key, wide), Ints{-1});
}
Tensor doubleSidedMaxwell(const Tensor &key, double loc, double scale,
                          const Shape &shape) {
  Tensors keys = split(key);
  Tensor sign = astype(rademacher(keys[1], shape), DType::F32);
  return sign * maxwell(keys[0], shape) * scale + loc;
}
Tensor wald(const Tensor &key, double mean, const Shape &shape) {
  Tensors keys = split(key);
  Tensor m = f32(mean), v = normal(keys[0], shape), z = uniform(keys[1], shape);
  Tensor y = lax::square(v), squares = lax::square(y);
  Tensor meanSquare = lax::square(m);
  Tensor root = lax::sqrt(4.0 * m * y + meanSquare * squares);
  Tensor x = m + meanSquare * y / 2.0 - m / 2.0 * root;
  return where(z <= m / (m + x), x, meanSquare / x);
}
Tensor geometric(const Tensor &key, double p, const Shape &shape) {
  Tensor u = uniform(key, shape);
  Tensor log = lax::log(where(u == 0.0, 1.0, u));
  Tensor rest = lax::log1p(lax::neg(f32(p)));
  return astype(floor(lax::div(log, rest)) + 1.0, DType::I32);
}
Tensor multivariateNormal(const Tensor &key, const Tensor &mean,
                          const Tensor &covariance, const Shape &shape) {
  if (const Error *error = errorIn(Tensors{key, mean, covariance}))
    return *error;
  if (mean.rank() < 1)
    return valueError("multivariate_normal requires mean.ndim >= 1, got "
                      "mean.ndim == ",
                      mean.rank());
  int64_t n = mean.dim(mean.rank() - 1);
  if (covariance.rank() != 2 || covariance.dim(0) != n ||
      covariance.dim(1) != n)
    return valueError(
        "multivariate_normal requires cov.shape == (n, n) for "
        "n=",
        n, ", but got cov.shape == ", tupleText(covariance.shape()), ".");
  Shape wide = shape;
  if (!wide.rank())
    wide = Shape(Ints(mean.shape().begin(), mean.shape().end() - 1));
  wide.push_back(n);
  Tensor factor = linalg::cholesky(inexact(covariance));
  return mean + matmul(normal(key, wide), transpose(factor));
}

} // namespace shardwright::frontend::random
