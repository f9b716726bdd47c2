//===- activations.h - more functions of jax.nn ----------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_NUMPY_ACTIVATIONS_H
#define SHARDWRIGHT_FRONTEND_NUMPY_ACTIVATIONS_H

#include "shardwright/frontend/numpy/numpy.h"

/// JAX: jax.nn.
namespace shardwright::frontend::nn {

Tensor relu6(const Tensor &x);
Tensor elu(const Tensor &x, double alpha = 1);
Tensor celu(const Tensor &x, double alpha = 1);
Tensor selu(const Tensor &x);
Tensor leakyRelu(const Tensor &x, double slope = 0.01);
Tensor hardTanh(const Tensor &x);
Tensor hardSigmoid(const Tensor &x);
Tensor hardSilu(const Tensor &x);
Tensor logSigmoid(const Tensor &x);
Tensor softSign(const Tensor &x);
Tensor squareplus(const Tensor &x, double b = 4);
Tensor mish(const Tensor &x);
/// x Phi(x) by the error function; nn::gelu is its approximation by tanh.
Tensor geluExact(const Tensor &x);
/// The first half of an axis times the sigmoid of the second.
Tensor glu(const Tensor &x, int64_t axis = -1);
/// Mean 0 and variance 1 along an axis.
Tensor standardize(const Tensor &x, int64_t axis = -1, double epsilon = 1e-5);
/// softmax(q k^T / sqrt(head size)) v of [batch, length, heads, head size].
/// `isCausal`: a position sees itself and earlier ones.
Tensor dotProductAttention(const Tensor &q, const Tensor &k, const Tensor &v,
                           bool isCausal = false);

} // namespace shardwright::frontend::nn

#endif // SHARDWRIGHT_FRONTEND_NUMPY_ACTIVATIONS_H
