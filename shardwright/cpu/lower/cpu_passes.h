//===- cpu_passes.h - passes that print compiled programs -------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_CPU_LOWER_CPU_PASSES_H
#define SHARDWRIGHT_CPU_LOWER_CPU_PASSES_H

namespace shardwright::cpu {

/// `-sw-print-clusters` prints the units of each block (kernels with their
/// loops, views, opaque operations) and, with `ir=true`, the LLVM IR of the
/// kernels. `-sw-print-program` prints the slots and steps of the compiled
/// program.
void registerCpuPasses();
/// Registers only `-sw-print-program`.
void registerPrintProgramPass();

} // namespace shardwright::cpu

#endif // SHARDWRIGHT_CPU_LOWER_CPU_PASSES_H
