//===- load_module.h - reads a module from a file or standard input -*- C++
//-*-===//
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
class SourceMgr;
}

namespace shardwright {

/// Reads and verifies the module at `path` (`-`: standard input): text or MLIR
/// bytecode, told apart by content. `sources` receives the buffer, so that
/// diagnostics can show source lines and resource blobs may point into it.
/// Every failure is one diagnostic on `context`. Bytecode is first read in a
/// child process, since MLIR's reader can crash on malformed input.
mlir::OwningOpRef<mlir::ModuleOp>
loadModule(llvm::StringRef path, mlir::MLIRContext *context,
           const std::shared_ptr<llvm::SourceMgr> &sources);

} // namespace shardwright

#endif // SHARDWRIGHT_INTEROP_LOAD_MODULE_H
