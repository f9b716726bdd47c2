//===- special.h - special functions ---------------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_SCIPY_SPECIAL_H
#define SHARDWRIGHT_FRONTEND_SCIPY_SPECIAL_H

#include "shardwright/frontend/numpy/numpy.h"

/// Elementwise functions of floats; integers become floats. JAX:
/// jax.scipy.special.
namespace shardwright::frontend::scipy::special {

Tensor erf(const Tensor &x);
Tensor erfc(const Tensor &x);
Tensor erfinv(const Tensor &x);
/// 1 / (1 + e^-x), and its inverse.
Tensor expit(const Tensor &x);
Tensor logit(const Tensor &x);

Tensor gammaln(const Tensor &x);
Tensor loggamma(const Tensor &x);
/// The sign of the gamma function, and the function.
Tensor gammasgn(const Tensor &x);
Tensor gamma(const Tensor &x);
Tensor factorial(const Tensor &n);
Tensor digamma(const Tensor &x);
/// The regularized incomplete gamma function P(a, x), and 1 - P(a, x).
Tensor gammainc(const Tensor &a, const Tensor &x);
Tensor gammaincc(const Tensor &a, const Tensor &x);
/// The regularized incomplete beta function.
Tensor betainc(const Tensor &a, const Tensor &b, const Tensor &x);
/// How many ways there are to choose k of n things, with or without repetition,
/// as a float.
Tensor comb(const Tensor &n, const Tensor &k, bool repetition = false);
/// Derivative number n of digamma.
Tensor polygamma(const Tensor &n, const Tensor &x);
Tensor zeta(const Tensor &x, const Tensor &q);
Tensor betaln(const Tensor &a, const Tensor &b);
Tensor beta(const Tensor &a, const Tensor &b);
Tensor multigammaln(const Tensor &a, int64_t d);
/// z (z + 1) .. (z + m - 1).
Tensor poch(const Tensor &z, const Tensor &m);

// Modified Bessel functions; those that end in e are times exp(-|x|).
Tensor i0(const Tensor &x);
Tensor i0e(const Tensor &x);
Tensor i1(const Tensor &x);
Tensor i1e(const Tensor &x);

/// x log y, and x log(1 + y); 0 where x is 0.
Tensor xlogy(const Tensor &x, const Tensor &y);
Tensor xlog1py(const Tensor &x, const Tensor &y);
/// -x log x, and the terms of the Kullback-Leibler divergence.
Tensor entr(const Tensor &x);
Tensor relEntr(const Tensor &p, const Tensor &q);
Tensor klDiv(const Tensor &p, const Tensor &q);
Tensor boxcox(const Tensor &x, const Tensor &lambda);
Tensor boxcox1p(const Tensor &x, const Tensor &lambda);

/// The normal distribution function, its logarithm, and its inverse.
Tensor ndtr(const Tensor &x);
Tensor logNdtr(const Tensor &x);
Tensor ndtri(const Tensor &p);

Tensor logsumexp(const Tensor &x, const Axes &axes = {}, bool keepDims = false);
Tensor softmax(const Tensor &x, int64_t axis = -1);
Tensor logSoftmax(const Tensor &x, int64_t axis = -1);

} // namespace shardwright::frontend::scipy::special

#endif // SHARDWRIGHT_FRONTEND_SCIPY_SPECIAL_H
