//===- error_codes.cc - names of error codes ------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/pjrt_abi/error_codes.h"

using namespace shardwright;

static constexpr llvm::StringLiteral codeNames[] = {
    "OK",
    "CANCELLED",
    "UNKNOWN",
    "INVALID_ARGUMENT",
    "DEADLINE_EXCEEDED",
    "NOT_FOUND",
    "ALREADY_EXISTS",
    "PERMISSION_DENIED",
    "RESOURCE_EXHAUSTED",
    "FAILED_PRECONDITION",
    "ABORTED",
    "OUT_OF_RANGE",
    "UNIMPLEMENTED",
    "INTERNAL",
    "UNAVAILABLE",
    "DATA_LOSS",
    "UNAUTHENTICATED",
};
static_assert(std::size(codeNames) == pjrt::lastErrorCode + 1);

llvm::StringRef pjrt::codeName(PJRT_Error_Code code) {
  return code >= 0 && code <= lastErrorCode
             ? codeNames[code]
             : codeNames[PJRT_Error_Code_UNKNOWN];
}

std::optional<pjrt::CodedText> pjrt::findCode(llvm::StringRef text) {
  for (int code = 1; code <= lastErrorCode; ++code) {
    llvm::StringRef rest = text;
    if (rest.consume_front(codeName(PJRT_Error_Code(code))) &&
        rest.consume_front(": "))
      return CodedText{PJRT_Error_Code(code), rest.str()};
  }
  // `custom_call at f.py:3:4: device 2: NOT_FOUND: no such thing`.
  llvm::StringRef head =
      text.take_front(300).take_until([](char c) { return c == '\n'; });
  for (int code = 1; code <= lastErrorCode; ++code) {
    std::string marker = (": " + codeName(PJRT_Error_Code(code)) + ": ").str();
    size_t at = head.find(marker);
    if (at == llvm::StringRef::npos)
      continue;
    llvm::StringRef place = text.take_front(at);
    std::string message = text.substr(at + marker.size()).str();
    if (!llvm::StringRef(message).contains(place)) // a call's name adds nothing
      message += (" (" + place + ")").str();
    return CodedText{PJRT_Error_Code(code), std::move(message)};
  }
  return std::nullopt;
}
