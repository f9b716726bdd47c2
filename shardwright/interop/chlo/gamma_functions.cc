//===- gamma_functions.cc - gamma and Bessel functions --------------------===//
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

// B_2k for k = 1, 2, ...
constexpr double kBernoulli[] = {
    1.0 / 6,       -1.0 / 30, 1.0 / 42,      -1.0 / 30,     5.0 / 66,
    -691.0 / 2730, 7.0 / 6,   -3617.0 / 510, 43867.0 / 798, -174611.0 / 330};

// Signed distance of x to the nearest integer; exact.
Expr fromNearest(Expr x) {
  return x - x.unary<stablehlo::RoundNearestEvenOp>();
}

Expr isWhole(Expr x) { return floor(x) == x; }

// lgamma of x >= 7.5 by Stirling's series.
Expr lgammaOfLarge(Expr x) {
  // Sum of B_2k / (2k (2k - 1) x^(2k - 1)).
  double series[8];
  for (int k = 1; k <= 8; ++k)
    series[k - 1] = kBernoulli[k - 1] / (2.0 * k * (2.0 * k - 1.0));
  Expr r = 1.0 / x;
  // (x - 1/2) log(x) - x, in a form that overflows only if the result does.
  Expr logX = log(x);
  return x * (logX - 1.0) - 0.5 * logX +
         (0.5 * std::log(2.0 * kPi) + r * polynomial(r * r, series));
}

// lgamma of -1/2 <= x < 7.5. The recurrence leads to t in [-1/2, 1/2] around 2,
// where lgamma is t times a polynomial; nothing cancels, and t is exact.
Expr lgammaOfSmall(Expr x) {
  Expr n = floor(x + 0.5);
  Expr t = x - n;
  Expr product = x.constant(1.0);
  for (int j = 1; j <= 6; ++j)
    product = product *
              select(n >= j + 2.0, x - static_cast<double>(j), x.constant(1.0));
  // Below 3/2, divide by the factors: x, and x + 1 below 1/2.
  Expr divides = n < 2.0;
  Expr factors =
      select(divides, x * select(n < 1.0, x + 1.0, x.constant(1.0)), product);
  Expr logFactors = log(abs(factors));
  return t * polynomial(t * kLgammaNear2Scale + kLgammaNear2Offset,
                        kLgammaNear2) +
         select(divides, -logFactors, logFactors);
}

// digamma of 1 <= x: below 10 by the recurrence to [1, 2], where the root is
// split off the polynomial.
Expr digammaFromOne(Expr x) {
  constexpr int kLarge = 10;
  Expr isLarge = x >= static_cast<double>(kLarge);
  Expr bounded = select(isLarge, x.constant(1.0), x);
  Expr sum = x.constant(0.0);
  Expr steps = floor(bounded) - 1.0;
  for (int j = 1; j <= kLarge - 2; ++j)
    sum =
        sum + select(steps >= static_cast<double>(j),
                     1.0 / (bounded - static_cast<double>(j)), x.constant(0.0));
  Expr y = bounded - steps;
  Expr distance = (y - kDigammaRoot) - kDigammaRootLow;
  Expr small =
      distance * polynomial(y * kDigammaNearRootScale + kDigammaNearRootOffset,
                            kDigammaNearRoot) +
      sum;
  double series[10];
  for (int k = 1; k <= 10; ++k)
    series[k - 1] = kBernoulli[k - 1] / (2.0 * k);
  Expr r = 1.0 / x, s = r * r;
  Expr large = log(x) - 0.5 * r - s * polynomial(s, series);
  return select(isLarge, large, small);
}

// The sum of ((q + k) / unit)^-x over k >= 0, for x > 1, 0 < q and a unit that
// is a power of two. Euler-Maclaurin: sums the first terms directly, and the
// rest by the integral and its corrections.
Expr hurwitzSum(Expr x, Expr q, Expr unit) {
  constexpr int kTerms = 10;
  Expr minusX = -x, perUnit = 1.0 / unit;
  Expr sum = pow(q * perUnit, minusX);
  for (int k = 1; k < kTerms; ++k)
    sum = sum + pow((q + static_cast<double>(k)) * perUnit, minusX);
  Expr a = q + static_cast<double>(kTerms);
  Expr scaled = a * perUnit;
  Expr power = pow(scaled, minusX);
  // x - 1 is exact, and a single power does not underflow early.
  Expr fromOne = x - 1.0;
  sum = sum + unit * (pow(scaled, -fromOne) / fromOne) + 0.5 * power;
  // B_2k / (2k)! x (x + 1) ... (x + 2k - 2) a^-(2k - 1) (a / unit)^-x. For huge
  // x only the first term matters; the bound keeps the product finite.
  Expr bounded = min(x, x.constant(1e4));
  Expr rising = bounded, scale = power / a, inverseSquare = 1.0 / (a * a);
  double factorial = 2.0;
  for (int k = 1; k <= 10; ++k) {
    sum = sum + (kBernoulli[k - 1] / factorial) * rising * scale;
    rising = rising * (bounded + (2.0 * k - 1.0)) * (bounded + 2.0 * k);
    scale = scale * inverseSquare;
    factorial *= (2.0 * k + 1.0) * (2.0 * k + 2.0);
  }
  return select(q == q.infinity(), q.constant(0.0), sum);
}

// unit^x zeta(x, q).
Expr scaledZeta(Expr x, Expr q, Expr unit) {
  Expr negative = q < 0.0;
  Expr below = floor(q);
  Expr positive = hurwitzSum(x, select(negative, q - below, q), unit);
  // For q < 0 and integral x: with f = q - floor(q), the terms left of zero are
  // (-1)^x (1 - f + j)^-x for 0 <= j < -floor(q).
  Expr fromAbove = select(negative, (below + 1.0) - q, q.constant(1.0));
  Expr left = hurwitzSum(x, fromAbove, unit);
  Expr beyond = hurwitzSum(x, select(negative, 1.0 - q, q.constant(2.0)), unit);
  // For odd x the first two may cancel and leave the third.
  Expr half = x * 0.5;
  Expr sum = select(negative,
                    select(isWhole(half), (positive + left) - beyond,
                           (positive - left) + beyond),
                    positive);
  // A pole has a sign only if both sides agree: for even x.
  sum = select((q <= 0.0) & isWhole(q),
               select(isWhole(half), q.infinity(), q.nan()), sum);
  // A negative number to a fractional power is NaN.
  sum = select(negative & !isWhole(q) & !isWhole(x), q.nan(), sum);
  sum = select(x == 1.0, q.infinity(), sum);
  return select(x < 1.0, q.nan(), sum);
}

// n! for whole 0 <= n <= 170, infinity above.
Expr factorial(Expr n) {
  OpBuilder &b = n.math().builder;
  Location loc = n.math().loc;
  int64_t count = std::size(kFactorials);
  auto table = RankedTensorType::get({count}, b.getF64Type());
  Value values = stablehlo::ConstantOp::create(
      b, loc, DenseElementsAttr::get(table, ArrayRef<double>(kFactorials)));
  Expr last = n.constant(static_cast<double>(count - 1));
  Expr index = max(min(n, last), n.constant(0.0)).to(b.getI32Type());
  // One element per index; the index vector is an implicit last dimension.
  auto numbers = stablehlo::GatherDimensionNumbersAttr::get(
      b.getContext(), /*offsetDims=*/{}, /*collapsedSliceDims=*/{0},
      /*operandBatchingDims=*/{}, /*startIndicesBatchingDims=*/{},
      /*startIndexMap=*/{0}, /*indexVectorDim=*/n.type().getRank());
  Value found = stablehlo::GatherOp::create(
      b, loc, n.type(), values, index.value(), numbers,
      b.getDenseI64ArrayAttr({1}), b.getBoolAttr(false));
  return select(n > last, n.infinity(), Expr(n.math(), found));
}

} // namespace

Expr lgamma(Expr x) {
  Expr a = abs(x);
  Expr isSmall = (x >= -0.5) & (x < 7.5);
  // x|, or a harmless value if the other branch is taken.
  Expr one = x.constant(1.0), eight = x.constant(8.0);
  Expr nearZero = lgammaOfSmall(select(isSmall, x, select(a < 7.5, a, one)));
  Expr large = lgammaOfLarge(select(a >= 7.5, a, eight));
  Expr ofMagnitude = select(a >= 7.5, large, nearZero);
  // Gamma(x) Gamma(-x) = -pi / (x sin(pi x)).
  Expr reflected =
      std::log(kPi) - log(a * sin(abs(fromNearest(x)) * kPi)) - ofMagnitude;
  Expr value = select(x < -0.5, reflected, ofMagnitude);
  Expr pole = (x <= 0.0) & isWhole(x);
  value = select(pole | (a == x.infinity()), x.infinity(), value);
  return select(x != x, x, value);
}

Expr digamma(Expr x) {
  Expr a = abs(x);
  // psi(x) = psi(x + 1) - 1 / x from -1/2 to 1.
  Expr step = (x >= -0.5) & (x < 1.0);
  Expr y = select(step, x + 1.0, select(a < 1.0, a + 1.0, a));
  // After the step, y is below 1 only for x in (-1/2, 0).
  Expr belowOne = y < 1.0;
  Expr value = digammaFromOne(select(belowOne, y + 1.0, y)) -
               select(belowOne, 1.0 / y, x.constant(0.0)) -
               select(step, 1.0 / x, select(a < 1.0, 1.0 / a, x.constant(0.0)));
  // psi(x) = psi(-x) - 1 / x - pi cot(pi x).
  Expr angle = fromNearest(x) * kPi;
  Expr reflected = value + 1.0 / a - kPi * cos(angle) / sin(angle);
  Expr pole = (x <= 0.0) & isWhole(x);
  return select(pole, x.nan(), select(x < -0.5, reflected, value));
}

Expr zeta(Expr x, Expr q) { return scaledZeta(x, q, x.constant(1.0)); }

// (-1)^(n + 1) n! zeta(n + 1, x). The factorial overflows long before the
// product, so scale both by a power of two close to n / e.
Expr polygamma(Expr n, Expr x) {
  Expr next = n + 1.0;
  Expr isOrder = (n >= 0.0) & isWhole(n);
  Expr bounded = select(isOrder, min(n, n.constant(1e6)), n.constant(1.0));
  Expr exponent = floor(log(max(bounded * std::exp(-1.0), n.constant(1.0))) *
                            (1.0 / std::log(2.0)) +
                        0.5);
  Expr unit = exp2OfInteger(exponent);
  // n! / unit^(n + 1), scaled exactly in two halves; for n > 170 by logarithms.
  Expr steps = exponent * (bounded + 1.0);
  Expr firstHalf = min(floor(steps * 0.5), n.constant(1000.0));
  Expr secondHalf = min(steps - firstHalf, n.constant(1000.0));
  Expr small = factorial(bounded) * exp2OfInteger(-firstHalf) *
               exp2OfInteger(-secondHalf);
  Expr large = exp(lgammaOfLarge(max(bounded + 1.0, n.constant(8.0))) -
                   steps * std::log(2.0));
  Expr coefficient = select(bounded > 170.0, large, small);
  Expr magnitude = coefficient * scaledZeta(next, x, unit);
  Expr half = next * 0.5;
  Expr value = select(isWhole(half), magnitude, -magnitude);
  value = select(n == 0.0, digamma(x), value);
  return select(isOrder, value, x.nan());
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
