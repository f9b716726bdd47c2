//===- special.h - polygamma, zeta and Bessel functions --------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_PRIMITIVES_SPECIAL_H
#define SHARDWRIGHT_FRONTEND_PRIMITIVES_SPECIAL_H

#include "shardwright/frontend/array/tensor.h"

namespace shardwright::frontend::lax {

// Elementwise functions of floating-point arrays of equal shapes.

/// Derivative number m of digamma at x. JAX: lax.polygamma.
Tensor polygamma(const Tensor &m, const Tensor &x);
/// The Hurwitz zeta function: the sum of (q + k)^-x over k >= 0.
Tensor zeta(const Tensor &x, const Tensor &q);
/// Modified Bessel functions of order 0 and 1, times exp(-|x|).
Tensor bessel_i0e(const Tensor &x);
Tensor bessel_i1e(const Tensor &x);

} // namespace shardwright::frontend::lax

#endif // SHARDWRIGHT_FRONTEND_PRIMITIVES_SPECIAL_H
