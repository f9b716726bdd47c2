//===- float_parts.h - what floating-point types are made of ----*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_BASE_FLOAT_PARTS_H
#define SHARDWRIGHT_FRONTEND_BASE_FLOAT_PARTS_H

#include "shardwright/frontend/base/dtype.h"

#include <optional>

namespace shardwright::frontend {

struct FloatParts {
  int64_t bits, mantissa;
  uint64_t one; ///< the bits of 1
  DType word;   ///< the unsigned type of its size
  /// The smallest normal number, and the distance of the next one from 1.
  double smallest, epsilon;

  int64_t exponent() const { return bits - 1 - mantissa; }
  /// The number next to -1 towards 0.
  double aboveMinusOne() const { return -1 + epsilon / 2; }
};

/// Of f16, bf16, f32 and f64; none of other types.
inline std::optional<FloatParts> floatParts(DType type) {
  switch (type) {
  case DType::F16:
    return FloatParts{16, 10, 0x3C00, DType::U16, 0x1p-14, 0x1p-10};
  case DType::BF16:
    return FloatParts{16, 7, 0x3F80, DType::U16, 0x1p-126, 0x1p-7};
  case DType::F32:
    return FloatParts{32, 23, 0x3F800000, DType::U32, 0x1p-126, 0x1p-23};
  case DType::F64:
    return FloatParts{64,         52,        0x3FF0000000000000,
                      DType::U64, 0x1p-1022, 0x1p-52};
  default:
    return std::nullopt;
  }
}

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_BASE_FLOAT_PARTS_H
