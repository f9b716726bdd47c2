//===- module_context.cc - the context of modules -------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/jit/module_context.h"

#include "shardwright/frontend/array/value.h"

#include "shardwright/compile/registration.h"

#include "mlir/IR/DialectRegistry.h"

namespace shardwright::frontend {

static mlir::DialectRegistry makeRegistry() {
  mlir::DialectRegistry registry;
  registerDialects(registry);
  return registry;
}

// Modules are small, and threads that MLIR is not granted end the process.
ModuleContext::ModuleContext()
    : context(makeRegistry(), mlir::MLIRContext::Threading::DISABLED) {}

ModuleContext &moduleContext() {
  static auto *shared = new ModuleContext;
  return *shared;
}

ErrorText::ErrorText(mlir::MLIRContext *context)
    : handler(context, [this](mlir::Diagnostic &d) {
        if (d.getSeverity() == mlir::DiagnosticSeverity::Error && text.empty())
          text = d.str();
        return mlir::success();
      }) {}

std::string moduleText(mlir::ModuleOp module, bool withLocations) {
  std::string out;
  llvm::raw_string_ostream os(out);
  mlir::OpPrintingFlags flags;
  if (withLocations)
    flags.enableDebugInfo(/*enable=*/true, /*prettyForm=*/false);
  module->print(os, flags);
  return out;
}

Error ErrorText::error() const {
  return fromLlvm(
      llvm::createStringError(text.empty() ? "compilation failed" : text));
}

} // namespace shardwright::frontend
