//===- array_type.cc - type and shape of an array -------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/backend/array_type.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace shardwright;

std::string shardwright::str(ElementType type, llvm::ArrayRef<int64_t> shape) {
  std::string text = str(type).str();
  llvm::raw_string_ostream os(text);
  os << '[';
  llvm::interleave(shape, os, ",");
  os << ']';
  return text;
}

static llvm::Error fail(ElementType type, llvm::ArrayRef<int64_t> shape,
                        const llvm::Twine &why) {
  return llvm::createStringError(llvm::Twine("array ") +
                                 shardwright::str(type, shape) + ": " + why);
}

llvm::Expected<int64_t>
shardwright::checkedBytes(ElementType type, llvm::ArrayRef<int64_t> shape) {
  // The product of the non-zero sizes must fit even if one size is 0, because
  // strides are products of them.
  int64_t bytes = byteWidth(type);
  bool isEmpty = false;
  for (int64_t size : shape) {
    if (size < 0)
      return fail(type, shape, "negative size");
    isEmpty |= size == 0;
    if (size != 0 && __builtin_mul_overflow(bytes, size, &bytes))
      return fail(type, shape, "size overflows 64 bits");
  }
  return isEmpty ? 0 : bytes;
}

llvm::Error shardwright::noMemoryFor(ElementType type,
                                     llvm::ArrayRef<int64_t> shape) {
  int64_t bytes = byteWidth(type);
  for (int64_t size : shape)
    bytes *= std::max<int64_t>(size, 1);
  return fail(type, shape,
              "not enough memory, " + llvm::Twine(bytes) + " bytes");
}
