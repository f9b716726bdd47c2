//===- dtype.h - element types ----------------------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_BASE_DTYPE_H
#define SHARDWRIGHT_FRONTEND_BASE_DTYPE_H

#include "shardwright/frontend/base/error.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

namespace shardwright::frontend {

/// Element types. Bool and types under 8 bits take one byte an element in
/// memory.
enum class DType : uint8_t {
  Bool,
  I2,
  I4,
  I8,
  I16,
  I32,
  I64,
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
  Float0, ///< tangents of integers: no elements
  Key,    ///< threefry keys: 2 x u32 each
  Token,  ///< orders effects: no elements
};

/// `f32`, `bool`, `key<fry>`: as in a jaxpr.
std::string_view shortName(DType type);
/// `float32`: as numpy and messages print it.
std::string_view name(DType type);
/// `f32`, `i1`, `ui8`, `complex<f32>`: MLIR's spelling.
std::string_view mlirName(DType type);
/// Bytes of an element in memory.
int64_t byteWidth(DType type);
int bitWidth(DType type);
bool isFloat(DType type);
bool isSigned(DType type);
bool isUnsigned(DType type);
inline bool isInteger(DType type) { return isSigned(type) || isUnsigned(type); }
bool isComplex(DType type);
/// Float or complex: types with derivatives.
inline bool isInexact(DType type) { return isFloat(type) || isComplex(type); }
/// f32 of c64, f64 of c128; others unchanged.
DType realType(DType type);
/// True of float0 and tokens, of which only devices store a byte.
inline bool isWithoutElements(DType type) {
  return type == DType::Float0 || type == DType::Token;
}
/// c64 of f32 and below, c128 of f64.
DType complexType(DType real);

/// The type and weakness of a binary operation on arrays, by JAX's lattice.
struct PromotedType {
  DType type;
  bool weak;
};
PromotedType promoteTypes(DType a, bool weakA, DType b, bool weakB);
/// An error if config::numpyDtypePromotion forbids that these types have a
/// common one.
Status checkPromotion(DType a, bool weakA, DType b, bool weakB);
/// 64-bit types become 32-bit types, unless x64 is enabled.
DType canonicalType(DType type);

/// Whether 64-bit types are available on this thread: config::enableX64.
bool x64Enabled();

/// The element type of a C++ scalar type.
template <typename T> constexpr DType dtypeOf() {
  if constexpr (std::is_same_v<T, bool>)
    return DType::Bool;
  else if constexpr (std::is_same_v<T, float>)
    return DType::F32;
  else if constexpr (std::is_same_v<T, double>)
    return DType::F64;
  else if constexpr (std::is_signed_v<T>)
    return sizeof(T) == 1   ? DType::I8
           : sizeof(T) == 2 ? DType::I16
           : sizeof(T) == 4 ? DType::I32
                            : DType::I64;
  else
    return sizeof(T) == 1   ? DType::U8
           : sizeof(T) == 2 ? DType::U16
           : sizeof(T) == 4 ? DType::U32
                            : DType::U64;
}

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_BASE_DTYPE_H
