//===- user_values.h - values under the names the user gave -----*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Relates values of later stages to the values of the module as it was read,
// which users know by name. Passes clone, expand and replace ops but keep their
// locations. So each value of the module gets a number, which is stored in the
// location of its op or block argument.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_REPORT_EXPLAIN_USER_VALUES_H
#define SHARDWRIGHT_REPORT_EXPLAIN_USER_VALUES_H

#include "mlir/AsmParser/AsmParserState.h"
#include "mlir/IR/BuiltinOps.h"

#include <optional>
#include <string>
#include <vector>

namespace shardwright {

struct UserValue {
  /// As the module says it: `%12`, `%5#1`, `%arg0`.
  std::string name;
  /// As the source says it: JAX's name of an argument; empty if unknown.
  std::string sourceName;
  /// The function around it.
  std::string function;
  /// The op that defines it; empty for an argument of a function.
  std::string op;
  mlir::Type type;
  /// As it was read.
  mlir::Location location;
  /// Line of the module's text, 0 if it is not text.
  unsigned line = 0;
  /// Argument of @main: its number; else -1.
  int32_t argument = -1;
  /// Which result of its op.
  int32_t result = -1;

  /// What to call it in text: the source's name before the module's.
  const std::string &shortName() const {
    return sourceName.empty() ? name : sourceName;
  }
};

class UserValues {
public:
  /// Numbers all values of `module` and writes the numbers into its locations.
  /// `positions`, when given, is what the parser found out: names as written.
  UserValues(mlir::ModuleOp module, const mlir::AsmParserState *positions,
             const llvm::SourceMgr *sources);

  const std::vector<UserValue> &all() const { return values; }
  /// The user's value that `value` is, or that it is a part of the expansion
  /// of; -1 if it is neither.
  int32_t idOf(mlir::Value value) const;
  /// The values of a module made from the numbered one, by number: several
  /// where a function was copied for its callers, none where it is gone. In
  /// program order.
  std::vector<llvm::SmallVector<mlir::Value, 1>>
  findIn(mlir::ModuleOp module) const;

  /// Name of result i of @main in the source, else `result i`.
  std::string resultName(unsigned i) const;
  std::vector<std::string> resultNames;

private:
  std::vector<UserValue> values;
};

} // namespace shardwright

#endif // SHARDWRIGHT_REPORT_EXPLAIN_USER_VALUES_H
