//===- random.h - distributions of random numbers --------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_NUMPY_RANDOM_H
#define SHARDWRIGHT_FRONTEND_NUMPY_RANDOM_H

#include "shardwright/frontend/numpy/numpy.h"

/// JAX: jax.random, with the same numbers for the same keys.
namespace shardwright::frontend::random {

/// Standard normal numbers between two bounds.
Tensor truncatedNormal(const Tensor &key, const Tensor &lower,
                       const Tensor &upper, const Shape &shape);
Tensor gumbel(const Tensor &key, const Shape &shape);
Tensor exponential(const Tensor &key, const Shape &shape);
Tensor laplace(const Tensor &key, const Shape &shape);
Tensor logistic(const Tensor &key, const Shape &shape);
Tensor cauchy(const Tensor &key, const Shape &shape);
/// -1 or 1, as int32.
Tensor rademacher(const Tensor &key, const Shape &shape);
/// Numbers of classes, drawn by unnormalized log probabilities along an axis.
Tensor categorical(const Tensor &key, const Tensor &logits, int64_t axis = -1);
/// The slices of x along an axis in a random order; the same order everywhere.
Tensor permutation(const Tensor &key, const Tensor &x, int64_t axis = 0);
/// 0 .. n - 1 in a random order.
Tensor permutation(const Tensor &key, int64_t n);
/// Numbers below n, with or without replacement.
Tensor choice(const Tensor &key, int64_t n, const Shape &shape,
              bool replace = true);
/// Numbers of classes with these probabilities, with replacement.
Tensor choice(const Tensor &key, const Tensor &probabilities,
              const Shape &shape);

} // namespace shardwright::frontend::random

#endif // SHARDWRIGHT_FRONTEND_NUMPY_RANDOM_H
