//===- complex_elementary.cc - roots, logarithms, exponentials, powers --===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/interop/chlo/complex_functions.h"

using namespace mlir;

namespace shardwright::chlo_expansion {

Expr hypot(Expr a, Expr b) {
  Expr m = max(abs(a), abs(b)), n = min(abs(a), abs(b));
  Expr ratio = n / m;
  Expr value = m * sqrt(1.0 + ratio * ratio);
  // Infinite even if the other part is NaN; max and min propagate NaN, so test
  // each part.
  Expr infinite = (abs(a) == a.infinity()) | (abs(b) == b.infinity());
  return select(infinite, a.infinity(), select(m == 0.0, m, value));
}

Expr abs(Complex z) { return hypot(z.re, z.im); }

// 2^-k for max(|a|, |b|) = 2^k m, within the normal numbers, so that products
// of scaled parts neither overflow nor underflow.
static Expr scaleOf(Expr a, Expr b) {
  Type integer = IntegerType::get(a.type().getContext(), 64);
  Expr bits = max(abs(a), abs(b)).bitcastTo(integer);
  Expr exponent = bits.binary<stablehlo::ShiftRightLogicalOp>(bits.bits(52));
  // 2^(1023 - e) has the exponent field 2046 - e; at least 1.
  exponent = max(min(exponent, exponent.bits(2045)), exponent.bits(1));
  Expr field = exponent.bits(2046) - exponent;
  return field.binary<stablehlo::ShiftLeftOp>(field.bits(52))
      .bitcastTo(a.type().getElementType());
}

// Adds the square of a as three numbers without rounding, for a far from
// overflow.
static void addSquare(Expr a, SmallVectorImpl<Expr> &terms) {
  Type integer = IntegerType::get(a.type().getContext(), 64);
  // The nearest number of 26 bits; the rest has 26 bits too.
  Expr raw = a.bitcastTo(integer) + a.bitcastTo(integer).bits(0x4000000);
  Expr high = (raw & raw.bits(0xFFFFFFFFF8000000ull))
                  .bitcastTo(a.type().getElementType());
  Expr low = a - high;
  terms.append({high * high, 2.0 * high * low, low * low});
}

// The sum of the terms as if computed with three times the digits (Ogita, Rump
// and Oishi, 2005): each pass moves rounding errors to the front.
static Expr exactTotal(SmallVectorImpl<Expr> &terms) {
  for (int pass = 0; pass < 2; ++pass)
    for (size_t i = 1; i < terms.size(); ++i) {
      Expr a = terms[i - 1], b = terms[i];
      Expr sum = a + b, other = sum - a;
      terms[i - 1] = (a - (sum - other)) + (b - other);
      terms[i] = sum;
    }
  Expr total = terms[0];
  for (size_t i = 1; i < terms.size(); ++i)
    total = total + terms[i];
  return total;
}

// a^2 + b^2 + c, accurate also under cancellation.
static Expr sumOfSquares(Expr a, Expr b, Expr c) {
  SmallVector<Expr> terms{c};
  addSquare(a, terms);
  addSquare(b, terms);
  return exactTotal(terms);
}

// log |a + ib|.
static Expr logHypot(Expr a, Expr b) {
  Expr m = max(abs(a), abs(b)), n = min(abs(a), abs(b));
  Expr near = (m > 0.5) & (m < 2.0);
  Expr one = m.constant(1.0);
  // Near |z| = 1 the logarithm is small, so subtract 1 exactly.
  Expr close = 0.5 * log1p(sumOfSquares(select(near, m, one),
                                        select(near, n, one), -one));
  Expr ratio = n / m;
  Expr far = log(m) + 0.5 * log1p(ratio * ratio);
  far = select(m == 0.0, -m.infinity(), far);
  Expr infinite = (abs(a) == a.infinity()) | (abs(b) == b.infinity());
  return select(infinite, m.infinity(), select(near, close, far));
}

Complex log(Complex z) { return {logHypot(z.re, z.im), atan2(z.im, z.re)}; }

Complex log1p(Complex z) {
  Expr x = z.re, y = z.im, shifted = x + 1.0;
  // 1 + z|^2 - 1 = 2x + x^2 + y^2 cancels near z = -1, where 1 + x is exact;
  // for large z the 1 is negligible.
  Expr direct = ((x >= -2.0) & (x <= -0.5)) | (abs(x) > 1e16) | (abs(y) > 1e16);
  Expr zero = x.constant(0.0);
  Expr a = select(direct, zero, x), b = select(direct, zero, y);
  // The term 2x comes first, so that x keeps its sign and zeros.
  Expr s = sumOfSquares(a, b, 2.0 * a);
  // Squares that underflow are negligible compared with x.
  Expr tiny = (abs(a) < 1e-140) & (abs(b) < 1e-140);
  Expr re = select(tiny, a + (0.5 * b) * b, 0.5 * log1p(s));
  Expr infinite = (abs(x) == x.infinity()) | (abs(y) == y.infinity());
  return {
      select(direct | infinite | (x != x) | (y != y), logHypot(shifted, y), re),
      atan2(y, shifted)};
}

Complex sqrt(Complex z) {
  // Scale by a power of four, so that the root is scaled by a power of two.
  Expr scale = scaleOf(z.re, z.im);
  Expr finer =
      select((z.re == 0.0) & (z.im == 0.0), scale.constant(1.0), scale);
  // sqrt(2^-k) is a power of two only for even k, so make the exponent even.
  Expr root = sqrt(finer);
  Type integer = IntegerType::get(root.type().getContext(), 64);
  Expr rootBits = root.bitcastTo(integer);
  Expr factor = (rootBits & rootBits.bits(0xFFF0000000000000ull))
                    .bitcastTo(root.type().getElementType());
  Expr square = factor * factor;
  Expr x = z.re * square, y = z.im * square;
  Expr t = sqrt((abs(x) + hypot(x, y)) * 0.5);
  // Compute the other part from the unscaled one, which scaling may have
  // flushed.
  t = t / factor;
  Expr other = select(t == 0.0, t, abs(z.im) / (2.0 * t));
  Expr negative = x < 0.0;
  Expr re = select(negative, other, t);
  Expr im = select(negative, t, other);
  Expr imInfinite = abs(z.im) == z.im.infinity();
  Expr reInfinite = abs(z.re) == z.re.infinity();
  // sqrt(inf + iy) = inf + i0, sqrt(-inf + iy) = 0 + i inf, also for NaN parts.
  re = select(reInfinite,
              select(z.re > 0.0, re.infinity(),
                     select(z.im != z.im, z.im, re.constant(0.0))),
              re);
  im = select(reInfinite,
              select(z.re < 0.0, re.infinity(),
                     select(z.im != z.im, z.im, re.constant(0.0))),
              im);
  re = select(imInfinite, re.infinity(), re);
  im = select(imInfinite, re.infinity(), im);
  return {re, copysign(im, z.im)};
}

// 1 / sqrt(z) as conj(root) / |root|^2: the root of z and its conjugate have
// equal parts up to sign.
Complex rsqrt(Complex z) {
  Complex root = sqrt(z);
  Expr m = abs(root);
  Expr zero = m == 0.0, infinite = m == m.infinity();
  Expr one = m.constant(1.0), none = m.constant(0.0);
  Expr divisor = select(zero | infinite, one, m);
  Expr re = (root.re / divisor) / divisor,
       im = -((root.im / divisor) / divisor);
  re = select(zero, m.infinity(), select(infinite, none, re));
  im = select(zero, m.nan(), select(infinite, copysign(none, -z.im), im));
  return {re, im};
}

Complex cbrt(Complex z) {
  Expr m = cbrt(hypot(z.re, z.im));
  Expr angle = atan2(z.im, z.re) * (1.0 / 3.0);
  Expr isReal = (z.im == 0.0) & (z.re >= 0.0);
  Expr im = select(isReal, z.im, m * sin(angle));
  return {m * cos(angle), im};
}

// e^x times `factor` (a sine or cosine), without overflow of e^x alone.
static Expr timesExp(Expr x, Expr factor) {
  Expr large = x > 700.0;
  Expr half = exp(select(large, x * 0.5, x));
  Expr value = half * factor;
  return select(large, value * half, value);
}

Complex exp(Complex z) {
  Expr zero = z.re.constant(0.0);
  Expr c = cos(z.im), s = sin(z.im);
  // e^-inf = 0 for any angle; e^(inf + i inf) has an infinite real part.
  Expr spins = abs(z.im) == z.im.infinity();
  Expr vanishes = (z.re == -z.re.infinity()) & spins;
  Expr endless = (z.re == z.re.infinity()) & spins;
  Expr re = select(vanishes, zero, select(endless, z.re, timesExp(z.re, c)));
  Expr im =
      select(z.im == 0.0, z.im, select(vanishes, zero, timesExp(z.re, s)));
  return {re, im};
}

Complex expm1(Complex z) {
  Expr h = sin(z.im * 0.5);
  Expr cosm1 = -2.0 * (h * h);
  Expr c = cos(z.im);
  Expr large = z.re > 700.0;
  Expr e = expm1(select(large, z.re.constant(0.0), z.re));
  Expr re = select(large, timesExp(z.re, c), e * c + cosm1);
  Complex whole = exp(z);
  Expr real = z.im == 0.0;
  Expr vanishes = z.re == -z.re.infinity();
  re = select(vanishes, re.constant(-1.0),
              select(whole.re == re.infinity(), whole.re, re));
  return {select(real, expm1(z.re), re), whole.im};
}

// Scales the larger of |Re w| and |Im w| to about 1, then uses Smith's
// quotient: z / w = (z conj(u)) / (w conj(u)), where u is w over its larger
// part.
Complex divide(Complex z, Complex w) {
  Expr scale = scaleOf(w.re, w.im);
  Expr scaleZ = scaleOf(z.re, z.im);
  Expr a = z.re * scaleZ, b = z.im * scaleZ;
  Expr c = w.re * scale, d = w.im * scale;
  Expr swap = abs(c) < abs(d);
  Expr large = select(swap, d, c), small = select(swap, c, d);
  Expr r = small / large;
  Expr denominator = large + small * r;
  Expr first = select(swap, b, a), second = select(swap, a, b);
  Expr re = (first + second * r) / denominator;
  Expr im = (second - first * r) / denominator;
  im = select(swap, -im, im);
  // Undo both scales, which are powers of two, in the order that stays in
  // range.
  auto unscale = [&](Expr x) {
    return select(scale < 1.0, (x / scaleZ) * scale, (x * scale) / scaleZ);
  };
  re = unscale(re);
  im = unscale(im);
  Expr wZero = (w.re == 0.0) & (w.im == 0.0);
  Expr infinity = copysign(re.infinity(), w.re);
  Expr wInfinite = (abs(w.re) == re.infinity()) | (abs(w.im) == re.infinity());
  Expr zInfinite = (abs(z.re) == re.infinity()) | (abs(z.im) == re.infinity());
  auto unit = [](Expr x) {
    return copysign(
        select(abs(x) == x.infinity(), x.constant(1.0), x.constant(0.0)), x);
  };
  // Annex G: a non-zero number over zero, infinity over a number, a number over
  // infinity.
  Expr ac = unit(z.re), bc = unit(z.im);
  Expr overRe = re.infinity() * (ac * w.re + bc * w.im);
  Expr overIm = re.infinity() * (bc * w.re - ac * w.im);
  Expr cc = unit(w.re), dc = unit(w.im);
  Expr intoRe = 0.0 * (z.re * cc + z.im * dc);
  Expr intoIm = 0.0 * (z.im * cc - z.re * dc);
  Expr over = zInfinite & !wInfinite, into = wInfinite & !zInfinite;
  re = select(wZero, infinity * z.re,
              select(over, overRe, select(into, intoRe, re)));
  im = select(wZero, infinity * z.im,
              select(over, overIm, select(into, intoIm, im)));
  return {re, im};
}

Complex sign(Complex z) {
  Expr scale = scaleOf(z.re, z.im);
  Expr x = z.re * scale, y = z.im * scale;
  Expr m = hypot(x, y);
  Expr zero = m == 0.0;
  Expr divisor = select(zero, m.constant(1.0), m);
  return {select(zero, z.re, x / divisor), select(zero, z.im, y / divisor)};
}

Complex logistic(Complex z) {
  // With u = e^-|x|: 1 / (1 + e^-z) over |1 + u e^iy|^2 = (1 - u)^2 + 4 u cos(y
  // / 2)^2, a sum of squares.
  Expr u = exp(-abs(z.re));
  Expr less = -expm1(-abs(z.re)); // 1 - u
  Expr h = cos(z.im * 0.5);
  Expr twice = 2.0 * (h * h); // 1 + cos(y)
  Expr denominator = less * less + 2.0 * (u * twice);
  Expr rising = z.re < 0.0;
  Expr numerator = select(rising, u * (twice - less), less + u * twice);
  Expr im = (u * sin(z.im)) / denominator;
  Expr zero = z.re.constant(0.0), one = z.re.constant(1.0);
  // For infinite x, the angle is irrelevant.
  Expr far = abs(z.re) == z.re.infinity();
  return {select(far, select(rising, zero, one), numerator / denominator),
          select(far, zero, im)};
}

Complex pow(Complex z, Complex w) {
  Complex l = log(z);
  Expr magnitude = w.re * l.re - w.im * l.im;
  Expr angle = w.im * l.re + w.re * l.im;
  Expr realPower = w.im == 0.0;
  magnitude = select(realPower, w.re * l.re, magnitude);
  angle = select(realPower, w.re * l.im, angle);
  Complex value = exp({magnitude, angle});
  // A positive real number to a real power is computed by real pow.
  Expr real = realPower & (z.im == 0.0) & (z.re >= 0.0);
  Expr zero = z.re.constant(0.0), one = z.re.constant(1.0);
  Expr realValue = pow(abs(z.re), w.re);
  Expr zIsZero = (z.re == 0.0) & (z.im == 0.0);
  Expr vanishes = zIsZero & (w.re > 0.0);
  Expr isOne = realPower & (w.re == 0.0);
  return {select(isOne, one,
                 select(vanishes, zero, select(real, realValue, value.re))),
          select(isOne | vanishes | real, zero, value.im)};
}

} // namespace shardwright::chlo_expansion
