//===- input_limits.h - how deep and large a module may be ------*- C++ -*-===//
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

/// Most levels of nested operations.
inline constexpr int64_t maxOpNesting = 128;

/// Returns an error text if MLIR's parser could crash on this text, with the
/// position (`FILE:LINE:COLUMN`), the limit and a remedy. Else returns "".
struct TextProblem {
  std::string message;
  unsigned line = 0, column = 0;
};
std::optional<TextProblem> checkText(llvm::StringRef text);

/// Emits an error, at `file`, for a text that checkText refuses.
mlir::LogicalResult checkText(llvm::StringRef text, llvm::StringRef file,
                              mlir::MLIRContext *context);

/// Emits an error for a module that exceeds a limit. It need not have been
/// verified. A module that nests too deeply is taken apart, so that it can be
/// destroyed. `attributes`: check those as well, which for a text checkText has
/// done.
mlir::LogicalResult checkModule(mlir::ModuleOp module, bool attributes);

} // namespace shardwright

#endif // SHARDWRIGHT_INTEROP_INPUT_INPUT_LIMITS_H
