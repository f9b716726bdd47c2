//===- call_attributes.h - attributes taken from the op of a call ---------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_CPU_LIBRARY_CALL_ATTRIBUTES_H
#define SHARDWRIGHT_CPU_LIBRARY_CALL_ATTRIBUTES_H

#include "llvm/ADT/StringRef.h"

namespace shardwright::cpu {

/// Attributes of a host function's LibraryCall that come from the op itself and
/// not from its dictionary, and that the function does not see as attributes:
/// StableHLO's `api_version` (4 if the attributes are a dictionary), and the
/// positions of tokens.
inline constexpr llvm::StringLiteral apiVersionName("stablehlo.api_version");
inline constexpr llvm::StringLiteral
    operandTokensName("stablehlo.operand_tokens");
inline constexpr llvm::StringLiteral
    resultTokensName("stablehlo.result_tokens");

} // namespace shardwright::cpu

#endif // SHARDWRIGHT_CPU_LIBRARY_CALL_ATTRIBUTES_H
