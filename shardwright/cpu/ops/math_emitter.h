//===- math_emitter.h - mathematical functions as LLVM IR -------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions of scalar or vector f32 and f64 values. In f32, exp, log, expm1,
// log1p, tanh and logistic are straight-line code: argument reduction and a
// polynomial, within 4 ulp, with IEEE results for NaN, infinities, zeros and
// subnormals. All others call the C library, its vector variants if available.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_CPU_OPS_MATH_EMITTER_H
#define SHARDWRIGHT_CPU_OPS_MATH_EMITTER_H

#include "llvm/IR/IRBuilder.h"

namespace shardwright::cpu {

class MathEmitter {
public:
  /// `lanes512`: the target has AVX-512.
  MathEmitter(llvm::IRBuilder<> &b, bool lanes512) : b(b), lanes512(lanes512) {}

  llvm::Value *exp(llvm::Value *x);
  llvm::Value *expm1(llvm::Value *x);
  llvm::Value *log(llvm::Value *x);
  llvm::Value *log1p(llvm::Value *x);
  llvm::Value *tanh(llvm::Value *x);
  llvm::Value *logistic(llvm::Value *x);
  llvm::Value *sqrt(llvm::Value *x);
  llvm::Value *rsqrt(llvm::Value *x);
  /// `function` is the name for double: "sin", "pow", ...
  llvm::Value *library(llvm::StringRef function,
                       llvm::ArrayRef<llvm::Value *> args);

private:
  llvm::Value *constant(llvm::Value *like, double value);
  llvm::Value *fma(llvm::Value *a, llvm::Value *b, llvm::Value *c);
  llvm::Value *polynomial(llvm::Value *x, llvm::ArrayRef<double> coefficients);
  llvm::Value *intrinsic(llvm::Intrinsic::ID id, llvm::Value *x);
  llvm::Value *bits(llvm::Value *x);
  llvm::Value *fromBits(llvm::Value *x, llvm::Type *type);
  /// x clamped to [lo, hi]; NaN remains NaN.
  llvm::Value *clamp(llvm::Value *x, double lo, double hi);
  /// n = round(x / ln 2) as integer, r = x - n ln 2, |r| <= ln 2 / 2.
  std::pair<llvm::Value *, llvm::Value *> reduceByLn2(llvm::Value *x);
  /// e^r - 1 - r, divided by r^2.
  llvm::Value *expTail(llvm::Value *r);

  llvm::IRBuilder<> &b;
  bool lanes512;
};

} // namespace shardwright::cpu

#endif // SHARDWRIGHT_CPU_OPS_MATH_EMITTER_H
