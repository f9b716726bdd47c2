//===- buffer.cc - an array on one device ---------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/runtime/buffer.h"

#include "shardwright/runtime/array.h"
#include "shardwright/support/box_copy.h"
#include "shardwright/support/host_memory.h"

#include "llvm/ADT/StringSwitch.h"

#include <cstring>
#include <mutex>

using namespace shardwright;

llvm::StringRef shardwright::str(MemoryKind kind) {
  switch (kind) {
  case MemoryKind::Device:
    return "device";
  case MemoryKind::PinnedHost:
    return "pinned_host";
  case MemoryKind::UnpinnedHost:
    return "unpinned_host";
  }
  return "";
}

std::optional<MemoryKind> shardwright::memoryKindNamed(llvm::StringRef name) {
  return llvm::StringSwitch<std::optional<MemoryKind>>(name)
      .Case("device", MemoryKind::Device)
      .Case("pinned_host", MemoryKind::PinnedHost)
      .Case("unpinned_host", MemoryKind::UnpinnedHost)
      .Default(std::nullopt);
}

struct Buffer::State {
  enum class Life : uint8_t { Live, Deleted, Donated };

  int32_t device;
  MemoryKind memory;
  ElementType type;
  llvm::SmallVector<int64_t, 4> shape;
  int64_t elements = 1;
  Event ready;

  mutable std::mutex mutex;
  Life life = Life::Live;
  bool isBorrowed = false; ///< the caller's memory, not to be changed
  std::shared_ptr<void> data;

  llvm::Expected<std::shared_ptr<void>> use() const {
    if (life == Life::Live)
      return data;
    return llvm::createStringError(
        llvm::Twine("the buffer ") + str(type, shape) + " on device " +
        llvm::Twine(device) +
        (life == Life::Deleted ? " has been deleted"
                               : " has been donated to an earlier run"));
  }
};

Buffer::Buffer(int32_t device, MemoryKind memory, ElementType type,
               llvm::ArrayRef<int64_t> shape, std::shared_ptr<void> data,
               Event ready)
    : state(std::make_shared<State>()) {
  state->device = device;
  state->memory = memory;
  state->type = type;
  state->shape.assign(shape.begin(), shape.end());
  for (int64_t size : shape)
    state->elements *= size;
  state->data = std::move(data);
  state->ready = std::move(ready);
}

llvm::Expected<Buffer> Buffer::copyOf(const void *host, ElementType type,
                                      llvm::ArrayRef<int64_t> shape,
                                      llvm::ArrayRef<int64_t> byteStrides,
                                      int32_t device, MemoryKind memory) {
  if (!byteStrides.empty() && byteStrides.size() != shape.size())
    return llvm::createStringError(llvm::Twine(byteStrides.size()) +
                                   " strides for an array of rank " +
                                   llvm::Twine(shape.size()));
  llvm::Expected<Array> array = Array::allocate(type, shape);
  if (!array)
    return array.takeError();
  auto dense = cpu::rowMajorStrides(shape, byteWidth(type));
  if (array->bytes() == 0) {
  } else if (byteStrides.empty() ||
             byteStrides == llvm::ArrayRef<int64_t>(dense)) {
    std::memcpy(array->data(), host, array->bytes());
  } else {
    cpu::copyBox(array->data(), dense, host, byteStrides, shape,
                 byteWidth(type));
  }
  return Buffer(device, memory, type, shape, array->storage());
}

llvm::Expected<Buffer> Buffer::viewOf(const void *host, ElementType type,
                                      llvm::ArrayRef<int64_t> shape,
                                      int32_t device,
                                      std::function<void()> release,
                                      MemoryKind memory) {
  if (reinterpret_cast<uintptr_t>(host) % 64 != 0) {
    auto copy = copyOf(host, type, shape, {}, device, memory);
    if (copy)
      release();
    return copy;
  }
  std::shared_ptr<void> data(
      const_cast<void *>(host),
      [release = std::move(release)](void *) { release(); });
  Buffer buffer(device, memory, type, shape, std::move(data));
  buffer.state->isBorrowed = true;
  return buffer;
}

int32_t Buffer::device() const { return state->device; }
MemoryKind Buffer::memory() const { return state->memory; }
ElementType Buffer::type() const { return state->type; }
llvm::ArrayRef<int64_t> Buffer::shape() const { return state->shape; }
int64_t Buffer::elements() const { return state->elements; }
int64_t Buffer::bytes() const {
  return state->elements * byteWidth(state->type);
}
const Event &Buffer::ready() const { return state->ready; }

bool Buffer::isDeleted() const {
  std::lock_guard lock(state->mutex);
  return state->life == State::Life::Deleted;
}

bool Buffer::isDonated() const {
  std::lock_guard lock(state->mutex);
  return state->life == State::Life::Donated;
}

void Buffer::remove() {
  std::shared_ptr<void> last;
  std::lock_guard lock(state->mutex);
  if (state->life == State::Life::Live)
    state->life = State::Life::Deleted;
  last.swap(state->data);
}

llvm::Expected<std::shared_ptr<void>> Buffer::storage() const {
  std::lock_guard lock(state->mutex);
  return state->use();
}

llvm::Expected<Buffer::Donation> Buffer::donate() {
  std::lock_guard lock(state->mutex);
  auto data = state->use();
  if (!data)
    return data.takeError();
  state->life = State::Life::Donated;
  state->data.reset();
  bool isExclusive = !state->isBorrowed && data->use_count() == 1;
  return Donation{std::move(*data), isExclusive};
}

void Buffer::takeBack(std::shared_ptr<void> memory) {
  std::lock_guard lock(state->mutex);
  state->life = State::Life::Live;
  state->data = std::move(memory);
}

llvm::Expected<std::shared_ptr<const void>> Buffer::await() const {
  auto data = storage();
  if (!data)
    return data.takeError();
  if (llvm::Error e = state->ready.await())
    return e;
  return std::shared_ptr<const void>(std::move(*data));
}

llvm::Error Buffer::copyTo(void *host) const {
  auto data = await();
  if (!data)
    return data.takeError();
  if (bytes() > 0)
    std::memcpy(host, data->get(), bytes());
  return llvm::Error::success();
}

llvm::Expected<Buffer> Buffer::on(int32_t device, MemoryKind memory) const {
  auto data = storage();
  if (!data)
    return data.takeError();
  Buffer other(device, memory, state->type, state->shape, std::move(*data),
               state->ready);
  other.state->isBorrowed = state->isBorrowed;
  return other;
}

llvm::Expected<Buffer> Buffer::copy() const {
  auto data = storage();
  if (!data)
    return data.takeError();
  llvm::Expected<Array> array = Array::allocate(state->type, state->shape);
  if (!array)
    return array.takeError();
  Event copied;
  state->ready.onReady([copied, from = std::move(*data), to = array->storage(),
                        bytes = bytes()](llvm::StringRef failure) mutable {
    if (!failure.empty())
      return copied.set(llvm::createStringError(failure));
    if (bytes > 0)
      std::memcpy(to.get(), from.get(), bytes);
    copied.set();
  });
  return Buffer(state->device, state->memory, state->type, state->shape,
                array->storage(), copied);
}
