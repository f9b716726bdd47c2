//===- distributions.h - more distributions of random numbers --*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_SCIPY_DISTRIBUTIONS_H
#define SHARDWRIGHT_FRONTEND_SCIPY_DISTRIBUTIONS_H

#include "shardwright/frontend/numpy/random.h"

/// JAX: jax.random, with the same numbers for the same keys.
namespace shardwright::frontend::random {

/// Keys as words: jax.random.PRNGKey's form of a key.
Tensor prngKey(int64_t seed);
Tensor keyData(const Tensor &key);
Tensor wrapKeyData(const Tensor &words);
/// A key with the same numbers.
Tensor clone(const Tensor &key);

// Float32 numbers.
Tensor lognormal(const Tensor &key, const Shape &shape, double sigma = 1);
Tensor pareto(const Tensor &key, double b, const Shape &shape);
Tensor rayleigh(const Tensor &key, double scale, const Shape &shape);
Tensor weibullMin(const Tensor &key, double scale, double concentration,
                  const Shape &shape);
Tensor triangular(const Tensor &key, double left, double mode, double right,
                  const Shape &shape);
Tensor maxwell(const Tensor &key, const Shape &shape);
Tensor doubleSidedMaxwell(const Tensor &key, double loc, double scale,
                          const Shape &shape);
Tensor wald(const Tensor &key, double mean, const Shape &shape);
/// Numbers of trials up to the first success, as int32.
Tensor geometric(const Tensor &key, double p, const Shape &shape);
/// Vectors with this mean and covariance; the last dimension of the result is
/// that of the mean.
Tensor multivariateNormal(const Tensor &key, const Tensor &mean,
                          const Tensor &covariance, const Shape &shape = {});

} // namespace shardwright::frontend::random

#endif // SHARDWRIGHT_FRONTEND_SCIPY_DISTRIBUTIONS_H
