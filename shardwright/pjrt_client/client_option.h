//===- client_option.h - named options of a plugin's client -----*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PJRT_CLIENT_CLIENT_OPTION_H
#define SHARDWRIGHT_PJRT_CLIENT_CLIENT_OPTION_H

#include "shardwright/pjrt_abi/base.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <variant>
#include <vector>

namespace shardwright::pjrt_client {

/// An option of a client or a topology, with one of the types that plugins
/// know.
struct ClientOption {
  std::string name;
  std::variant<std::string, int64_t, std::vector<int64_t>, float, bool> value;

  /// Reads `name=value`. The type is that of the text, as JAX derives it from
  /// Python's: true or false; an integer; a number with a point or exponent; a
  /// list of integers, [0,1]; else a string. Quotes make any text a string.
  static llvm::Expected<ClientOption> parse(llvm::StringRef text);
};

/// The options as the interface takes them; views `options`.
std::vector<PJRT_NamedValue> namedValues(llvm::ArrayRef<ClientOption> options);

} // namespace shardwright::pjrt_client

#endif // SHARDWRIGHT_PJRT_CLIENT_CLIENT_OPTION_H
