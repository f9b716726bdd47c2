//===- jit.h - compilation of clusters to machine code ----------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_CPU_JIT_JIT_H
#define SHARDWRIGHT_CPU_JIT_JIT_H

#include "shardwright/cpu/graph/kernel_graph.h"
#include "shardwright/cpu/program/program_code.h"

#include "llvm/Support/Error.h"

#include <optional>

namespace shardwright::cpu {

enum class CodegenOptLevel : uint8_t; // code_generator.h

struct JitOptions {
  /// Directory for object files (kernel_cache.h); empty: no cache. The
  /// environment variable SHARDWRIGHT_KERNEL_CACHE_SIZE (like 64MiB) limits its
  /// size.
  std::string cacheDir;
  /// 0: as many threads as the machine has cores.
  int threads = 0;
  /// The level of all kernels. If none, the environment variable
  /// SHARDWRIGHT_CODE (quick or full) decides; without it, the estimated run
  /// time of each kernel.
  std::optional<CodegenOptLevel> optLevel;
};

struct CompiledKernels {
  std::vector<Kernel> kernels;
  std::shared_ptr<ProgramCode> code;
  /// Cache problems to report to the user; compilation has succeeded.
  std::vector<std::string> warnings;
};

/// A hash of a cluster's structure. It is the name of the generated function,
/// with a suffix if the code is of level Quick.
std::string kernelSymbol(const Cluster &cluster);

/// Compiles each cluster; `clusters` should hold no two with the same symbol.
/// Modules of about ten kernels are compiled in parallel. `runs`: approximate
/// number of runs of each kernel in one run of the program; empty: one each.
/// Kernels are compiled at level Quick if the whole program is too short for
/// faster code to matter, or if they are a small fraction of it.
llvm::Expected<CompiledKernels>
compileKernels(llvm::ArrayRef<const Cluster *> clusters,
               const JitOptions &options, llvm::ArrayRef<double> runs = {});

/// The optimised IR of one kernel, for debugging.
std::string kernelIR(const Cluster &cluster);

} // namespace shardwright::cpu

#endif // SHARDWRIGHT_CPU_JIT_JIT_H
