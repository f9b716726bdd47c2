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

/// Handles all diagnostics of a context during its lifetime. Warnings and
/// remarks are printed at once. Only the first error is kept, since later ones
/// are usually its consequences; `finish` prints it with its source line, notes
/// and a remedy.
class OneDiagnostic {
public:
  OneDiagnostic(mlir::MLIRContext *context,
                std::shared_ptr<llvm::SourceMgr> sources);
  ~OneDiagnostic();

  /// Prints the error, if there was one, and forgets it. Returns true if there
  /// was one.
  bool finish(llvm::StringRef kind = "error");

private:
  void print(mlir::Diagnostic &diagnostic, llvm::StringRef kind);
  void printSourceLine(mlir::FileLineColLoc location);

  mlir::MLIRContext *context;
  std::shared_ptr<llvm::SourceMgr> sources;
  mlir::DiagnosticEngine::HandlerID handler;
  std::unique_ptr<mlir::Diagnostic> error;
};

/// Returns a remedy for an error with this text, or an empty string.
llvm::StringRef remedyFor(llvm::StringRef message);

} // namespace shardwright

#endif // SHARDWRIGHT_TOOLS_ONE_DIAGNOSTIC_H
