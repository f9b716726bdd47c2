//===- lowering.h - lowering of local StableHLO to a Program ----*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_CPU_LOWER_LOWERING_H
#define SHARDWRIGHT_CPU_LOWER_LOWERING_H

#include "shardwright/cpu/program/program.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Support/LogicalResult.h"

namespace shardwright::cpu {

struct LoweringOptions {
  /// Directory of the kernel cache; empty: none.
  std::string cacheDir;
  /// 0: as many threads as the machine has cores.
  int compileThreads = 0;
};

/// Compiles the per-device program in `module` (function @main or the only
/// function, local shapes, no sdy ops) to steps and machine code. Changes
/// `module`: inlines calls and canonicalises ops. Arena slots have no offsets
/// yet. Emits an error that names an unsupported op.
mlir::FailureOr<Program> lowerToProgram(mlir::ModuleOp module,
                                        const LoweringOptions &options = {});

} // namespace shardwright::cpu

#endif // SHARDWRIGHT_CPU_LOWER_LOWERING_H
