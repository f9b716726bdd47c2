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
};

/// Splits both shapes, row-major, into factors, major to minor; a walk from the
/// major end makes the common factors as large as possible. None for arrays
/// without elements and for different element counts.
std::optional<llvm::SmallVector<ReshapeFactor>>
reshapeFactors(llvm::ArrayRef<int64_t> in, llvm::ArrayRef<int64_t> out);

} // namespace shardwright

#endif // SHARDWRIGHT_RULES_RESHAPE_FACTORS_H
