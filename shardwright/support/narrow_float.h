//===- narrow_float.h - floats of 4 to 16 bits as float ---------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_SUPPORT_NARROW_FLOAT_H
#define SHARDWRIGHT_SUPPORT_NARROW_FLOAT_H

#include "shardwright/support/element_type.h"

#include <bit>
#include <cstdint>

namespace llvm {
struct fltSemantics;
}

namespace shardwright {

// The 16-bit conversions are branch-free on purpose: loops over them vectorise.
// Both round to nearest even and keep NaN, infinity and subnormals.

inline float bf16ToFloat(uint16_t bits) {
  return std::bit_cast<float>(uint32_t(bits) << 16);
}

inline uint16_t floatToBf16(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  uint32_t rounded = (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
  uint32_t quietNan = (bits >> 16) | 0x40;
  return uint16_t((bits & 0x7fffffff) > 0x7f800000 ? quietNan : rounded);
}

inline float f16ToFloat(uint16_t bits) {
  uint32_t sign = uint32_t(bits & 0x8000) << 16;
  uint32_t magnitude = uint32_t(bits & 0x7fff) << 13;
  // Normal numbers: rebias the exponent. Subnormals: an exact product.
  uint32_t normal = magnitude + ((127 - 15) << 23);
  uint32_t special = magnitude | 0x7f800000;
  uint32_t subnormal =
      std::bit_cast<uint32_t>(float(int32_t(bits & 0x7fff)) * 0x1p-24f);
  uint32_t result = (bits & 0x7c00) == 0        ? subnormal
                    : (bits & 0x7c00) == 0x7c00 ? special
                                                : normal;
  return std::bit_cast<float>(sign | result);
}

inline uint16_t floatToF16(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  uint32_t sign = (bits >> 16) & 0x8000;
  uint32_t magnitude = bits & 0x7fffffff;
  uint32_t normal =
      (magnitude - ((127 - 15) << 23) + 0xfff + ((magnitude >> 13) & 1)) >> 13;
  // Adding 0.5 makes the float unit round at the last bit of a subnormal.
  uint32_t subnormal =
      std::bit_cast<uint32_t>(std::bit_cast<float>(magnitude) + 0.5f) -
      std::bit_cast<uint32_t>(0.5f);
  uint32_t nan = 0x7e00 | ((magnitude >> 13) & 0x3ff);
  uint32_t result = magnitude > 0x7f800000    ? nan
                    : magnitude >= 0x47800000 ? 0x7c00
                    : magnitude < 0x38800000  ? subnormal
                                              : normal;
  return uint16_t(sign | result);
}

/// The semantics of a float type of 4, 6 or 8 bits.
const llvm::fltSemantics &semanticsOf(ElementType type);
/// The values of all codes of a float type of 4, 6 or 8 bits as floats: 256
/// entries; narrower types repeat their values.
const float *f8Table(ElementType type);
/// Rounds to nearest even. Values out of range become infinity, NaN or the
/// largest value, whichever the type has. If the type has no NaN, NaN becomes a
/// zero of opposite sign.
uint8_t floatToF8(ElementType type, float value);

/// Element `i` of a buffer of any type that is not complex, as double. 64-bit
/// integers lose their low bits.
double elementAsDouble(ElementType type, const void *data, int64_t i);

} // namespace shardwright

#endif // SHARDWRIGHT_SUPPORT_NARROW_FLOAT_H
