//===- nesting.h - how deep a text nests ------------------------*- C++ -*-===//
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

/// Most levels of nested brackets in MLIR text.
inline constexpr int64_t maxTextNesting = 512;
/// The same with aliases (`#loc7`) expanded: locations of inlined calls are
/// deep.
inline constexpr int64_t maxExpandedNesting = 4096;
/// Most tokens of an alias with the aliases in it expanded.
inline constexpr int64_t maxExpandedTokens = int64_t(1) << 20;
/// Most dimensions of one shape, as in `tensor<8x?xf32>`: the parser takes time
/// quadratic in their number.
inline constexpr int64_t maxRank = 1024;
/// Most levels of nested brackets in JSON.
inline constexpr int64_t maxJsonNesting = 100;

/// The limit that a text exceeds, and the offset where it does.
struct NestingExcess {
  enum class What {
    Brackets,   ///< within each other
    Operators,  ///< of one affine expression, which nest as brackets do
    AliasDepth, ///< brackets, those of aliases included
    AliasSize,  ///< tokens of an alias, those of aliases in it included
    Rank,       ///< sizes of one shape
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
