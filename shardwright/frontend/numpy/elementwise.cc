//===- elementwise.cc - promotion, broadcasting and elementwise functions -===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/numpy/promote.h"

namespace shardwright::frontend {

Tensor promoted(const Tensor &x, DType type, bool weak) {
  return lax::convert_element_type(x, type, weak);
}

Tensor toRank(const Tensor &x, int64_t rank) {
  if (!x.ok() || x.rank() == 0 || x.rank() >= rank)
    return x;
  return lax::expand_dims(x, iotaInts(rank - x.rank()));
}

std::pair<Tensor, Tensor> promotePair(const Tensor &x, const Tensor &y,
                                      const char *function) {
  if (!x.ok() || !y.ok())
    return {x, y};
  auto failed = [](const Status &status) {
    return std::pair<Tensor, Tensor>(status.error(), status.error());
  };
  if (function)
    if (Status fits = checkRanks(function, x.shape(), y.shape()); !fits)
      return failed(fits);
  if (Status fits =
          checkPromotion(x.dtype(), x.aval().weak, y.dtype(), y.aval().weak);
      !fits)
    return failed(fits);
  PromotedType type =
      promoteTypes(x.dtype(), x.aval().weak, y.dtype(), y.aval().weak);
  DType common = canonicalType(type.type);
  int64_t rank = std::max(x.rank(), y.rank());
  return {toRank(promoted(x, common, type.weak), rank),
          toRank(promoted(y, common, type.weak), rank)};
}

Tensor inexact(const Tensor &x) {
  if (!x.ok() || isInexact(x.dtype()))
    return x;
  DType type = canonicalType(DType::F64);
  return promoted(x, type, x.aval().weak);
}

using Binary = Tensor (*)(const Tensor &, const Tensor &);
static Tensor binary(Binary op, const Tensor &x, const Tensor &y,
                     const char *function = __builtin_FUNCTION()) {
  auto [a, b] = promotePair(x, y, function);
  return op(a, b);
}

Tensor operator+(const Tensor &x, const Tensor &y) {
  auto [a, b] = promotePair(x, y);
  if (a.ok() && a.dtype() == DType::Bool)
    return lax::bitwise_or(a, b);
  return lax::add(a, b);
}
Tensor operator-(const Tensor &x, const Tensor &y) {
  return binary(lax::sub, x, y);
}
Tensor operator*(const Tensor &x, const Tensor &y) {
  auto [a, b] = promotePair(x, y);
  if (a.ok() && a.dtype() == DType::Bool)
    return lax::bitwise_and(a, b);
  return lax::mul(a, b);
}
Tensor operator/(const Tensor &x, const Tensor &y) {
  auto [a, b] = promotePair(x, y);
  return lax::div(inexact(a), inexact(b));
}
/// Booleans become integers.
static Tensor numeric(const Tensor &x) {
  return x.ok() && x.dtype() == DType::Bool
             ? promoted(x, DType::I32, x.aval().weak)
             : x;
}
Tensor operator%(const Tensor &x, const Tensor &y) {
  auto [p, q] = promotePair(x, y);
  Tensor a = numeric(p), b = nonzeroDivisor(numeric(q));
  if (const Error *error = errorIn(Tensors{a, b}))
    return *error;
  Tensor zero = scalarOf(int64_t(0), a.dtype());
  Tensor r = lax::rem(a, b);
  Tensor wrong = lax::bitwise_and(lax::ne(lax::lt(r, zero), lax::lt(b, zero)),
                                  lax::ne(r, zero));
  return where(wrong, lax::add(r, b), r);
}
Tensor operator-(const Tensor &x) { return lax::neg(x); }
/// Complex numbers are ordered by their real parts, then their imaginary ones.
static Tensor ordered(Binary op, const Tensor &x, const Tensor &y,
                      const char *function = __builtin_FUNCTION()) {
  auto [a, b] = promotePair(x, y, function);
  if (const Error *error = errorIn(Tensors{a, b}))
    return *error;
  if (!isComplex(a.dtype()))
    return op(a, b);
  Tensor re = lax::real(a), other = lax::real(b);
  return where(lax::eq(re, other), op(lax::imag(a), lax::imag(b)),
               op(re, other));
}
Tensor operator<(const Tensor &x, const Tensor &y) {
  return ordered(lax::lt, x, y);
}
Tensor operator<=(const Tensor &x, const Tensor &y) {
  return ordered(lax::le, x, y);
}
Tensor operator>(const Tensor &x, const Tensor &y) {
  return ordered(lax::gt, x, y);
}
Tensor operator>=(const Tensor &x, const Tensor &y) {
  return ordered(lax::ge, x, y);
}
#define SW_COMPARE(symbol, name)                                               \
  Tensor operator symbol(const Tensor &x, const Tensor &y) {                   \
    return binary(lax::name, x, y);                                            \
  }
SW_COMPARE(==, eq)
SW_COMPARE(!=, ne)
SW_COMPARE(&, bitwise_and)
SW_COMPARE(|, bitwise_or)
SW_COMPARE(^, bitwise_xor)
#undef SW_COMPARE
Tensor operator~(const Tensor &x) { return lax::bitwise_not(x); }

#define SW_DEFINE(name)                                                        \
  Tensor name(const Tensor &x) { return lax::name(inexact(x)); }
SW_NUMPY_UNARY(SW_DEFINE)
#undef SW_DEFINE
Tensor abs(const Tensor &x) {
  if (x.ok() && (x.dtype() == DType::Bool || isUnsigned(x.dtype())))
    return x;
  return lax::abs(x);
}
Tensor square(const Tensor &x) { return lax::square(numeric(x)); }
Tensor sign(const Tensor &x) { return lax::sign(x); }
/// Numbers without a fraction.
static bool isWhole(const Tensor &x) {
  return x.ok() && (isInteger(x.dtype()) || x.dtype() == DType::Bool);
}
Tensor floor(const Tensor &x) { return isWhole(x) ? x : lax::floor(x); }
Tensor ceil(const Tensor &x) { return isWhole(x) ? x : lax::ceil(x); }
Tensor maximum(const Tensor &x, const Tensor &y) {
  return binary(lax::max, x, y);
}
Tensor minimum(const Tensor &x, const Tensor &y) {
  return binary(lax::min, x, y);
}
/// By binary exponentiation: more steps would overflow unless x is -1, 0 or 1.
static Tensor integerPower(Tensor x, Tensor y) {
  Tensor zero = scalarOf(int64_t(0), y.dtype()),
         one = scalarOf(int64_t(1), y.dtype());
  Tensor out =
      where(lax::bitwise_and(lax::eq(x, zero), lax::ne(y, zero)), zero, one);
  for (int step = 0; step < 6; ++step) {
    out = where(lax::bitwise_and(y, one), lax::mul(out, x), out);
    x = lax::mul(x, x);
    y = lax::shift_right_logical(y, one);
  }
  return out;
}
Tensor power(const Tensor &x, const Tensor &y) {
  if (const Error *error = errorIn(Tensors{x, y}))
    return *error;
  if (!y.isTraced() && !y.rank() && isInteger(y.dtype())) {
    Expected<double> exponent = y.item();
    if (!exponent)
      return exponent.error();
    return lax::integer_pow(numeric(x), static_cast<int64_t>(*exponent));
  }
  auto [p, q] = promotePair(x, y);
  Tensor a = numeric(p), b = numeric(q);
  if (const Error *error = errorIn(Tensors{a, b}))
    return *error;
  if (isInteger(a.dtype()))
    return integerPower(a, b);
  // Differentiable at 0.
  if (isInexact(x.dtype()) && isInteger(y.dtype())) {
    int64_t rank = std::max(x.rank(), y.rank());
    return lax::pow(toRank(x, rank), toRank(y, rank));
  }
  return lax::pow(a, b);
}
Tensor power(const Tensor &x, int y) { return lax::integer_pow(x, y); }
Tensor clip(const Tensor &x, const Tensor &lo, const Tensor &hi) {
  return minimum(maximum(x, lo), hi);
}
Tensor where(const Tensor &condition, const Tensor &x, const Tensor &y) {
  auto [a, b] = promotePair(x, y, /*function=*/nullptr);
  if (const Error *error = errorIn(Tensors{condition, a, b}))
    return *error;
  Tensor c = condition.dtype() == DType::Bool
                 ? condition
                 : lax::ne(condition, scalarOf(int64_t(0), condition.dtype()));
  int64_t rank = std::max({c.rank(), a.rank(), b.rank()});
  std::vector<Aval> types;
  for (const Tensor &t : {c, a, b})
    types.push_back(toRank(t, rank).aval());
  Expected<Shape> shape = broadcastShapes("select_n", types);
  if (!shape)
    return shape.error();
  return lax::select(broadcastTo(c, *shape), broadcastTo(a, *shape),
                     broadcastTo(b, *shape));
}
Tensor astype(const Tensor &x, DType type) { return promoted(x, type, false); }
Tensor stopGradient(const Tensor &x) { return lax::stop_gradient(x); }

} // namespace shardwright::frontend
