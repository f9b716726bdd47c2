//===- code_generator.h - LLVM IR to object code ----------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The target machine, the pass builder and the analysis managers take longer to
// make than a small kernel takes to compile, so generators are kept for the
// whole process and lent. None of their parts may be used by two threads at a
// time: each lease is one thread's.
//
// There are two kinds. `Full` makes fast code. `Quick` runs no pass on the IR
// and the back end's fast instruction selection and register allocation: its
// code takes a quarter of the time to make. Straight-line vector code runs as
// fast, loops that carry values may take twice as long. Results are the same
// to the bit, that of a NaN aside: either keeps to the rounding of the IR.
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

/// How much time to spend on making code fast; the file comment compares them.
enum class CodegenOptLevel : uint8_t { Quick, Full };

class CodeGenerator {
public:
  static llvm::Expected<std::unique_ptr<CodeGenerator>>
  create(CodegenOptLevel level);

  /// Gives an empty module this machine's triple and data layout.
  void setTarget(llvm::Module &module) const;
  /// Checks the module and, in full, runs the few passes that explicit vectors
  /// need.
  llvm::Error optimize(llvm::Module &module);
  /// The module as an object file.
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
  /// The passes of the back end. Running them again on another module is what
  /// `llc -compile-twice` tests; adding them costs a quarter of a small kernel.
  llvm::legacy::PassManager backEnd;
  llvm::SmallVector<char, 0> object;
  llvm::raw_svector_ostream stream{object};
};

/// A generator of the process's pool, or a new one; it goes back at the end.
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
