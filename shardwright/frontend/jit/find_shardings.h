//===- find_shardings.h - search for shardings of a program -----*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_JIT_FIND_SHARDINGS_H
#define SHARDWRIGHT_FRONTEND_JIT_FIND_SHARDINGS_H

#include "shardwright/compile/compile.h"
#include "shardwright/frontend/jit/program.h"

#include "mlir/IR/BuiltinOps.h"

namespace shardwright::frontend {

/// If the program asks for it, searches for the shardings of the arguments and
/// results of @main that are open (auto/auto_shard.h), and sets them.
/// `options` are those of the compilation that follows. Programs of one device
/// are left alone. `report` gets the text of the search, or nothing. Emits a
/// diagnostic on failure, also if nothing fits in memory.
mlir::LogicalResult findShardings(mlir::ModuleOp module,
                                  const LoweredProgram &lowered,
                                  const CompileOptions &options,
                                  std::string &report);

/// With partition effort 3, searches for the shardings of inner values, and
/// changes the options for the compilation that follows (auto/plan_inside.h).
mlir::LogicalResult findInnerShardings(mlir::ModuleOp module,
                                       const LoweredProgram &lowered,
                                       CompileOptions &options);

/// Returns the options that are not those of the search, and has the
/// compilation decide by the machine of these. An error if the value of one of
/// these is wrong.
Expected<std::map<std::string, std::string>>
takeSearchOptions(const std::map<std::string, std::string> &options,
                  CompileOptions &compile);

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_JIT_FIND_SHARDINGS_H
