//===- buffer.cc - an array on one device ---------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/runtime/buffer_state.h"

#include "shardwright/support/host_memory.h"

using namespace shardwright;

llvm::Expected<std::shared_ptr<DeviceStorage>> Buffer::State::use() const {
  if (life == Life::Live)
    return storage;
  return llvm::createStringError(llvm::Twine("the buffer ") + str(type, shape) +
                                 " on device " + llvm::Twine(device.number()) +
                                 (life == Life::Deleted
                                      ? " has been deleted"
                                      : " has been donated to an earlier run"));
}

Buffer::Buffer(DeviceId device, MemoryKind memory, ElementType type,
               llvm::ArrayRef<int64_t> shape,
               std::shared_ptr<DeviceStorage> storage, Event ready)
    : state(std::make_shared<State>(device, memory, type, shape,
                                    std::move(storage), std::move(ready))) {}

DeviceId Buffer::device() const { return state->device; }
MemoryKind Buffer::memory() const { return state->memory; }
ElementType Buffer::type() const { return state->type; }
llvm::ArrayRef<int64_t> Buffer::shape() const { return state->shape; }
int64_t Buffer::elements() const { return state->elements; }
int64_t Buffer::bytes() const {
  return state->elements * byteWidth(state->type);
}
const Event &Buffer::ready() const { return state->ready; }

bool Buffer::isLive() const {
  std::lock_guard lock(state->mutex);
  return state->life == State::Life::Live;
}

bool Buffer::isDeleted() const {
  std::lock_guard lock(state->mutex);
  return state->life == State::Life::Deleted;
}

bool Buffer::isDonated() const {
  std::lock_guard lock(state->mutex);
  return state->life == State::Life::Donated;
}

void Buffer::remove() {
  std::shared_ptr<DeviceStorage> last;
  std::lock_guard lock(state->mutex);
  if (state->life == State::Life::Live)
    state->life = State::Life::Deleted;
  last.swap(state->storage);
}

llvm::Expected<std::shared_ptr<DeviceStorage>> Buffer::storage() const {
  std::lock_guard lock(state->mutex);
  return state->use();
}

llvm::Expected<Buffer::Donation> Buffer::donate() {
  std::lock_guard lock(state->mutex);
  auto storage = state->use();
  if (!storage)
    return storage.takeError();
  state->life = State::Life::Donated;
  state->storage.reset();
  bool isExclusive = storage->use_count() == 1 && (*storage)->mayOverwrite();
  return Donation{std::move(*storage), isExclusive};
}

void Buffer::takeBack(std::shared_ptr<DeviceStorage> storage) {
  std::lock_guard lock(state->mutex);
  state->life = State::Life::Live;
  state->storage = std::move(storage);
}

llvm::Expected<std::shared_ptr<const void>> Buffer::await() const {
  auto storage = this->storage();
  if (!storage)
    return storage.takeError();
  if (llvm::Error e = state->ready.await())
    return e;
  if (const void *view = (*storage)->hostView())
    return std::shared_ptr<const void>(std::move(*storage), view);
  std::shared_ptr<void> copy = cpu::allocateHost(bytes());
  if (!copy)
    return noMemoryFor(type(), shape());
  if (llvm::Error e =
          (*storage)->copyToHost(copy.get(), 0, bytes(), state->ready).await())
    return e;
  return std::shared_ptr<const void>(std::move(copy));
}

llvm::Error Buffer::copyTo(void *host) const {
  auto storage = this->storage();
  if (!storage)
    return storage.takeError();
  return (*storage)->copyToHost(host, 0, bytes(), state->ready).await();
}

llvm::Expected<Event>
Buffer::whenOnHost(llvm::unique_function<void(const void *)> work) const {
  auto storage = this->storage();
  if (!storage)
    return storage.takeError();
  const void *elements = (*storage)->hostView();
  std::shared_ptr<void> copy;
  Event ready = state->ready;
  if (!elements && bytes() > 0) {
    copy = cpu::allocateHost(bytes());
    if (!copy)
      return noMemoryFor(type(), shape());
    elements = copy.get();
    ready = (*storage)->copyToHost(copy.get(), 0, bytes(), state->ready);
  }
  Event done;
  ready.onReady([done, elements, copy = std::move(copy),
                 storage = std::move(*storage),
                 work = std::move(work)](llvm::StringRef failure) mutable {
    if (!failure.empty())
      return done.set(llvm::createStringError(failure));
    work(elements);
    done.set();
  });
  return done;
}

llvm::Expected<Buffer> Buffer::on(DeviceId device, MemoryKind memory) const {
  auto storage = this->storage();
  if (!storage)
    return storage.takeError();
  if ((*storage)->isReadableAt({device, memory}))
    return Buffer(device, memory, state->type, state->shape,
                  std::move(*storage), state->ready);
  return copyTo({device, memory});
}

llvm::Expected<Buffer> Buffer::copy() const {
  return copyTo({state->device, state->memory});
}

llvm::Expected<Buffer> Buffer::copyTo(MemoryPlace place) const {
  auto storage = this->storage();
  if (!storage)
    return storage.takeError();
  auto copy = (*storage)->copyTo(place, state->ready);
  if (!copy)
    return copy.takeError();
  if (!copy->ready.isReady()) // keep the source alive until then
    copy->ready.onReady([storage = std::move(*storage)](llvm::StringRef) {});
  return Buffer(place.device, place.memory, state->type, state->shape,
                std::move(copy->storage), std::move(copy->ready));
}
