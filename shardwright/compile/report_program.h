//===- report_program.h - the report document of a program ------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_COMPILE_REPORT_PROGRAM_H
#define SHARDWRIGHT_COMPILE_REPORT_PROGRAM_H

#include "shardwright/compile/compile.h"
#include "shardwright/report/explain/user_values.h"

#include "llvm/Support/JSON.h"

namespace shardwright {

struct DocumentRequest {
  std::string title; ///< the path of the module, as the user gave it
  /// How the program is compiled. Observers, `afterStage` and the stages after
  /// Local are ignored.
  CompileOptions compile;
  /// Called with the module as it was read; may change it. May be null.
  std::function<mlir::LogicalResult(mlir::ModuleOp)> prepare;
  /// Statistics of the same program that was compiled already; null: those of
  /// the compilation for the document, up to stage Local.
  const ProgramReport *report = nullptr;
  /// How often the program may be partitioned or propagated again to try
  /// annotations; none: a number that depends on its size.
  std::optional<size_t> mostTrials;
};

/// Makes the report document (report/document/document.h) of `module`, as it
/// was read, whose values `user` has numbered. Changes the module. Emits a
/// diagnostic on failure.
mlir::FailureOr<llvm::json::Object>
reportProgram(mlir::ModuleOp module, const UserValues &user,
              const DocumentRequest &request);

} // namespace shardwright

#endif // SHARDWRIGHT_COMPILE_REPORT_PROGRAM_H
