//===- user_values.h - values under the user's names ------------*- C++ -*-===//
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
  /// In the module, unique only within its function: `%12`, `%5#1`, `%arg0`.
  std::string name;
  /// In the source: JAX's name of an argument; empty if unknown.
  std::string sourceName;
  /// The enclosing function, and whether it is the entry of the program.
  std::string function;
  bool isInEntry = false;
  /// The op that defines it; empty for an argument of a function.
  std::string op;
  mlir::Type type;
  /// The location in the module as it was read.
  mlir::Location location;
  /// Line in the module's text; 0 if it is not text.
  unsigned line = 0;
  /// Argument number for @main; otherwise -1.
  int32_t argument = -1;
  /// Result number of its op.
  int32_t result = -1;

  /// The name in the module that every command prints and takes: `%12` in the
  /// entry, `@function:%12` elsewhere.
  std::string uniqueName() const {
    return isInEntry ? name : "@" + function + ":" + name;
  }
  /// The name for text output: of an argument of the entry the source's name if
  /// known, otherwise uniqueName().
  std::string shortName() const {
    return argument < 0 || sourceName.empty() ? uniqueName() : sourceName;
  }
};

class UserValues {
public:
  /// Numbers all values of `module` and writes the numbers into its locations.
  /// `positions`, if given, holds the names as the parser read them.
  UserValues(mlir::ModuleOp module, const mlir::AsmParserState *positions,
             const llvm::SourceMgr *sources);

  const std::vector<UserValue> &all() const { return values; }
  /// The user's value that `value` is, or of whose expansion it is a part; -1
  /// if neither.
  int32_t idOf(mlir::Value value) const;
  /// The name of the user's value that `value` is, for text output; empty if it
  /// is none.
  std::string shortNameOf(mlir::Value value) const {
    int32_t id = idOf(value);
    return id < 0 ? "" : values[size_t(id)].shortName();
  }
  /// The values that `module` has for each number: several if a function was
  /// copied for its callers, none if it was removed. In program order.
  std::vector<llvm::SmallVector<mlir::Value, 1>>
  findIn(mlir::ModuleOp module) const;

  /// Name of result i of @main in the source, otherwise `result i`.
  std::string resultName(unsigned i) const;
  std::vector<std::string> resultNames;

private:
  std::vector<UserValue> values;
};

/// The name of an argument in the source, which JAX stores as a name location;
/// empty if there is none. The module may be numbered.
std::string sourceNameOf(mlir::Location location);

/// Removes the numbers from the locations of a module, so that it prints as if
/// its values had never been numbered.
void removeNumbers(mlir::ModuleOp module);

/// Prints a module that may be numbered, as if its values had never been
/// numbered.
void printWithoutNumbers(mlir::ModuleOp module, bool withLocations,
                         llvm::raw_ostream &os);

} // namespace shardwright

#endif // SHARDWRIGHT_REPORT_EXPLAIN_USER_VALUES_H
