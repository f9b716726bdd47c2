//===- complex_functions.h - formulas of functions of complex numbers ---===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Functions of complex numbers in real arithmetic on their two parts, which are
// f64: callers widen complex<f32>. Branch cuts, signed zeros and infinities
// follow C99's Annex G unless stated otherwise. Intermediate values do not
// overflow or underflow before the result, and parts do not cancel, unless
// stated otherwise; where they do, the error is small relative to the magnitude
// of the result.

#ifndef SHARDWRIGHT_INTEROP_CHLO_COMPLEX_FUNCTIONS_H
#define SHARDWRIGHT_INTEROP_CHLO_COMPLEX_FUNCTIONS_H

#include "shardwright/interop/chlo/math_builder.h"

namespace shardwright::chlo_expansion {

struct Complex {
  Expr re, im;
};

// sqrt(a^2 + b^2); infinite if a part is, even if the other is NaN.
Expr hypot(Expr a, Expr b);

// CHLO's functions
Complex acos(Complex z);
Complex acosh(Complex z);
Complex asin(Complex z);
Complex asinh(Complex z);
Complex atan(Complex z);
Complex atanh(Complex z);
Complex cosh(Complex z);
Complex sinh(Complex z);
Complex square(Complex z);
Complex tan(Complex z);

// StableHLO's
Expr abs(Complex z);
Complex cbrt(Complex z); // The root with the smallest argument.
Complex cos(Complex z);
Complex divide(Complex z, Complex w);
Complex exp(Complex z);
Complex expm1(Complex z); // The real part may cancel.
Complex log(Complex z);
Complex log1p(Complex z);
Complex logistic(Complex z);       // The real part may cancel.
Complex pow(Complex z, Complex w); // The error grows with |w log z|.
Complex rsqrt(Complex z);
Complex sign(Complex z);
Complex sin(Complex z);
Complex sqrt(Complex z);
Complex tanh(Complex z);

} // namespace shardwright::chlo_expansion

#endif // SHARDWRIGHT_INTEROP_CHLO_COMPLEX_FUNCTIONS_H
