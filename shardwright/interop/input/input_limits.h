//===- input_limits.h - limits of modules -----------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR's parser, printer, verifier and passes recurse over regions, attributes
// and types: a small module that nests deeply overflows the stack of any of
// them. A module that passes these checks is safe for all stages on a stack of
// 8 MiB. The checks do not recurse.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_INTEROP_INPUT_INPUT_LIMITS_H
#define SHARDWRIGHT_INTEROP_INPUT_INPUT_LIMITS_H

#include "mlir/IR/BuiltinOps.h"

#include <optional>
#include <string>

namespace shardwright {

/// Limit of nested ops.
inline constexpr int64_t maxOpNesting = 128;

/// A reason why MLIR's parser could crash on a text: the limit and a remedy,
/// and the position.
struct TextProblem {
  std::string message;
  unsigned line = 0, column = 0;
};
/// Returns the first problem of the text, if there is one.
std::optional<TextProblem> checkText(llvm::StringRef text);

/// Emits an error at `file` for a text that checkText rejects.
mlir::LogicalResult checkText(llvm::StringRef text, llvm::StringRef file,
                              mlir::MLIRContext *context);

/// Emits an error for a module that exceeds a limit. The module need not be
/// verified. If it nests too deeply, it is flattened so that it can be
/// destroyed. `attributes`: check attributes as well, which checkText does for
/// text.
mlir::LogicalResult checkModule(mlir::ModuleOp module, bool attributes);

} // namespace shardwright

#endif // SHARDWRIGHT_INTEROP_INPUT_INPUT_LIMITS_H
