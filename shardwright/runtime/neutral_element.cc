//===- neutral_element.cc - neutral elements of reductions ----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/runtime/neutral_element.h"

#include "shardwright/support/narrow_float.h"

#include "llvm/ADT/APFloat.h"

#include <algorithm>
#include <cstring>
#include <limits>

using namespace shardwright;

template <typename T> static void fill(void *data, int64_t count, T value) {
  std::fill_n(static_cast<T *>(data), count, value);
}

/// Fills with the largest element, or with the lowest one.
template <typename T>
static void fillExtreme(bool isLargest, void *data, int64_t count) {
  using Limits = std::numeric_limits<T>;
  if constexpr (Limits::has_infinity)
    fill(data, count, isLargest ? Limits::infinity() : -Limits::infinity());
  else
    fill(data, count, isLargest ? Limits::max() : Limits::lowest());
}

static llvm::Error fillExtreme(ElementType type, bool isLargest, void *data,
                               int64_t count) {
  if (isComplex(type))
    return llvm::createStringError("elements of " + str(type) +
                                   " have no order, so no " +
                                   (isLargest ? "minimum" : "maximum"));
  if (isTinyFloat(type)) {
    const llvm::fltSemantics &semantics = semanticsOf(type);
    llvm::APFloat value = llvm::APFloat::getLargest(semantics, !isLargest);
    if (llvm::APFloat::semanticsHasInf(semantics))
      value = llvm::APFloat::getInf(semantics, !isLargest);
    else if (!isLargest && !llvm::APFloat::semanticsHasSignedRepr(semantics))
      value = llvm::APFloat::getSmallest(semantics);
    std::memset(data, int(value.bitcastToAPInt().getZExtValue()), count);
    return llvm::Error::success();
  }
  switch (type) {
  case ElementType::Pred:
    fill<uint8_t>(data, count, isLargest);
    break;
  case ElementType::S2:
    fill<int8_t>(data, count, isLargest ? 1 : -2);
    break;
  case ElementType::S4:
    fill<int8_t>(data, count, isLargest ? 7 : -8);
    break;
  case ElementType::U2:
    fill<uint8_t>(data, count, isLargest ? 3 : 0);
    break;
  case ElementType::U4:
    fill<uint8_t>(data, count, isLargest ? 15 : 0);
    break;
  case ElementType::S8:
    fillExtreme<int8_t>(isLargest, data, count);
    break;
  case ElementType::S16:
    fillExtreme<int16_t>(isLargest, data, count);
    break;
  case ElementType::S32:
    fillExtreme<int32_t>(isLargest, data, count);
    break;
  case ElementType::S64:
    fillExtreme<int64_t>(isLargest, data, count);
    break;
  case ElementType::U8:
    fillExtreme<uint8_t>(isLargest, data, count);
    break;
  case ElementType::U16:
    fillExtreme<uint16_t>(isLargest, data, count);
    break;
  case ElementType::U32:
    fillExtreme<uint32_t>(isLargest, data, count);
    break;
  case ElementType::U64:
    fillExtreme<uint64_t>(isLargest, data, count);
    break;
  case ElementType::F16:
    fill<uint16_t>(data, count, isLargest ? 0x7c00 : 0xfc00);
    break;
  case ElementType::BF16:
    fill<uint16_t>(data, count, isLargest ? 0x7f80 : 0xff80);
    break;
  case ElementType::F32:
    fillExtreme<float>(isLargest, data, count);
    break;
  case ElementType::F64:
    fillExtreme<double>(isLargest, data, count);
    break;
  default:
    return llvm::createStringError("elements of " + str(type) +
                                   " have no order");
  }
  return llvm::Error::success();
}

static llvm::Error fillZero(ElementType type, void *data, int64_t count) {
  if (isComplex(type))
    return fillZero(componentType(type), data, 2 * count);
  if (isTinyFloat(type)) {
    const llvm::fltSemantics &semantics = semanticsOf(type);
    if (!llvm::APFloat::semanticsHasZero(semantics))
      return llvm::createStringError(
          "elements of " + str(type) +
          " have no zero, which a sum needs as its neutral element");
    // A type in which those bits are NaN has no -0; its value here is +0.
    llvm::APInt bits =
        llvm::APFloat::getZero(semantics, /*Negative=*/true).bitcastToAPInt();
    std::memset(data, int(bits.getZExtValue()), count);
    return llvm::Error::success();
  }
  switch (type) {
  case ElementType::F16:
  case ElementType::BF16:
    fill(data, count, uint16_t(0x8000));
    break;
  case ElementType::F32:
    fill(data, count, -0.0f);
    break;
  case ElementType::F64:
    fill(data, count, -0.0);
    break;
  default:
    std::memset(data, 0, count * byteWidth(type));
  }
  return llvm::Error::success();
}

llvm::Error shardwright::fillNeutral(ElementType type, ReductionKind kind,
                                     void *data, int64_t count) {
  if (kind == ReductionKind::Sum)
    return fillZero(type, data, count);
  return fillExtreme(type, /*isLargest=*/kind == ReductionKind::Min, data,
                     count);
}
