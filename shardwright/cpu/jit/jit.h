//===- jit.h - clusters to machine code -------------------------*- C++ -*-===//
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
  /// Directory for object files (kernel_cache.h); empty: none are kept. The
  /// environment variable SHARDWRIGHT_KERNEL_CACHE_SIZE, as 64MiB, bounds it.
  std::string cacheDir;
  /// 0: as many as the machine has cores.
  int threads = 0;
  /// Of all kernels. None: the environment variable SHARDWRIGHT_CODE, quick or
  /// full; without that, by the time that each kernel is estimated to take.
  std::optional<CodegenOptLevel> optLevel;
};

struct CompiledKernels {
  std::vector<Kernel> kernels;
  std::shared_ptr<ProgramCode> code;
  /// About the cache: for the user to know, no more.
  std::vector<std::string> warnings;
};

/// A hash of a cluster's structure. Its function has this name, with a suffix
/// where the code is quickly made.
std::string kernelSymbol(const Cluster &cluster);

/// Compiles each cluster; `clusters` should hold no two with one symbol.
/// Modules of about ten kernels are compiled in parallel. `runs`: about how
/// often each runs in one run of the program; empty: once. Where all of
/// them take so little that nobody would notice slower code, or some take a
/// small part of the program, code is made quickly.
llvm::Expected<CompiledKernels>
compileKernels(llvm::ArrayRef<const Cluster *> clusters,
               const JitOptions &options, llvm::ArrayRef<double> runs = {});

/// The optimised IR of one kernel, for people.
std::string kernelIR(const Cluster &cluster);

} // namespace shardwright::cpu

#endif // SHARDWRIGHT_CPU_JIT_JIT_H
