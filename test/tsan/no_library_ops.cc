//===- no_library_ops.cc - a runtime without operations in C++ ------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The operations of cpu/library need MLIR and LAPACK, which are not
// instrumented; the tests run here have none in their programs.
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/library/library_op.h"

llvm::Expected<shardwright::cpu::LibraryOp>
shardwright::cpu::makeLibraryOp(const LibraryCall &call) {
  return llvm::createStringError("not built: " + call.name);
}

std::optional<shardwright::cpu::LibraryRow>
shardwright::cpu::findLibraryRow(llvm::StringRef name) {
  return std::nullopt;
}
