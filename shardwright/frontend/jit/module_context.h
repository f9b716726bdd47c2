//===- module_context.h - the context of modules ----------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_JIT_MODULE_CONTEXT_H
#define SHARDWRIGHT_FRONTEND_JIT_MODULE_CONTEXT_H

#include "shardwright/frontend/base/error.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"

#include <mutex>

namespace shardwright::frontend {

/// One context for all modules, whose dialects are loaded once. Lock the mutex
/// while a module is parsed, changed or compiled. Functions of the user that
/// are called meanwhile (partition_calls.h) may compile programs themselves.
struct ModuleContext {
  ModuleContext();
  std::recursive_mutex mutex;
  mlir::MLIRContext context;
};
ModuleContext &moduleContext();

/// Collects the text of the first error that is emitted in a scope.
class ErrorText {
public:
  explicit ErrorText(mlir::MLIRContext *context);
  Error error() const;

private:
  std::string text;
  mlir::ScopedDiagnosticHandler handler;
};

/// The module as text, with or without locations that can be read back.
std::string moduleText(mlir::ModuleOp module, bool withLocations);

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_JIT_MODULE_CONTEXT_H
