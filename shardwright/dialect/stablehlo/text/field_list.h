//===- field_list.h - text of attributes that are lists of named fields -===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// `<a = [1, 2], b = 3>`: the form of the dimension-number attributes of
// StableHLO and CHLO. Keys may come in any order, each at most once, all
// optional; empty lists and zeros are not printed.

#ifndef SHARDWRIGHT_DIALECT_STABLEHLO_TEXT_FIELD_LIST_H
#define SHARDWRIGHT_DIALECT_STABLEHLO_TEXT_FIELD_LIST_H

#include "mlir/IR/OpImplementation.h"

namespace shardwright::stablehlo {

// A field: the value is parsed into `list`, or into `number` if `list` is null.
struct Field {
  llvm::StringRef key;
  llvm::SmallVectorImpl<int64_t> *list = nullptr;
  int64_t *number = nullptr;
  bool seen = false;
};

// `[1, 2]`
mlir::ParseResult parseIntList(mlir::AsmParser &parser,
                               llvm::SmallVectorImpl<int64_t> &list);

// Parses `[3, ?]` in the given brackets: sizes, `?` for unknown ones.
mlir::ParseResult parseBounds(mlir::AsmParser &parser,
                              mlir::AsmParser::Delimiter delimiter,
                              llvm::SmallVectorImpl<int64_t> &bounds);

mlir::ParseResult parseFields(mlir::AsmParser &parser,
                              llvm::MutableArrayRef<Field> fields);

// Prints the brackets on construction and destruction.
class FieldPrinter {
public:
  explicit FieldPrinter(mlir::AsmPrinter &printer) : printer(printer) {
    printer << '<';
  }
  FieldPrinter(const FieldPrinter &) = delete;
  ~FieldPrinter() { printer << '>'; }

  FieldPrinter &list(llvm::StringRef key, llvm::ArrayRef<int64_t> values);
  FieldPrinter &number(llvm::StringRef key, int64_t value);
  // `key = `; the caller prints the value.
  mlir::AsmPrinter &start(llvm::StringRef key);

private:
  mlir::AsmPrinter &printer;
  llvm::StringRef separator;
};

} // namespace shardwright::stablehlo

#endif // SHARDWRIGHT_DIALECT_STABLEHLO_TEXT_FIELD_LIST_H
