//===- nesting.h - nesting depth of text ------------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parsers of MLIR and of LLVM's JSON recurse once for each level of nesting, so
// that a small hostile text overflows the stack. These functions measure a text
// before it is parsed, in one pass and without recursion. Offsets are bytes.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_MESH_NESTING_H
#define SHARDWRIGHT_MESH_NESTING_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>

namespace shardwright {

/// Limit of nested brackets in MLIR text.
inline constexpr int64_t maxTextNesting = 512;
/// Limit with aliases (`#loc7`) expanded; locations of inlined calls are deep.
inline constexpr int64_t maxExpandedNesting = 4096;
/// Limit of the tokens of an alias with its aliases expanded.
inline constexpr int64_t maxExpandedTokens = int64_t(1) << 20;
/// Limit of the dimensions of one shape, as in `tensor<8x?xf32>`: the parser's
/// time is quadratic in their number.
inline constexpr int64_t maxRank = 1024;
/// Limit of nested brackets in JSON.
inline constexpr int64_t maxJsonNesting = 100;

/// The exceeded limit, and the offset at which it is exceeded.
struct NestingExcess {
  enum class What {
    Brackets,   ///< nested brackets
    Operators,  ///< nested operators of one affine expression
    AliasDepth, ///< nested brackets with aliases expanded
    AliasSize,  ///< tokens of an alias with its aliases expanded
    Rank,       ///< dimensions of one shape
  };
  What what;
  size_t offset;
};

/// Finds the first excess in a text of MLIR, ignoring strings and comments.
std::optional<NestingExcess> findMlirNestingExcess(llvm::StringRef text);

/// The offset of the first bracket beyond maxJsonNesting.
std::optional<size_t> findJsonNestingExcess(llvm::StringRef text);

} // namespace shardwright

#endif // SHARDWRIGHT_MESH_NESTING_H
