//===- complex_runtime.h - complex functions for kernels --------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_CPU_KERNEL_SUPPORT_COMPLEX_RUNTIME_H
#define SHARDWRIGHT_CPU_KERNEL_SUPPORT_COMPLEX_RUNTIME_H

#include <cstdint>

namespace shardwright::cpu {

enum class ComplexFunction : int32_t {
  Exp,
  Expm1,
  Log,
  Log1p,
  Sqrt,
  Rsqrt,
  Cbrt,
  Sin,
  Cos,
  Tan,
  Tanh,
  Logistic,
  Power,
  Atan2,
  Divide,
};

/// Replaces (re, im) by the function of (re, im), and of (re2, im2) if there is
/// a second operand. Branch cuts and special values are those of C99. Kernels
/// on complex<f32> also call it and round its results.
void complexMath(int32_t function, int64_t count, double *re, double *im,
                 const double *re2, const double *im2);

} // namespace shardwright::cpu

#endif // SHARDWRIGHT_CPU_KERNEL_SUPPORT_COMPLEX_RUNTIME_H
