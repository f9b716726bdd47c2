//===- functions.h - formulas of CHLO's functions -----------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Each function computes in the type of its argument, f32 or f64 (see
// MathBuilder): the caller widens narrower types and narrows the result.
// Accuracy: within 4 ulp of f32.

#ifndef SHARDWRIGHT_INTEROP_CHLO_FUNCTIONS_H
#define SHARDWRIGHT_INTEROP_CHLO_FUNCTIONS_H

#include "shardwright/interop/chlo/math_builder.h"

namespace shardwright::chlo_expansion {

// Trigonometric and hyperbolic
Expr asin(Expr x);
Expr acos(Expr x);
Expr atan(Expr x);
Expr sinh(Expr x);
Expr cosh(Expr x);
Expr asinh(Expr x);
Expr acosh(Expr x);
Expr atanh(Expr x);

// Error functions
Expr erf(Expr x);
Expr erfc(Expr x);
Expr erfInv(Expr x);

// Gamma functions: accurate to f32 if computed in f64, so callers widen f32 as
// well.
Expr lgamma(Expr x);
Expr digamma(Expr x);
Expr zeta(Expr x, Expr q);
Expr polygamma(Expr n, Expr x);
Expr besselI1e(Expr x);

// On bits; for any float type.
Expr nextAfter(Expr x, Expr y);

// The high half of the product of two integers of one type.
Expr mulhi(Expr a, Expr b);

} // namespace shardwright::chlo_expansion

#endif // SHARDWRIGHT_INTEROP_CHLO_FUNCTIONS_H
