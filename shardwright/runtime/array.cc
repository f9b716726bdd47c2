//===- array.cc - a dense array in host memory ----------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/runtime/array.h"

#include "shardwright/support/host_memory.h"

#include "llvm/Support/raw_ostream.h"

using namespace shardwright;

std::string shardwright::str(ElementType type, llvm::ArrayRef<int64_t> shape) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << str(type) << '[';
  llvm::interleave(shape, os, ",");
  os << ']';
  return text;
}

Array::Array(ElementType type, llvm::ArrayRef<int64_t> shape,
             std::shared_ptr<void> data)
    : elementType(type), dims(shape), count(1), buffer(std::move(data)) {
  for (int64_t size : shape)
    count *= size;
}

llvm::Expected<Array> Array::allocate(ElementType type,
                                      llvm::ArrayRef<int64_t> shape) {
  auto fail = [&](const llvm::Twine &why) {
    return llvm::createStringError(llvm::Twine("array ") +
                                   shardwright::str(type, shape) + ": " + why);
  };
  // Zero sizes do not excuse the others: their product must fit as well, since
  // strides are computed from it.
  int64_t bytes = byteWidth(type);
  bool empty = false;
  for (int64_t size : shape) {
    if (size < 0)
      return fail("negative size");
    empty |= size == 0;
    if (size != 0 && __builtin_mul_overflow(bytes, size, &bytes))
      return fail("size overflows 64 bits");
  }
  std::shared_ptr<void> data = cpu::allocateHost(empty ? 0 : bytes);
  if (!data)
    return fail("not enough memory, " + llvm::Twine(bytes) + " bytes");
  return Array(type, shape, std::move(data));
}
