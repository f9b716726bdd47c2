//===- fuzz_context.h - a context for many hostile inputs -------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_TEST_FUZZ_FUZZ_CONTEXT_H
#define SHARDWRIGHT_TEST_FUZZ_FUZZ_CONTEXT_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

#include "llvm/ADT/StringRef.h"

#include <memory>
#include <string>

namespace shardwright::fuzz {

/// Returns a context with the dialects of programs, one thread, and diagnostics
/// that are dropped. Attributes live as long as their context, so it is
/// replaced every few thousand inputs. Call this once per input, at its
/// beginning; keep no objects of earlier inputs.
mlir::MLIRContext &context();

/// Parses and verifies a module in that context. Null if the text is not a
/// valid module.
mlir::OwningOpRef<mlir::ModuleOp> parse(llvm::StringRef text);

std::string print(mlir::Operation *op);

/// True for inputs on which MLIR's own parser is known to crash: none so far.
bool crashesMlirParser(llvm::StringRef text);

/// Reports a finding: prints `what` with both texts and ends the process.
[[noreturn]] void finding(llvm::StringRef what, llvm::StringRef first,
                          llvm::StringRef second = "");

} // namespace shardwright::fuzz

#endif // SHARDWRIGHT_TEST_FUZZ_FUZZ_CONTEXT_H
