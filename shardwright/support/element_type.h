//===- element_type.h - element types of buffers ----------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_SUPPORT_ELEMENT_TYPE_H
#define SHARDWRIGHT_SUPPORT_ELEMENT_TYPE_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>

namespace shardwright {

/// Element types as StableHLO names them. Pred and types under 8 bits take one
/// byte an element in buffers: pred is 0 or 1, the integers are sign- or
/// zero-extended to that byte, the floats are its low bits.
enum class ElementType : uint8_t {
  Pred,
  S2,
  S4,
  S8,
  S16,
  S32,
  S64,
  U2,
  U4,
  U8,
  U16,
  U32,
  U64,
  F4E2M1FN,
  F6E2M3FN,
  F6E3M2FN,
  F8E3M4,
  F8E4M3,
  F8E4M3FN,
  F8E4M3FNUZ,
  F8E4M3B11FNUZ,
  F8E5M2,
  F8E5M2FNUZ,
  F8E8M0FNU,
  F16,
  BF16,
  F32,
  F64,
  C64,
  C128,
};

/// Bytes of one element in a buffer.
int64_t byteWidth(ElementType type);
/// Bits of one element; 1 for pred.
int bitWidth(ElementType type);
/// `f32`, `bf16`, `i1`, `ui8`, `complex<f32>`: MLIR's spelling.
llvm::StringRef str(ElementType type);
bool isFloat(ElementType type);
bool isSignedInteger(ElementType type);
bool isUnsignedInteger(ElementType type);
bool isComplex(ElementType type);
/// A float of 4, 6 or 8 bits.
bool isTinyFloat(ElementType type);
/// f32 of complex<f32>, f64 of complex<f64>.
ElementType componentType(ElementType complex);

} // namespace shardwright

#endif // SHARDWRIGHT_SUPPORT_ELEMENT_TYPE_H
