//===- one_diagnostic.h - one clear error per failure -----------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_TOOLS_ONE_DIAGNOSTIC_H
#define SHARDWRIGHT_TOOLS_ONE_DIAGNOSTIC_H

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/SourceMgr.h"

#include <memory>

namespace shardwright {

/// Takes all diagnostics of a context for its lifetime. Warnings and remarks
/// are printed as they come; of the errors the first is kept and printed by
/// `finish`, with its source line, its notes and a remedy: what follows the
/// first is nearly always its consequence.
class OneDiagnostic {
public:
  OneDiagnostic(mlir::MLIRContext *context,
                std::shared_ptr<llvm::SourceMgr> sources);
  ~OneDiagnostic();

  /// Prints the error, if there was one, and forgets it. Returns whether there
  /// was.
  bool finish(llvm::StringRef kind = "error");

private:
  void print(mlir::Diagnostic &diagnostic, llvm::StringRef kind);
  void printSourceLine(mlir::FileLineColLoc location);

  mlir::MLIRContext *context;
  std::shared_ptr<llvm::SourceMgr> sources;
  mlir::DiagnosticEngine::HandlerID handler;
  std::unique_ptr<mlir::Diagnostic> error;
};

/// What the user can do about an error with this text; empty when nothing
/// general can be said.
llvm::StringRef remedyFor(llvm::StringRef message);

} // namespace shardwright

#endif // SHARDWRIGHT_TOOLS_ONE_DIAGNOSTIC_H
