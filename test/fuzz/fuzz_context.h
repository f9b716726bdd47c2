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

/// A context with the dialects of programs, one thread, and diagnostics that go
/// nowhere. Attributes live as long as their context: it is made anew every few
/// thousand inputs. To be called once an input, at its beginning: nothing of an
/// earlier one may be kept across it.
mlir::MLIRContext &context();

/// The parsed and verified module, in that context; null when the text is not
/// one.
mlir::OwningOpRef<mlir::ModuleOp> parse(llvm::StringRef text);

std::string print(mlir::Operation *op);

/// Inputs on which MLIR's own parser is known to crash: none so far.
bool crashesMlirParser(llvm::StringRef text);

/// A finding: prints `what` with both texts and ends the process.
[[noreturn]] void finding(llvm::StringRef what, llvm::StringRef first,
                          llvm::StringRef second = "");

} // namespace shardwright::fuzz

#endif // SHARDWRIGHT_TEST_FUZZ_FUZZ_CONTEXT_H
