//===- find_shardings.h - search for shardings of a program -----*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_JIT_FIND_SHARDINGS_H
#define SHARDWRIGHT_FRONTEND_JIT_FIND_SHARDINGS_H

#include "shardwright/auto/auto_named_options.h"
#include "shardwright/frontend/jit/program.h"

#include "mlir/IR/BuiltinOps.h"

namespace shardwright::frontend {

/// What a program asks for by the names of options.
struct ProgramOptions {
  CompileOptions compile;
  AutoRequest search;
};

/// Reads the options of a program; an error if a name or a value is wrong.
Expected<ProgramOptions> programOptions(const LoweredProgram &lowered);

/// If the program asks for it, searches for the shardings of the arguments and
/// results of @main that are open (auto/auto_shard.h), and sets them. Programs
/// of one device are left alone. `report` gets the text of the search, or
/// nothing. Emits a diagnostic on failure, also if nothing fits in memory.
mlir::LogicalResult findShardings(mlir::ModuleOp module,
                                  const LoweredProgram &lowered,
                                  const ProgramOptions &options,
                                  std::string &report);

/// With partition effort 3, searches for the shardings of inner values, and
/// changes the options for the compilation that follows (auto/plan_inside.h).
mlir::LogicalResult findInnerShardings(mlir::ModuleOp module,
                                       const LoweredProgram &lowered,
                                       ProgramOptions &options);

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_JIT_FIND_SHARDINGS_H
