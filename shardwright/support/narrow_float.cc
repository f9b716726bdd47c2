//===- narrow_float.cc - floats of 4 to 16 bits as float ------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/support/narrow_float.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/Support/ErrorHandling.h"

#include <array>
#include <cmath>
#include <limits>

using namespace shardwright;

const llvm::fltSemantics &shardwright::semanticsOf(ElementType type) {
  switch (type) {
  case ElementType::F4E2M1FN:
    return llvm::APFloat::Float4E2M1FN();
  case ElementType::F6E2M3FN:
    return llvm::APFloat::Float6E2M3FN();
  case ElementType::F6E3M2FN:
    return llvm::APFloat::Float6E3M2FN();
  case ElementType::F8E3M4:
    return llvm::APFloat::Float8E3M4();
  case ElementType::F8E4M3:
    return llvm::APFloat::Float8E4M3();
  case ElementType::F8E4M3FN:
    return llvm::APFloat::Float8E4M3FN();
  case ElementType::F8E4M3FNUZ:
    return llvm::APFloat::Float8E4M3FNUZ();
  case ElementType::F8E4M3B11FNUZ:
    return llvm::APFloat::Float8E4M3B11FNUZ();
  case ElementType::F8E5M2:
    return llvm::APFloat::Float8E5M2();
  case ElementType::F8E5M2FNUZ:
    return llvm::APFloat::Float8E5M2FNUZ();
  default:
    return llvm::APFloat::Float8E8M0FNU();
  }
}

template <ElementType type> static const float *tableOf() {
  static const std::array<float, 256> table = [] {
    std::array<float, 256> t;
    for (int i = 0; i < 256; ++i) {
      unsigned width = bitWidth(type);
      llvm::APFloat x(semanticsOf(type),
                      llvm::APInt(width, i & ((1 << width) - 1)));
      // NaN payloads are dropped.
      t[i] = x.isNaN() ? std::numeric_limits<float>::quiet_NaN()
                       : x.convertToFloat();
    }
    return t;
  }();
  return table.data();
}

const float *shardwright::f8Table(ElementType type) {
  switch (type) {
  case ElementType::F4E2M1FN:
    return tableOf<ElementType::F4E2M1FN>();
  case ElementType::F6E2M3FN:
    return tableOf<ElementType::F6E2M3FN>();
  case ElementType::F6E3M2FN:
    return tableOf<ElementType::F6E3M2FN>();
  case ElementType::F8E3M4:
    return tableOf<ElementType::F8E3M4>();
  case ElementType::F8E4M3:
    return tableOf<ElementType::F8E4M3>();
  case ElementType::F8E4M3FN:
    return tableOf<ElementType::F8E4M3FN>();
  case ElementType::F8E4M3FNUZ:
    return tableOf<ElementType::F8E4M3FNUZ>();
  case ElementType::F8E4M3B11FNUZ:
    return tableOf<ElementType::F8E4M3B11FNUZ>();
  case ElementType::F8E5M2:
    return tableOf<ElementType::F8E5M2>();
  case ElementType::F8E5M2FNUZ:
    return tableOf<ElementType::F8E5M2FNUZ>();
  default:
    return tableOf<ElementType::F8E8M0FNU>();
  }
}

uint8_t shardwright::floatToF8(ElementType type, float value) {
  // f8E8M0FNU has neither sign nor zero; APFloat asserts on such conversions.
  if (type == ElementType::F8E8M0FNU) {
    if (!(value >= 0))
      return 0xff;
    if (value < 0x1p-127f)
      return 0;
    if (value == std::numeric_limits<float>::infinity())
      return 0xff;
  }
  // As in ml_dtypes; APFloat would assert.
  if (bitWidth(type) < 8 && value != value)
    return std::signbit(value) ? 0 : uint8_t(1 << (bitWidth(type) - 1));
  if (bitWidth(type) < 8 && std::isinf(value))
    value = std::copysign(std::numeric_limits<float>::max(), value);
  llvm::APFloat x(value);
  bool losesInfo;
  x.convert(semanticsOf(type), llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return uint8_t(x.bitcastToAPInt().getZExtValue());
}

double shardwright::elementAsDouble(ElementType type, const void *data,
                                    int64_t i) {
  auto at = [&]<typename T>(T) {
    return double(static_cast<const T *>(data)[i]);
  };
  switch (type) {
  case ElementType::Pred:
  case ElementType::U2:
  case ElementType::U4:
  case ElementType::U8:
    return at(uint8_t());
  case ElementType::S2:
  case ElementType::S4:
  case ElementType::S8:
    return at(int8_t());
  case ElementType::S16:
    return at(int16_t());
  case ElementType::S32:
    return at(int32_t());
  case ElementType::S64:
    return at(int64_t());
  case ElementType::U16:
    return at(uint16_t());
  case ElementType::U32:
    return at(uint32_t());
  case ElementType::U64:
    return at(uint64_t());
  case ElementType::F16:
    return f16ToFloat(static_cast<const uint16_t *>(data)[i]);
  case ElementType::BF16:
    return bf16ToFloat(static_cast<const uint16_t *>(data)[i]);
  case ElementType::F32:
    return at(float());
  case ElementType::F64:
    return at(double());
  case ElementType::C64:
  case ElementType::C128:
    llvm_unreachable("complex elements are not one double");
  default:
    return f8Table(type)[static_cast<const uint8_t *>(data)[i]];
  }
}
