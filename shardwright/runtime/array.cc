//===- array.cc - a dense array in host memory ----------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/runtime/array.h"

#include "shardwright/support/host_memory.h"

using namespace shardwright;

Array::Array(ElementType type, llvm::ArrayRef<int64_t> shape,
             std::shared_ptr<void> data)
    : elementType(type), dims(shape), count(1), buffer(std::move(data)) {
  for (int64_t size : shape)
    count *= size;
}

llvm::Expected<Array> Array::allocate(ElementType type,
                                      llvm::ArrayRef<int64_t> shape) {
  llvm::Expected<int64_t> bytes = checkedBytes(type, shape);
  if (!bytes)
    return bytes.takeError();
  std::shared_ptr<void> data = cpu::allocateHost(*bytes);
  if (!data)
    return noMemoryFor(type, shape);
  return Array(type, shape, std::move(data));
}
