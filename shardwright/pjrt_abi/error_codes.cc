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
