//===- error_functions.cc - erf, erfc and erf_inv -----------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/interop/chlo/functions.h"
#include "shardwright/interop/chlo/special_function_tables.h"

using namespace mlir;

namespace shardwright::chlo_expansion {

// End of the range of the fits; beyond it, erfc underflows.
static double lastErfc(Expr x) { return x.isF64() ? 27.5 : 10.7; }

// erf(x) for |x| <= 1.
static Expr erfOfSmall(Expr x) {
  Expr s = x * x;
  if (x.isF64())
    return x * polynomial(s * kErfF64Scale + kErfF64Offset, kErfF64);
  return x * polynomial(s * kErfF32Scale + kErfF32Offset, kErfF32);
}

// exp(x^2) erfc(x) for 0.5 <= x <= lastErfc.
static Expr scaledErfc(Expr x) {
  bool f64 = x.isF64();
  double scale = f64 ? kErfcF64Scale : kErfcF32Scale;
  double offset = f64 ? kErfcF64Offset : kErfcF32Offset;
  // scale * (x - A) / (x + A) + offset, with one division.
  Expr u = ((scale + offset) * x + kErfcA * (offset - scale)) / (x + kErfcA);
  ArrayRef<double> table =
      f64 ? ArrayRef<double>(kErfcF64) : ArrayRef<double>(kErfcF32);
  return polynomial(u, table) / (1.0 + 2.0 * x);
}

// exp(-x^2) for 0 <= x. Rounding x^2 would cost x^2 ulp, so square the leading
// half of x's digits, which is exact, and apply the rest as a factor close to
// one.
static Expr expOfMinusSquare(Expr x) {
  bool f64 = x.isF64();
  Type integer = IntegerType::get(x.type().getContext(), f64 ? 64 : 32);
  uint64_t mask = f64 ? 0xFFFFFFFFF8000000ull : 0xFFFFF000ull;
  Expr raw = x.bitcastTo(integer);
  Expr high = (raw & raw.bits(mask)).bitcastTo(x.type().getElementType());
  // Not a product of two exponentials, which XLA would merge.
  Expr e = exp(-(high * high));
  return e + e * expm1((high - x) * (high + x));
}

Expr erf(Expr x) {
  Expr a = abs(x);
  Expr y = min(max(a, a.constant(1.0)), a.constant(lastErfc(x)));
  // 1 - erfc needs only absolute precision of erfc.
  Expr tail = 1.0 - exp(-(y * y)) * scaledErfc(y);
  return select(a <= 1.0, erfOfSmall(x), select(x < 0.0, -tail, tail));
}

Expr erfc(Expr x) {
  // 1 - erf loses digits as erf grows, so use the tail from 0.5 on.
  Expr a = abs(x);
  Expr y = min(max(a, a.constant(0.5)), a.constant(lastErfc(x)));
  Expr tail = expOfMinusSquare(y) * scaledErfc(y);
  return select(a <= 0.5, 1.0 - erfOfSmall(x),
                select(x < 0.0, 2.0 - tail, tail));
}

// erf_inv(x) / x as a polynomial in w = -log(1 - x^2) if that is small,
// otherwise in sqrt(w).
Expr erfInv(Expr x) {
  Expr w = -log((1.0 - x) * (1.0 + x));
  Expr s = sqrt(w);
  Expr ratio = w;
  if (x.isF64()) {
    Expr small = polynomial(w * kErfInvF64SmallScale + kErfInvF64SmallOffset,
                            kErfInvF64Small);
    Expr middle = polynomial(s * kErfInvF64MiddleScale + kErfInvF64MiddleOffset,
                             kErfInvF64Middle);
    Expr large = polynomial(s * kErfInvF64LargeScale + kErfInvF64LargeOffset,
                            kErfInvF64Large);
    ratio = select(w < 6.25, small, select(w < 16.0, middle, large));
  } else {
    Expr small = polynomial(w * kErfInvF32SmallScale + kErfInvF32SmallOffset,
                            kErfInvF32Small);
    Expr large = polynomial(s * kErfInvF32LargeScale + kErfInvF32LargeOffset,
                            kErfInvF32Large);
    ratio = select(w < 5.0, small, large);
  }
  return x * select(abs(x) == 1.0, x.infinity(), ratio);
}

} // namespace shardwright::chlo_expansion
