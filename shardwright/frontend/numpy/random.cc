//===- random.cc - distributions of random numbers ------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/numpy/random.h"

#include "shardwright/frontend/control/unit_floats.h"
#include "shardwright/frontend/numpy/arrange.h"
#include "shardwright/frontend/numpy/promote.h"

#include <cmath>

namespace shardwright::frontend::random {
namespace {

Tensor like(const Tensor &x, double v) { return scalarOf(v, x.dtype()); }

/// An error of a function that draws floats of other types.
Expected<FloatParts> partsOf(const char *name, DType type) {
  if (std::optional<FloatParts> parts = floatParts(type))
    return *parts;
  return valueError("dtype argument to `", name,
                    "` must be float16, bfloat16, float32 or float64, got ",
                    frontend::name(type));
}
Tensor drawnUnit(const Tensor &key, const Shape &shape, DType type,
                 const FloatParts &parts) {
  return unitFloats(lax::random_bits(key, bitsOfUnit(parts), shape), type,
                    parts);
}
/// Numbers between bounds that are known.
Tensor uniformIn(const char *name, const Tensor &key, const Shape &shape,
                 DType wanted, double lo, double hi) {
  DType type = canonicalType(wanted);
  Expected<FloatParts> parts = partsOf(name, type);
  if (!parts)
    return parts.error();
  Tensor low = scalarOf(lo, type), width;
  if (type == DType::F64)
    width = scalarOf(hi - lo, type);
  else if (type == DType::F32)
    width =
        scalarOf(double(static_cast<float>(hi) - static_cast<float>(lo)), type);
  else
    width = lax::sub(scalarOf(hi, type), low);
  Tensor unit = drawnUnit(key, shape, type, *parts);
  return lax::max(low, lax::add(lax::mul(unit, width), low));
}
/// Zeros of types that cannot be drawn, which uniformIn refuses.
FloatParts partsOrNone(DType type) {
  return floatParts(canonicalType(type)).value_or(FloatParts());
}

/// The order of 0 .. n - 1 by random sort keys, in rounds enough for ties not
/// to show.
Tensor shuffled(Tensor key, Tensor x) {
  double n = static_cast<double>(std::max<int64_t>(1, x.dim(0)));
  auto rounds =
      static_cast<int64_t>(std::ceil(3 * std::log(n) / std::log(4294967295.0)));
  for (int64_t i = 0; i < rounds; ++i) {
    Tensors keys = split(key);
    key = keys[0];
    Tensor order = lax::random_bits(keys[1], 32, x.shape());
    x = lax::sort({order, x}, 0)[1];
  }
  return x;
}

} // namespace

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
  return uniformIn("uniform", key, shape, DType::F32, lo, hi);
}
Tensor uniform(const Tensor &key, const Shape &shape, DType wanted,
               const Tensor &lo, const Tensor &hi) {
  DType type = canonicalType(wanted);
  Expected<FloatParts> parts = partsOf("uniform", type);
  if (!parts)
    return parts.error();
  Tensor low = lax::convert_element_type(lo, type),
         high = lax::convert_element_type(hi, type);
  if (const Error *error = errorIn(Tensors{low, high}))
    return *error;
  if (low.rank() > shape.rank() || high.rank() > shape.rank())
    return valueError("uniform expects bounds that broadcast to ",
                      tupleText(shape), ", got shapes ", tupleText(low.shape()),
                      " and ", tupleText(high.shape()));
  if (low.rank())
    low = toRank(low, shape.rank());
  if (high.rank())
    high = toRank(high, shape.rank());
  Tensor unit = drawnUnit(key, shape, type, *parts);
  Tensor out =
      lax::max(low, lax::add(lax::mul(unit, lax::sub(high, low)), low));
  return out.ok() ? lax::reshape(out, shape) : out;
}
Tensor normal(const Tensor &key, const Shape &shape) {
  return normal(key, shape, DType::F32);
}
Tensor normal(const Tensor &key, const Shape &shape, DType wanted) {
  DType type = canonicalType(wanted);
  if (isComplex(type)) {
    Tensors keys = split(key);
    DType real = realType(type);
    Tensor out = lax::complex(normal(keys[0], shape, real),
                              normal(keys[1], shape, real));
    return out.ok() ? lax::div(out, scalarOf(std::sqrt(2.0), type)) : out;
  }
  Tensor u = uniformIn("normal", key, shape, type,
                       partsOrNone(type).aboveMinusOne(), 1.0);
  return normalFloats(u);
}
Tensor bernoulli(const Tensor &key, double p, const Shape &shape) {
  return lax::lt(uniform(key, shape), scalarOf(p, DType::F32));
}
Tensor bernoulli(const Tensor &key, const Tensor &p,
                 const std::optional<Shape> &shape) {
  Tensor probability = inexact(p);
  if (!probability.ok())
    return probability;
  Shape full = shape.value_or(probability.shape());
  SW_TRY(checkRanks("less", full, probability.shape()));
  return lax::lt(uniform(key, full, probability.dtype()),
                 broadcastTo(probability, full));
}
Tensor randint(const Tensor &key, const Shape &shape, int64_t lo, int64_t hi) {
  return randint(key, shape, lo, hi, DType::I32);
}
Tensor randint(const Tensor &key, const Shape &shape, int64_t lo, int64_t hi,
               DType wanted) {
  DType result = canonicalType(wanted);
  if (!isInteger(result) || bitWidth(result) < 8)
    return typeError("randint only accepts integer dtypes, got ",
                     frontend::name(result));
  // Short integers are drawn as 32-bit ones between the type's bounds.
  int64_t bits = bitWidth(result);
  DType type = bits < 32 ? DType::I32 : result;
  bool isWide = bits == 64;
  uint64_t most = isUnsigned(result) ? ~uint64_t(0) >> (64 - bits)
                                     : ~uint64_t(0) >> (65 - bits);
  int64_t least = isUnsigned(result) ? 0 : -static_cast<int64_t>(most) - 1;
  // One past the greatest number is a bound, too.
  bool isPast = hi > 0 && static_cast<uint64_t>(hi) > most;
  if (isPast)
    hi = static_cast<int64_t>(most);
  lo = lo > 0 && static_cast<uint64_t>(lo) > most ? static_cast<int64_t>(most)
                                                  : std::max(lo, least);
  hi = std::max(hi, least);
  DType wordType = isWide ? DType::U64 : DType::U32;
  auto word = [&](uint64_t v) {
    return scalarOf(static_cast<int64_t>(v), wordType);
  };
  Tensors keys = split(key);
  Tensor high = lax::random_bits(keys[0], isWide ? 64 : 32, shape);
  Tensor low = lax::random_bits(keys[1], isWide ? 64 : 32, shape);
  uint64_t mask = isWide ? ~uint64_t(0) : ~uint32_t(0);
  uint64_t span =
      hi > lo ? (static_cast<uint64_t>(hi) - static_cast<uint64_t>(lo)) & mask
              : 1;
  if (isPast && hi > lo)
    span = (span + 1) & mask;
  // The span 2^bits is 0: x mod 0 is x, as in XLA.
  auto remainder = [&](uint64_t a) { return span ? a % span : a; };
  uint64_t multiplier = remainder(uint64_t(1) << (isWide ? 32 : 16));
  multiplier = remainder((multiplier * multiplier) & mask);
  Tensor s = word(span);
  Tensor mixed =
      lax::add(lax::mul(lax::rem(high, s), word(multiplier)), lax::rem(low, s));
  Tensor offset = lax::convert_element_type(lax::rem(mixed, s), type);
  return lax::convert_element_type(lax::add(scalarOf(lo, type), offset),
                                   result);
}
Tensor truncatedNormal(const Tensor &key, const Tensor &lower,
                       const Tensor &upper, const Shape &shape, DType wanted) {
  DType type = canonicalType(wanted);
  Tensor lo = lax::convert_element_type(lower, type),
         hi = lax::convert_element_type(upper, type);
  if (const Error *error = errorIn(Tensors{key, lo, hi}))
    return *error;
  Tensor root = scalarOf(std::sqrt(2.0), type);
  Tensor u = uniform(key, shape, type, lax::erf(lax::div(lo, root)),
                     lax::erf(lax::div(hi, root)));
  Tensor out = lax::mul(root, lax::erf_inv(u));
  Tensor infinity = scalarOf(INFINITY, type);
  return minimum(maximum(out, lax::nextafter(lax::stop_gradient(lo), infinity)),
                 lax::nextafter(lax::stop_gradient(hi), lax::neg(infinity)));
}
Tensor gumbel(const Tensor &key, const Shape &shape, DType type) {
  Tensor u =
      uniformIn("gumbel", key, shape, type, partsOrNone(type).smallest, 1);
  return lax::neg(lax::log(lax::neg(lax::log(u))));
}
Tensor exponential(const Tensor &key, const Shape &shape, DType type) {
  Tensor u = uniformIn("exponential", key, shape, type, 0, 1);
  return lax::neg(lax::log1p(lax::neg(u)));
}
Tensor laplace(const Tensor &key, const Shape &shape, DType type) {
  Tensor u = uniformIn("laplace", key, shape, type,
                       partsOrNone(type).aboveMinusOne(), 1);
  return lax::mul(lax::sign(u), lax::log1p(lax::neg(lax::abs(u))));
}
Tensor logistic(const Tensor &key, const Shape &shape, DType type) {
  Tensor u =
      uniformIn("logistic", key, shape, type, partsOrNone(type).smallest, 1);
  return lax::sub(lax::log(u), lax::log1p(lax::neg(u)));
}
Tensor cauchy(const Tensor &key, const Shape &shape, DType type) {
  Tensor u =
      uniformIn("cauchy", key, shape, type, partsOrNone(type).epsilon, 1);
  if (!u.ok())
    return u;
  return lax::tan(lax::mul(like(u, M_PI), lax::sub(u, like(u, 0.5))));
}
Tensor rademacher(const Tensor &key, const Shape &shape, DType type) {
  Tensor heads = astype(bernoulli(key, 0.5, shape), canonicalType(type));
  return astype(2 * heads - 1, canonicalType(type));
}
Tensor categorical(const Tensor &key, const Tensor &logits, int64_t axis) {
  if (!logits.ok())
    return logits;
  Tensor x = inexact(logits);
  return argmax(gumbel(key, x.shape(), x.dtype()) + x, axis);
}
Tensor permutation(const Tensor &key, const Tensor &x, int64_t axis) {
  if (!x.ok())
    return x;
  Expected<int64_t> d = normalizedAxis(axis, x.rank());
  if (!d)
    return d.error();
  if (x.rank() == 1)
    return shuffled(key, x);
  return take(x, permutation(key, x.dim(*d)), *d);
}
Tensor permutation(const Tensor &key, int64_t n) {
  return shuffled(key, arange(n));
}
Tensor choice(const Tensor &key, int64_t n, const Shape &shape, bool replace) {
  int64_t count = shape.elements();
  if (n < 1 && count)
    return valueError("a must be greater than 0 unless no samples are taken");
  if (replace)
    return randint(key, shape, 0, n);
  if (count > n)
    return valueError("Cannot take a larger sample (size ", count,
                      ") than population (size ", n, ") when 'replace=False'");
  return reshape(lax::slice_in_dim(permutation(key, n), 0, count, 1, 0), shape);
}
Tensor choice(const Tensor &key, const Tensor &probabilities,
              const Shape &shape) {
  if (!probabilities.ok())
    return probabilities;
  if (probabilities.rank() != 1)
    return valueError("p must be one-dimensional, got shape ",
                      tupleText(probabilities.shape()));
  Tensor sums = cumsum(inexact(probabilities), 0);
  Tensor total = sums[-1];
  return searchsorted(sums, total * (1.0 - uniform(key, shape, sums.dtype())));
}

} // namespace shardwright::frontend::random
