//===- numpy.h - functions in the manner of jax.numpy -----------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_NUMPY_NUMPY_H
#define SHARDWRIGHT_FRONTEND_NUMPY_NUMPY_H

#include "shardwright/frontend/numpy/index.h"

namespace shardwright::frontend {

// Operands are promoted to a common type and broadcast, as numpy does.

Tensor operator+(const Tensor &x, const Tensor &y);
Tensor operator-(const Tensor &x, const Tensor &y);
Tensor operator*(const Tensor &x, const Tensor &y);
Tensor operator/(const Tensor &x, const Tensor &y);
Tensor operator%(const Tensor &x, const Tensor &y);
Tensor operator-(const Tensor &x);
Tensor operator<(const Tensor &x, const Tensor &y);
Tensor operator<=(const Tensor &x, const Tensor &y);
Tensor operator>(const Tensor &x, const Tensor &y);
Tensor operator>=(const Tensor &x, const Tensor &y);
Tensor operator==(const Tensor &x, const Tensor &y);
Tensor operator!=(const Tensor &x, const Tensor &y);
Tensor operator&(const Tensor &x, const Tensor &y);
Tensor operator|(const Tensor &x, const Tensor &y);
Tensor operator^(const Tensor &x, const Tensor &y);
Tensor operator~(const Tensor &x);

#define SW_NUMPY_UNARY(X)                                                      \
  X(exp)                                                                       \
  X(exp2)                                                                      \
  X(log)                                                                       \
  X(log1p)                                                                     \
  X(expm1)                                                                     \
  X(sin)                                                                       \
  X(cos)                                                                       \
  X(tan) X(tanh) X(sqrt) X(cbrt) X(asin) X(acos) X(atan) X(sinh) X(cosh)       \
      X(asinh) X(acosh) X(atanh)
#define SW_DECLARE(name) Tensor name(const Tensor &x);
SW_NUMPY_UNARY(SW_DECLARE)
#undef SW_DECLARE
Tensor abs(const Tensor &x);
Tensor square(const Tensor &x);
Tensor sign(const Tensor &x);
Tensor floor(const Tensor &x);
Tensor ceil(const Tensor &x);
Tensor maximum(const Tensor &x, const Tensor &y);
Tensor minimum(const Tensor &x, const Tensor &y);
Tensor power(const Tensor &x, const Tensor &y);
Tensor power(const Tensor &x, int y);
Tensor clip(const Tensor &x, const Tensor &lo, const Tensor &hi);
Tensor where(const Tensor &condition, const Tensor &x, const Tensor &y);
Tensor astype(const Tensor &x, DType type);
Tensor stopGradient(const Tensor &x);

/// Dimensions: negative ones count from the end; none: all.
using Axes = std::optional<Ints>;
Tensor sum(const Tensor &x, const Axes &axes = {}, bool keepDims = false);
Tensor mean(const Tensor &x, const Axes &axes = {}, bool keepDims = false);
Tensor var(const Tensor &x, const Axes &axes = {}, bool keepDims = false);
Tensor prod(const Tensor &x, const Axes &axes = {}, bool keepDims = false);
Tensor max(const Tensor &x, const Axes &axes = {}, bool keepDims = false);
Tensor min(const Tensor &x, const Axes &axes = {}, bool keepDims = false);
Tensor any(const Tensor &x, const Axes &axes = {}, bool keepDims = false);
Tensor all(const Tensor &x, const Axes &axes = {}, bool keepDims = false);
/// Positions along an axis; none: in the flattened array.
Tensor argmax(const Tensor &x, std::optional<int64_t> axis = {},
              bool keepDims = false);
Tensor argmin(const Tensor &x, std::optional<int64_t> axis = {},
              bool keepDims = false);
/// Along an axis; none: of the flattened array.
Tensor cumsum(const Tensor &x, std::optional<int64_t> axis = {});
Tensor sort(const Tensor &x, int64_t axis = -1);
Tensor argsort(const Tensor &x, int64_t axis = -1);

/// One size may be -1.
Tensor reshape(const Tensor &x, Shape shape);
/// Reverses the dimensions, or permutes them.
Tensor transpose(const Tensor &x, const Ints &permutation = {});
Tensor swapaxes(const Tensor &x, int64_t a, int64_t b);
Tensor expandDims(const Tensor &x, int64_t axis);
Tensor squeeze(const Tensor &x, int64_t axis);
/// Without these dimensions of size 1; none: without all of them.
Tensor squeeze(const Tensor &x, const Axes &axes = {});
Tensor broadcastTo(const Tensor &x, const Shape &shape);
Tensor concatenate(const Tensors &xs, int64_t axis = 0);
Tensor stack(const Tensors &xs, int64_t axis = 0);
/// Equal parts along an axis.
Tensors split(const Tensor &x, int64_t parts, int64_t axis = 0);
Tensor zeros(const Shape &shape, DType type = DType::F32);
Tensor ones(const Shape &shape, DType type = DType::F32);
Tensor full(const Shape &shape, double value, DType type = DType::F32);
Tensor zerosLike(const Tensor &x);
Tensor onesLike(const Tensor &x);
Tensor arange(int64_t n, DType type = DType::I32);
/// start, start + step, .. before stop.
Tensor arange(int64_t start, int64_t stop, int64_t step = 1,
              DType type = DType::I32);
Tensor tril(const Tensor &x, int64_t k = 0);
Tensor triu(const Tensor &x, int64_t k = 0);

Tensor matmul(const Tensor &x, const Tensor &y);
/// Products and sums by letters of dimensions: `ij,jk->ik`, `...ij,jk`. Several
/// operands are contracted pair by pair, in the order of the fewest operations.
Tensor einsum(const std::string &spec, const Tensors &xs);

/// JAX: jax.nn.
namespace nn {
Tensor relu(const Tensor &x);
Tensor sigmoid(const Tensor &x);
Tensor gelu(const Tensor &x);
Tensor silu(const Tensor &x);
Tensor softplus(const Tensor &x);
Tensor softmax(const Tensor &x, int64_t axis = -1);
Tensor logSoftmax(const Tensor &x, int64_t axis = -1);
Tensor logsumexp(const Tensor &x, int64_t axis = -1, bool keepDims = false);
Tensor oneHot(const Tensor &x, int64_t classes, DType type = DType::F32);
} // namespace nn

/// JAX: jax.random, with the same numbers.
namespace random {
Tensor key(int64_t seed);
/// `count` keys.
Tensors split(const Tensor &key, int64_t count = 2);
Tensor foldIn(const Tensor &key, const Tensor &data);
Tensor bits(const Tensor &key, const Shape &shape, DType type = DType::U32);
Tensor uniform(const Tensor &key, const Shape &shape, double lo = 0,
               double hi = 1);
Tensor normal(const Tensor &key, const Shape &shape);
Tensor bernoulli(const Tensor &key, double p, const Shape &shape);
Tensor randint(const Tensor &key, const Shape &shape, int64_t lo, int64_t hi);
} // namespace random

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_NUMPY_NUMPY_H
