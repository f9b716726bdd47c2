//===- explain_program.h - explains a program's shardings -------*- C++ -*-===//
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

/// A query about a program, from the command line or Python. If nothing is
/// selected, the answer is an overview of arguments, results and stops.
struct ExplainRequest {
  /// In the syntax of ValueSelector.
  std::vector<std::string> values, arguments, results;
  std::string line;
  /// Explain the purpose of each collective, instead of values.
  bool collectives = false;
  /// Include every step of a long path, and all needs of a combined collective.
  bool full = false;
  /// Path of the module's text, and the prefix of options in errors.
  std::string module, optionPrefix;
  ImportOptions import;
  /// Propagate as this version of Shardy does.
  ShardyVersion shardy = kNewestShardy;
  /// How the program is partitioned, for its collectives.
  Effort effort = Effort::Normal;
  std::optional<MachineModel> machine;
  /// As in CompileOptions; may be null. Changes by the second hook only affect
  /// the answer about collectives.
  std::function<mlir::LogicalResult(mlir::ModuleOp)> beforePropagate,
      beforePartition;
};

struct Explanation {
  std::string text;
  llvm::json::Object data;
};

/// Imports and propagates `module`, whose values `user` has numbered, and
/// answers the request. On failure, sets `bad` if the request was invalid, else
/// emits a diagnostic.
mlir::FailureOr<Explanation> explainProgram(mlir::ModuleOp module,
                                            const UserValues &user,
                                            const ExplainRequest &request,
                                            BadRequest &bad);

} // namespace shardwright

#endif // SHARDWRIGHT_COMPILE_EXPLAIN_PROGRAM_H
