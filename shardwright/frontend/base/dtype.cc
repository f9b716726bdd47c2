//===- dtype.cc - element types -------------------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/base/dtype.h"

#include "shardwright/frontend/base/config.h"

#include "shardwright/support/element_type.h"

namespace shardwright::frontend {
namespace {

struct Names {
  std::string_view brief, full, mlir;
};
// In the order of DType.
constexpr Names names[] = {
    {"bool", "bool", "i1"},
    {"i2", "int2", "i2"},
    {"i4", "int4", "i4"},
    {"i8", "int8", "i8"},
    {"i16", "int16", "i16"},
    {"i32", "int32", "i32"},
    {"i64", "int64", "i64"},
    {"u2", "uint2", "ui2"},
    {"u4", "uint4", "ui4"},
    {"u8", "uint8", "ui8"},
    {"u16", "uint16", "ui16"},
    {"u32", "uint32", "ui32"},
    {"u64", "uint64", "ui64"},
    {"f4_e2m1fn", "float4_e2m1fn", "f4E2M1FN"},
    {"f6_e2m3fn", "float6_e2m3fn", "f6E2M3FN"},
    {"f6_e3m2fn", "float6_e3m2fn", "f6E3M2FN"},
    {"f8_e3m4", "float8_e3m4", "f8E3M4"},
    {"f8_e4m3", "float8_e4m3", "f8E4M3"},
    {"f8_e4m3fn", "float8_e4m3fn", "f8E4M3FN"},
    {"f8_e4m3fnuz", "float8_e4m3fnuz", "f8E4M3FNUZ"},
    {"f8_e4m3b11fnuz", "float8_e4m3b11fnuz", "f8E4M3B11FNUZ"},
    {"f8_e5m2", "float8_e5m2", "f8E5M2"},
    {"f8_e5m2fnuz", "float8_e5m2fnuz", "f8E5M2FNUZ"},
    {"f8_e8m0fnu", "float8_e8m0fnu", "f8E8M0FNU"},
    {"f16", "float16", "f16"},
    {"bf16", "bfloat16", "bf16"},
    {"f32", "float32", "f32"},
    {"f64", "float64", "f64"},
    {"c64", "complex64", "complex<f32>"},
    {"c128", "complex128", "complex<f64>"},
    {"float0", "float0", "i1"},
    {"key<fry>", "key<fry>", "ui32"},
    {"Tok", "token", "i1"},
};

ElementType elementType(DType type) { return static_cast<ElementType>(type); }

bool isOrdinary(DType type) { return type < DType::Float0; }

/// Rank of a type among those of its category, for promotion.
int integerRank(DType type) {
  return isSigned(type) ? static_cast<int>(type) - static_cast<int>(DType::I2)
                        : static_cast<int>(type) - static_cast<int>(DType::U2);
}

DType promoteStrong(DType a, DType b) {
  if (a == b)
    return a;
  if (a == DType::Bool)
    return b;
  if (b == DType::Bool)
    return a;
  if (isComplex(a) || isComplex(b)) {
    DType ra = realType(a), rb = realType(b);
    if (isInteger(ra))
      ra = rb;
    if (isInteger(rb))
      rb = ra;
    return complexType(promoteStrong(ra, rb));
  }
  if (isFloat(a) != isFloat(b))
    return isFloat(a) ? a : b;
  if (isFloat(a)) {
    if (bitWidth(a) < 8 || bitWidth(b) < 8 ||
        (bitWidth(a) == 8 && bitWidth(b) == 8))
      return DType::F16;
    if (bitWidth(a) != bitWidth(b))
      return bitWidth(a) > bitWidth(b) ? a : b;
    return DType::F32; // f16 and bf16
  }
  if (isSigned(a) == isSigned(b))
    return integerRank(a) > integerRank(b) ? a : b;
  if (isUnsigned(a))
    std::swap(a, b);
  // Signed a, unsigned b: a signed type that holds both.
  if (integerRank(a) > integerRank(b))
    return a;
  if (b == DType::U64)
    return DType::F32;
  return static_cast<DType>(static_cast<int>(DType::I2) + integerRank(b) + 1);
}

} // namespace

std::string_view shortName(DType type) {
  return names[static_cast<int>(type)].brief;
}
std::string_view name(DType type) { return names[static_cast<int>(type)].full; }
std::string_view mlirName(DType type) {
  return names[static_cast<int>(type)].mlir;
}
int64_t byteWidth(DType type) {
  if (isWithoutElements(type))
    return 0;
  return type == DType::Key ? 8 : shardwright::byteWidth(elementType(type));
}
int bitWidth(DType type) {
  return isOrdinary(type) ? shardwright::bitWidth(elementType(type)) : 0;
}
bool isFloat(DType type) {
  return type >= DType::F4E2M1FN && type <= DType::F64;
}
bool isSigned(DType type) { return type >= DType::I2 && type <= DType::I64; }
bool isUnsigned(DType type) { return type >= DType::U2 && type <= DType::U64; }
bool isComplex(DType type) { return type == DType::C64 || type == DType::C128; }
DType realType(DType type) {
  return type == DType::C64    ? DType::F32
         : type == DType::C128 ? DType::F64
                               : type;
}
DType complexType(DType real) {
  return real == DType::F64 || real == DType::C128 ? DType::C128 : DType::C64;
}

/// Booleans are below integers, those below floats and complex numbers.
static int category(DType type) {
  return isComplex(type) ? 3 : isFloat(type) ? 2 : isInteger(type) ? 1 : 0;
}

PromotedType promoteTypes(DType a, bool weakA, DType b, bool weakB) {
  if (weakA == weakB)
    return {promoteStrong(a, b), weakA && weakB};
  if (weakA) {
    std::swap(a, b);
    std::swap(weakA, weakB);
  }
  // b is weak: it only matters if it is of a higher category than a.
  if (category(b) <= category(a))
    return {a, false};
  if (isComplex(b))
    return {isFloat(a) ? complexType(a) : b, !isFloat(a)};
  return {b, true};
}

/// As JAX names the nodes of its lattice.
static std::string latticeName(DType type, bool weak) {
  if (!weak || type == DType::Bool)
    return cat("'", name(type), "'");
  return cat("\"<class '",
             isComplex(type)   ? "complex"
             : isInteger(type) ? "int"
                               : "float",
             "'>\"");
}

Status checkPromotion(DType a, bool weakA, DType b, bool weakB) {
  if (config::numpyDtypePromotion.get() == DtypePromotion::Standard)
    return {};
  bool isAllowed = a == b;
  if (weakA && weakB)
    isAllowed |= category(a) > 0 && category(b) > 0;
  else if (weakA || weakB)
    isAllowed |= category(weakA ? a : b) > 0 &&
                 category(weakA ? a : b) <= category(weakA ? b : a);
  if (isAllowed)
    return {};
  return makeError(
      ErrorKind::TypePromotion, "Input dtypes (", latticeName(a, weakA), ", ",
      latticeName(b, weakB),
      ") have no available implicit dtype promotion path when "
      "jax_numpy_dtype_promotion=strict. Try explicitly casting inputs to the "
      "desired output type, or set jax_numpy_dtype_promotion=standard.");
}

bool x64Enabled() { return config::enableX64.get(); }

DType canonicalType(DType type) {
  if (x64Enabled())
    return type;
  switch (type) {
  case DType::I64:
    return DType::I32;
  case DType::U64:
    return DType::U32;
  case DType::F64:
    return DType::F32;
  case DType::C128:
    return DType::C64;
  default:
    return type;
  }
}

} // namespace shardwright::frontend
