//===- ufuncs.h - more elementwise functions of jax.numpy ------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_NUMPY_UFUNCS_H
#define SHARDWRIGHT_FRONTEND_NUMPY_UFUNCS_H

#include "shardwright/frontend/numpy/arrange.h"

// Operands are promoted to a common type and broadcast. Functions of floats
// convert integers first.
namespace shardwright::frontend {

// Operators by name.
Tensor add(const Tensor &x, const Tensor &y);
Tensor subtract(const Tensor &x, const Tensor &y);
Tensor multiply(const Tensor &x, const Tensor &y);
Tensor divide(const Tensor &x, const Tensor &y);
Tensor trueDivide(const Tensor &x, const Tensor &y);
/// With the sign of y.
Tensor remainder(const Tensor &x, const Tensor &y);
Tensor mod(const Tensor &x, const Tensor &y);
/// With the sign of x.
Tensor fmod(const Tensor &x, const Tensor &y);
/// The quotient, rounded down, and the remainder.
std::pair<Tensor, Tensor> divmod(const Tensor &x, const Tensor &y);
Tensor negative(const Tensor &x);
Tensor positive(const Tensor &x);
Tensor equal(const Tensor &x, const Tensor &y);
Tensor notEqual(const Tensor &x, const Tensor &y);
Tensor less(const Tensor &x, const Tensor &y);
Tensor lessEqual(const Tensor &x, const Tensor &y);
Tensor greater(const Tensor &x, const Tensor &y);
Tensor greaterEqual(const Tensor &x, const Tensor &y);
Tensor absolute(const Tensor &x);
Tensor fabs(const Tensor &x);
Tensor pow(const Tensor &x, const Tensor &y);
Tensor floatPower(const Tensor &x, const Tensor &y);

// Booleans and bits.
Tensor logicalAnd(const Tensor &x, const Tensor &y);
Tensor logicalOr(const Tensor &x, const Tensor &y);
Tensor logicalXor(const Tensor &x, const Tensor &y);
Tensor logicalNot(const Tensor &x);
Tensor bitwiseAnd(const Tensor &x, const Tensor &y);
Tensor bitwiseOr(const Tensor &x, const Tensor &y);
Tensor bitwiseXor(const Tensor &x, const Tensor &y);
Tensor bitwiseNot(const Tensor &x);
Tensor bitwiseInvert(const Tensor &x);
Tensor invert(const Tensor &x);
Tensor leftShift(const Tensor &x, const Tensor &y);
Tensor rightShift(const Tensor &x, const Tensor &y);
Tensor bitwiseLeftShift(const Tensor &x, const Tensor &y);
Tensor bitwiseRightShift(const Tensor &x, const Tensor &y);
/// How many bits of |x| are set, as uint8.
Tensor bitwiseCount(const Tensor &x);

// Transcendental functions.
Tensor arccos(const Tensor &x);
Tensor arccosh(const Tensor &x);
Tensor arcsin(const Tensor &x);
Tensor arcsinh(const Tensor &x);
Tensor arctan(const Tensor &x);
Tensor arctanh(const Tensor &x);
Tensor atan2(const Tensor &y, const Tensor &x);
Tensor log2(const Tensor &x);
Tensor log10(const Tensor &x);
Tensor logaddexp2(const Tensor &x, const Tensor &y);
Tensor sinc(const Tensor &x);
Tensor degrees(const Tensor &x);
Tensor radians(const Tensor &x);
Tensor deg2rad(const Tensor &x);
Tensor rad2deg(const Tensor &x);
/// The modified Bessel function of order 0.
Tensor i0(const Tensor &x);

// Parts of numbers.
Tensor real(const Tensor &x);
Tensor imag(const Tensor &x);
Tensor conj(const Tensor &x);
Tensor conjugate(const Tensor &x);
Tensor angle(const Tensor &x, bool inDegrees = false);
Tensor signbit(const Tensor &x);
Tensor copysign(const Tensor &x, const Tensor &y);
Tensor nextafter(const Tensor &x, const Tensor &y);
/// To the nearest integer, halves to even, as a float.
Tensor rint(const Tensor &x);
/// To a number of decimals.
Tensor round(const Tensor &x, int64_t decimals);
Tensor around(const Tensor &x, int64_t decimals = 0);
/// The fraction and the integer, rounded to zero.
std::pair<Tensor, Tensor> modf(const Tensor &x);
/// m and e with x = m 2^e and |m| in [0.5, 1).
std::pair<Tensor, Tensor> frexp(const Tensor &x);
Tensor ldexp(const Tensor &x, const Tensor &exponent);
/// 0, y or 1 where x is below, at or above 0.
Tensor heaviside(const Tensor &x, const Tensor &y);
Tensor gcd(const Tensor &x, const Tensor &y);
Tensor lcm(const Tensor &x, const Tensor &y);

// Extremes that ignore NaN.
Tensor fmax(const Tensor &x, const Tensor &y);
Tensor fmin(const Tensor &x, const Tensor &y);

// Classes of numbers.
Tensor isposinf(const Tensor &x);
Tensor isneginf(const Tensor &x);
Tensor isreal(const Tensor &x);
Tensor iscomplex(const Tensor &x);
/// True for arrays of complex types.
bool iscomplexobj(const Tensor &x);
bool isrealobj(const Tensor &x);
/// Whether shapes and elements are equal.
Tensor arrayEqual(const Tensor &x, const Tensor &y, bool equalNan = false);
/// The same for arrays that are broadcast.
Tensor arrayEquiv(const Tensor &x, const Tensor &y);

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_NUMPY_UFUNCS_H
