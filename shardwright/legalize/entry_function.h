//===- entry_function.h - the entry function of a program -------*- C++ -*-===//
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

/// Returns @main or the only function; otherwise emits an error at the module.
mlir::FailureOr<mlir::func::FuncOp> entryFunction(mlir::ModuleOp module);

} // namespace shardwright::legalize

#endif // SHARDWRIGHT_LEGALIZE_ENTRY_FUNCTION_H
