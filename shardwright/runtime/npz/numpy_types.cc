//===- numpy_types.cc - element types that numpy lacks --------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/runtime/npz/numpy_types.h"

#include "shardwright/runtime/npz/npz.h"
#include "shardwright/support/error.h"

using namespace shardwright;

int shardwright::narrowBits(ElementType type) {
  switch (type) {
  case ElementType::S2:
  case ElementType::U2:
    return 2;
  case ElementType::S4:
  case ElementType::U4:
    return 4;
  default:
    return 0;
  }
}

ElementType shardwright::numpyType(ElementType type) {
  if (type == ElementType::BF16)
    return ElementType::U16;
  if (narrowBits(type) || (isFloat(type) && byteWidth(type) == 1))
    return ElementType::U8;
  return type;
}

llvm::Expected<Array> shardwright::fromNumpyBits(Array array,
                                                 ElementType type) {
  if (array.type() == type)
    return array;
  if (array.type() != numpyType(type))
    return fail("has elements of type ", str(array.type()), ", not ", str(type),
                numpyType(type) == type
                    ? ""
                    : (" (as " + str(numpyType(type)) + ")").str());
  if (!narrowBits(type))
    return Array(type, array.shape(), array.storage());
  // A byte holds the unextended bits of one element.
  llvm::Expected<Array> extended = Array::allocate(type, array.shape());
  if (!extended)
    return extended;
  int unused = 8 - narrowBits(type);
  auto *from = static_cast<const uint8_t *>(std::as_const(array).data());
  auto *to = static_cast<uint8_t *>(extended->data());
  for (int64_t i = 0; i < array.elements(); ++i) {
    uint8_t top = uint8_t(from[i] << unused);
    to[i] = isSignedInteger(type) ? uint8_t(int8_t(top) >> unused)
                                  : uint8_t(top >> unused);
  }
  return extended;
}
