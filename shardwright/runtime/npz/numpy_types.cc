//===- numpy_types.cc - element types that numpy lacks --------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/runtime/npz/numpy_types.h"

#include "shardwright/runtime/npz/npz.h"
#include "shardwright/support/error.h"

#include <cstring>
#include <utility>

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

llvm::Error shardwright::checkNumpyType(ElementType found, ElementType type) {
  if (found == type || found == numpyType(type))
    return llvm::Error::success();
  return fail("has elements of type ", str(found), ", not ", str(type),
              numpyType(type) == type
                  ? ""
                  : (" (as " + str(numpyType(type)) + ")").str());
}

void shardwright::fromNumpyBits(ElementType type, void *elements,
                                int64_t count) {
  auto *bytes = static_cast<uint8_t *>(elements);
  if (type == ElementType::Pred)
    for (int64_t i = 0; i < count; ++i)
      bytes[i] = bytes[i] != 0;
  int bits = narrowBits(type);
  if (bits == 0)
    return;
  int unused = 8 - bits;
  for (int64_t i = 0; i < count; ++i) {
    uint8_t top = uint8_t(bytes[i] << unused);
    bytes[i] = isSignedInteger(type) ? uint8_t(int8_t(top) >> unused)
                                     : uint8_t(top >> unused);
  }
}

llvm::Expected<Array> shardwright::fromNumpyBits(Array array,
                                                 ElementType type) {
  if (array.type() == type)
    return array;
  if (llvm::Error e = checkNumpyType(array.type(), type))
    return e;
  if (!narrowBits(type))
    return Array(type, array.shape(), array.storage());
  llvm::Expected<Array> extended = Array::allocate(type, array.shape());
  if (!extended)
    return extended;
  std::memcpy(extended->data(), std::as_const(array).data(), array.bytes());
  fromNumpyBits(type, extended->data(), extended->elements());
  return extended;
}
