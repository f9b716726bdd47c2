//===- guarded_read.h - a first read in a child process ---------*- C++ -*-===//
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
  Survived,  ///< it returned, with or without an error
  Crashed,   ///< by a signal or an abort
  TooLarge,  ///< it asked for more memory than the limit
  TooSlow,   ///< it took longer than the limit
  TooDeep,   ///< what it read exceeds a limit of input_limits.h
  NoProcess, ///< no child could be started
};

struct ReadLimits {
  uint64_t bytes; ///< of memory beyond what the process has mapped already
  unsigned seconds;
};

/// Returns limits far above what reading a well-formed file of this size needs.
ReadLimits readLimits(uint64_t fileSize);

/// Runs `read` in a forked child with these limits and discards its output and
/// diagnostics. Call it before starting threads: a child has only the thread
/// that forked.
GuardedRead readInChild(llvm::function_ref<void()> read, ReadLimits limits);

/// Whether MLIR's bytecode reader, which trusts its input, gets this content:
/// bytecode or a portable artifact.
bool isBytecode(llvm::StringRef content);

using ReadBytecode =
    llvm::function_ref<void(const std::shared_ptr<llvm::SourceMgr> &sources,
                            mlir::MLIRContext *context)>;

/// Reads bytecode with the dialects of `registry` in a child: parses it, checks
/// its limits and verifies it, or what `read` does instead with the source.
GuardedRead readBytecodeInChild(llvm::StringRef content,
                                const mlir::DialectRegistry &registry,
                                ReadBytecode read = nullptr);

/// The diagnostic for a read that did not survive, lower case and without the
/// file: "malformed bytecode: ...".
llvm::StringRef describe(GuardedRead result);

} // namespace shardwright

#endif // SHARDWRIGHT_INTEROP_INPUT_GUARDED_READ_H
