//===- complex_runtime.cc - complex functions for kernels -----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/kernel_support/complex_runtime.h"

#include <cmath>
#include <complex>

namespace shardwright::cpu {

using Complex = std::complex<double>;
using Long = std::complex<long double>;

static Complex rounded(Long z) {
  return {static_cast<double>(z.real()), static_cast<double>(z.imag())};
}

// The real part is log|1 + z| = log1p(2x + x^2 + y^2) / 2. Near the circle |1 +
// z| = 1 that sum cancels, so it is computed with more digits. Near -1, and far
// from the circle, 1 + x is exact enough.
static Complex log1p(Complex z) {
  double x = z.real(), y = z.imag();
  double length = std::hypot(1 + x, y), im = std::atan2(y, 1 + x);
  if (!(length > 0.5 && length < 4))
    return {std::log(length), im};
  long double sum =
      static_cast<long double>(x) * (2 + static_cast<long double>(x)) +
      static_cast<long double>(y) * y;
  return {static_cast<double>(std::log1p(sum) / 2), im};
}

static Complex expm1(Complex z) {
  long double x = z.real(), y = z.imag();
  if (y == 0)
    return {std::expm1(z.real()), z.imag()};
  if (!std::isfinite(z.real()) || !std::isfinite(z.imag()))
    return std::exp(z) - 1.0;
  // e^x cos y - 1 = (e^x - 1) cos y - 2 sin^2(y / 2)
  long double s = std::sin(y / 2);
  return rounded(
      {std::expm1(x) * std::cos(y) - 2 * s * s, std::exp(x) * std::sin(y)});
}

/// a b + c d, accurate if the products nearly cancel.
static double sumOfProducts(double a, double b, double c, double d) {
  double p = c * d, lost = std::fma(c, d, -p);
  double sum = std::fma(a, b, p);
  return std::isfinite(sum) ? sum + lost : sum;
}

// Scales the divisor so that neither squares nor products overflow before the
// quotient does.
static Complex divide(Complex n, Complex d) {
  double a = n.real(), b = n.imag(), c = d.real(), e = d.imag();
  double largest = std::fmax(std::fabs(c), std::fabs(e));
  int scale = 0;
  if (std::isfinite(largest) && largest != 0) {
    scale = std::ilogb(largest);
    c = std::scalbn(c, -scale);
    e = std::scalbn(e, -scale);
  }
  double square = c * c + e * e;
  double re = std::scalbn(sumOfProducts(a, c, b, e) / square, -scale);
  double im = std::scalbn(sumOfProducts(b, c, -a, e) / square, -scale);
  // Near the largest numbers even the scaled products overflow.
  if ((!std::isfinite(re) || !std::isfinite(im)) && std::isfinite(a) &&
      std::isfinite(b) && std::isfinite(largest) && largest != 0) {
    re = std::scalbn(sumOfProducts(a / 4, c, b / 4, e) / square, 2 - scale);
    im = std::scalbn(sumOfProducts(b / 4, c, -a / 4, e) / square, 2 - scale);
    return {re, im};
  }
  if (std::isnan(re) && std::isnan(im)) {
    // Infinities and zeros, as in C99, annex G.
    if (square == 0 && (!std::isnan(a) || !std::isnan(b)))
      return {std::copysign(INFINITY, c) * a, std::copysign(INFINITY, c) * b};
    if ((std::isinf(a) || std::isinf(b)) && std::isfinite(c) &&
        std::isfinite(e)) {
      a = std::copysign(std::isinf(a) ? 1.0 : 0.0, a);
      b = std::copysign(std::isinf(b) ? 1.0 : 0.0, b);
      return {INFINITY * (a * c + b * e), INFINITY * (b * c - a * e)};
    }
    if (std::isinf(largest) && std::isfinite(a) && std::isfinite(b)) {
      c = std::copysign(std::isinf(c) ? 1.0 : 0.0, c);
      e = std::copysign(std::isinf(e) ? 1.0 : 0.0, e);
      return {0.0 * (a * c + b * e), 0.0 * (b * c - a * e)};
    }
  }
  return {re, im};
}

static Complex power(Complex z, Complex w) {
  if (w == 0.0)
    return 1;
  if (z == 0.0) {
    if (w.real() > 0)
      return 0;
    return {NAN, NAN};
  }
  return rounded(std::exp(Long(w) * std::log(Long(z))));
}

static Complex rsqrt(Complex z) {
  if (z == 0.0)
    return {INFINITY, NAN};
  if (std::isinf(z.real()) || std::isinf(z.imag()))
    return {0, std::copysign(0.0, -z.imag())};
  return divide(1, std::sqrt(z));
}

static Complex logistic(Complex z) {
  if (std::isfinite(z.real()) && z.real() < -700 && std::isfinite(z.imag()))
    return std::exp(z);
  return divide(1, 1.0 + std::exp(-z));
}

static Complex cbrt(Complex z) {
  if (z == 0.0)
    return z;
  return std::polar(std::cbrt(std::abs(z)), std::arg(z) / 3);
}

// -i log(p / s) with p = x + i y, q = x - i y, s = sqrt(x^2 + y^2) = sqrt(p q).
// Neither p nor q loses digits where x^2 and y^2 cancel. Where |p / s| is near
// 1, and the logarithm may be near 0, it is computed as 2 atan(y / (s + x)) or
// 2 atan((s - x) / y), whichever divisor is larger.
static Complex atan2(Complex y, Complex x) {
  Long a(x), b(y), p(a.real() - b.imag(), a.imag() + b.real()),
      q(a.real() + b.imag(), a.imag() - b.real()), s = std::sqrt(p * q);
  if (x.imag() == 0 && y.imag() == 0 &&
      (b == Long(0) || s == Long(0) || !std::isfinite(std::abs(s))))
    return {std::atan2(y.real(), x.real()), 0};
  long double up = std::abs(p), down = std::abs(q);
  if (b == Long(0) || s == Long(0) || !std::isfinite(std::abs(s)) ||
      up > 2 * down || down > 2 * up)
    return rounded(Long(0, -1) * std::log(p / s));
  Long tangent = std::abs(s + a) >= std::abs(s - a) ? b / (s + a) : (s - a) / b;
  return rounded(Long(2) * std::atan(tangent));
}

static Complex apply(ComplexFunction f, Complex z, Complex w) {
  switch (f) {
  case ComplexFunction::Exp:
    return std::exp(z);
  case ComplexFunction::Expm1:
    return expm1(z);
  case ComplexFunction::Log:
    return std::log(z);
  case ComplexFunction::Log1p:
    return log1p(z);
  case ComplexFunction::Sqrt:
    return std::sqrt(z);
  case ComplexFunction::Rsqrt:
    return rsqrt(z);
  case ComplexFunction::Cbrt:
    return cbrt(z);
  case ComplexFunction::Sin:
    return std::sin(z);
  case ComplexFunction::Cos:
    return std::cos(z);
  case ComplexFunction::Tan:
    return std::tan(z);
  case ComplexFunction::Tanh:
    return std::tanh(z);
  case ComplexFunction::Logistic:
    return logistic(z);
  case ComplexFunction::Power:
    return power(z, w);
  case ComplexFunction::Atan2:
    return atan2(z, w);
  case ComplexFunction::Divide:
    return divide(z, w);
  }
  return z;
}

void complexMath(int32_t function, int64_t count, double *re, double *im,
                 const double *re2, const double *im2) {
  for (int64_t i = 0; i < count; ++i) {
    Complex second = re2 ? Complex(re2[i], im2[i]) : Complex();
    Complex z = apply(static_cast<ComplexFunction>(function),
                      Complex(re[i], im[i]), second);
    re[i] = z.real();
    im[i] = z.imag();
  }
}

} // namespace shardwright::cpu
