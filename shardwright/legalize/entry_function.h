//===- entry_function.h - the function that a device runs -------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_LEGALIZE_ENTRY_FUNCTION_H
#define SHARDWRIGHT_LEGALIZE_ENTRY_FUNCTION_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace shardwright::legalize {

/// @main, or the only function; an error at the module otherwise.
mlir::FailureOr<mlir::func::FuncOp> entryFunction(mlir::ModuleOp module);

} // namespace shardwright::legalize

#endif // SHARDWRIGHT_LEGALIZE_ENTRY_FUNCTION_H
