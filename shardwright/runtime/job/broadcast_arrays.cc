//===- broadcast_arrays.cc - arrays that one process reads for all --------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/runtime/job/broadcast_arrays.h"

#include "shardwright/job/job.h"
#include "shardwright/support/box_copy.h"
#include "shardwright/support/error.h"

#include "llvm/ADT/STLExtras.h"

#include <cstring>

using namespace shardwright;

BroadcastArrays::BroadcastArrays(
    Job &job, int32_t root, std::vector<std::unique_ptr<ArrayReader>> arrays,
    llvm::ArrayRef<ElementType> types)
    : job(job), root(root), arrays(std::move(arrays)), types(types) {}

BroadcastArrays::~BroadcastArrays() = default;

class BroadcastArrays::Reader final : public ArrayReader {
public:
  Reader(BroadcastArrays &all, size_t index)
      : ArrayReader(all.types[index], all.shapes[index]), all(all),
        index(index) {}
  bool isSequential() const override { return true; }
  llvm::Error read(const Box &box, void *to,
                   llvm::ArrayRef<int64_t> strides) override {
    if (index != all.current)
      return fail("array ", index, " is read while array ", all.current,
                  " is broadcast");
    auto window = all.nextWindow();
    if (!window)
      return window.takeError();
    int64_t width = byteWidth(type());
    if (window->size() != size_t(product(box.extent) * width))
      return fail("a window of ", window->size(), " bytes has come for ",
                  product(box.extent) * width);
    cpu::copyBox(to, strides, window->data(),
                 rowMajorStrides(box.extent, width), box.extent, width);
    return llvm::Error::success();
  }

private:
  BroadcastArrays &all;
  const size_t index;
};

llvm::Expected<std::vector<std::unique_ptr<ArrayReader>>>
BroadcastArrays::readers() {
  for (size_t i = 0; i < types.size(); ++i) {
    // Arrays of bounded size have a shape of their own.
    llvm::ArrayRef<int64_t> sizes;
    if (job.process() == root)
      sizes = arrays[i]->shape();
    auto sent = job.broadcast(
        root, llvm::StringRef(reinterpret_cast<const char *>(sizes.data()),
                              sizes.size() * sizeof(int64_t)));
    if (!sent)
      return sent.takeError();
    shapes.emplace_back(sent->size() / sizeof(int64_t));
    std::memcpy(shapes.back().data(), sent->data(), sent->size());
  }
  std::vector<std::unique_ptr<ArrayReader>> readers;
  for (size_t i = 0; i < types.size(); ++i)
    readers.push_back(std::make_unique<Reader>(*this, i));
  current = size_t(-1);
  nextArray();
  return readers;
}

/// Goes on to the next array that has elements.
void BroadcastArrays::nextArray() {
  while (++current < shapes.size()) {
    windows =
        std::make_unique<Windows>(shapes[current], byteWidth(types[current]));
    if (windows->next(window))
      return;
  }
}

llvm::Expected<std::string> BroadcastArrays::nextWindow() {
  // 'd' and the elements, or 'e' and a failure, after which no window of this
  // array follows.
  std::string bytes;
  if (job.process() == root) {
    int64_t width = byteWidth(types[current]);
    bytes.assign(1 + product(window.extent) * width, 'd');
    if (llvm::Error e = arrays[current]->read(
            window, bytes.data() + 1, rowMajorStrides(window.extent, width)))
      bytes = "e" + toString(std::move(e));
  }
  auto sent = job.broadcast(root, bytes);
  if (!sent) {
    current = shapes.size(); // nothing more is broadcast
    return sent;
  }
  bool isFailure = (*sent)[0] == 'e';
  if (isFailure || !windows->next(window))
    nextArray();
  sent->erase(0, 1);
  if (isFailure)
    return fail(*sent);
  return sent;
}

void BroadcastArrays::finish() {
  while (current < shapes.size())
    llvm::consumeError(nextWindow().takeError());
}
