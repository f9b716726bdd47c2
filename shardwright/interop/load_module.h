//===- load_module.h - read a module ----------------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_INTEROP_LOAD_MODULE_H
#define SHARDWRIGHT_INTEROP_LOAD_MODULE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <memory>

namespace llvm {
class MemoryBuffer;
class SourceMgr;
} // namespace llvm
namespace mlir {
class AsmParserState;
}

namespace shardwright {

/// How far bytecode is trusted to be well-formed.
enum class Trust {
  None, ///< read first in a child process: MLIR's reader crashes on malformed
        ///< bytes; only for processes that have not started threads
  Full, ///< read in this process
};

/// Reads and verifies the module at `path` (`-`: standard input): text, MLIR
/// bytecode, a StableHLO portable artifact or an HLO proto (a HloModuleProto,
/// or one in the messages in which XLA dumps it), told apart by content.
/// `sources` receives the buffer, so that diagnostics can show source lines and
/// resource blobs may point into it. Every failure is one diagnostic on
/// `context`. `positions`, if given, receives the positions of values and ops
/// in a text.
mlir::OwningOpRef<mlir::ModuleOp>
loadModule(llvm::StringRef path, mlir::MLIRContext *context,
           const std::shared_ptr<llvm::SourceMgr> &sources, Trust trust,
           mlir::AsmParserState *positions = nullptr);

/// Likewise for a module in memory.
mlir::OwningOpRef<mlir::ModuleOp>
readModule(std::unique_ptr<llvm::MemoryBuffer> buffer,
           mlir::MLIRContext *context,
           const std::shared_ptr<llvm::SourceMgr> &sources, Trust trust,
           mlir::AsmParserState *positions = nullptr);

/// Reads a module of the formats `hlo` (HloModuleProto) and `hlo_with_config`
/// (HloModuleProtoWithConfig) of PJRT, for so many replicas and partitions of
/// each; 0: as many as the module says.
mlir::OwningOpRef<mlir::ModuleOp>
readHloModule(std::unique_ptr<llvm::MemoryBuffer> buffer, bool hasConfig,
              mlir::MLIRContext *context,
              const std::shared_ptr<llvm::SourceMgr> &sources,
              int64_t replicas = 0, int64_t partitions = 0);

/// Prints the text as JAX would: as MLIR does, except for `bool_hex.h`.
void printModule(mlir::ModuleOp module, llvm::raw_ostream &os,
                 const mlir::OpPrintingFlags &flags = {});

} // namespace shardwright

#endif // SHARDWRIGHT_INTEROP_LOAD_MODULE_H
