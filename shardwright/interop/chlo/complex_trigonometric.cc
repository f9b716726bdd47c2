//===- complex_trigonometric.cc - (inverse) trigonometric functions ----===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/interop/chlo/complex_functions.h"
#include "shardwright/interop/chlo/functions.h"

#include <cmath>

namespace shardwright::chlo_expansion {

namespace {

constexpr double kHalfPi = 1.57079632679489661923;

Expr isInfinite(Expr x) { return abs(x) == x.infinity(); }
Expr zeroOf(Expr x) { return x.constant(0.0); }

// The product, but zero if `zero` is, also for an infinite product.
Expr keepZero(Expr zero, Expr product) {
  return select(zero == 0.0, zero, product);
}

// sinh(x) and cosh(x) without a common factor, which must be multiplied last to
// avoid overflow.
struct Hyperbolic {
  Expr sinh, cosh, factor;
};

Hyperbolic hyperbolic(Expr x) {
  Expr a = abs(x);
  Expr large = a > 700.0;
  Expr root = exp(select(large, a * 0.5, zeroOf(a)));
  Expr moderate = select(large, zeroOf(x), x);
  return {select(large, copysign(root * 0.5, x), sinh(moderate)),
          select(large, root * 0.5, cosh(moderate)), root};
}

// Common parts of asin and related functions, for z = a + ib with a, b >= 0:
// asin(z) = atan2(a, opposite) + i imaginary, acos(z) = atan2(opposite, a) - i
// imaginary. After Hull, Fairgrieve and Tang (1997), with quotients arranged so
// that small b does not underflow.
struct InverseSine {
  Expr opposite, imaginary;
};

InverseSine inverseSine(Expr a, Expr b) {
  Expr m = max(a, b), n = min(a, b);
  Expr huge = m > 1e15;
  Expr one = a.constant(1.0);
  Expr x = select(huge, one, a), y = select(huge, one, b);
  Expr r = hypot(x + 1.0, y), s = hypot(x - 1.0, y);
  Expr mean = 0.5 * (r + s);
  // The mean minus x or 1, as quotients of sums of positive numbers.
  Expr right = r + (x + 1.0);
  Expr inner = s + (1.0 - x), outer = s + (x - 1.0);
  Expr inside = x <= 1.0;
  Expr sum = mean + x;
  Expr opposite =
      select(inside, sqrt(0.5 * sum * (y * (y / right) + inner)),
             y * sqrt(0.5 * (sum / right + sum / select(inside, one, outer))));
  // log1p(d + sqrt(d (mean + 1))) with d = mean - 1.
  Expr isOn = inner == 0.0; // x = 1 and y = 0
  Expr k = 0.5 * (1.0 / right + 1.0 / select(isOn | !inside, one, inner));
  Expr below = y * y * k + y * sqrt(k * (mean + 1.0));
  Expr d = 0.5 * (y * (y / right) + outer);
  Expr above = d + sqrt(d * (mean + 1.0));
  Expr imaginary = log1p(select(inside, select(isOn, zeroOf(y), below), above));
  // For large |z|: log(2 |z|).
  Expr ratio = select(isInfinite(m), zeroOf(m), n / m);
  Expr far = log(m) + (std::log(2.0) + 0.5 * log1p(ratio * ratio));
  return {select(huge, b, opposite), select(huge, far, imaginary)};
}

} // namespace

Complex asin(Complex z) {
  Expr a = abs(z.re), b = abs(z.im);
  InverseSine s = inverseSine(a, b);
  return {copysign(atan2(a, s.opposite), z.re), copysign(s.imaginary, z.im)};
}

Complex acos(Complex z) {
  InverseSine s = inverseSine(abs(z.re), abs(z.im));
  return {atan2(s.opposite, z.re), -copysign(s.imaginary, z.im)};
}

// asinh(z) = -i asin(iz).
Complex asinh(Complex z) {
  Expr a = abs(z.im), b = abs(z.re);
  InverseSine s = inverseSine(a, b);
  return {copysign(s.imaginary, z.re), copysign(atan2(a, s.opposite), z.im)};
}

Complex acosh(Complex z) {
  InverseSine s = inverseSine(abs(z.re), abs(z.im));
  return {s.imaginary, copysign(atan2(s.opposite, z.re), z.im)};
}

Complex atanh(Complex z) {
  Expr x = z.re, y = z.im, a = abs(x), b = abs(y);
  Expr m = max(a, b), n = min(a, b);
  Expr huge = m > 1e15;
  Expr one = a.constant(1.0);
  Expr c = select(huge, one, a), e = select(huge, one, b);
  // log(|1 + z|^2 / |1 - z|^2) / 4 = log1p(4 a / |1 - z|^2) / 4.
  Expr distance = hypot(1.0 - c, e);
  Expr close = distance < 1e-140;
  Expr safe = select(close, one, distance);
  Expr re = select(close, 0.5 * (std::log(2.0) - log(distance)),
                   0.25 * log1p(4.0 * ((c / safe) / safe)));
  // For large z: a / |z|^2.
  Expr ratio = n / m;
  Expr far = (a / m) / (m * (1.0 + ratio * ratio));
  far = select(isInfinite(a) | isInfinite(b), zeroOf(a), far);
  re = select(huge, far, re);
  Expr im = 0.5 * atan2(2.0 * select(huge, copysign(one, y), y),
                        (1.0 - c) * (1.0 + c) - e * e);
  im = select(huge, copysign(x.constant(kHalfPi), y), im);
  // If the imaginary part is NaN, keep the sign of a real part of zero.
  return {copysign(re, x), im};
}

// atan(z) = -i atanh(iz).
Complex atan(Complex z) {
  Complex turned = atanh({-z.im, z.re});
  return {turned.im, -turned.re};
}

Complex sinh(Complex z) {
  Hyperbolic h = hyperbolic(z.re);
  Expr c = cos(z.im), s = sin(z.im);
  Expr kept = isInfinite(z.im) & (isInfinite(z.re) | (z.re == 0.0));
  return {select(kept, z.re, (h.sinh * c) * h.factor),
          keepZero(z.im, (h.cosh * s) * h.factor)};
}

Complex cosh(Complex z) {
  Hyperbolic h = hyperbolic(z.re);
  Expr c = cos(z.im), s = sin(z.im);
  Expr spins = isInfinite(z.im);
  Expr re =
      select(isInfinite(z.re) & spins, abs(z.re), (h.cosh * c) * h.factor);
  Expr vanishes = (z.im == 0.0) | ((z.re == 0.0) & spins);
  Expr zero = copysign(zeroOf(z.re), z.re) * copysign(z.im.constant(1.0), z.im);
  return {re, select(vanishes, zero, (h.sinh * s) * h.factor)};
}

// sin(z) = -i sinh(iz).
Complex sin(Complex z) {
  Complex turned = sinh({-z.im, z.re});
  return {turned.im, -turned.re};
}

Complex cos(Complex z) { return cosh({-z.im, z.re}); }

Complex tanh(Complex z) {
  // (sinh x cosh x + i sin y cos y) / (sinh^2 x + cos^2 y) does not cancel.
  Expr far = abs(z.re) > 20.0;
  Expr x = select(far, zeroOf(z.re), z.re);
  Expr c = cos(z.im), s = sin(z.im), sh = sinh(x);
  Expr denominator = sh * sh + c * c;
  Expr re = keepZero(x, (sh * cosh(x)) / denominator);
  Expr im = (s * c) / denominator;
  Expr small = exp(-abs(z.re));
  Expr farIm = 4.0 * ((s * small) * (c * small));
  Expr spins = isInfinite(z.im);
  farIm = select(isInfinite(z.re) & spins, copysign(zeroOf(x), z.im), farIm);
  Expr farRe = select(spins & !isInfinite(z.re), x.nan(),
                      copysign(x.constant(1.0), z.re));
  return {select(far, farRe, re), keepZero(z.im, select(far, farIm, im))};
}

// tan(z) = -i tanh(iz).
Complex tan(Complex z) {
  Complex turned = tanh({-z.im, z.re});
  return {turned.im, -turned.re};
}

Complex square(Complex z) {
  Expr re = (z.re - z.im) * (z.re + z.im);
  // For equal parts, the sum may overflow although the difference is zero.
  Expr equal = abs(z.re) == abs(z.im);
  re = select(equal, select(isInfinite(z.re), re.nan(), zeroOf(re)), re);
  Expr product = z.re * z.im;
  return {re, product + product};
}

} // namespace shardwright::chlo_expansion
