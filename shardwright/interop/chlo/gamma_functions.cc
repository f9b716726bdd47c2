//===- gamma_functions.cc - lgamma, digamma, zeta, polygamma, bessel_i1e ===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/interop/chlo/functions.h"
#include "shardwright/interop/chlo/special_function_tables.h"

#include <cmath>

using namespace mlir;

namespace shardwright::chlo_expansion {

namespace {

constexpr double kPi = 3.14159265358979323846;

// Stirling's series is used from here on; smaller arguments are raised by the
// recurrence.
constexpr int kShift = 8;

// B_2k for k = 1, 2, ...
constexpr double kBernoulli[] = {
    1.0 / 6,       -1.0 / 30, 1.0 / 42,      -1.0 / 30,     5.0 / 66,
    -691.0 / 2730, 7.0 / 6,   -3617.0 / 510, 43867.0 / 798, -174611.0 / 330};

// How far x is from the nearest integer, with its sign; exact.
Expr fromNearest(Expr x) {
  return x - x.unary<stablehlo::RoundNearestEvenOp>();
}

// sin(pi x) up to its sign, exact zeros at the integers.
Expr absSinPi(Expr x) { return sin(abs(fromNearest(x)) * kPi); }

} // namespace

Expr lgamma(Expr x) {
  Expr reflect = x < 0.5;
  Expr y = select(reflect, 1.0 - x, x);
  Expr shifted = y < static_cast<double>(kShift);
  Expr z = select(shifted, y + static_cast<double>(kShift), y);
  Expr product = y;
  for (int i = 1; i < kShift; ++i)
    product = product * (y + static_cast<double>(i));
  // Sum of B_2k / (2k (2k - 1) z^(2k - 1)).
  double series[8];
  for (int k = 1; k <= 8; ++k)
    series[k - 1] = kBernoulli[k - 1] / (2.0 * k * (2.0 * k - 1.0));
  Expr r = 1.0 / z;
  Expr stirling = (z - 0.5) * log(z) - z +
                  (0.5 * std::log(2.0 * kPi) + r * polynomial(r * r, series));
  Expr value = stirling - select(shifted, log(product), x.constant(0.0));
  value = select((y == 1.0) | (y == 2.0), y.constant(0.0), value);
  value = select(y == y.infinity(), y, value);
  // Gamma(x) Gamma(1 - x) = pi / sin(pi x).
  Expr reflected = std::log(kPi) - log(absSinPi(x)) - value;
  return select(abs(x) == x.infinity(), x.infinity(),
                select(reflect, reflected, value));
}

Expr digamma(Expr x) {
  Expr reflect = x < 0.5;
  Expr y = select(reflect, 1.0 - x, x);
  Expr shifted = y < static_cast<double>(kShift);
  Expr z = select(shifted, y + static_cast<double>(kShift), y);
  Expr sum = 1.0 / y;
  for (int i = 1; i < kShift; ++i)
    sum = sum + 1.0 / (y + static_cast<double>(i));
  double series[8];
  for (int k = 1; k <= 8; ++k)
    series[k - 1] = kBernoulli[k - 1] / (2.0 * k);
  Expr r = 1.0 / z, s = r * r;
  Expr value = log(z) - 0.5 * r - s * polynomial(s, series);
  value = value - select(shifted, sum, x.constant(0.0));
  // psi(1 - x) - psi(x) = pi cot(pi x), which is odd and periodic in x.
  Expr angle = fromNearest(x) * kPi;
  Expr reflected = value - kPi * cos(angle) / sin(angle);
  Expr pole = (x <= 0.0) & (floor(x) == x);
  return select(pole, x.nan(), select(reflect, reflected, value));
}

// Sum of (q + k)^-x over k >= 0 by Euler-Maclaurin: the first terms directly,
// the rest by the integral and its corrections.
Expr zeta(Expr x, Expr q) {
  constexpr int kTerms = 10;
  Expr minusX = -x;
  Expr sum = pow(q, minusX);
  for (int k = 1; k < kTerms; ++k)
    sum = sum + pow(q + static_cast<double>(k), minusX);
  Expr a = q + static_cast<double>(kTerms);
  Expr power = pow(a, minusX);
  sum = sum + power * a / (x - 1.0) + 0.5 * power;
  // B_2k / (2k)! x (x + 1) ... (x + 2k - 2) a^-(x + 2k - 1)
  Expr rising = x, scale = power / a, inverseSquare = 1.0 / (a * a);
  double factorial = 2.0;
  for (int k = 1; k <= 10; ++k) {
    sum = sum + (kBernoulli[k - 1] / factorial) * rising * scale;
    rising = rising * (x + (2.0 * k - 1.0)) * (x + 2.0 * k);
    scale = scale * inverseSquare;
    factorial *= (2.0 * k + 1.0) * (2.0 * k + 2.0);
  }
  Expr whole = floor(q) == q;
  sum = select(q == q.infinity(), q.constant(0.0), sum);
  sum = select((q <= 0.0) & whole, q.infinity(), sum);
  sum = select((q <= 0.0) & !whole & (floor(x) != x), q.nan(), sum);
  sum = select(x == 1.0, q.infinity(), sum);
  return select(x < 1.0, q.nan(), sum);
}

Expr polygamma(Expr n, Expr x) {
  Expr next = n + 1.0;
  // -1 when n is even.
  Expr half = next * 0.5;
  Expr odd = floor(half) != half;
  Expr magnitude = exp(lgamma(next)) * zeta(next, x);
  Expr value = select(odd, -magnitude, magnitude);
  value = select(n == 0.0, digamma(x), value);
  return select((n < 0.0) | (floor(n) != n), x.nan(), value);
}

Expr besselI1e(Expr x) {
  Expr a = abs(x);
  Expr bounded = min(a, a.constant(8.0));
  Expr small =
      x * polynomial(bounded * kI1eSmallScale + kI1eSmallOffset, kI1eSmall);
  Expr y = max(a, a.constant(8.0));
  Expr large =
      polynomial((1.0 / y) * kI1eLargeScale + kI1eLargeOffset, kI1eLarge) /
      sqrt(y);
  return select(a <= 8.0, small, select(x < 0.0, -large, large));
}

} // namespace shardwright::chlo_expansion
