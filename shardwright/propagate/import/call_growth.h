//===- call_growth.h - size of a program after inlining ---------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PROPAGATE_IMPORT_CALL_GROWTH_H
#define SHARDWRIGHT_PROPAGATE_IMPORT_CALL_GROWTH_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace shardwright {

/// Limit of the levels of nested calls.
inline constexpr int64_t maxCallDepth = 1000;
/// Limit of the ops of all functions of a module after inlining.
inline constexpr int64_t maxInlinedOps = int64_t(1) << 22;

/// Emits an error for a module whose calls exceed a limit: functions that each
/// call the next one twice grow exponentially when calls are inlined. Follows
/// func.call, and all symbols of ops for which `mayNameFunctions` is true.
/// Does not diagnose recursive calls and missing functions. Takes time linear
/// in the module.
mlir::LogicalResult checkCallGrowth(
    mlir::ModuleOp module,
    llvm::function_ref<bool(mlir::OperationName)> mayNameFunctions = nullptr);

} // namespace shardwright

#endif // SHARDWRIGHT_PROPAGATE_IMPORT_CALL_GROWTH_H
