//===- neutral_element.cc - the neutral element of a sum ------------------===//
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

using namespace shardwright;

template <typename T> static void fill(void *data, int64_t count, T value) {
  std::fill_n(static_cast<T *>(data), count, value);
}

llvm::Error shardwright::fillNeutral(ElementType type, void *data,
                                     int64_t count) {
  if (isComplex(type))
    return fillNeutral(componentType(type), data, 2 * count);
  if (isTinyFloat(type)) {
    const llvm::fltSemantics &semantics = semanticsOf(type);
    if (!llvm::APFloat::semanticsHasZero(semantics))
      return llvm::createStringError("elements of " + str(type) +
                                     " have no zero, so none that a sum does "
                                     "not change");
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
