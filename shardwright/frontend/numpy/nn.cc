//===- nn.cc - activations and random numbers -----------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/numpy/promote.h"

namespace shardwright::frontend {

namespace nn {

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

} // namespace nn

namespace random {

Tensor key(int64_t seed) {
  return lax::random_seed(scalarOf(seed, DType::I32));
}
Tensors split(const Tensor &key, int64_t count) {
  // Each is an array of its own.
  constexpr int64_t most = 1 << 20;
  if (count < 0 || count > most)
    return Tensors(2, Tensor(valueError("split gives from 0 to ", most,
                                        " keys, but was asked for ", count,
                                        ". lax::random_split gives one array "
                                        "of any number.")));
  Tensor keys = lax::random_split(key, {count});
  if (!keys.ok())
    return Tensors(count, keys);
  Tensors out;
  for (int64_t i = 0; i < count; ++i)
    out.push_back(lax::squeeze(lax::slice(keys, {i}, {i + 1}, {1}), {0}));
  return out;
}
Tensor foldIn(const Tensor &key, const Tensor &data) {
  return lax::random_fold_in(key, data);
}
Tensor bits(const Tensor &key, const Shape &shape, DType type) {
  return lax::random_bits(key, bitWidth(type), shape);
}
Tensor uniform(const Tensor &key, const Shape &shape, double lo, double hi) {
  Tensor random = lax::random_bits(key, 32, shape);
  auto word = [](int64_t v) { return scalarOf(v, DType::U32); };
  Tensor mantissa = lax::bitwise_or(lax::shift_right_logical(random, word(9)),
                                    word(0x3F800000));
  Tensor unit = lax::sub(lax::bitcast_convert_type(mantissa, DType::F32),
                         scalarOf(1.0, DType::F32));
  Tensor low = scalarOf(lo, DType::F32);
  float width = static_cast<float>(hi) - static_cast<float>(lo);
  Tensor scaled =
      lax::add(lax::mul(unit, scalarOf(double(width), DType::F32)), low);
  return lax::max(low, scaled);
}
Tensor normal(const Tensor &key, const Shape &shape) {
  Tensor u = uniform(key, shape, std::nextafter(-1.0f, 0.0f), 1.0);
  return lax::mul(scalarOf(std::sqrt(2.0), DType::F32), lax::erf_inv(u));
}
Tensor bernoulli(const Tensor &key, double p, const Shape &shape) {
  return lax::lt(uniform(key, shape), scalarOf(p, DType::F32));
}
Tensor randint(const Tensor &key, const Shape &shape, int64_t lo, int64_t hi) {
  auto word = [](uint64_t v) {
    return scalarOf(static_cast<int64_t>(v), DType::U32);
  };
  Tensors keys = split(key);
  Tensor high = lax::random_bits(keys[0], 32, shape);
  Tensor low = lax::random_bits(keys[1], 32, shape);
  uint64_t span =
      hi > lo ? static_cast<uint64_t>(hi) - static_cast<uint64_t>(lo) : 1;
  uint64_t multiplier = (uint64_t(65536) % span);
  multiplier = (multiplier * multiplier) % (uint64_t(1) << 32) % span;
  Tensor s = word(span);
  Tensor mixed =
      lax::add(lax::mul(lax::rem(high, s), word(multiplier)), lax::rem(low, s));
  return lax::add(scalarOf(lo, DType::I32),
                  lax::convert_element_type(lax::rem(mixed, s), DType::I32));
}

} // namespace random
} // namespace shardwright::frontend
