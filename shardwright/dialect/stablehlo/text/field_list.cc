//===- field_list.cc - text of attributes that are lists of named fields ===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/stablehlo/text/field_list.h"

using namespace mlir;

namespace shardwright::stablehlo {

ParseResult parseIntList(AsmParser &parser, SmallVectorImpl<int64_t> &list) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&]() {
    return parser.parseInteger(list.emplace_back());
  });
}

ParseResult parseFields(AsmParser &parser, MutableArrayRef<Field> fields) {
  if (parser.parseLess())
    return failure();
  if (succeeded(parser.parseOptionalGreater()))
    return success();
  auto parseField = [&]() -> ParseResult {
    SMLoc loc = parser.getCurrentLocation();
    StringRef key;
    if (parser.parseKeyword(&key))
      return failure();
    auto *field =
        llvm::find_if(fields, [&](const Field &f) { return f.key == key; });
    if (field == fields.end()) {
      InFlightDiagnostic diag = parser.emitError(loc) << "expected one of: ";
      llvm::interleaveComma(
          fields, diag, [&](const Field &f) { diag << '`' << f.key << '`'; });
      return diag;
    }
    if (field->seen)
      return parser.emitError(loc) << "duplicated `" << key << "` entry";
    field->seen = true;
    if (parser.parseEqual())
      return failure();
    return field->list ? parseIntList(parser, *field->list)
                       : parser.parseInteger(*field->number);
  };
  return failure(parser.parseCommaSeparatedList(parseField) ||
                 parser.parseGreater());
}

FieldPrinter &FieldPrinter::list(StringRef key, ArrayRef<int64_t> values) {
  if (values.empty())
    return *this;
  start(key) << '[';
  llvm::interleaveComma(values, printer);
  printer << ']';
  return *this;
}

FieldPrinter &FieldPrinter::number(StringRef key, int64_t value) {
  if (value != 0)
    start(key) << value;
  return *this;
}

AsmPrinter &FieldPrinter::start(StringRef key) {
  printer << separator << key << " = ";
  separator = ", ";
  return printer;
}

} // namespace shardwright::stablehlo
