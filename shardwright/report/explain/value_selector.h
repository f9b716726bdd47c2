//===- value_selector.h - select values by name -----------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_REPORT_EXPLAIN_VALUE_SELECTOR_H
#define SHARDWRIGHT_REPORT_EXPLAIN_VALUE_SELECTOR_H

#include "shardwright/report/explain/user_values.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace shardwright {

/// The error in a request, and a remedy (may be empty).
struct BadRequest {
  std::string text, remedy;
};

/// The values of a request: values by number, results of @main.
struct AskedValues {
  std::vector<int32_t> values;
  std::vector<unsigned> results;
};

/// Finds values by the names that users know. Each function adds the values
/// found to `asked`, or returns false with `problem` set.
class ValueSelector {
public:
  /// `prefix` precedes the names of options in errors: `--` on a command line.
  /// `module` is the path of the module's text, if it has one.
  ValueSelector(const UserValues &user, mlir::func::FuncOp main,
                llvm::StringRef module, llvm::StringRef prefix)
      : user(user), main(main), module(module), prefix(prefix) {}

  /// `%12`, `@function:%12`, or an argument or result as the source names it.
  bool value(llvm::StringRef text, AskedValues &asked);
  /// A name, or a number.
  bool argument(llvm::StringRef text, AskedValues &asked);
  bool result(llvm::StringRef text, AskedValues &asked);
  /// All values that a line of the source computes, `12` or `train.py:12`:
  /// those whose user's frame (location_text.h) is there, or if there are none,
  /// those with any frame of their call stack there.
  bool line(llvm::StringRef text, AskedValues &asked);

  BadRequest problem;

private:
  bool fail(const llvm::Twine &text, llvm::StringRef remedy = "");
  bool unknown(llvm::StringRef what, llvm::StringRef text);
  bool findNumber(llvm::StringRef text, AskedValues &asked);
  bool findArgument(llvm::StringRef text, AskedValues &asked);
  bool findResult(llvm::StringRef text, AskedValues &asked);

  const UserValues &user;
  mlir::func::FuncOp main;
  llvm::StringRef module, prefix;
};

} // namespace shardwright

#endif // SHARDWRIGHT_REPORT_EXPLAIN_VALUE_SELECTOR_H
