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

static Tensor number(double value, DType type) {
  return scalarOf(value, canonicalType(type));
}

Tensor prngKey(int64_t seed) { return keyData(key(seed)); }
Tensor keyData(const Tensor &key) { return lax::random_unwrap(key); }
Tensor wrapKeyData(const Tensor &words) { return lax::random_wrap(words); }
Tensor clone(const Tensor &key) { return key; }
Expected<std::string> keyImpl(const Tensor &key) {
  if (!key.ok())
    return key.error();
  bool isWords =
      key.dtype() == DType::U32 && key.rank() && key.dim(key.rank() - 1) == 2;
  if (key.dtype() != DType::Key && !isWords)
    return typeError("key_impl expects a key, got ", key.aval().longStr());
  return std::string("fry");
}

Tensor lognormal(const Tensor &key, const Shape &shape, double sigma,
                 DType type) {
  return lax::exp(lax::mul(normal(key, shape, type), number(sigma, type)));
}
Tensor pareto(const Tensor &key, double b, const Shape &shape, DType type) {
  return lax::exp(lax::div(exponential(key, shape, type), number(b, type)));
}
Tensor rayleigh(const Tensor &key, double scale, const Shape &shape,
                DType type) {
  Tensor u = uniform(key, shape, type);
  Tensor root = lax::sqrt(lax::mul(lax::log(u), number(-2, type)));
  return lax::mul(number(scale, type), root);
}
Tensor weibullMin(const Tensor &key, double scale, double concentration,
                  const Shape &shape, DType type) {
  Tensor u = uniform(key, shape, type);
  Tensor log = lax::neg(lax::log1p(lax::neg(u)));
  return lax::mul(lax::pow(log, number(1 / concentration, type)),
                  number(scale, type));
}
Tensor triangular(const Tensor &key, double left, double mode, double right,
                  const Shape &shape, DType type) {
  Tensor l = number(left, type), m = number(mode, type),
         r = number(right, type);
  Tensor turn = lax::div(lax::sub(m, l), lax::sub(r, l));
  Tensor u = uniform(key, shape, type);
  Tensor low = l + lax::sqrt(u * (r - l) * (m - l));
  Tensor high = r - lax::sqrt((1.0 - u) * (r - l) * (r - m));
  return where(u < turn, low, high);
}
Tensor maxwell(const Tensor &key, const Shape &shape, DType type) {
  Shape wide = shape;
  wide.push_back(3);
  return linalg::norm(normal(key, wide, type), Ints{-1});
}
Tensor doubleSidedMaxwell(const Tensor &key, double loc, double scale,
                          const Shape &shape, DType type) {
  Tensors keys = split(key);
  Tensor sign = astype(rademacher(keys[1], shape), canonicalType(type));
  return sign * maxwell(keys[0], shape, type) * scale + loc;
}
Tensor wald(const Tensor &key, double mean, const Shape &shape, DType type) {
  Tensors keys = split(key);
  Tensor m = number(mean, type), v = normal(keys[0], shape, type),
         z = uniform(keys[1], shape, type);
  Tensor y = lax::square(v), squares = lax::square(y);
  Tensor meanSquare = lax::square(m);
  Tensor root = lax::sqrt(4.0 * m * y + meanSquare * squares);
  Tensor x = m + meanSquare * y / 2.0 - m / 2.0 * root;
  return where(z <= m / (m + x), x, meanSquare / x);
}
Tensor geometric(const Tensor &key, double p, const Shape &shape, DType type) {
  Tensor u = uniform(key, shape);
  Tensor log = lax::log(where(u == 0.0, 1.0, u));
  Tensor rest = lax::log1p(lax::neg(number(p, DType::F32)));
  return astype(floor(lax::div(log, rest)) + 1.0, canonicalType(type));
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
  auto [center, spread] = inexactPair(mean, covariance, /*function=*/nullptr);
  Tensor factor = linalg::cholesky(
      lax::convert_element_type(covariance, inexact(center).dtype()));
  if (!factor.ok())
    return factor;
  Tensor spreads = matmul(normal(key, wide, factor.dtype()), transpose(factor));
  return spreads.ok() ? toRank(mean, spreads.rank()) + spreads : spreads;
}

} // namespace shardwright::frontend::random
