//===- no_compiler.cc - a runtime without compiler and library calls ------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The compiler and the operations of cpu/library need LLVM, MLIR and LAPACK,
// which are not instrumented. The tests that run here build their programs by
// hand.
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/backend/cpu_program.h"
#include "shardwright/cpu/library/library_op.h"

#include "mlir/IR/BuiltinOps.h"

using namespace shardwright;

std::string cpu::CpuBackend::description() const { return ""; }
std::string cpu::CpuBackend::codeIdentity() const { return ""; }

llvm::FailureOr<std::shared_ptr<LoadedProgram>>
cpu::CpuBackend::compile(mlir::ModuleOp, const ProgramOptions &) {
  return llvm::failure();
}

llvm::Expected<std::shared_ptr<LoadedProgram>>
cpu::CpuBackend::load(llvm::StringRef) {
  return llvm::createStringError("not built: the compiler");
}

llvm::Expected<std::string> cpu::CpuProgram::serialize() const {
  return llvm::createStringError("not built: the compiler");
}

llvm::Expected<shardwright::cpu::LibraryOp>
shardwright::cpu::makeLibraryOp(const LibraryCall &call) {
  return llvm::createStringError("not built: " + call.name);
}

std::optional<shardwright::cpu::LibraryEntry>
shardwright::cpu::findLibraryEntry(llvm::StringRef name) {
  return std::nullopt;
}
