//===- ufuncs.cc - more elementwise functions of jax.numpy ----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/numpy/ufuncs.h"

#include "shardwright/frontend/api/control.h"
#include "shardwright/frontend/numpy/promote.h"
#include "shardwright/frontend/primitives/special.h"

#include <cmath>
#include <numbers>

namespace shardwright::frontend {
namespace {

Tensor number(const Tensor &like, double value) {
  return scalarOf(value, like.dtype());
}
/// A type in which bits and sums make sense: booleans become integers.
std::pair<Tensor, Tensor>
numericPair(const Tensor &x, const Tensor &y,
            const char *function = __builtin_FUNCTION()) {
  auto [a, b] = promotePair(x, y, function);
  if (a.ok() && b.ok() && a.dtype() == DType::Bool)
    return {astype(a, DType::I32), astype(b, DType::I32)};
  return {a, b};
}
Tensor refusedComplex(const char *name) {
  return typeError("ufunc '", name, "' does not support complex dtypes");
}
/// The integer type whose words hold a float.
std::optional<DType> wordType(DType type) {
  switch (bitWidth(type)) {
  case 16:
    return DType::I16;
  case 32:
    return DType::I32;
  case 64:
    return DType::I64;
  default:
    return std::nullopt;
  }
}

} // namespace

Tensor add(const Tensor &x, const Tensor &y) { return x + y; }
Tensor subtract(const Tensor &x, const Tensor &y) { return x - y; }
Tensor multiply(const Tensor &x, const Tensor &y) { return x * y; }
Tensor divide(const Tensor &x, const Tensor &y) { return x / y; }
Tensor trueDivide(const Tensor &x, const Tensor &y) { return x / y; }
Tensor remainder(const Tensor &x, const Tensor &y) { return x % y; }
Tensor mod(const Tensor &x, const Tensor &y) { return x % y; }
Tensor fmod(const Tensor &x, const Tensor &y) {
  auto [a, b] = numericPair(x, y);
  // JAX leaves zeros among booleans.
  bool isBool = x.dtype() == DType::Bool && y.dtype() == DType::Bool;
  return lax::rem(a, isBool ? b : nonzeroDivisor(b));
}
Tensor negative(const Tensor &x) { return -x; }
Tensor positive(const Tensor &x) { return x; }
Tensor equal(const Tensor &x, const Tensor &y) { return x == y; }
Tensor notEqual(const Tensor &x, const Tensor &y) { return x != y; }
Tensor less(const Tensor &x, const Tensor &y) { return x < y; }
Tensor lessEqual(const Tensor &x, const Tensor &y) { return x <= y; }
Tensor greater(const Tensor &x, const Tensor &y) { return x > y; }
Tensor greaterEqual(const Tensor &x, const Tensor &y) { return x >= y; }
Tensor absolute(const Tensor &x) { return abs(x); }
Tensor fabs(const Tensor &x) {
  if (x.ok() && isComplex(x.dtype()))
    return refusedComplex("fabs");
  return lax::abs(inexact(x));
}
Tensor pow(const Tensor &x, const Tensor &y) { return power(x, y); }
Tensor floatPower(const Tensor &x, const Tensor &y) {
  auto [a, b] = inexactPair(x, y);
  return lax::pow(a, b);
}

Tensor logicalAnd(const Tensor &x, const Tensor &y) {
  auto [a, b] = promotePair(x, y);
  return lax::bitwise_and(boolean(a), boolean(b));
}
Tensor logicalOr(const Tensor &x, const Tensor &y) {
  auto [a, b] = promotePair(x, y);
  return lax::bitwise_or(boolean(a), boolean(b));
}
Tensor logicalXor(const Tensor &x, const Tensor &y) {
  auto [a, b] = promotePair(x, y);
  return lax::bitwise_xor(boolean(a), boolean(b));
}
Tensor logicalNot(const Tensor &x) { return lax::bitwise_not(boolean(x)); }
Tensor bitwiseAnd(const Tensor &x, const Tensor &y) { return x & y; }
Tensor bitwiseOr(const Tensor &x, const Tensor &y) { return x | y; }
Tensor bitwiseXor(const Tensor &x, const Tensor &y) { return x ^ y; }
Tensor bitwiseNot(const Tensor &x) { return ~x; }
Tensor bitwiseInvert(const Tensor &x) { return ~x; }
Tensor invert(const Tensor &x) { return ~x; }
Tensor leftShift(const Tensor &x, const Tensor &y) {
  auto [a, b] = numericPair(x, y);
  return lax::shift_left(a, b);
}
Tensor rightShift(const Tensor &x, const Tensor &y) {
  auto [a, b] = numericPair(x, y);
  return a.ok() && isUnsigned(a.dtype()) ? lax::shift_right_logical(a, b)
                                         : lax::shift_right_arithmetic(a, b);
}
Tensor bitwiseLeftShift(const Tensor &x, const Tensor &y) {
  return leftShift(x, y);
}
Tensor bitwiseRightShift(const Tensor &x, const Tensor &y) {
  return rightShift(x, y);
}
Tensor bitwiseCount(const Tensor &in) {
  Tensor x = in.ok() && in.dtype() == DType::Bool ? astype(in, DType::I32) : in;
  return astype(lax::population_count(abs(x)), DType::U8);
}

Tensor arccos(const Tensor &x) { return acos(x); }
Tensor arccosh(const Tensor &x) { return acosh(x); }
Tensor arcsin(const Tensor &x) { return asin(x); }
Tensor arcsinh(const Tensor &x) { return asinh(x); }
Tensor arctan(const Tensor &x) { return atan(x); }
Tensor arctanh(const Tensor &x) { return atanh(x); }
Tensor atan2(const Tensor &y, const Tensor &x) { return arctan2(y, x); }
Tensor log2(const Tensor &in) {
  Tensor x = inexact(in);
  if (!x.ok())
    return x;
  Tensor l = lax::log(x);
  if (isComplex(x.dtype())) {
    Tensor re = lax::real(l), ln2 = number(re, std::numbers::ln2);
    return lax::complex(lax::div(re, ln2), lax::div(lax::imag(l), ln2));
  }
  return lax::div(l, lax::log(number(x, 2)));
}
Tensor log10(const Tensor &in) {
  Tensor x = inexact(in);
  if (!x.ok())
    return x;
  Tensor l = lax::log(x);
  if (isComplex(x.dtype())) {
    Tensor re = lax::real(l), factor = number(re, std::numbers::log10e);
    return lax::complex(lax::mul(re, factor), lax::mul(lax::imag(l), factor));
  }
  return lax::mul(l, number(x, std::numbers::log10e));
}
Tensor logaddexp2(const Tensor &x, const Tensor &y) {
  auto [a, b] = inexactPair(x, y);
  if (const Error *error = errorIn(Tensors{a, b}))
    return *error;
  Tensor ln2 = number(a, std::numbers::ln2);
  return lax::div(logaddexp(lax::mul(a, ln2), lax::mul(b, ln2)), ln2);
}
Tensor sinc(const Tensor &in) {
  Tensor x = inexact(in);
  if (!x.ok())
    return x;
  Tensor isZero = lax::eq(x, number(x, 0));
  Tensor scaled = lax::mul(number(x, std::numbers::pi), x);
  Tensor safe = where(isZero, number(x, 1), scaled);
  // 1 - t^2 / 6, which has the right derivatives at 0, too.
  Tensor atZero = number(x, 1) - lax::square(scaled) / number(x, 6);
  return where(isZero, atZero, lax::div(lax::sin(safe), safe));
}
Tensor degrees(const Tensor &in) {
  Tensor x = inexact(in);
  return x.ok() ? lax::mul(x, number(x, 180 / std::numbers::pi)) : x;
}
Tensor radians(const Tensor &in) {
  Tensor x = inexact(in);
  return x.ok() ? lax::mul(x, number(x, std::numbers::pi / 180)) : x;
}
Tensor deg2rad(const Tensor &x) { return radians(x); }
Tensor rad2deg(const Tensor &x) { return degrees(x); }
Tensor i0(const Tensor &in) {
  Tensor x = inexact(in);
  if (!x.ok())
    return x;
  if (isComplex(x.dtype()))
    return valueError("Unsupported input type to jax.numpy.i0: ",
                      name(x.dtype()));
  return lax::mul(lax::exp(lax::abs(x)), lax::bessel_i0e(x));
}

Tensor real(const Tensor &x) {
  return x.ok() && isComplex(x.dtype()) ? lax::real(x) : x;
}
Tensor imag(const Tensor &x) {
  return x.ok() && isComplex(x.dtype()) ? lax::imag(x) : zerosLike(x);
}
Tensor conjugate(const Tensor &x) {
  return x.ok() && isComplex(x.dtype()) ? lax::conj(x) : x;
}
Tensor conj(const Tensor &x) { return conjugate(x); }
Tensor angle(const Tensor &z, bool inDegrees) {
  Tensor re = real(z), im = imag(z);
  if (!re.ok())
    return re;
  if (!isInexact(re.dtype()) || (isFloat(z.dtype()) && !z.rank())) {
    DType type = canonicalType(DType::F64);
    re = astype(re, type), im = astype(im, type);
  }
  Tensor out = lax::atan2(im, re);
  return inDegrees ? degrees(out) : out;
}
Tensor signbit(const Tensor &x) {
  if (!x.ok())
    return x;
  if (isInteger(x.dtype()))
    return lax::lt(x, scalarOf(int64_t(0), x.dtype()));
  if (x.dtype() == DType::Bool)
    return lax::full(x.shape(), 0, DType::Bool);
  if (!isFloat(x.dtype()))
    return valueError("jax.numpy.signbit is not well defined for ",
                      name(x.dtype()));
  std::optional<DType> word = wordType(x.dtype());
  if (!word)
    return notImplemented(
        "jax.numpy.signbit only supports 16, 32, and 64-bit types.");
  return lax::lt(lax::bitcast_convert_type(x, *word),
                 scalarOf(int64_t(0), *word));
}
Tensor copysign(const Tensor &x, const Tensor &y) {
  auto [a, b] = inexactPair(x, y);
  if (a.ok() && isComplex(a.dtype()))
    return typeError("copysign does not support complex-valued inputs");
  Tensor size = lax::abs(a);
  return where(signbit(b), lax::neg(size), size);
}
Tensor nextafter(const Tensor &x, const Tensor &y) {
  auto [a, b] = inexactPair(x, y);
  return lax::nextafter(a, b);
}
Tensor rint(const Tensor &x) {
  if (!x.ok())
    return x;
  if (isInteger(x.dtype()) || x.dtype() == DType::Bool)
    return astype(x, canonicalType(DType::F64));
  if (isComplex(x.dtype()))
    return lax::complex(rint(lax::real(x)), rint(lax::imag(x)));
  return lax::round(x, RoundingMethod::ToNearestEven);
}
Tensor round(const Tensor &x, int64_t decimals) {
  if (!x.ok())
    return x;
  if (isInteger(x.dtype()))
    return decimals < 0 ? Tensor(notImplemented("integer np.round not "
                                                "implemented for decimals < 0"))
                        : x;
  if (isComplex(x.dtype()))
    return lax::complex(round(lax::real(x), decimals),
                        round(lax::imag(x), decimals));
  if (decimals == 0)
    return lax::round(x, RoundingMethod::ToNearestEven);
  // Beyond the precision of the type there is nothing to round.
  int64_t digits = x.dtype() == DType::F64   ? 308
                   : x.dtype() == DType::F16 ? 4
                                             : 38;
  if (decimals > digits)
    return x;
  bool isHalf = x.dtype() == DType::F16;
  Tensor wide = isHalf ? astype(x, DType::F32) : x;
  Tensor factor = number(wide, std::pow(10.0, static_cast<double>(decimals)));
  Tensor out = lax::div(
      lax::round(lax::mul(wide, factor), RoundingMethod::ToNearestEven),
      factor);
  return isHalf ? astype(out, DType::F16) : out;
}
Tensor around(const Tensor &x, int64_t decimals) { return round(x, decimals); }
std::pair<Tensor, Tensor> modf(const Tensor &in) {
  Tensor x = inexact(in);
  if (!x.ok())
    return {x, x};
  Tensor whole = where(lax::ge(x, number(x, 0)), floor(x), ceil(x));
  return {lax::sub(x, whole), whole};
}

std::pair<Tensor, Tensor> frexp(const Tensor &in) {
  Tensor x = inexact(in);
  if (!x.ok())
    return {x, x};
  std::optional<DType> word = wordType(x.dtype());
  if (isComplex(x.dtype()) || !word) {
    Error error = typeError("frexp does not support complex-valued inputs");
    return {error, error};
  }
  bool isBrain = x.dtype() == DType::BF16;
  int64_t exponentBits = x.dtype() == DType::F64              ? 11
                         : x.dtype() == DType::F32 || isBrain ? 8
                                                              : 5;
  int64_t mantissaBits = bitWidth(x.dtype()) - exponentBits - 1;
  int64_t bias = (int64_t(1) << (exponentBits - 1)) - 1;
  int64_t mask = (int64_t(1) << exponentBits) - 1;
  auto bits = [&](int64_t value) { return scalarOf(value, *word); };
  // Subnormal numbers are scaled up.
  double tiny = std::ldexp(1.0, static_cast<int>(1 - bias));
  Tensor isSmall = lax::lt(lax::abs(x), number(x, tiny));
  double scale = std::ldexp(1.0, static_cast<int>(mantissaBits));
  Tensor normal = where(isSmall, lax::mul(x, number(x, scale)), x);
  Tensor shift = where(isSmall, bits(-mantissaBits), bits(0));
  Tensor raw = lax::bitcast_convert_type(lax::stop_gradient(normal), *word);
  Tensor biased = lax::bitwise_and(
      lax::shift_right_arithmetic(raw, bits(mantissaBits)), bits(mask));
  Tensor exponent = lax::add(shift, lax::sub(biased, bits(bias - 1)));
  Tensor isSpecial = isinf(x) | isnan(x) | lax::eq(x, number(x, 0));
  exponent = astype(where(isSpecial, bits(0), exponent), DType::I32);
  Tensor cleared = lax::bitwise_and(raw, bits(~(mask << mantissaBits)));
  Tensor mantissa = lax::bitcast_convert_type(
      lax::bitwise_or(cleared, bits((bias - 1) << mantissaBits)), x.dtype());
  // The derivative is that of a product by the power of two.
  Tensor factor = lax::stop_gradient(
      where(isSpecial, number(x, 1),
            lax::exp2(lax::neg(astype(exponent, x.dtype())))));
  Tensor zero = lax::sub(x, lax::stop_gradient(x));
  Tensor slope = where(isSpecial, zerosLike(x), lax::mul(zero, factor));
  return {where(isSpecial, x, lax::add(lax::stop_gradient(mantissa), slope)),
          exponent};
}
Tensor ldexp(const Tensor &x, const Tensor &exponent) {
  if (const Error *error = errorIn(Tensors{x, exponent}))
    return *error;
  if (isComplex(x.dtype()) || isInexact(exponent.dtype()))
    return valueError("ldexp not supported for input types (", name(x.dtype()),
                      ", ", name(exponent.dtype()), ")");
  Tensor base = inexact(x);
  Tensor by = lax::convert_element_type(exponent, base.dtype());
  auto [m, e] = frexp(base);
  Tensor sum = astype(e, base.dtype()) + by;
  // The exponent may exceed the greatest one by 1 and the result be finite.
  m = where(sum > 0.0, m * 2.0, m);
  sum = where(sum > 0.0, sum - 1.0, sum);
  Tensor out = m * lax::exp2(sum);
  Tensor isSpecial = isinf(base) | lax::eq(base, number(base, 0));
  return where(isSpecial, base, out);
}
Tensor heaviside(const Tensor &x, const Tensor &y) {
  auto [a, b] = inexactPair(x, y);
  if (const Error *error = errorIn(Tensors{a, b}))
    return *error;
  Tensor zero = number(a, 0);
  return where(
      lax::lt(a, zero), zero,
      where(lax::gt(a, zero), number(a, 1), where(lax::ne(a, a), a, b)));
}

Tensor gcd(const Tensor &x, const Tensor &y) {
  auto [a, b] = promotePair(x, y);
  if (const Error *error = errorIn(Tensors{a, b}))
    return *error;
  if (!isInteger(a.dtype()))
    return valueError("Arguments to jax.numpy.gcd must be integers.");
  // Of one shape, with which the loop begins.
  a = lax::add(abs(a), zerosLike(b));
  b = lax::add(abs(b), zerosLike(a));
  Tensor zero = scalarOf(int64_t(0), a.dtype());
  using Pair = std::pair<Tensor, Tensor>;
  auto out =
      whileLoop([&](Pair s) { return any(lax::ne(s.second, zero)); },
                [&](Pair s) {
                  Tensor isDone = lax::eq(s.second, zero);
                  Tensor divisor = where(isDone, onesLike(s.second), s.second);
                  Tensor rest = where(isDone, zero, lax::rem(s.first, divisor));
                  Tensor next = where(isDone, s.first, s.second);
                  return Pair{lax::max(next, rest), lax::min(next, rest)};
                },
                Pair{lax::max(a, b), lax::min(a, b)});
  return out ? out->first : Tensor(out.error());
}
Tensor lcm(const Tensor &x, const Tensor &y) {
  auto [a, b] = promotePair(x, y);
  if (const Error *error = errorIn(Tensors{a, b}))
    return *error;
  if (!isInteger(a.dtype()))
    return valueError("Arguments to jax.numpy.lcm must be integers.");
  Tensor divisor = gcd(a, b), size = abs(a);
  Tensor isZero = lax::eq(divisor, scalarOf(int64_t(0), a.dtype()));
  Tensor safe = where(isZero, onesLike(divisor), divisor);
  return where(
      isZero, zerosLike(divisor),
      lax::mul(size, lax::div(lax::add(abs(b), zerosLike(safe)), safe)));
}

Tensor fmax(const Tensor &x, const Tensor &y) {
  return where((x > y) | isnan(y), x, y);
}
Tensor fmin(const Tensor &x, const Tensor &y) {
  return where((x < y) | isnan(y), x, y);
}

static Tensor isInfinity(const Tensor &x, double value) {
  if (!x.ok())
    return x;
  if (isComplex(x.dtype()))
    return valueError(
        "isposinf/isneginf are not well defined for complex types");
  return isFloat(x.dtype()) ? lax::eq(x, number(x, value))
                            : lax::full(x.shape(), 0, DType::Bool);
}
Tensor isposinf(const Tensor &x) { return isInfinity(x, INFINITY); }
Tensor isneginf(const Tensor &x) { return isInfinity(x, -INFINITY); }
Tensor isreal(const Tensor &x) {
  Tensor im = imag(x);
  return im.ok() ? lax::eq(im, scalarOf(int64_t(0), im.dtype())) : im;
}
Tensor iscomplex(const Tensor &x) {
  Tensor im = imag(x);
  return im.ok() ? lax::ne(im, scalarOf(int64_t(0), im.dtype())) : im;
}
bool iscomplexobj(const Tensor &x) { return x.ok() && isComplex(x.dtype()); }
bool isrealobj(const Tensor &x) { return !iscomplexobj(x); }
Tensor arrayEqual(const Tensor &x, const Tensor &y, bool equalNan) {
  if (const Error *error = errorIn(Tensors{x, y}))
    return *error;
  if (x.shape() != y.shape())
    return lax::full({}, 0, DType::Bool);
  Tensor same = x == y;
  if (equalNan)
    same = same | (isnan(x) & isnan(y));
  return all(same);
}
Tensor arrayEquiv(const Tensor &x, const Tensor &y) {
  if (const Error *error = errorIn(Tensors{x, y}))
    return *error;
  Tensor same = x == y;
  // Shapes that do not fit are not equal.
  return same.ok() ? all(same) : lax::full({}, 0, DType::Bool);
}

} // namespace shardwright::frontend
