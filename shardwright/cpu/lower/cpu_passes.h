//===- cpu_passes.h - passes that show what the cpu layer does --*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_CPU_LOWER_CPU_PASSES_H
#define SHARDWRIGHT_CPU_LOWER_CPU_PASSES_H

namespace shardwright::cpu {

/// `-sw-print-clusters`: the units of each block (kernels with their loops,
/// views, everything else) and, with `ir=true`, the LLVM IR of the kernels.
/// `-sw-print-program`: slots and steps of the compiled program.
void registerCpuPasses();
/// The second of them.
void registerPrintProgramPass();

} // namespace shardwright::cpu

#endif // SHARDWRIGHT_CPU_LOWER_CPU_PASSES_H
