//===- incomplete.h - incomplete gamma and beta functions ------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_CONTROL_INCOMPLETE_H
#define SHARDWRIGHT_FRONTEND_CONTROL_INCOMPLETE_H

#include "shardwright/frontend/array/tensor.h"

/// Elementwise functions of floating-point arrays, which are broadcast. All are
/// computed in 64 bits. JAX: jax.lax.
namespace shardwright::frontend::lax {

/// The regularized incomplete gamma function P(a, x), and 1 - P(a, x).
Tensor igamma(const Tensor &a, const Tensor &x);
Tensor igammac(const Tensor &a, const Tensor &x);
/// The derivative of `igamma` in its first argument.
Tensor igamma_grad_a(const Tensor &a, const Tensor &x);
/// The derivative of a sample x of the gamma distribution with shape a in a.
Tensor random_gamma_grad(const Tensor &a, const Tensor &x);
/// The regularized incomplete beta function I_x(a, b).
Tensor betainc(const Tensor &a, const Tensor &b, const Tensor &x);

} // namespace shardwright::frontend::lax

#endif // SHARDWRIGHT_FRONTEND_CONTROL_INCOMPLETE_H
