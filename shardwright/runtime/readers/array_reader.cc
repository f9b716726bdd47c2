//===- array_reader.cc - arrays that are read in parts --------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/runtime/readers/array_reader.h"

#include "shardwright/support/box_copy.h"

#include "llvm/ADT/STLExtras.h"

using namespace shardwright;

int64_t shardwright::offsetOf(llvm::ArrayRef<int64_t> index,
                              llvm::ArrayRef<int64_t> strides) {
  int64_t offset = 0;
  for (auto [i, stride] : llvm::zip_equal(index, strides))
    offset += i * stride;
  return offset;
}

ArrayReader::ArrayReader(ElementType type, llvm::ArrayRef<int64_t> shape)
    : elementType(type), dims(shape), count(product(shape)) {}

ArrayReader::~ArrayReader() = default;

WholeArrayReader::WholeArrayReader(Array whole)
    : ArrayReader(whole.type(), whole.shape()), array(std::move(whole)) {}

llvm::Error WholeArrayReader::read(const Box &box, void *to,
                                   llvm::ArrayRef<int64_t> strides) {
  int64_t width = byteWidth(type());
  auto own = cpu::rowMajorStrides(shape(), width);
  cpu::copyBox(to, strides,
               static_cast<const char *>(array.data()) +
                   offsetOf(box.begin, own),
               own, box.extent, width);
  return llvm::Error::success();
}

Windows::Windows(llvm::ArrayRef<int64_t> shape, int64_t elementBytes,
                 int64_t limit)
    : shape(shape), begin(shape.size(), 0), isDone(product(shape) == 0) {
  // The bytes of a step along dimension `dim`.
  int64_t bytes = elementBytes;
  for (int64_t d = int64_t(shape.size()) - 1; d >= 0 && !isDone; --d) {
    if (bytes * shape[d] > limit) {
      dim = d;
      step = std::max<int64_t>(1, limit / bytes);
      return;
    }
    bytes *= shape[d];
  }
}

bool Windows::next(Box &box) {
  if (isDone)
    return false;
  box = {begin, shape};
  if (dim < 0) {
    isDone = true;
    return true;
  }
  for (int64_t d = 0; d < dim; ++d)
    box.extent[d] = 1;
  box.extent[dim] = std::min(step, shape[dim] - begin[dim]);
  int64_t d = dim;
  for (begin[d] += box.extent[d]; begin[d] == shape[d]; ++begin[d]) {
    begin[d] = 0;
    if (--d < 0) {
      isDone = true;
      break;
    }
  }
  return true;
}

llvm::Error shardwright::readInWindows(
    ArrayReader &array,
    llvm::function_ref<llvm::Error(const Box &box, const Array &window)> use) {
  int64_t width = byteWidth(array.type());
  Windows windows(array.shape(), width);
  std::shared_ptr<void> memory;
  for (Box box; windows.next(box);) {
    if (!memory) { // the first window is the largest
      auto made = Array::allocate(array.type(), box.extent);
      if (!made)
        return made.takeError();
      memory = made->storage();
    }
    Array window(array.type(), box.extent, memory);
    if (llvm::Error e = array.read(box, window.data(),
                                   cpu::rowMajorStrides(box.extent, width)))
      return e;
    if (llvm::Error e = use(box, window))
      return e;
  }
  return llvm::Error::success();
}
