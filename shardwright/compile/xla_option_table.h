//===- xla_option_table.h - names of XLA's compiler options -----*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_COMPILE_XLA_OPTION_TABLE_H
#define SHARDWRIGHT_COMPILE_XLA_OPTION_TABLE_H

#include "llvm/ADT/StringMap.h"

#include <optional>

namespace shardwright {

/// Types of XLA's compiler options, as fields of a protocol buffer.
enum class XlaOptionType { Bool, Int32, Int64, Float, Enum, Message, String };

/// The type of the option; none if XLA does not know it.
std::optional<XlaOptionType> xlaOptionType(llvm::StringRef name);

} // namespace shardwright

#endif // SHARDWRIGHT_COMPILE_XLA_OPTION_TABLE_H
