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

// Floats are of float16, bfloat16, float32 or float64, integers of 8 bits or
// more.

/// Numbers in [lo, hi), which are scalars or broadcast to the shape.
Tensor uniform(const Tensor &key, const Shape &shape, DType type,
               const Tensor &lo = 0.0, const Tensor &hi = 1.0);
/// Complex types, too.
Tensor normal(const Tensor &key, const Shape &shape, DType type);
/// True with these probabilities, whose shape is that of the result without
/// one.
Tensor bernoulli(const Tensor &key, const Tensor &p,
                 const std::optional<Shape> &shape = {});
Tensor randint(const Tensor &key, const Shape &shape, int64_t lo, int64_t hi,
               DType type);
/// Standard normal numbers between two bounds.
Tensor truncatedNormal(const Tensor &key, const Tensor &lower,
                       const Tensor &upper, const Shape &shape,
                       DType type = DType::F32);
Tensor gumbel(const Tensor &key, const Shape &shape, DType type = DType::F32);
Tensor exponential(const Tensor &key, const Shape &shape,
                   DType type = DType::F32);
Tensor laplace(const Tensor &key, const Shape &shape, DType type = DType::F32);
Tensor logistic(const Tensor &key, const Shape &shape, DType type = DType::F32);
Tensor cauchy(const Tensor &key, const Shape &shape, DType type = DType::F32);
/// -1 or 1.
Tensor rademacher(const Tensor &key, const Shape &shape,
                  DType type = DType::I32);
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
