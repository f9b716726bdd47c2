//===- find_shardings.h - search for shardings of a program -----*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_JIT_FIND_SHARDINGS_H
#define SHARDWRIGHT_FRONTEND_JIT_FIND_SHARDINGS_H

#include "shardwright/frontend/jit/program.h"

#include "mlir/IR/BuiltinOps.h"

namespace shardwright::frontend {

/// If the program asks for it, searches for the shardings of the arguments and
/// results of @main that are open (auto/auto_shard.h), and sets them. Programs
/// of one device are left alone. `report` gets the text of the search, or
/// nothing. Emits a diagnostic on failure, also if nothing fits in memory.
mlir::LogicalResult findShardings(mlir::ModuleOp module,
                                  const LoweredProgram &lowered,
                                  std::string &report);

/// The options that are not those of the search. An error if the value of one
/// of these is wrong.
Expected<std::map<std::string, std::string>>
withoutSearchOptions(const std::map<std::string, std::string> &options);

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_JIT_FIND_SHARDINGS_H
