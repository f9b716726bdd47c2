//===- symbols.h - functions that generated code calls ----------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_CPU_KERNEL_SUPPORT_SYMBOLS_H
#define SHARDWRIGHT_CPU_KERNEL_SUPPORT_SYMBOLS_H

namespace shardwright::cpu {

/// sortLines and sortLinesByKey of sort_runtime.h.
inline constexpr const char *sortSymbol = "shardwright_cpu_sort";
inline constexpr const char *sortByKeySymbol = "shardwright_cpu_sort_by_key";
/// complexMath of complex_runtime.h.
inline constexpr const char *complexMathSymbol = "shardwright_cpu_complex";

} // namespace shardwright::cpu

#endif // SHARDWRIGHT_CPU_KERNEL_SUPPORT_SYMBOLS_H
