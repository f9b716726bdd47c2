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

/// The name of the generator: "fry".
Expected<std::string> keyImpl(const Tensor &key);

// Floats of float16, bfloat16, float32 or float64.
Tensor lognormal(const Tensor &key, const Shape &shape, double sigma = 1,
                 DType type = DType::F32);
Tensor pareto(const Tensor &key, double b, const Shape &shape,
              DType type = DType::F32);
Tensor rayleigh(const Tensor &key, double scale, const Shape &shape,
                DType type = DType::F32);
Tensor weibullMin(const Tensor &key, double scale, double concentration,
                  const Shape &shape, DType type = DType::F32);
Tensor triangular(const Tensor &key, double left, double mode, double right,
                  const Shape &shape, DType type = DType::F32);
Tensor maxwell(const Tensor &key, const Shape &shape, DType type = DType::F32);
Tensor doubleSidedMaxwell(const Tensor &key, double loc, double scale,
                          const Shape &shape, DType type = DType::F32);
Tensor wald(const Tensor &key, double mean, const Shape &shape,
            DType type = DType::F32);
/// Numbers of trials up to the first success.
Tensor geometric(const Tensor &key, double p, const Shape &shape,
                 DType type = DType::I32);
/// Vectors with this mean and covariance; the last dimension of the result is
/// that of the mean, and its type theirs.
Tensor multivariateNormal(const Tensor &key, const Tensor &mean,
                          const Tensor &covariance, const Shape &shape = {});

// Parameters are arrays that broadcast to the shape, or that have the shape of
// the result if none is given.

/// Gamma distributions of scale 1 with these shape parameters, and their
/// logarithms. Both have derivatives in the parameters.
Tensor gamma(const Tensor &key, const Tensor &a,
             const std::optional<Shape> &shape = {}, DType type = DType::F32);
Tensor loggamma(const Tensor &key, const Tensor &a,
                const std::optional<Shape> &shape = {},
                DType type = DType::F32);
Tensor beta(const Tensor &key, const Tensor &a, const Tensor &b,
            const std::optional<Shape> &shape = {}, DType type = DType::F32);
/// Vectors along the last dimension, which sum to 1. `shape`: of the others.
Tensor dirichlet(const Tensor &key, const Tensor &alpha,
                 const std::optional<Shape> &shape = {},
                 DType type = DType::F32);
Tensor chisquare(const Tensor &key, const Tensor &df,
                 const std::optional<Shape> &shape = {},
                 DType type = DType::F32);
Tensor f(const Tensor &key, const Tensor &dfnum, const Tensor &dfden,
         const std::optional<Shape> &shape = {}, DType type = DType::F32);
Tensor t(const Tensor &key, const Tensor &df,
         const std::optional<Shape> &shape = {}, DType type = DType::F32);
Tensor generalizedNormal(const Tensor &key, double p, const Shape &shape = {},
                         DType type = DType::F32);
/// Points in the unit ball of the p-norm in d dimensions, along the last one.
Tensor ball(const Tensor &key, int64_t d, double p = 2, const Shape &shape = {},
            DType type = DType::F32);
/// Whole numbers of an integer type.
Tensor poisson(const Tensor &key, const Tensor &lambda,
               const std::optional<Shape> &shape = {}, DType type = DType::I32);
/// How many of n trials succeed, as floats.
Tensor binomial(const Tensor &key, const Tensor &n, const Tensor &p,
                const std::optional<Shape> &shape = {},
                DType type = DType::F32);
/// How many of n trials have each outcome, whose probabilities are along the
/// last dimension of p. `type`: by default that of n and p.
Tensor multinomial(const Tensor &key, const Tensor &n, const Tensor &p,
                   const std::optional<Shape> &shape = {},
                   std::optional<DType> type = {});

} // namespace shardwright::frontend::random

#endif // SHARDWRIGHT_FRONTEND_SCIPY_DISTRIBUTIONS_H
