//===- print_format.h - format strings of debugPrint ---------- -*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_CALLBACKS_PRINT_FORMAT_H
#define SHARDWRIGHT_FRONTEND_CALLBACKS_PRINT_FORMAT_H

#include "shardwright/frontend/array/tensor.h"

namespace shardwright::frontend {

/// A format string as of Python's str.format: `{}`, `{0}`, `{name}`, each with
/// an optional conversion (`!r`, `!s`) and format of numbers (`:.3f`).
class PrintFormat {
public:
  /// Names of the arguments; empty: positional. Fails if the string is not
  /// well-formed, a field has no argument or an argument has no field.
  static Expected<PrintFormat> parse(const std::string &text,
                                     const std::vector<std::string> &names,
                                     const Tensors &args);
  /// The text with these values, or why a value has no such format.
  Expected<std::string> render(const Tensors &values) const;

private:
  struct Piece {
    std::string literal;
    int64_t argument = -1; ///< of a field
    char conversion = 0;
    std::string spec;
  };
  std::vector<Piece> pieces;
};

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_CALLBACKS_PRINT_FORMAT_H
