//===- xla_options.cc - compiler options of XLA ---------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/compile/xla_options.h"

#include "shardwright/compile/xla_option_table.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;
using namespace shardwright;

/// As XLA names it in messages.
static StringRef typeName(XlaOptionType type) {
  static constexpr StringLiteral names[] = {"bool", "int32",   "int64", "float",
                                            "enum", "message", "string"};
  return names[static_cast<int>(type)];
}

/// Names of enumerators are not checked.
static bool suits(XlaOptionType type, StringRef value) {
  int32_t number;
  int64_t wide;
  double real;
  StringRef digits = value.trim();
  digits.consume_front("+");
  switch (type) {
  case XlaOptionType::Bool:
    return StringSwitch<bool>(value)
        .Cases({"True", "False"}, true)
        .Default(false);
  case XlaOptionType::Int32:
    return to_integer(digits, number, 10);
  case XlaOptionType::Int64:
    return to_integer(digits, wide, 10);
  case XlaOptionType::Float:
    // Options passed as numbers have no text here.
    return value.empty() || to_float(value, real);
  case XlaOptionType::Enum:
    return !value.empty();
  case XlaOptionType::Message:
    return value.empty();
  case XlaOptionType::String:
    return true;
  }
  llvm_unreachable("unknown type");
}

Expected<bool> shardwright::isXlaOption(StringRef name, StringRef value) {
  // Other options of JAX's own (efforts, levels) are fields of the build
  // options. They arrive by name only if JAX no longer has them.
  std::optional<XlaOptionType> type = xlaOptionType(name);
  if (!type)
    return false;
  if (suits(*type, value))
    return true;
  return createStringError("While setting option " + name + ", '" + value +
                           "' is not a valid " + typeName(*type) + " value.");
}
