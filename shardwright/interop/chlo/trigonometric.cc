//===- trigonometric.cc - inverse trigonometric and hyperbolic functions ===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/interop/chlo/functions.h"

#include <cmath>

namespace shardwright::chlo_expansion {

Expr asin(Expr x) { return 2.0 * atan2(x, 1.0 + sqrt((1.0 - x) * (1.0 + x))); }
Expr acos(Expr x) { return atan2(sqrt((1.0 - x) * (1.0 + x)), x); }
Expr atan(Expr x) { return atan2(x, x.constant(1.0)); }

// Above this, exp(x) may overflow although the function does not, and exp(-x)
// is negligible.
static double largeExponent(Expr x) { return x.isF64() ? 700.0 : 80.0; }

// exp(a) / 2 without overflow, for large a: exp(a / 2) squared; a / 2 is exact.
static Expr halfExpOfLarge(Expr a) {
  Expr root = exp(a * 0.5);
  return (root * 0.5) * root;
}

Expr cosh(Expr x) {
  Expr a = abs(x), e = exp(a);
  return select(a > largeExponent(x), halfExpOfLarge(a), e * 0.5 + 0.5 / e);
}

Expr sinh(Expr x) {
  Expr a = abs(x), e = exp(a), s = a * a;
  // The Taylor series: x^(2k + 1) / (2k + 1)!.
  double series[10];
  double factorial = 1.0;
  for (int k = 0; k < 10; ++k) {
    series[k] = 1.0 / factorial;
    factorial *= (2.0 * k + 2.0) * (2.0 * k + 3.0);
  }
  llvm::ArrayRef<double> terms(series);
  Expr small = a * polynomial(s, x.isF64() ? terms : terms.take_front(6));
  Expr middle = e * 0.5 - 0.5 / e;
  Expr magnitude = select(
      a < 1.0, small, select(a > largeExponent(x), halfExpOfLarge(a), middle));
  return select(x < 0.0, -magnitude, select(a == 0.0, x, magnitude));
}

// Above the square root of the largest number, where x^2 overflows and log(2x)
// is accurate.
static double squareOverflows(Expr x) { return x.isF64() ? 1e150 : 1e18; }

Expr asinh(Expr x) {
  Expr a = abs(x);
  Expr small = log1p(a + a * (a / (1.0 + sqrt(a * a + 1.0))));
  Expr magnitude =
      select(a > squareOverflows(x), log(a) + std::log(2.0), small);
  return select(x < 0.0, -magnitude, select(a == 0.0, x, magnitude));
}

Expr acosh(Expr x) {
  Expr t = x - 1.0;
  Expr small = log1p(t + sqrt(t * (t + 2.0)));
  return select(x < 1.0, x.nan(),
                select(x > squareOverflows(x), log(x) + std::log(2.0), small));
}

Expr atanh(Expr x) {
  // log((1 + a) / (1 - a)) / 2; for a > 1 the argument is below -1, hence NaN.
  Expr a = abs(x);
  Expr magnitude = 0.5 * log1p((2.0 * a) / (1.0 - a));
  return select(x < 0.0, -magnitude, select(a == 0.0, x, magnitude));
}

} // namespace shardwright::chlo_expansion
