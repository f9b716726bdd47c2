//===- code_generator.h - LLVM IR to object code ----------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The target machine, the pass builder and the analysis managers take longer to
// construct than a small kernel takes to compile, so the process keeps a pool
// of generators. A generator must not be used by two threads at a time: each
// lease belongs to one thread.
//
// There are two levels. `Full` generates fast code. `Quick` runs no IR passes,
// and uses the back end's fast instruction selection and register allocation:
// code generation takes a quarter of the time. Straight-line vector code is as
// fast as with `Full`; loops that carry values may take twice as long. Results
// are bitwise equal except for the payloads of NaNs: both levels keep the
// rounding of the IR.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_CPU_JIT_CODE_GENERATOR_H
#define SHARDWRIGHT_CPU_JIT_CODE_GENERATOR_H

#include "llvm/Analysis/CGSCCPassManager.h"
#include "llvm/Analysis/LoopAnalysisManager.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"

#include <memory>

namespace shardwright::cpu {

/// Optimization level of generated code; the file comment compares the levels.
enum class CodegenOptLevel : uint8_t { Quick, Full };

class CodeGenerator {
public:
  static llvm::Expected<std::unique_ptr<CodeGenerator>>
  create(CodegenOptLevel level);

  /// Sets the host's triple and data layout on an empty module.
  void setTarget(llvm::Module &module) const;
  /// Verifies the module and, at level Full, runs the few passes that explicit
  /// vectors need.
  llvm::Error optimize(llvm::Module &module);
  /// Compiles the module to an object file.
  std::unique_ptr<llvm::MemoryBuffer> generate(llvm::Module &module);

private:
  explicit CodeGenerator(CodegenOptLevel level) : level(level) {}

  friend class CodeGeneratorLease;
  CodegenOptLevel level;
  std::unique_ptr<llvm::TargetMachine> machine;
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager callGraph;
  llvm::ModuleAnalysisManager modules;
  llvm::FunctionPassManager passes;
  /// The passes of the back end, reused for every module (as `llc
  /// -compile-twice` tests): adding them costs a quarter of a small kernel.
  llvm::legacy::PassManager backEnd;
  llvm::SmallVector<char, 0> object;
  llvm::raw_svector_ostream stream{object};
};

/// Leases a generator from the pool, or a new one; the destructor returns it.
class CodeGeneratorLease {
public:
  static llvm::Expected<CodeGeneratorLease> take(CodegenOptLevel level);
  CodeGeneratorLease(CodeGeneratorLease &&) = default;
  CodeGeneratorLease &operator=(CodeGeneratorLease &&) = delete;
  ~CodeGeneratorLease();
  CodeGenerator &operator*() const { return *generator; }
  CodeGenerator *operator->() const { return generator.get(); }

private:
  explicit CodeGeneratorLease(std::unique_ptr<CodeGenerator> g)
      : generator(std::move(g)) {}
  std::unique_ptr<CodeGenerator> generator;
};

} // namespace shardwright::cpu

#endif // SHARDWRIGHT_CPU_JIT_CODE_GENERATOR_H
