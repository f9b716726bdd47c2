//===- reshape_factors.h - common factors of two shapes ---------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_RULES_RESHAPE_FACTORS_H
#define SHARDWRIGHT_RULES_RESHAPE_FACTORS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <optional>

namespace shardwright {

/// A factor of a dimension of the operand (inDim), of the result (outDim), or
/// of both; the absent one is -1.
struct ReshapeFactor {
  int64_t inDim, outDim, size;
  /// False for a factor of both dimensions whose size is that of the operand's
  /// part only: elements of one shard of the operand belong to several shards
  /// of the result.
  bool isAligned = true;
};

/// Splits both shapes, row-major, into factors, major to minor; a walk from the
/// major end makes the common factors as large as possible. With `joinCoprime`,
/// parts of the two shapes that start at the same element but have no common
/// divisor become one factor that is not aligned, otherwise a factor of each
/// shape. None for arrays without elements and for different element counts.
std::optional<llvm::SmallVector<ReshapeFactor>>
reshapeFactors(llvm::ArrayRef<int64_t> in, llvm::ArrayRef<int64_t> out,
               bool joinCoprime = false);

} // namespace shardwright

#endif // SHARDWRIGHT_RULES_RESHAPE_FACTORS_H
