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

llvm::Error shardwright::readBoxes(ArrayReader &array,
                                   llvm::ArrayRef<BoxTarget> targets) {
  if (!array.isSequential()) {
    for (const BoxTarget &target : targets)
      if (llvm::Error e = array.read(target.box, target.to, target.strides))
        return e;
    return llvm::Error::success();
  }
  int64_t width = byteWidth(array.type());
  return readInWindows(array, [&](const Box &box, const Array &window) {
    auto strides = rowMajorStrides(box.extent, width);
    for (const BoxTarget &target : targets) {
      Box part = intersection(box, target.box);
      cpu::copyBox(static_cast<char *>(target.to) +
                       offsetOf(part.begin, target.strides) -
                       offsetOf(target.box.begin, target.strides),
                   target.strides,
                   static_cast<const char *>(window.data()) +
                       offsetOf(part.begin, strides) -
                       offsetOf(box.begin, strides),
                   strides, part.extent, width);
    }
    return llvm::Error::success();
  });
}

llvm::Error shardwright::forEachRun(
    llvm::ArrayRef<int64_t> shape, const Box &box, int64_t elementBytes,
    void *to, llvm::ArrayRef<int64_t> strides,
    llvm::function_ref<llvm::Error(int64_t first, int64_t count, char *at)>
        use) {
  if (product(box.extent) == 0)
    return llvm::Error::success();
  // Dimensions from `inner` on are one run.
  size_t inner = shape.size();
  int64_t count = 1;
  while (inner > 0 && strides[inner - 1] == count * elementBytes) {
    count *= box.extent[--inner];
    if (box.extent[inner] != shape[inner])
      break;
  }
  auto numbers = rowMajorStrides(shape);
  llvm::SmallVector<int64_t, 4> index(inner, 0);
  while (true) {
    int64_t first = offsetOf(box.begin, numbers), offset = 0;
    for (size_t d = 0; d < inner; ++d) {
      first += index[d] * numbers[d];
      offset += index[d] * strides[d];
    }
    if (llvm::Error e = use(first, count, static_cast<char *>(to) + offset))
      return e;
    size_t d = inner;
    while (d > 0 && ++index[d - 1] == box.extent[d - 1])
      index[--d] = 0;
    if (d == 0)
      return llvm::Error::success();
  }
}

llvm::Expected<Array> shardwright::readWhole(ArrayReader &reader) {
  auto whole = Array::allocate(reader.type(), reader.shape());
  if (!whole)
    return whole;
  int64_t width = byteWidth(reader.type());
  auto strides = rowMajorStrides(reader.shape(), width);
  Windows windows(reader.shape(), width);
  for (Box box; windows.next(box);)
    if (llvm::Error e = reader.read(box,
                                    static_cast<char *>(whole->data()) +
                                        offsetOf(box.begin, strides),
                                    strides))
      return e;
  return whole;
}
