//===- activations.cc - functions of jax.nn -------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/numpy/activations.h"

#include "shardwright/frontend/numpy/promote.h"

#include <cmath>

namespace shardwright::frontend::nn {
namespace {

/// expm1 of the elements that are not positive, so that neither value nor
/// derivative overflows elsewhere.
Tensor expm1OfNegative(const Tensor &x, double scale = 1) {
  Tensor safe = where(x > 0.0, zerosLike(x), x);
  return expm1(scale == 1 ? safe : safe / scale);
}

} // namespace

Tensor relu6(const Tensor &x) { return minimum(maximum(x, 0), 6); }
Tensor elu(const Tensor &x, double alpha) {
  Tensor f = inexact(x);
  return where(f > 0.0, f, alpha * expm1OfNegative(f));
}
Tensor celu(const Tensor &x, double alpha) {
  Tensor f = inexact(x);
  return maximum(f, 0.0) + alpha * expm1(minimum(f, 0.0) / alpha);
}
Tensor selu(const Tensor &x) {
  return 1.0507009873554804934193349852946 *
         elu(x, 1.6732632423543772848170429916717);
}
Tensor leakyRelu(const Tensor &x, double slope) {
  Tensor f = inexact(x);
  return where(f >= 0.0, f, slope * f);
}
Tensor hardTanh(const Tensor &x) {
  return where(x > 1.0, onesLike(x), where(x < -1.0, lax::full_like(x, -1), x));
}
Tensor hardSigmoid(const Tensor &x) { return relu6(x + 3.0) / 6.0; }
Tensor hardSilu(const Tensor &x) { return x * hardSigmoid(x); }
Tensor logSigmoid(const Tensor &x) { return -softplus(-inexact(x)); }
Tensor softSign(const Tensor &x) {
  Tensor f = inexact(x);
  return f / (abs(f) + 1.0);
}
Tensor squareplus(const Tensor &x, double b) {
  Tensor f = inexact(x);
  return (f + sqrt(square(f) + b)) / 2.0;
}
Tensor mish(const Tensor &x) {
  Tensor f = inexact(x);
  return f * tanh(softplus(f));
}
Tensor geluExact(const Tensor &x) {
  Tensor f = inexact(x);
  return 0.5 * f * lax::erfc(-f * std::sqrt(0.5));
}
Tensor glu(const Tensor &x, int64_t axis) {
  if (!x.ok())
    return x;
  Expected<int64_t> d = normalizedAxis(axis, x.rank());
  if (!d)
    return d.error();
  if (x.dim(*d) % 2)
    return valueError("axis size must be divisible by 2, got ", x.dim(*d));
  Tensors halves = split(x, 2, *d);
  return halves[0] * sigmoid(halves[1]);
}
Tensor standardize(const Tensor &x, int64_t axis, double epsilon) {
  Tensor f = inexact(x);
  Tensor centered = f - mean(f, Ints{axis}, true);
  // The variance as the mean of squares less the square of the mean.
  Tensor variance =
      mean(square(f), Ints{axis}, true) - square(mean(f, Ints{axis}, true));
  return centered * lax::rsqrt(variance + epsilon);
}
Tensor dotProductAttention(const Tensor &q, const Tensor &k, const Tensor &v,
                           bool isCausal) {
  if (const Error *error = errorIn(Tensors{q, k, v}))
    return *error;
  if (q.rank() != 4 || k.rank() != 4 || v.rank() != 4)
    return valueError("dotProductAttention expects q, k and v of rank 4, got "
                      "shapes ",
                      tupleText(q.shape()), ", ", tupleText(k.shape()), " and ",
                      tupleText(v.shape()));
  double scale = 1 / std::sqrt(static_cast<double>(q.dim(3)));
  Tensor scores = einsum("btnh,bsnh->bnts", {q, k}) * scale;
  if (isCausal) {
    Shape square{q.dim(1), k.dim(1)};
    Tensor sees = lax::ge(lax::iota(DType::I32, square, 0),
                          lax::iota(DType::I32, square, 1));
    scores = where(sees, scores, lax::full_like(scores, -INFINITY));
  }
  return einsum("bnts,bsnh->btnh", {softmax(scores), v});
}

Tensor relu(const Tensor &x) {
  // The derivative at 0 is 0, as in JAX.
  Tensor zero = zerosLike(x);
  return where(x > 0, x, zero);
}
Tensor sigmoid(const Tensor &x) { return lax::logistic(inexact(x)); }
Tensor silu(const Tensor &x) { return x * sigmoid(x); }
Tensor gelu(const Tensor &x) {
  Tensor cube = lax::integer_pow(x, 3);
  Tensor inner = 0.7978845608028654 * (x + 0.044715 * cube);
  return x * (0.5 * (1.0 + tanh(inner)));
}
Tensor softplus(const Tensor &x) {
  return maximum(x, 0.0) + log1p(exp(-abs(x)));
}

Tensor softmax(const Tensor &x, int64_t axis) {
  if (!x.ok())
    return x;
  Tensor top = max(x, Ints{axis});
  top = lax::max(scalarOf(-INFINITY, x.dtype()), top);
  Tensor e = exp(x - lax::stop_gradient(expandDims(top, axis)));
  return e / expandDims(sum(e, Ints{axis}), axis);
}
Tensor logSoftmax(const Tensor &x, int64_t axis) {
  Tensor shifted = x - lax::stop_gradient(max(x, Ints{axis}, true));
  return shifted - log(sum(exp(shifted), Ints{axis}, true));
}
Tensor logsumexp(const Tensor &x, int64_t axis, bool keepDims) {
  Tensor top = max(x, Ints{axis}, true);
  top = lax::stop_gradient(where(lax::is_finite(top), top, zerosLike(top)));
  Tensor out = log(sum(exp(x - top), Ints{axis}, true)) + top;
  return keepDims ? out : squeeze(out, axis);
}
Tensor oneHot(const Tensor &x, int64_t classes, DType type) {
  if (!x.ok())
    return x;
  Shape shape(Ints(x.rank() + 1, 1));
  shape.at(x.rank()) = classes;
  Tensor positions = lax::iota(x.dtype(), shape, x.rank());
  return astype(lax::eq(expandDims(x, -1), positions), type);
}

} // namespace shardwright::frontend::nn
