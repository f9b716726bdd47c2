//===- guarded_read.h - first read in a child process -----------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_INTEROP_INPUT_GUARDED_READ_H
#define SHARDWRIGHT_INTEROP_INPUT_GUARDED_READ_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <memory>

namespace llvm {
class SourceMgr;
}
namespace mlir {
class DialectRegistry;
class MLIRContext;
} // namespace mlir

namespace shardwright {

/// The outcome of a read in a child process.
enum class GuardedRead {
  Survived,  ///< the read returned, with or without an error
  Crashed,   ///< by a signal or an abort
  TooLarge,  ///< exceeded the memory limit
  TooSlow,   ///< exceeded the time limit
  TooDeep,   ///< the module exceeds a limit of input_limits.h
  NoProcess, ///< no child could be started
};

struct ReadLimits {
  uint64_t bytes; ///< of memory beyond what the process has mapped already
  unsigned seconds;
};

/// Returns limits that are far above the needs of a well-formed file of this
/// size.
ReadLimits readLimits(uint64_t fileSize);

/// Runs `read` in a forked child with these limits and discards its output and
/// diagnostics. Call it before starting threads: a child has only the thread
/// that forked.
GuardedRead readInChild(llvm::function_ref<void()> read, ReadLimits limits);

/// True for bytecode and portable artifacts, which MLIR's bytecode reader
/// parses without validation.
bool isBytecode(llvm::StringRef content);

using ReadBytecode =
    llvm::function_ref<void(const std::shared_ptr<llvm::SourceMgr> &sources,
                            mlir::MLIRContext *context)>;

/// Reads bytecode with the dialects of `registry` in a child: parses it, checks
/// its limits and verifies it; or calls `read` with the source instead.
GuardedRead readBytecodeInChild(llvm::StringRef content,
                                const mlir::DialectRegistry &registry,
                                ReadBytecode read = nullptr);

/// The diagnostic for a read that did not survive, in lower case and without
/// the file: "malformed bytecode: ...".
llvm::StringRef describe(GuardedRead result);

} // namespace shardwright

#endif // SHARDWRIGHT_INTEROP_INPUT_GUARDED_READ_H
