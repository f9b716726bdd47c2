//===- initializers.h - initial values of parameters -----------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_SCIPY_INITIALIZERS_H
#define SHARDWRIGHT_FRONTEND_SCIPY_INITIALIZERS_H

#include "shardwright/frontend/numpy/numpy.h"

/// Functions from a key and a shape to a float32 array. JAX:
/// jax.nn.initializers, with the same numbers for the same keys.
namespace shardwright::frontend::nn::initializers {

using Initializer =
    std::function<Tensor(const Tensor &key, const Shape &shape)>;

enum class Fan { In, Out, Average, GeometricAverage };
enum class Distribution { TruncatedNormal, Normal, Uniform };
/// Dimensions whose sizes are the inputs and outputs of a weight; the others,
/// apart from batch dimensions, are its receptive field.
struct FanAxes {
  Ints in = {-2}, out = {-1}, batch = {};
};

Initializer zeros(DType type = DType::F32);
Initializer ones(DType type = DType::F32);
Initializer constant(double value, DType type = DType::F32);
Initializer uniform(double scale = 1e-2);
Initializer normal(double stddev = 1e-2);
Initializer truncatedNormal(double stddev = 1e-2, double lower = -2,
                            double upper = 2);
/// The variance is `scale` over the number of inputs, outputs, or their mean.
Initializer varianceScaling(double scale, Fan fan, Distribution distribution,
                            const FanAxes &axes = {});
Initializer glorotUniform(const FanAxes &axes = {});
Initializer glorotNormal(const FanAxes &axes = {});
Initializer xavierUniform(const FanAxes &axes = {});
Initializer xavierNormal(const FanAxes &axes = {});
Initializer lecunUniform(const FanAxes &axes = {});
Initializer lecunNormal(const FanAxes &axes = {});
Initializer heUniform(const FanAxes &axes = {});
Initializer heNormal(const FanAxes &axes = {});
Initializer kaimingUniform(const FanAxes &axes = {});
Initializer kaimingNormal(const FanAxes &axes = {});
Initializer orthogonal(double scale = 1, int64_t columnAxis = -1);
/// An orthogonal matrix in the middle of a convolution's kernel, zeros around.
Initializer deltaOrthogonal(double scale = 1, int64_t columnAxis = -1);

} // namespace shardwright::frontend::nn::initializers

namespace shardwright::frontend::random {
/// Orthogonal matrices of shape [.., n, m]; m: n by default.
Tensor orthogonal(const Tensor &key, int64_t n, const Shape &shape = {},
                  std::optional<int64_t> m = {});
} // namespace shardwright::frontend::random

#endif // SHARDWRIGHT_FRONTEND_SCIPY_INITIALIZERS_H
