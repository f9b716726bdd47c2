//===- kernel_emitter.h - a cluster as an LLVM function ---------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_CPU_CODEGEN_KERNEL_EMITTER_H
#define SHARDWRIGHT_CPU_CODEGEN_KERNEL_EMITTER_H

#include "shardwright/cpu/plan/kernel_plan.h"

namespace llvm {
class Module;
}

namespace shardwright::cpu {

/// The target machine of generated code.
struct TargetInfo {
  std::string cpu, features;
  bool lanes512 = false; ///< AVX-512
  int maxLanes = 8;      ///< f32 lanes of a vector register
};

/// Adds `void symbol(ptr buffers, i64 begin, i64 end)` (a KernelFn) to
/// `module`. The plan must be planKernel(cluster, target.maxLanes).
void emitKernel(llvm::Module &module, const Cluster &cluster,
                const KernelPlan &plan, llvm::StringRef symbol,
                const TargetInfo &target);

} // namespace shardwright::cpu

#endif // SHARDWRIGHT_CPU_CODEGEN_KERNEL_EMITTER_H
