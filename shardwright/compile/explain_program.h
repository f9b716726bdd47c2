//===- explain_program.h - why a whole program is sharded so ----*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_COMPILE_EXPLAIN_PROGRAM_H
#define SHARDWRIGHT_COMPILE_EXPLAIN_PROGRAM_H

#include "shardwright/compile/compile.h"
#include "shardwright/report/explain/value_selector.h"

#include "llvm/Support/JSON.h"

namespace shardwright {

/// What people ask of a program, on the command line or in Python. With nothing
/// selected the answer is an overview of arguments, results and stops.
struct ExplainRequest {
  /// As ValueSelector takes them.
  std::vector<std::string> values, arguments, results;
  std::string line;
  /// What each collective is for, instead of values.
  bool collectives = false;
  /// Every step of a long way, all needs of a combined collective.
  bool full = false;
  /// Path of the module's text, and what stands before options in errors.
  std::string module, optionPrefix;
  ImportOptions import;
  /// How the program is partitioned, for its collectives.
  Effort effort = Effort::Normal;
  std::optional<MachineModel> machine;
  /// As in CompileOptions; may be null. What the second changes is in the
  /// answer about collectives alone.
  std::function<mlir::LogicalResult(mlir::ModuleOp)> beforePropagate,
      beforePartition;
};

struct Explanation {
  std::string text;
  llvm::json::Object data;
};

/// Imports and propagates `module`, whose values `user` numbered, and answers.
/// A failure has set `bad` when the request was at fault, else emitted a
/// diagnostic.
mlir::FailureOr<Explanation> explainProgram(mlir::ModuleOp module,
                                            const UserValues &user,
                                            const ExplainRequest &request,
                                            BadRequest &bad);

} // namespace shardwright

#endif // SHARDWRIGHT_COMPILE_EXPLAIN_PROGRAM_H
