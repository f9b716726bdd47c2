//===- random_counts.cc - Poisson and binomial distributions --------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Small means by counting (Knuth; Devroye for binomials), great ones by
// Hormann's transformed rejection, with JAX's keys. All elements draw in each
// round until the last one has its number.
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/control/control.h"
#include "shardwright/frontend/control/gamma_parts.h"
#include "shardwright/frontend/numpy/arrange.h"
#include "shardwright/frontend/numpy/promote.h"
#include "shardwright/frontend/numpy/rearrange.h"
#include "shardwright/frontend/scipy/distributions.h"
#include "shardwright/frontend/scipy/draw_parameters.h"

#include <limits>

namespace shardwright::frontend::random {
namespace {

/// Repeats a round of draws, which gets a key and the values and returns the
/// next ones, while `isOpen` of the values holds for an element. `keyLast`: the
/// first of the two keys is for drawing, the second for the next round.
Tensors
rounds(const Tensor &key, int64_t numKeys, bool keyLast,
       const std::function<Tensor(const Tensors &)> &isOpen,
       const std::function<Tensors(const Tensors &, const Tensors &)> &round,
       const Tensors &init) {
  Tensors carry = init;
  carry.push_back(key);
  auto values = [](const Tensors &in) {
    return Tensors(in.begin(), in.end() - 1);
  };
  Tensors out = whileFlat(
      [&](const Tensors &in) {
        return Tensors{gammas::anyOf(isOpen(values(in)))};
      },
      [&](const Tensors &in) {
        Tensors keys = random::split(in.back(), numKeys);
        Tensor nextKey = keyLast ? keys.back() : keys.front();
        keyLast ? keys.pop_back() : (void)keys.erase(keys.begin());
        Tensors next = round(keys, values(in));
        next.push_back(nextKey);
        return next;
      },
      carry);
  if (!out.empty())
    out.pop_back();
  return out;
}

// Poisson

Tensor poissonByCounting(const Tensor &key, const Tensor &lambda, DType type) {
  Tensor zero = lax::full(lambda.shape(), 0, type);
  auto isOpen = [&](const Tensors &in) {
    return lax::gt(in[1], lax::neg(lambda));
  };
  auto round = [&](const Tensors &keys, const Tensors &in) {
    Tensor one = scalarOf(int64_t(1), type);
    Tensor count = lax::select(isOpen(in), lax::add(in[0], one), in[0]);
    Tensor u = uniform(keys[0], lambda.shape());
    return Tensors{count, lax::add(in[1], lax::log(u))};
  };
  Tensors out =
      rounds(key, 2, false, isOpen, round, {zero, lax::full_like(lambda, 0)});
  return lax::sub(out[0], scalarOf(int64_t(1), type));
}
Tensor poissonByRejection(const Tensor &key, const Tensor &lambda, DType type) {
  Tensor logLambda = lax::log(lambda);
  Tensor b = 0.931 + 2.53 * lax::sqrt(lambda);
  Tensor a = -0.059 + 0.02483 * b;
  Tensor inverseAlpha = 1.1239 + 1.1328 / (b - 3.4);
  Tensor limit = 0.9277 - 3.6224 / (b - 2.0);
  auto round = [&](const Tensors &keys, const Tensors &in) {
    Tensor u = uniform(keys[0], lambda.shape()) - 0.5;
    Tensor v = uniform(keys[1], lambda.shape());
    Tensor shifted = 0.5 - frontend::abs(u);
    Tensor k = lax::floor((2.0 * a / shifted + b) * u + lambda + 0.43);
    Tensor s = lax::log(v * inverseAlpha / (a / (shifted * shifted) + b));
    Tensor t = -lambda + k * logLambda - lax::lgamma(k + 1.0);
    Tensor quick = (shifted >= 0.07) & (v <= limit);
    Tensor isOut = (k < 0.0) | ((shifted < 0.013) & (v > shifted));
    Tensor accept = quick | (~isOut & (s <= t));
    return Tensors{lax::select(accept, k, in[0]),
                   lax::bitwise_or(in[1], accept)};
  };
  auto isOpen = [](const Tensors &in) { return lax::bitwise_not(in[1]); };
  Tensors out = rounds(
      key, 3, false, isOpen, round,
      {lax::full_like(lambda, -1), lax::full(lambda.shape(), 0, DType::Bool)});
  return lax::convert_element_type(out[0], type);
}

// Binomial

/// What Stirling's formula for log k! lacks.
Tensor stirlingTail(const Tensor &in) {
  static const std::vector<float> tails = {
      0.0810614667953272F,  0.0413406959554092F, 0.0276779256849983F,
      0.02079067210376509F, 0.0166446911898211F, 0.0138761288230707F,
      0.0118967099458917F,  0.010411265261972F,  0.00925546218271273F,
      0.00833056343336287F};
  Tensor isSmall = in <= 9.0;
  Tensor k = lax::clamp(gammas::number(in, 0), in, gammas::number(in, 9));
  Tensor squares = (k + 1.0) * (k + 1.0);
  Tensor formula =
      (1.0 / 12 - (1.0 / 360 - 1.0 / 1260 / squares) / squares) / (k + 1.0);
  Tensor table =
      lax::convert_element_type(frontend::arrayOf(tails), in.dtype());
  Tensor at = lax::convert_element_type(lax::floor(k), DType::I32);
  return lax::select(isSmall, take(table, at, 0), formula);
}
Tensor binomialByCounting(const Tensor &key, const Tensor &count,
                          const Tensor &p) {
  Tensor logFailure = lax::log1p(lax::neg(p));
  auto isOpen = [&](const Tensors &in) { return lax::le(in[1], count); };
  auto round = [&](const Tensors &keys, const Tensors &in) {
    Tensor number = lax::select(isOpen(in), in[0] + 1.0, in[0]);
    Tensor u = uniform(keys[0], p.shape(), p.dtype());
    Tensor trials = lax::ceil(lax::log(u) / logFailure);
    return Tensors{number, in[1] + trials};
  };
  Tensors out = rounds(key, 2, true, isOpen, round,
                       {lax::full_like(p, 0), lax::full_like(p, 0)});
  return out[0] - 1.0;
}
Tensor binomialByRejection(const Tensor &key, const Tensor &count,
                           const Tensor &p) {
  Tensor deviation = lax::sqrt(count * p * (1.0 - p));
  Tensor b = 1.15 + 2.53 * deviation;
  Tensor a = -0.0873 + 0.0248 * b + 0.01 * p;
  Tensor c = count * p + 0.5;
  Tensor limit = 0.92 - 4.2 / b;
  Tensor r = p / (1.0 - p);
  Tensor alpha = (2.83 + 5.1 / b) * deviation;
  Tensor m = lax::floor((count + 1.0) * p);
  auto round = [&](const Tensors &keys, const Tensors &in) {
    Tensor u = uniform(keys[0], p.shape(), p.dtype()) - 0.5;
    Tensor v = uniform(keys[1], p.shape(), p.dtype());
    Tensor us = 0.5 - frontend::abs(u);
    Tensor quick = (us >= 0.07) & (v <= limit);
    Tensor k = lax::floor((2.0 * a / us + b) * u + c);
    Tensor isOut = (k < 0.0) | (k > count);
    v = lax::log(v * alpha / (a / (us * us) + b));
    Tensor bound =
        (m + 0.5) * lax::log((m + 1.0) / (r * (count - m + 1.0))) +
        (count + 1.0) * lax::log((count - m + 1.0) / (count - k + 1.0)) +
        (k + 0.5) * lax::log(r * (count - k + 1.0) / (k + 1.0)) +
        stirlingTail(m) + stirlingTail(count - m) - stirlingTail(k) -
        stirlingTail(count - k);
    Tensor accept = quick | (~isOut & (v <= bound));
    return Tensors{lax::select(accept, k, in[0]),
                   lax::bitwise_or(in[1], accept)};
  };
  auto isOpen = [](const Tensors &in) { return lax::bitwise_not(in[1]); };
  return rounds(
      key, 3, false, isOpen, round,
      {lax::full_like(p, -1), lax::full(p.shape(), 0, DType::Bool)})[0];
}

} // namespace

Tensor poisson(const Tensor &key, const Tensor &lambda,
               const std::optional<Shape> &wanted, DType given) {
  if (const Error *error = errorIn(Tensors{key, lambda}))
    return *error;
  DType type = canonicalType(given);
  if (!isInteger(type))
    return valueError("dtype argument to `poisson` must be an integer dtype, "
                      "got ",
                      frontend::name(type));
  Expected<Shape> shape = commonShape("poisson", {lambda}, wanted);
  if (!shape)
    return shape.error();
  Tensor mean =
      lax::convert_element_type(broadcastTo(lambda, *shape), DType::F32);
  if (!mean.ok() || !mean.size())
    return mean.ok() ? lax::convert_element_type(mean, type) : mean;
  Tensor isSmall = lax::bitwise_or(lax::ne(mean, mean), mean < 10.0);
  Tensor counted = poissonByCounting(
      key, lax::select(isSmall, mean, lax::full_like(mean, 0)), type);
  Tensor rejected = poissonByRejection(
      key, lax::select(isSmall, lax::full_like(mean, 1e5), mean), type);
  Tensor out = lax::select(isSmall, counted, rejected);
  return lax::select(mean == 0.0, lax::full_like(out, 0), out);
}

Tensor binomial(const Tensor &key, const Tensor &n, const Tensor &given,
                const std::optional<Shape> &wanted, DType wantedType) {
  if (const Error *error = errorIn(Tensors{key, n, given}))
    return *error;
  DType type = canonicalType(wantedType);
  if (!isFloat(type))
    return valueError("dtype argument to `binomial` must be a float dtype, "
                      "got ",
                      frontend::name(type));
  Expected<Shape> shape = commonShape("binomial", {n, given}, wanted);
  if (!shape)
    return shape.error();
  Tensor p = broadcastTo(inexact(given), *shape);
  if (!p.ok() || !p.size())
    return p.ok() ? lax::convert_element_type(p, type) : p;
  Tensor count = broadcastTo(lax::convert_element_type(n, p.dtype()), *shape);
  auto isNan = [](const Tensor &x) { return lax::ne(x, x); };
  // Failures are counted where they are rarer.
  Tensor isRare = p < 0.5;
  Tensor q = lax::select(isRare, p, 1.0 - p);
  Tensor noCount = isNan(count) | (count < 0.0);
  Tensor isInfinite = isinf(count);
  Tensor noChance = isNan(q), isNegative = q < 0.0;
  q = lax::select(noChance | isNegative, lax::full_like(q, 0.01), q);
  Tensor isSmall = noCount | (count * q <= 10.0);
  count = lax::floor(count);
  Tensor counted = binomialByCounting(
      key, lax::select(isSmall, count, lax::full_like(count, 0)), q);
  Tensor rejected = binomialByRejection(
      key, lax::select(isSmall, lax::full_like(count, 1e4), count),
      lax::select(isSmall, lax::full_like(q, 0.5), q));
  Tensor out =
      lax::convert_element_type(lax::select(isSmall, counted, rejected), type);
  Tensor isInvalid = isNegative | noChance | noCount;
  out = lax::select(isInvalid, lax::full_like(out, NAN), out);
  out =
      lax::select(isInfinite & ~isInvalid, lax::full_like(out, INFINITY), out);
  Tensor isDone = isRare | noCount | noChance | isInfinite;
  return lax::select(isDone, out,
                     lax::sub(lax::convert_element_type(count, type), out));
}

Tensor multinomial(const Tensor &key, const Tensor &n, const Tensor &given,
                   const std::optional<Shape> &wanted,
                   std::optional<DType> type) {
  auto [first, second] = inexactPair(n, given);
  if (const Error *error = errorIn(Tensors{key, first, second}))
    return *error;
  DType common = first.dtype();
  Shape shape = wanted.value_or(given.shape());
  if (!shape.rank())
    return valueError("multinomial expects probabilities of rank 1 or more");
  Shape batch(Ints(shape.begin(), shape.end() - 1));
  Tensor p = moveaxis(
      broadcastTo(lax::convert_element_type(given, common), shape), -1, 0);
  Tensor left = broadcastTo(lax::convert_element_type(n, common), batch);
  if (const Error *error = errorIn(Tensors{p, left}))
    return *error;
  Tensor rest = lax::cumsum(p, 0, /*reverse=*/true);
  Tensor ratios = p / where(rest == 0.0, 1.0, rest);
  int64_t outcomes = p.dim(0);
  Tensor keys = lax::random_unwrap(lax::random_split(key, {outcomes}));
  Tensors out = scanFlat(
      [common](const Tensors &in) {
        Tensor count = binomial(lax::random_wrap(in[2]), in[0],
                                clip(in[1], 0.0, 1.0), {}, common);
        return Tensors{lax::sub(in[0], count), count};
      },
      {left}, {ratios, keys}, outcomes, false);
  if (const Error *error = errorIn(out))
    return *error;
  Tensor counts = moveaxis(out[1], 0, -1);
  return lax::convert_element_type(counts,
                                   canonicalType(type.value_or(common)));
}

} // namespace shardwright::frontend::random
