//===- inline_calls.h - one function without calls --------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_CPU_INLINE_CALLS_H
#define SHARDWRIGHT_CPU_INLINE_CALLS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace shardwright::cpu {

/// @main, or the only function; an error at the module otherwise.
mlir::FailureOr<mlir::func::FuncOp> entryFunction(mlir::ModuleOp module);

/// Replaces every call below `function` by the callee's body. Recursion, missing
/// callees and bodies of several blocks are errors.
mlir::LogicalResult inlineCalls(mlir::func::FuncOp function);

} // namespace shardwright::cpu

#endif // SHARDWRIGHT_CPU_INLINE_CALLS_H
