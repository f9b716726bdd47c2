//===- element_type.cc - element types of buffers -------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/support/element_type.h"

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
