//===- error_codes.h - names of error codes ---------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PJRT_ABI_ERROR_CODES_H
#define SHARDWRIGHT_PJRT_ABI_ERROR_CODES_H

#include "shardwright/pjrt_abi/base.h"

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace shardwright::pjrt {

/// The codes are 0 to this.
inline constexpr PJRT_Error_Code lastErrorCode =
    PJRT_Error_Code_UNAUTHENTICATED;
/// The name of a code, like `NOT_FOUND`; UNKNOWN for other numbers.
llvm::StringRef codeName(PJRT_Error_Code code);

/// The code that an error's text names, and the text without it.
struct CodedText {
  PJRT_Error_Code code;
  std::string message;
};
/// Reads `NOT_FOUND: no such thing`, and texts in which the runtime says in
/// front where it happened, which follows the message in parentheses then.
/// Nothing if the text names no code.
std::optional<CodedText> findCode(llvm::StringRef text);

} // namespace shardwright::pjrt

#endif // SHARDWRIGHT_PJRT_ABI_ERROR_CODES_H
