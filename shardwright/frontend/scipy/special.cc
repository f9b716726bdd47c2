//===- special.cc - special functions -------------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/scipy/special.h"

#include "shardwright/frontend/control/incomplete.h"
#include "shardwright/frontend/numpy/promote.h"
#include "shardwright/frontend/numpy/ufuncs.h"
#include "shardwright/frontend/primitives/special.h"

#include <cmath>
#include <numbers>

namespace shardwright::frontend::scipy::special {
namespace {

std::pair<Tensor, Tensor> sameShape(const Tensor &x, const Tensor &y) {
  auto [a, b] = inexactPair(x, y);
  if (!a.ok() || !b.ok())
    return {a, b};
  Tensor sum = lax::add(zerosLike(a), zerosLike(b));
  if (!sum.ok())
    return {sum, sum};
  return {broadcastTo(a, sum.shape()), broadcastTo(b, sum.shape())};
}
Tensor number(const Tensor &like, double value) {
  return scalarOf(value, like.dtype());
}
bool failed(const Tensor &a, const Tensor &b) { return !a.ok() || !b.ok(); }

} // namespace

Tensor erf(const Tensor &x) { return lax::erf(inexact(x)); }
Tensor erfc(const Tensor &x) { return lax::erfc(inexact(x)); }
Tensor erfinv(const Tensor &x) { return lax::erf_inv(inexact(x)); }
Tensor expit(const Tensor &x) { return lax::logistic(inexact(x)); }
Tensor logit(const Tensor &in) {
  Tensor x = inexact(in);
  if (!x.ok())
    return x;
  return lax::neg(lax::log(lax::div(lax::sub(number(x, 1), x), x)));
}

Tensor gammaln(const Tensor &x) { return lax::lgamma(inexact(x)); }
Tensor loggamma(const Tensor &x) { return gammaln(x); }
Tensor gammasgn(const Tensor &in) {
  Tensor x = inexact(in);
  if (!x.ok())
    return x;
  Tensor zero = number(x, 0), one = number(x, 1);
  Tensor floor = lax::floor(x);
  Tensor isOdd = lax::ne(lax::rem(floor, number(x, 2)), zero);
  Tensor sign = where(x < zero, where(isOdd, lax::neg(one), one), one);
  // There is no sign at 0, -1, -2, ..
  Tensor isPole = (x < zero) & (x == floor);
  sign = where(isPole, NAN, sign);
  return where(x == zero, where(signbit(x), -1.0, 1.0), sign);
}
Tensor gamma(const Tensor &x) {
  Tensor f = inexact(x);
  return gammasgn(f) * exp(lax::lgamma(f));
}
Tensor factorial(const Tensor &n) {
  Tensor x = inexact(n);
  if (!x.ok())
    return x;
  return where(x < 0.0, 0.0, lax::exp(lax::lgamma(lax::add(x, number(x, 1)))));
}
Tensor digamma(const Tensor &x) { return lax::digamma(inexact(x)); }
Tensor polygamma(const Tensor &n, const Tensor &x) {
  auto [m, a] = sameShape(n, x);
  return lax::polygamma(m, a);
}
Tensor zeta(const Tensor &x, const Tensor &q) {
  auto [a, b] = sameShape(x, q);
  return lax::zeta(a, b);
}
Tensor betaln(const Tensor &x, const Tensor &y) {
  auto [a, b] = inexactPair(x, y);
  return lax::lgamma(a) + lax::lgamma(b) - lax::lgamma(lax::add(a, b));
}
Tensor beta(const Tensor &x, const Tensor &y) {
  auto [a, b] = inexactPair(x, y);
  Tensor sign = gammasgn(a) * gammasgn(b) * gammasgn(lax::add(a, b));
  return sign * exp(betaln(a, b));
}
Tensor multigammaln(const Tensor &in, int64_t d) {
  Tensor a = inexact(in);
  if (!a.ok())
    return a;
  if (d < 0 || d > 1 << 16)
    return valueError("multigammaln expects a dimension from 0 to ", 1 << 16,
                      ", got ", d);
  auto n = static_cast<double>(d);
  Tensor steps = lax::div(lax::iota(a.dtype(), {d}, 0), number(a, 2));
  Tensor terms = lax::lgamma(expandDims(a, -1) - toRank(steps, a.rank() + 1));
  return sum(terms, Ints{-1}) +
         number(a, n * (n - 1) / 4 * std::log(std::numbers::pi));
}
Tensor poch(const Tensor &z, const Tensor &m) {
  auto [a, b] = inexactPair(z, m);
  if (failed(a, b))
    return a.ok() ? b : a;
  Tensor sum = lax::add(a, b);
  Tensor out =
      gammasgn(sum) * gammasgn(a) * exp(lax::lgamma(sum) - lax::lgamma(a));
  return where(b == 0.0, 1.0, out);
}

Tensor i0e(const Tensor &x) { return lax::bessel_i0e(inexact(x)); }
Tensor i1e(const Tensor &x) { return lax::bessel_i1e(inexact(x)); }
Tensor i0(const Tensor &in) {
  Tensor x = inexact(in);
  return lax::mul(lax::exp(lax::abs(x)), lax::bessel_i0e(x));
}
Tensor i1(const Tensor &in) {
  Tensor x = inexact(in);
  return lax::mul(lax::exp(lax::abs(x)), lax::bessel_i1e(x));
}

Tensor xlogy(const Tensor &x, const Tensor &y) {
  auto [a, b] = inexactPair(x, y);
  if (failed(a, b))
    return a.ok() ? b : a;
  // No NaN in the derivatives either.
  Tensor isZero = a == 0.0;
  Tensor safe = where(isZero, 1.0, b);
  return where(isZero, 0.0, a * lax::log(safe));
}
Tensor xlog1py(const Tensor &x, const Tensor &y) {
  auto [a, b] = inexactPair(x, y);
  if (failed(a, b))
    return a.ok() ? b : a;
  Tensor isZero = a == 0.0;
  Tensor safe = where(isZero, 0.0, b);
  return where(isZero, 0.0, a * lax::log1p(safe));
}
Tensor entr(const Tensor &in) {
  Tensor x = inexact(in);
  return where(x < 0.0, -INFINITY, lax::neg(xlogy(x, x)));
}
Tensor relEntr(const Tensor &p, const Tensor &q) {
  auto [a, b] = inexactPair(p, q);
  if (failed(a, b))
    return a.ok() ? b : a;
  Tensor zero = number(a, 0);
  Tensor areBothPositive = (a > zero) & (b > zero);
  Tensor isLeftZero = (a == zero) & (b >= zero);
  Tensor safeA = where(areBothPositive, a, 1.0),
         safeB = where(areBothPositive, b, 1.0);
  Tensor value = safeA * lax::log(safeA) - safeA * lax::log(safeB);
  return where(areBothPositive, value, where(isLeftZero, 0.0, INFINITY));
}
Tensor klDiv(const Tensor &p, const Tensor &q) {
  auto [a, b] = inexactPair(p, q);
  return relEntr(a, b) - a + b;
}
static Tensor boxcoxOf(const Tensor &logX, const Tensor &lambda) {
  Tensor isZero = lambda == 0.0;
  Tensor safe = where(isZero, 1.0, lambda);
  return where(isZero, logX, lax::expm1(safe * logX) / safe);
}
Tensor boxcox(const Tensor &x, const Tensor &lambda) {
  auto [a, b] = inexactPair(x, lambda);
  return failed(a, b) ? (a.ok() ? b : a) : boxcoxOf(lax::log(a), b);
}
Tensor boxcox1p(const Tensor &x, const Tensor &lambda) {
  auto [a, b] = inexactPair(x, lambda);
  return failed(a, b) ? (a.ok() ? b : a) : boxcoxOf(lax::log1p(a), b);
}

Tensor ndtr(const Tensor &in) {
  Tensor x = inexact(in);
  if (!x.ok())
    return x;
  Tensor half = number(x, std::numbers::sqrt2 / 2);
  Tensor w = lax::mul(x, half), z = lax::abs(w);
  Tensor one = number(x, 1), two = number(x, 2);
  Tensor tail = lax::erfc(z);
  Tensor y = where(z < half, lax::add(one, lax::erf(w)),
                   where(w > 0.0, lax::sub(two, tail), tail));
  return lax::mul(number(x, 0.5), y);
}
Tensor logNdtr(const Tensor &in) {
  Tensor x = inexact(in);
  if (!x.ok())
    return x;
  bool isWide = x.dtype() == DType::F64;
  double lower = isWide ? -20 : -10, upper = isWide ? 8 : 5;
  Tensor isHigh = x > upper, isLow = x <= lower;
  // Each branch gets numbers at which it is finite.
  Tensor high = lax::neg(ndtr(lax::neg(where(isHigh, x, upper))));
  Tensor middle = lax::log(ndtr(clip(x, lower, upper)));
  Tensor low = where(isLow, x, lower), square = lax::square(low);
  Tensor series = number(x, 0), power = square;
  double odd = 1;
  for (int term = 1; term <= 3; ++term) {
    odd *= 2 * term - 1;
    Tensor one = number(x, term % 2 ? -odd : odd) / power;
    series = series + one;
    power = power * square;
  }
  Tensor tail = number(x, -0.5) * square - lax::log(lax::neg(low)) -
                number(x, 0.5 * std::log(2 * std::numbers::pi)) +
                lax::log1p(series);
  return where(isHigh, high, where(isLow, tail, middle));
}
Tensor ndtri(const Tensor &p) {
  Tensor x = inexact(p);
  if (!x.ok())
    return x;
  Tensor centered = lax::sub(lax::mul(number(x, 2), x), number(x, 1));
  return lax::mul(number(x, std::numbers::sqrt2), lax::erf_inv(centered));
}

Tensor logsumexp(const Tensor &in, const Axes &axes, bool keepDims) {
  Tensor x = inexact(in);
  if (!x.ok())
    return x;
  if (!x.size())
    return log(sum(x, axes, keepDims));
  auto scaled = [&](bool keeps) {
    Tensor top = max(real(x), axes, keeps);
    return lax::stop_gradient(where(lax::is_finite(top), top, zerosLike(top)));
  };
  Tensor total = sum(exp(x - scaled(true)), axes, keepDims);
  return log(total) + scaled(keepDims);
}
Tensor softmax(const Tensor &x, int64_t axis) { return nn::softmax(x, axis); }
Tensor logSoftmax(const Tensor &x, int64_t axis) {
  return nn::logSoftmax(x, axis);
}

Tensor gammainc(const Tensor &a, const Tensor &x) {
  auto [shape, at] = sameShape(a, x);
  return lax::igamma(shape, at);
}
Tensor gammaincc(const Tensor &a, const Tensor &x) {
  auto [shape, at] = sameShape(a, x);
  return lax::igammac(shape, at);
}
Tensor betainc(const Tensor &a, const Tensor &b, const Tensor &x) {
  auto [p, q] = sameShape(a, b);
  auto [first, at] = sameShape(p, x);
  auto [second, same] = sameShape(q, at);
  if (const Error *error = errorIn(Tensors{first, second, at}))
    return *error;
  if (isComplex(at.dtype()))
    return valueError("betainc does not support complex-valued inputs.");
  return lax::betainc(first, second, same);
}
Tensor comb(const Tensor &n, const Tensor &k, bool repetition) {
  auto [count, chosen] = sameShape(n, k);
  if (const Error *error = errorIn(Tensors{count, chosen}))
    return *error;
  if (repetition)
    return where((chosen == 0.0) & (count >= 0.0), 1.0,
                 comb(count + chosen - 1.0, chosen));
  Tensor isThere = (chosen <= count) & (count >= 0.0) & (chosen >= 0.0);
  Tensor safeCount = where(isThere, count, 0.0),
         safeChosen = where(isThere, chosen, 0.0);
  Tensor logs = lax::lgamma(safeCount + 1.0) - lax::lgamma(safeChosen + 1.0) -
                lax::lgamma(safeCount + 1.0 - safeChosen);
  return where(isThere, lax::exp(logs), 0.0);
}

} // namespace shardwright::frontend::scipy::special
