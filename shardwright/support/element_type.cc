//===- element_type.cc - element types of buffers -------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/support/element_type.h"

#include "mlir/IR/BuiltinTypes.h"

namespace shardwright {

namespace {
struct Info {
  const char *name;
  uint8_t bytes, bits;
};
} // namespace

// In the order of ElementType.
static constexpr Info infos[] = {
    {"i1", 1, 1},
    {"i2", 1, 2},
    {"i4", 1, 4},
    {"i8", 1, 8},
    {"i16", 2, 16},
    {"i32", 4, 32},
    {"i64", 8, 64},
    {"ui2", 1, 2},
    {"ui4", 1, 4},
    {"ui8", 1, 8},
    {"ui16", 2, 16},
    {"ui32", 4, 32},
    {"ui64", 8, 64},
    {"f4E2M1FN", 1, 4},
    {"f6E2M3FN", 1, 6},
    {"f6E3M2FN", 1, 6},
    {"f8E3M4", 1, 8},
    {"f8E4M3", 1, 8},
    {"f8E4M3FN", 1, 8},
    {"f8E4M3FNUZ", 1, 8},
    {"f8E4M3B11FNUZ", 1, 8},
    {"f8E5M2", 1, 8},
    {"f8E5M2FNUZ", 1, 8},
    {"f8E8M0FNU", 1, 8},
    {"f16", 2, 16},
    {"bf16", 2, 16},
    {"f32", 4, 32},
    {"f64", 8, 64},
    {"complex<f32>", 8, 64},
    {"complex<f64>", 16, 128},
};

static const Info &info(ElementType type) {
  return infos[static_cast<int>(type)];
}

int64_t byteWidth(ElementType type) { return info(type).bytes; }

int bitWidth(ElementType type) { return info(type).bits; }

llvm::StringRef str(ElementType type) { return info(type).name; }

std::optional<ElementType> elementTypeFromMLIR(mlir::Type type) {
  if (auto integer = mlir::dyn_cast<mlir::IntegerType>(type)) {
    if (integer.isSigned())
      return std::nullopt;
    bool isUnsigned = integer.isUnsigned();
    switch (integer.getWidth()) {
    case 1:
      return isUnsigned ? std::nullopt : std::optional(ElementType::Pred);
    case 2:
      return isUnsigned ? ElementType::U2 : ElementType::S2;
    case 4:
      return isUnsigned ? ElementType::U4 : ElementType::S4;
    case 8:
      return isUnsigned ? ElementType::U8 : ElementType::S8;
    case 16:
      return isUnsigned ? ElementType::U16 : ElementType::S16;
    case 32:
      return isUnsigned ? ElementType::U32 : ElementType::S32;
    case 64:
      return isUnsigned ? ElementType::U64 : ElementType::S64;
    default:
      return std::nullopt;
    }
  }
  if (auto complex = mlir::dyn_cast<mlir::ComplexType>(type)) {
    if (complex.getElementType().isF32())
      return ElementType::C64;
    if (complex.getElementType().isF64())
      return ElementType::C128;
    return std::nullopt;
  }
  if (mlir::isa<mlir::Float4E2M1FNType>(type))
    return ElementType::F4E2M1FN;
  if (mlir::isa<mlir::Float6E2M3FNType>(type))
    return ElementType::F6E2M3FN;
  if (mlir::isa<mlir::Float6E3M2FNType>(type))
    return ElementType::F6E3M2FN;
  if (mlir::isa<mlir::Float8E3M4Type>(type))
    return ElementType::F8E3M4;
  if (mlir::isa<mlir::Float8E4M3Type>(type))
    return ElementType::F8E4M3;
  if (mlir::isa<mlir::Float8E4M3FNType>(type))
    return ElementType::F8E4M3FN;
  if (mlir::isa<mlir::Float8E4M3FNUZType>(type))
    return ElementType::F8E4M3FNUZ;
  if (mlir::isa<mlir::Float8E4M3B11FNUZType>(type))
    return ElementType::F8E4M3B11FNUZ;
  if (mlir::isa<mlir::Float8E5M2Type>(type))
    return ElementType::F8E5M2;
  if (mlir::isa<mlir::Float8E5M2FNUZType>(type))
    return ElementType::F8E5M2FNUZ;
  if (mlir::isa<mlir::Float8E8M0FNUType>(type))
    return ElementType::F8E8M0FNU;
  if (type.isF16())
    return ElementType::F16;
  if (type.isBF16())
    return ElementType::BF16;
  if (type.isF32())
    return ElementType::F32;
  if (type.isF64())
    return ElementType::F64;
  return std::nullopt;
}

bool isFloat(ElementType type) {
  return type >= ElementType::F4E2M1FN && type <= ElementType::F64;
}
bool isSignedInteger(ElementType type) {
  return type >= ElementType::S2 && type <= ElementType::S64;
}
bool isUnsignedInteger(ElementType type) {
  return type >= ElementType::U2 && type <= ElementType::U64;
}
bool isComplex(ElementType type) { return type >= ElementType::C64; }
bool isTinyFloat(ElementType type) {
  return type >= ElementType::F4E2M1FN && type <= ElementType::F8E8M0FNU;
}
ElementType componentType(ElementType complex) {
  return complex == ElementType::C64 ? ElementType::F32 : ElementType::F64;
}

} // namespace shardwright
