//===- simd_level.h - code for several vector widths ------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Hot loops that the compiler vectorises live in NAME_kernels.inc files. They
// are included once per level below, between SW_SIMD_BEGIN and SW_SIMD_END, in
// a namespace of that level; the best level of the machine is selected at run
// time. Such a file may only use its own templates: a standard inline function
// would be shared with code for older machines.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_SUPPORT_SIMD_LEVEL_H
#define SHARDWRIGHT_SUPPORT_SIMD_LEVEL_H

#include <cstdint>

namespace shardwright::cpu {

/// The x86-64 levels of the psABI; only Base on other machines.
enum class SimdLevel : uint8_t { Base, V3, V4 };

inline SimdLevel simdLevel() {
#if defined(__x86_64__)
  static const SimdLevel level =
      __builtin_cpu_supports("x86-64-v4")   ? SimdLevel::V4
      : __builtin_cpu_supports("x86-64-v3") ? SimdLevel::V3
                                            : SimdLevel::Base;
  return level;
#else
  return SimdLevel::Base;
#endif
}

} // namespace shardwright::cpu

#endif // SHARDWRIGHT_SUPPORT_SIMD_LEVEL_H
